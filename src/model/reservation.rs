//! A Slurm reservation.

use super::{NodeName, Timestamp};

/// Nodes that Slurm keeps for somebody over a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reservation {
    /// Name.
    pub name: String,
    /// Start.
    pub start: Timestamp,
    /// End.
    pub end: Timestamp,
    /// Nodes.
    pub nodes: Vec<NodeName>,
}
