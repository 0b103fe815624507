//! What one poll brought, from whichever feed.

use fedsched_protocol::slurm::{Job, Node, Partition, Reservation};
use fedsched_protocol::watch::Gone;

/// The differences since the poll before, or everything.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Poll {
    /// Everything: what is not in it is gone.
    pub(super) full: bool,
    /// New and changed partitions.
    pub(super) partitions: Vec<Partition>,
    /// New and changed reservations.
    pub(super) reservations: Vec<Reservation>,
    /// New and changed jobs.
    pub(super) jobs: Vec<Job>,
    /// New and changed nodes, listed after the jobs.
    pub(super) nodes: Vec<Node>,
    /// What went; empty if `full`.
    pub(super) gone: Gone,
}
