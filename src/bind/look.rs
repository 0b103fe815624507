//! What reading a job back shows.

use fedsched_protocol::mark;
use fedsched_protocol::slurm::Job;

use crate::members::slurm::array_tasks;
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
    /// Requeued, and its last run is still being cleared away: changes would be lost.
    Clearing,
    /// It runs or ran.
    Begun,
}

impl Look {
    /// Chooses what `intent` means from the records under its job's id, and makes sure that it is
    /// the job that was meant when the intent was made.
    pub(super) fn new(intent: &Intent, all: Vec<Job>) -> Result<Self, BindError> {
        let meant: Vec<usize> = all
            .iter()
            .enumerate()
            .filter(|(_, record)| is_meant(intent, record))
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
        ("PENDING", true) => Stage::Clearing,
        _ => Stage::Begun,
    }
}

/// Whether its user or an administrator holds it. A priority of 0 with another reason is Slurm's own
/// doing, and the next change of partition undoes it.
pub(super) fn is_held_by_somebody(record: &Job) -> bool {
    record.priority == 0 && record.reason.starts_with("JobHeld")
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

fn is_meant(intent: &Intent, record: &Job) -> bool {
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
        (Some(wanted), _, None) => rest(record).contains(wanted),
        (None, Some(wanted), Some(task)) => wanted.contains(task),
        (None, Some(wanted), None) => rest(record).iter().any(|task| wanted.contains(task)),
        // The whole record is the one of the tasks that have none of their own.
        (None, None, task) => task.is_none(),
    }
}
