//! The topology as one decision sees it.

use std::collections::BTreeSet;
use std::time::Duration;

use super::cell::NodeId;
use super::fit::{Question, When};
use super::obstacle::{self, Obstacle};
use super::pool::Pool;
use super::{Direct, Need, Placement, Promise, Promises, Shortage, Topology};
use crate::model::{JobKey, Partition, PartitionName, Timestamp, Tres};

/// Times at which an earliest start is tried at most; farther ones are thinned out.
const TIMES_MAX: usize = 256;

/// A view of the topology at one moment, with the promises that must be kept. Taking it costs nothing.
#[derive(Debug, Clone, Copy)]
pub struct Snapshot<'a> {
    topology: &'a Topology,
    promises: &'a Promises,
    now: Timestamp,
    skip: Option<JobKey>,
    ends_alone: bool,
}

/// What a partition has, for display: decisions go by nodes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Holdings {
    /// Nodes in all.
    pub nodes: u32,
    /// Nodes that take jobs.
    pub nodes_usable: u32,
    /// Nodes that take jobs and of which nothing is used.
    pub nodes_free: u32,
    /// Everything, over usable nodes.
    pub total: Tres,
    /// What is free of it.
    pub free: Tres,
}

impl<'a> Snapshot<'a> {
    /// The topology at `now`, where `promises` are kept.
    pub fn new(topology: &'a Topology, promises: &'a Promises, now: Timestamp) -> Self {
        Self {
            topology,
            promises,
            now,
            skip: None,
            ends_alone: false,
        }
    }

    /// The same for a job whose own promise must not stand in its way.
    #[must_use]
    pub fn seen_by(self, job: JobKey) -> Self {
        Self {
            skip: Some(job),
            ..self
        }
    }

