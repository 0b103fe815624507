//! What a policy made of a workload.

use super::clock::Seconds;
use super::workload::MemberIndex;

/// When and where one job ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Placement {
    /// Start.
    pub start: Seconds,
    /// Member, `None` on the pool of all members' processors.
    pub member: Option<MemberIndex>,
}

/// A placement for each job of a workload, in its order.
pub type Schedule = Vec<Placement>;
