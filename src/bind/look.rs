//! What reading a job back shows.

use fedsched_protocol::mark;
use fedsched_protocol::slurm::Job;

use crate::members::slurm::{array_tasks, is_cut};
use crate::model::{BindError, Intent, PartitionName, TaskSet};

/// The records under a job's id, and those among them that an intent means.
#[derive(Debug)]
pub(super) struct Look {
    all: Vec<Job>,
    meant: Vec<usize>,
}

/// Where a record is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    /// It waits.
    Waiting,
    /// Its last run is still being cleared away. If it was requeued, changes would be lost.
    Clearing,
    /// It runs or ran.
    Begun,
}

impl Look {
    /// Chooses what `intent` means from the records under its job's id, and makes sure that it is
    /// the job that was meant when the intent was made.
    pub(super) fn new(intent: &Intent, all: Vec<Job>) -> Result<Self, BindError> {
        let own = own_tasks(intent, &all);
        let meant: Vec<usize> = all
            .iter()
            .enumerate()
            .filter(|(_, record)| is_meant(intent, record, &own))
            .map(|(at, _)| at)
            .collect();
        let look = Self { all, meant };
        if look.meant().next().is_none() {
            return Err(overtaken("it is no longer there"));
        }
        if let Some(mark) = intent.mark
            && !look.meant().all(|record| {
                mark::from_comment(&record.admin_comment).is_some_and(|(own, _)| own == mark)
            })
        {
            return Err(overtaken("another job has its id now"));
        }
        Ok(look)
    }

    /// The intent with its tasks by name: the record that stands for the rest of an array may be gone
    /// once its tasks have moved.
    pub(super) fn pin(&self, intent: &Intent) -> Intent {
        let mut pinned = intent.clone();
        if intent.job.task.is_none() && intent.tasks.is_none() {
            let tasks: TaskSet = self
                .meant()
                .flat_map(|record| rest(record).iter().collect::<Vec<_>>())
                .collect();
            pinned.tasks = Some(tasks).filter(|tasks| !tasks.is_empty());
        }
        pinned
    }

    /// Every record under the id.
    pub(super) fn all(&self) -> &[Job] {
        &self.all
    }

    /// The records that are meant.
    pub(super) fn meant(&self) -> impl Iterator<Item = &Job> {
        self.meant.iter().filter_map(|&at| self.all.get(at))
    }

    /// The records that are meant and not where they should be.
    pub(super) fn not_at(&self, partition: &PartitionName) -> Vec<&Job> {
        self.meant()
            .filter(|record| record.partition != partition.as_str())
            .collect()
    }

    /// Whether something of it has begun.
    pub(super) fn has_begun(&self) -> bool {
        self.meant().any(|record| stage(record) == Stage::Begun)
    }

    /// Whether all of it is held.
    pub(super) fn is_held(&self) -> bool {
        self.meant().all(|record| record.priority == 0)
    }

    /// Whether all of it has no time limit.
    pub(super) fn is_unlimited(&self) -> bool {
        self.meant().all(|record| record.time_limit_min.is_none())
    }

    /// Whether all of it is over.
    pub(super) fn is_over(&self) -> bool {
        self.meant()
            .all(|record| !matches!(record.state.as_str(), "PENDING" | "RUNNING" | "SUSPENDED"))
    }

    /// Whether something of it is still being cleared away.
    pub(super) fn is_clearing(&self) -> bool {
        self.meant().any(|record| stage(record) == Stage::Clearing)
    }
}

/// Where a record is.
pub(super) fn stage(record: &Job) -> Stage {
    let completing = record.flags.iter().any(|flag| flag == "COMPLETING");
    match (record.state.as_str(), completing) {
        ("PENDING", false) => Stage::Waiting,
        // v0.0.38 shows only that it is being cleared away, not whether it will wait again.
        ("PENDING" | "", true) => Stage::Clearing,
        _ => Stage::Begun,
    }
}

/// Whether its user or an administrator holds it. A priority of 0 with another reason is Slurm's own
/// doing, and the next change of partition undoes it.
pub(super) fn is_held_by_somebody(record: &Job) -> bool {
    record.priority == 0 && record.reason.starts_with("JobHeld")
}