    /// When it is.
    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// The facts of a partition.
    pub fn partition(&self, name: &PartitionName) -> Option<&'a Partition> {
        self.topology.partition_named(name)
    }

    /// The job that Slurm itself starts next there.
    pub fn direct_head(&self, partition: &PartitionName) -> Option<(JobKey, &'a Direct)> {
        self.topology.directs.head(partition)
    }

    /// Jobs that users sent there and that wait.
    pub fn direct_count(&self, partition: &PartitionName) -> usize {
        self.topology.directs.count(partition)
    }

    /// Nodes for a job that starts now and runs for `span`.
    pub fn fit_now(
        &self,
        partition: &PartitionName,
        needs: &[Need],
        span: Option<Duration>,
    ) -> Result<Placement, Shortage> {
        self.ask(partition, needs, When::Now, span)
    }

    /// The same, if nothing were promised to anybody.
    pub fn fit_unpromised(
        &self,
        partition: &PartitionName,
        needs: &[Need],
        span: Option<Duration>,
    ) -> Result<Placement, Shortage> {
        let promises = Promises::default();
        let free = Snapshot {
            promises: &promises,
            ..*self
        };
        free.ask(partition, needs, When::Now, span)
    }

    /// Everything that keeps the partition from ever holding the job, even if nothing ran there;
    /// empty if nothing does.
    pub fn obstacles(&self, partition: &PartitionName, needs: &[Need]) -> Vec<Obstacle> {
        let Some(pool) = self.topology.pools.get(partition) else {
            return vec![Obstacle::NoNodes];
        };
        let sizes: Vec<Obstacle> = needs
            .iter()
            .flat_map(|need| obstacle::sizes(&self.topology.shapes, pool, need))
            .collect();
        if !sizes.is_empty() {
            return sizes;
        }
        match self.ask(partition, needs, When::Empty, None) {
            Ok(_) => Vec::new(),
            Err(shortage) if shortage.nodes == 0 => vec![Obstacle::Together],
            Err(shortage) => vec![Obstacle::Count(shortage)],
        }
    }

    /// Earliest time at which the partition can start a job of that length, after now, as far as
    /// ends of jobs and reservations tell. `None`: not within what is known.
    pub fn earliest(
        &self,
        partition: &PartitionName,
        needs: &[Need],
        span: Option<Duration>,
    ) -> Option<(Timestamp, Placement)> {
        let times = self.times(partition);
        // Where only jobs end, more is free the later it is: the first time that could do is
        // found by halving, and what is reserved or promised can only make it later.
        let alone = Snapshot {
            ends_alone: true,
            ..*self
        };
        let first =
            times.partition_point(|at| alone.ask(partition, needs, When::At(*at), None).is_err());
        times[first..].iter().find_map(|at| {
            let placement = self.ask(partition, needs, When::At(*at), span).ok()?;
            Some((*at, placement))
        })
    }

    /// Earliest start, now or later.
    pub fn first_start(
        &self,
        partition: &PartitionName,
        needs: &[Need],
        span: Option<Duration>,
    ) -> Option<(Timestamp, Placement)> {
        match self.fit_now(partition, needs, span) {
            Ok(placement) => Some((self.now, placement)),
            Err(_) => self.earliest(partition, needs, span),
        }
    }

    /// The job whose promise a start now would break.
    pub fn in_the_way(
        &self,
        nodes: &[(NodeId, Tres)],
        span: Option<Duration>,
    ) -> Option<&'a Promise> {
        let end = end(self.now, span);
        nodes
            .iter()
            .flat_map(|(node, _)| self.promises.met(*node, self.now, end, self.skip))
            .map(|(promise, _)| promise)
            .next()
    }

    /// What a partition has in all.
    pub fn holdings(&self, partition: &PartitionName) -> Holdings {
        let mut sum = Holdings::default();
        let Some(pool) = self.topology.pools.get(partition) else {
            return sum;
        };
        for id in pool.nodes() {
            let cell = &self.topology.cells[id.0];
            sum.nodes += 1;
            if let Some(node) = cell.up() {
                let free = cell.free();
                sum.nodes_usable += 1;
                sum.nodes_free += u32::from(free == node.total);
                sum.total.add(&node.total);
                sum.free.add(&free);
            }
        }
        sum
    }

    fn ask(
        &self,
        partition: &PartitionName,
        needs: &[Need],
        when: When,
        span: Option<Duration>,
    ) -> Result<Placement, Shortage> {
        let empty = Pool::default();
        let start = if let When::At(at) = when {
            at
        } else {
            self.now
        };
        let question = Question {
            cells: &self.topology.cells,
            shapes: &self.topology.shapes,
            pool: self.topology.pools.get(partition).unwrap_or(&empty),
            promises: self.promises,
            skip: self.skip,
            ends_alone: self.ends_alone,
            when,
            now: self.now,
            end: end(start, span),
        };
        question.place_all(needs)
    }

    /// Times at which something may become free there, sorted, the near ones all, the far ones thinned.
    fn times(&self, partition: &PartitionName) -> Vec<Timestamp> {
        let mut times = BTreeSet::new();
        let pool = self.topology.pools.get(partition);
        for id in pool.into_iter().flat_map(Pool::nodes) {
            times.extend(self.topology.cells[id.0].releases(self.now));
        }
        let ends = self.promises.iter().map(|promise| promise.end);
        times.extend(ends.filter(|end| *end != Timestamp::NEVER));
        let times: Vec<Timestamp> = times.into_iter().filter(|at| *at > self.now).collect();
        let step = times.len().div_ceil(TIMES_MAX).max(1);
        let last = times.len().saturating_sub(1);
        let kept = |at: usize| step == 1 || at % step == step - 1 || at == last;
        let indexed = times.into_iter().enumerate();
        indexed
            .filter(|(at, _)| kept(*at))
            .map(|(_, time)| time)
            .collect()
    }
}

fn end(start: Timestamp, span: Option<Duration>) -> Timestamp {
    span.map_or(Timestamp::NEVER, |span| start + span)
}
