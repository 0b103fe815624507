//! A job record.

use std::sync::Arc;

use fedsched_protocol::directive;
use fedsched_protocol::mark;
use fedsched_protocol::slurm;
use tracing::warn;

use super::{nodes, request, time};
use crate::events::slurm::shared::Shared;
use crate::events::slurm::users::Users;
use crate::events::slurm::{reason, tres};
use crate::members::slurm::array_tasks;
use crate::model::{Allocation, Job, JobKey, Outcome, Phase, TaskSet, Timestamp, UserId};

/// The job that a record is, or belongs to.
pub(in crate::events::slurm) fn key(record: &slurm::Job) -> JobKey {
    if record.het_id != 0 {
        return JobKey::job(record.het_id);
    }
    if record.array_id != 0 {
        return JobKey {
            id: record.array_id,
            task: record.array_task,
        };
    }
    JobKey::job(record.id)
}

/// A record that is a job by itself.
pub(in crate::events::slurm) fn job(
    record: &slurm::Job,
    users: &Users,
    shared: &mut Shared,
) -> Job {
    joined(record, &[], users, shared)
}

/// A heterogeneous job: its leader and its other components, in order.
pub(in crate::events::slurm) fn het_job(
    leader: &slurm::Job,
    others: &[&slurm::Job],
    users: &Users,
    shared: &mut Shared,
) -> Job {
    let mut job = joined(leader, others, users, shared);
    for other in others {
        for partition in partitions(other, shared) {
            if !job.partitions.contains(&partition) {
                job.partitions.push(partition);
            }
        }
        let phase = phase(other);
        if is_more_alive(&phase, &job.phase) {
            job.phase = phase;
        }
        job.priority = job.priority.min(other.priority);
        match (&mut job.allocation, allocation(other)) {
            (Some(all), Some(more)) => {
                all.nodes.extend(more.nodes);
                all.tres.add(&more.tres);
                all.end = all.end.max(more.end);
            }
            (none @ None, some) => *none = some,
            (Some(_), None) => {}
        }
    }
    job
}

fn joined(record: &slurm::Job, others: &[&slurm::Job], users: &Users, shared: &mut Shared) -> Job {
    let identity = users.identity(UserId(record.user_id));
    let (mark, directives) = match mark::from_comment(&record.admin_comment) {
        Some((mark, text)) => (Some(mark), directives(record.id, text)),
        None => (None, directive::Directives::default()),
    };
    Job {
        key: key(record),
        mark,
        tasks: tasks(record),
        tasks_running_max: Some(record.array_running_max).filter(|&most| most > 0),
        name: shared.name(&record.name),
        user: UserId(record.user_id),
        user_name: identity.name,
        groups: identity.groups,
        account: shared.accounts.keep(&record.account),
        qos: shared.qos.keep(&record.qos),
        partitions: partitions(record, shared),
        phase: phase(record),
        priority: record.priority,
        submitted: time(record.submit_s).unwrap_or_default(),
        eligible: time(record.eligible_s),
        deadline: time(record.deadline_s),
        dependency: record.dependency.clone(),
        reserved: !record.reservation.is_empty(),
        request: shared
            .requests
            .keep(Arc::new(request::of_record(record, others))),
        directives: shared.directives.keep(Arc::new(directives)),
        allocation: allocation(record),
        requeue: record.requeue,
        restarts: record.restarts,
    }
}

/// The plugin let only valid directives pass: what cannot be read now is another release's.
fn directives(job: u32, text: &str) -> directive::Directives {
    directive::parse(text).unwrap_or_else(|error| {
        warn!(job, %error, "directives of a job cannot be read and are left out");
        directive::Directives::default()
    })
}

fn tasks(record: &slurm::Job) -> Option<TaskSet> {
    if record.array_id == 0 {
        return None;
    }
    match (record.array_task, &record.array_tasks) {
        (Some(task), _) => Some([task].into_iter().collect()),
        (None, text) => Some(text.as_deref().map(array_tasks).unwrap_or_default()),
    }
}

fn partitions(record: &slurm::Job, shared: &mut Shared) -> Vec<crate::model::PartitionName> {
    record
        .partition
        .split(',')
        .filter(|name| !name.is_empty())
        .map(|name| shared.partitions.keep(name))
        .collect()
}

fn phase(record: &slurm::Job) -> Phase {
    let has = |flag: &str| record.flags.iter().any(|own| own == flag);
    if has("COMPLETING") {
        return Phase::Completing;
    }
    if has("REVOKED") {
        return Phase::Ended(Outcome::Revoked);
    }
    match record.state.as_str() {
        "PENDING" if has("REQUEUE_HOLD") || has("SPECIAL_EXIT") => {
            Phase::Waiting(reason::parse("JobHeldUser", ""))
        }
        "PENDING" => Phase::Waiting(reason::parse(&record.reason, &record.reason_text)),
        "RUNNING" if has("CONFIGURING") || record.reason == "Prolog" => Phase::Starting,
        "RUNNING" if has("STOPPED") => Phase::Suspended,
        "RUNNING" => Phase::Running,
        "SUSPENDED" => Phase::Suspended,
        "COMPLETED" => Phase::Ended(Outcome::Completed),
        "FAILED" | "BOOT_FAIL" | "LAUNCH_FAILED" => Phase::Ended(Outcome::Failed),
        "CANCELLED" => Phase::Ended(Outcome::Cancelled),
        "TIMEOUT" | "DEADLINE" => Phase::Ended(Outcome::TimedOut),
        "NODE_FAIL" => Phase::Ended(Outcome::NodeFailed),
        "PREEMPTED" => Phase::Ended(Outcome::Preempted),
        "OUT_OF_MEMORY" => Phase::Ended(Outcome::OutOfMemory),
        "" => Phase::Unknown(record.flags.join("+")),
        other => Phase::Unknown(other.to_owned()),
    }
}

/// Whether a component in phase `a` says more about the whole job than one in phase `b`: what holds
/// resources comes before what waits, and that before what is over.
fn is_more_alive(a: &Phase, b: &Phase) -> bool {
    let rank = |phase: &Phase| match phase {
        Phase::Ended(_) => 0,
        Phase::Waiting(_) => 1,
        Phase::Unknown(_) => 2,
        Phase::Completing => 3,
        Phase::Suspended => 4,
        Phase::Starting => 5,
        Phase::Running => 6,
    };
    rank(a) > rank(b)
}

fn allocation(record: &slurm::Job) -> Option<Allocation> {
    let holds = matches!(
        phase(record),
        Phase::Starting | Phase::Running | Phase::Suspended | Phase::Completing
    );
    if !holds || record.nodes.is_empty() {
        return None;
    }
    let end = record.time_limit_min.and(record.end_s);
    Some(Allocation {
        nodes: nodes(&record.nodes),
        tres: tres::allocated(&record.tres_allocated),
        start: time(record.start_s).unwrap_or_default(),
        end: time(end).unwrap_or(Timestamp::NEVER),
    })
}
