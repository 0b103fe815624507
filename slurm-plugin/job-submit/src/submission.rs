//! What the daemon is told of a job.

use std::borrow::Cow;
use std::time::{SystemTime, UNIX_EPOCH};

use fedsched_protocol::mark::Mark;
use fedsched_protocol::submit::Submission;
use fedsched_slurm_sys::JobDesc;

/// The fields of a job that a decision depends on.
pub(crate) fn describe(job: &JobDesc, mark: Option<Mark>, directives: String) -> Submission {
    Submission {
        mark,
        directives,
        user_id: job.user_id(),
        group_id: job.group_id(),
        account: owned(job.account()),
        qos: owned(job.qos()),
        name: owned(job.name()),
        work_dir: owned(job.work_dir()),
        batch: job.script().is_some(),
        array: owned(job.array()),
        deferred: is_deferred(job),
        dependency: owned(job.dependency()),
        time_limit_min: job.time_limit_min(),
        time_min_min: job.time_min_min(),
        deadline_s: job.deadline_s(),
        ..geometry(job)
    }
}

fn geometry(job: &JobDesc) -> Submission {
    Submission {
        nodes_min: job.nodes_min(),
        nodes_max: job.nodes_max(),
        tasks: job.tasks(),
        cpus_min: job.cpus_min(),
        cpus_per_task: job.cpus_per_task(),
        tasks_per_node: job.tasks_per_node(),
        node_cpus_min: job.node_cpus_min(),
        memory: job.memory(),
        tmp_disk_mib: job.tmp_disk_mib(),
        tres_per_job: owned(job.tres_per_job()),
        tres_per_node: owned(job.tres_per_node()),
        tres_per_task: owned(job.tres_per_task()),
        tres_per_socket: owned(job.tres_per_socket()),
        cpus_per_tres: owned(job.cpus_per_tres()),
        memory_per_tres: owned(job.memory_per_tres()),
        shared: job.shared(),
        contiguous: job.contiguous(),
        features: owned(job.features()),
        licenses: owned(job.licenses()),
        required_nodes: owned(job.required_nodes()),
        excluded_nodes: owned(job.excluded_nodes()),
        ..Submission::default()
    }
}

/// It may not start now for a reason of its own.
fn is_deferred(job: &JobDesc) -> bool {
    let begins_later = || {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let now_s = now.map_or(0, |now| i64::try_from(now.as_secs()).unwrap_or(i64::MAX));
        job.begin_s().is_some_and(|begin_s| begin_s > now_s)
    };
    job.is_held() || job.dependency().is_some() || begins_later()
}

fn owned(text: Option<Cow<'_, str>>) -> Option<String> {
    text.map(Cow::into_owned)
}
