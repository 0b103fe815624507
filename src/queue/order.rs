//! Which waiting job comes first.

use std::cmp::Reverse;

use crate::model::{JobKey, Timestamp};

/// A waiting job's place in the order: highest priority, then first submitted, then lowest id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Order {
    priority: Reverse<u32>,
    submitted: Timestamp,
    job: JobKey,
}

impl Order {
    /// The place of a job.
    pub const fn new(job: JobKey, priority: u32, submitted: Timestamp) -> Self {
        Self {
            priority: Reverse(priority),
            submitted,
            job,
        }
    }

    /// Whose place it is.
    pub const fn job(&self) -> JobKey {
        self.job
    }

    /// Slurm's priority.
    pub const fn priority(&self) -> u32 {
        self.priority.0
    }

    /// The smallest place after this one.
    pub(super) fn successor(self) -> Self {
        let task = match self.job.task {
            None => Some(0),
            Some(task) if task < u32::MAX => Some(task + 1),
            Some(_) => {
                let job = JobKey::job(self.job.id.saturating_add(1));
                return Self { job, ..self };
            }
        };
        let job = JobKey { task, ..self.job };
        Self { job, ..self }
    }
}
