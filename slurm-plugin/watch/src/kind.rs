//! The kinds of things that are watched.

use std::hash::Hash;

use fedsched_protocol::slurm::{Job, Node, Partition, Reservation};
use fedsched_protocol::watch::{Answer, Gone};
use fedsched_slurm_sys::listing::{Jobs, Listing, Nodes, Partitions, Reservations};
use serde::Serialize;

/// How one kind is named and told.
pub(crate) trait Kind: Listing<Record: Serialize> {
    /// What names a record in its listing.
    type Key: Eq + Hash + Ord;

    fn key(record: &Self::Record) -> Self::Key;

    /// The message that tells of new and changed records.
    fn changed(records: Vec<Self::Record>) -> Answer;

    /// The message that tells of those that left.
    fn gone(keys: Vec<Self::Key>) -> Gone;
}

impl Kind for Jobs {
    type Key = u32;

    fn key(job: &Job) -> u32 {
        job.id
    }

    fn changed(jobs: Vec<Job>) -> Answer {
        Answer::Jobs(jobs)
    }

    fn gone(jobs: Vec<u32>) -> Gone {
        Gone {
            jobs,
            ..Gone::default()
        }
    }
}

impl Kind for Nodes {
    type Key = String;

    fn key(node: &Node) -> String {
        node.name.clone()
    }

    fn changed(nodes: Vec<Node>) -> Answer {
        Answer::Nodes(nodes)
    }

    fn gone(nodes: Vec<String>) -> Gone {
        Gone {
            nodes,
            ..Gone::default()
        }
    }
}

impl Kind for Partitions {
    type Key = String;

    fn key(partition: &Partition) -> String {
        partition.name.clone()
    }

    fn changed(partitions: Vec<Partition>) -> Answer {
        Answer::Partitions(partitions)
    }

    fn gone(partitions: Vec<String>) -> Gone {
        Gone {
            partitions,
            ..Gone::default()
        }
    }
}

impl Kind for Reservations {
    type Key = String;

    fn key(reservation: &Reservation) -> String {
        reservation.name.clone()
    }

    fn changed(reservations: Vec<Reservation>) -> Answer {
        Answer::Reservations(reservations)
    }

    fn gone(reservations: Vec<String>) -> Gone {
        Gone {
            reservations,
            ..Gone::default()
        }
    }
}
