//! Jobs that users sent to a member themselves and that wait there.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::model::{JobKey, PartitionName, Request, Timestamp};

/// A job that waits at a partition of its user's choice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Direct {
    /// Partitions that it may start in.
    pub partitions: Vec<PartitionName>,
    /// Slurm's priority.
    pub priority: u32,
    /// Submission.
    pub submitted: Timestamp,
    /// What it asks for.
    pub request: Arc<Request>,
    /// It waits for its turn: not for its user, a limit, or another job.
    pub ready: bool,
}

/// Every such job.
#[derive(Debug, Default)]
pub(super) struct Directs(BTreeMap<JobKey, Direct>);

impl Directs {
    /// Says whether anything changed.
    pub(super) fn insert(&mut self, key: JobKey, direct: Direct) -> bool {
        if self.0.get(&key) == Some(&direct) {
            return false;
        }
        self.0.insert(key, direct);
        true
    }

    pub(super) fn remove(&mut self, key: JobKey) -> bool {
        self.0.remove(&key).is_some()
    }

    pub(super) fn jobs(&self) -> impl Iterator<Item = JobKey> + '_ {
        self.0.keys().copied()
    }

    pub(super) fn knows(&self, key: JobKey) -> bool {
        self.0.contains_key(&key)
    }

    pub(super) fn count(&self, partition: &PartitionName) -> usize {
        self.at(partition).count()
    }

    /// The job that Slurm starts next at `partition`: highest priority, then first submitted.
    pub(super) fn head(&self, partition: &PartitionName) -> Option<(JobKey, &Direct)> {
        self.at(partition)
            .filter(|(_, direct)| direct.ready)
            .min_by_key(|(key, direct)| (Reverse(direct.priority), direct.submitted, *key))
    }

    fn at(&self, partition: &PartitionName) -> impl Iterator<Item = (JobKey, &Direct)> {
        self.0
            .iter()
            .filter(|(_, direct)| direct.partitions.contains(partition))
            .map(|(key, direct)| (*key, direct))
    }
}
