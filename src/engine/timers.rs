//! When each job is to be looked at again, whatever happens.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{JobKey, Timestamp};

/// At most one time for each job.
#[derive(Debug, Default)]
pub(super) struct Timers {
    by_job: BTreeMap<JobKey, Timestamp>,
    by_time: BTreeSet<(Timestamp, JobKey)>,
}

impl Timers {
    /// Replaces the time of a job.
    pub(super) fn set(&mut self, job: JobKey, at: Option<Timestamp>) {
        let before = match at {
            Some(at) => self.by_job.insert(job, at),
            None => self.by_job.remove(&job),
        };
        if let Some(before) = before {
            self.by_time.remove(&(before, job));
        }
        if let Some(at) = at {
            self.by_time.insert((at, job));
        }
    }

    /// Sets the time of a job, unless it has an earlier one.
    pub(super) fn set_earliest(&mut self, job: JobKey, at: Timestamp) {
        if self.by_job.get(&job).is_none_or(|known| at < *known) {
            self.set(job, Some(at));
        }
    }

    /// Takes out the jobs whose time has come.
    pub(super) fn due(&mut self, now: Timestamp) -> Vec<JobKey> {
        let mut due = Vec::new();
        while let Some(&(at, job)) = self.by_time.first()
            && at <= now
        {
            self.set(job, None);
            due.push(job);
        }
        due
    }

    /// The next time.
    pub(super) fn next(&self) -> Option<Timestamp> {
        self.by_time.first().map(|(at, _)| *at)
    }
}
