//! Resources kept for somebody from a time on: nobody who would delay him starts before.

use std::collections::BTreeMap;

use super::cell::NodeId;
use super::fit::Placement;
use crate::model::{JobKey, MemberName, Timestamp, Tres};

/// What is kept, where, from when until when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Promise {
    /// For which job.
    pub job: JobKey,
    /// The job was sent to the member by its user: the federation only must not delay it.
    pub direct: bool,
    /// Where.
    pub member: MemberName,
    /// Expected start.
    pub start: Timestamp,
    /// Expected end.
    pub end: Timestamp,
    /// On which nodes, and what of each.
    pub placement: Placement,
}

/// The promises that a pass keeps.
#[derive(Debug, Clone, Default)]
pub struct Promises {
    all: Vec<Promise>,
    by_node: BTreeMap<NodeId, Vec<usize>>,
}

impl Promises {
    /// Keeps one more.
    pub fn add(&mut self, promise: Promise) {
        for (node, _) in &promise.placement.nodes {
            self.by_node.entry(*node).or_default().push(self.all.len());
        }
        self.all.push(promise);
    }

    /// Every promise, in the order they were made.
    pub fn iter(&self) -> impl Iterator<Item = &Promise> {
        self.all.iter()
    }

    /// The promise made to a job.
    pub fn to(&self, job: JobKey) -> Option<&Promise> {
        self.all.iter().find(|promise| promise.job == job)
    }

    /// Whether a member keeps something for a job of the federation's queue already.
    pub fn holds_for_queue(&self, member: &MemberName) -> bool {
        self.all
            .iter()
            .any(|promise| !promise.direct && promise.member == *member)
    }

    /// Those on a node that a job other than `skip` would meet there between `start` and `end`.
    pub(super) fn met(
        &self,
        node: NodeId,
        start: Timestamp,
        end: Timestamp,
        skip: Option<JobKey>,
    ) -> impl Iterator<Item = (&Promise, &Tres)> {
        let here = self.by_node.get(&node).map_or(&[][..], Vec::as_slice);
        here.iter()
            .map(|at| &self.all[*at])
            .filter(move |promise| {
                promise.start < end && start < promise.end && Some(promise.job) != skip
            })
            .filter_map(move |promise| {
                let on_node = promise.placement.nodes.iter().find(|(id, _)| *id == node);
                on_node.map(|(_, tres)| (promise, tres))
            })
    }
}
