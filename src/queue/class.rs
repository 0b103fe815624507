//! Jobs alike in everything the scheduler looks at: what is refused to one is refused to all.

use std::collections::BTreeSet;

use super::Order;
use crate::model::{MemberName, Timestamp};

/// An equivalence class of jobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClassId(pub u64);

/// What can end a refusal.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Wake<O> {
    /// Something became free at a member.
    Freed(MemberName),
    /// A member is, allows or consists of something else.
    Facts(MemberName),
    /// The usage of the owner of a limit fell.
    Usage(O),
}

/// Why a class is not looked at, and until when.
#[derive(Debug)]
pub(super) struct Sleep<O> {
    pub(super) wakes: BTreeSet<Wake<O>>,
    pub(super) until: Timestamp,
}

/// The jobs of one class that wait outside *reschedule*.
#[derive(Debug)]
pub(super) struct Class<O> {
    pub(super) jobs: BTreeSet<Order>,
    /// Refused: every job of the class is *unschedulable*. Otherwise they are *pending*.
    pub(super) sleep: Option<Sleep<O>>,
    pub(super) refusals: u32,
}

impl<O> Default for Class<O> {
    fn default() -> Self {
        Self {
            jobs: BTreeSet::new(),
            sleep: None,
            refusals: 0,
        }
    }
}
