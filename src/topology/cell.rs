//! One node as the topology keeps it: what its member reports, who holds it, what is assumed there.

use std::collections::BTreeMap;
use std::time::Duration;

use fedsched_protocol::mark::Mark;

use crate::model::{JobKey, Node, NodeName, NodeState, Timestamp, Tres};

/// How long a job that should have ended is expected to go on.
const OVERDUE: Duration = Duration::from_secs(60);

/// A node's place in the topology; the same node keeps it for as long as the daemon lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub(super) usize);

/// For whom something is assumed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Holder {
    /// A job, or a task of an array.
    Job(JobKey),
    /// A submission, or a task of it, that has no id yet.
    Submission(Mark, Option<u32>),
}

/// An amount, and until when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) tres: Tres,
    pub(super) end: Timestamp,
}

/// A node. One that was heard of only through its jobs or reservations, or that is gone, has no
/// report and takes no jobs.
#[derive(Debug)]
pub(super) struct Cell {
    pub(super) name: NodeName,
    pub(super) report: Option<Node>,
    /// What jobs hold there, from their own records: tells when it will be free, never what is free now.
    pub(super) held: BTreeMap<JobKey, Span>,
    /// What is promised to jobs whose start the report does not show yet.
    pub(super) assumed: BTreeMap<Holder, Span>,
    /// Reservations: nothing of the federation runs there from start to end.
    pub(super) reserved: BTreeMap<String, (Timestamp, Timestamp)>,
}

impl Cell {
    pub(super) fn new(name: NodeName) -> Self {
        Self {
            name,
            report: None,
            held: BTreeMap::new(),
            assumed: BTreeMap::new(),
            reserved: BTreeMap::new(),
        }
    }

    /// The report, if the node takes jobs.
    pub(super) fn up(&self) -> Option<&Node> {
        self.report
            .as_ref()
            .filter(|node| node.state == NodeState::Up)
    }

    /// What is free now: the total, less what the node reports used, less what is assumed and
    /// not yet visible there.
    pub(super) fn free(&self) -> Tres {
        let Some(node) = self.up() else {
            return Tres::default();
        };
        let mut free = node.total.clone();
        free.subtract(&node.used);
        for span in self.assumed.values() {
            free.subtract(&span.tres);
        }
        free
    }

    /// What will be free at `at`, as far as ends of jobs tell.
    pub(super) fn free_at(&self, at: Timestamp, now: Timestamp) -> Tres {
        let Some(node) = self.up() else {
            return Tres::default();
        };
        let mut used = node.used.clone();
        let mut staying = false;
        for span in self.held.values() {
            if expected_end(span.end, now) <= at {
                used.subtract(&span.tres);
            } else {
                staying = true;
            }
        }
        // Shares of an allocation are rounded: where nobody stays, nothing is left over.
        if !staying && !self.held.is_empty() {
            used = Tres::default();
        }
        let mut free = node.total.clone();
        free.subtract(&used);
        for span in self.assumed.values() {
            if expected_end(span.end, now) > at {
                free.subtract(&span.tres);
            }
        }
        free
    }

    /// Whether a reservation keeps the node from a job over this time.
    pub(super) fn reserved(&self, start: Timestamp, end: Timestamp) -> bool {
        self.reserved
            .values()
            .any(|&(from, to)| from < end && start < to)
    }

    /// Every time at which more may be free here than before.
    pub(super) fn releases(&self, now: Timestamp) -> impl Iterator<Item = Timestamp> + '_ {
        let ends = self.held.values().chain(self.assumed.values());
        ends.map(move |span| expected_end(span.end, now))
            .chain(self.reserved.values().map(|&(_, end)| end))
            .filter(|end| *end != Timestamp::NEVER)
    }
}

/// When something that ends at `end` will be over, seen at `now`.
fn expected_end(end: Timestamp, now: Timestamp) -> Timestamp {
    if end > now { end } else { now + OVERDUE }
}
