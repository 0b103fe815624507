//! `slurm-watch` ↔ daemon, over the child's standard input and output.
//!
//! The daemon asks for a poll; the watcher loads what changed from slurmctld, compares it with what
//! it told before, and answers with the differences. It never polls by itself, so the daemon alone
//! decides what slurmctld has to bear.

use serde::{Deserialize, Serialize};

use crate::slurm::{Job, Node, Partition, Reservation};

/// What the daemon asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(proptest_derive::Arbitrary))]
pub enum Request {
    /// Load everything and tell what differs from the last answer.
    Poll,
}

/// What the watcher answers: any number of `Jobs`, `Nodes`, … and then `Done` or `Failed`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(proptest_derive::Arbitrary))]
pub enum Answer {
    /// First message of the watcher's life.
    Hello {
        /// Release of slurm-watch.
        watch: String,
        /// Slurm release it was built for.
        slurm: String,
    },
    /// A full listing follows: what it does not hold is gone. Sent with the first poll.
    Init,
    /// Partitions that are new or changed.
    Partitions(Vec<Partition>),
    /// Nodes that are new or changed; loaded after the jobs, so they show what started jobs hold.
    Nodes(Vec<Node>),
    /// Reservations that are new or changed.
    Reservations(Vec<Reservation>),
    /// Jobs that are new or changed.
    Jobs(Vec<Job>),
    /// What the listings no longer hold.
    Gone(Gone),
    /// The poll is complete.
    Done,
    /// The poll failed; what was sent since the last `Done` is to be thrown away, and the next
    /// poll begins with `Init`.
    Failed {
        /// Slurm's own words.
        message: String,
    },
}

/// Things that left the listings.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(proptest_derive::Arbitrary))]
pub struct Gone {
    /// Record ids of jobs.
    pub jobs: Vec<u32>,
    /// Names of nodes.
    pub nodes: Vec<String>,
    /// Names of partitions.
    pub partitions: Vec<String>,
    /// Names of reservations.
    pub reservations: Vec<String>,
}