/// Whether Slurm holds it for the two minutes after a requeue, as far as can be told: its reason is not
/// always `BeginTime` meanwhile. What begins much later is its user's own wish.
pub(super) fn is_held_after_requeue(record: &Job, now_s: i64) -> bool {
    const MUCH_LATER_S: i64 = 600;
    record.restarts > 0
        && record
            .eligible_s
            .is_none_or(|eligible| eligible < now_s.saturating_add(MUCH_LATER_S))
}

pub(super) fn overtaken(what: impl Into<String>) -> BindError {
    BindError::Overtaken(what.into())
}

/// The tasks that an array's record stands for.
fn rest(record: &Job) -> TaskSet {
    record
        .array_tasks
        .as_deref()
        .map(array_tasks)
        .unwrap_or_default()
}

/// The tasks of the intent's array that have records of their own.
fn own_tasks(intent: &Intent, all: &[Job]) -> TaskSet {
    all.iter()
        .filter(|record| record.array_id == intent.job.id)
        .filter_map(|record| record.array_task)
        .collect()
}

fn is_meant(intent: &Intent, record: &Job, own: &TaskSet) -> bool {
    let key = intent.job;
    if record.het_id != 0 {
        return record.het_id == key.id;
    }
    if record.array_id == 0 {
        return record.id == key.id;
    }
    if record.array_id != key.id {
        return false;
    }
    match (key.task, &intent.tasks, record.array_task) {
        (Some(wanted), _, Some(task)) => wanted == task,
        (Some(wanted), _, None) => stands_for(record, wanted, own),
        (None, Some(wanted), Some(task)) => wanted.contains(task),
        (None, Some(wanted), None) => wanted.iter().any(|task| stands_for(record, task, own)),
        // The whole record is the one of the tasks that have none of their own.
        (None, None, task) => task.is_none(),
    }
}

/// Whether the record of the rest of an array stands for `task`, too. A list that Slurm cut may hold
/// every task that has no record of its own.
fn stands_for(record: &Job, task: u32, own: &TaskSet) -> bool {
    !own.contains(task)
        && (rest(record).contains(task) || record.array_tasks.as_deref().is_some_and(is_cut))
}

#[cfg(test)]
mod test {
    use super::*;
    use crate::model::{Action, IntentId, JobKey, Original, Timestamp};

    fn intent(tasks: Option<&[u32]>) -> Intent {
        Intent {
            id: IntentId(1),
            job: JobKey::job(5),
            mark: None,
            tasks: tasks.map(|tasks| tasks.iter().copied().collect()),
            action: Action::Hold,
            decided: Timestamp(0),
            original: Original::default(),
        }
    }

    fn record(id: u32, task: Option<u32>, rest: &str) -> Job {
        Job {
            id,
            array_id: 5,
            array_task: task,
            array_tasks: Some(rest.to_owned()).filter(|rest| !rest.is_empty()),
            ..Job::default()
        }
    }

    fn meant(intent: &Intent, all: &[Job]) -> Vec<u32> {
        Look::new(intent, all.to_vec())
            .map(|look| look.meant().map(|record| record.id).collect())
            .unwrap_or_default()
    }

    #[test]
    fn the_rest_of_an_array_is_meant_for_its_tasks_only() {
        let all = [record(5, None, "2-9"), record(20, Some(0), "")];
        assert_eq!(meant(&intent(Some(&[0])), &all), [20]);
        assert_eq!(meant(&intent(Some(&[0, 2])), &all), [5, 20]);
        assert!(meant(&intent(Some(&[77])), &all).is_empty());
        assert_eq!(meant(&intent(None), &all), [5]);
    }

    #[test]
    fn only_a_requeued_job_is_held_after_a_requeue() {
        let job = |restarts, eligible_s| Job {
            restarts,
            eligible_s,
            ..Job::default()
        };
        for (record, expected) in [
            (job(1, Some(1120)), true),
            (job(1, None), true),
            (job(0, Some(1120)), false),
            (job(1, Some(5000)), false),
        ] {
            assert_eq!(is_held_after_requeue(&record, 1000), expected);
        }
    }

    #[test]
    fn a_cut_list_may_stand_for_any_task_without_a_record() {
        let all = [record(5, None, "2-9,1..."), record(20, Some(0), "")];
        assert_eq!(meant(&intent(Some(&[150])), &all), [5]);
        assert_eq!(meant(&intent(Some(&[0])), &all), [20]);
    }
}
