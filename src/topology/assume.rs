//! What was given away and is not visible yet.
//!
//! ```text
//!            assume                seen holding it             Synced
//!  nothing ─────────► Assumed ───────────────────► Confirmed ─────────► nothing: the nodes report it
//!                       │  │
//!                       │  └── forget: not bound, came back, or gone ──► nothing
//!                       └───── expire: no sign of it ──────────────────► nothing
//! ```
//!
//! Nodes are listed after jobs, so at the end of the poll that shows a job with its allocation the
//! nodes show it too; until then it is deducted here, from then on there, and never in both.

use std::collections::BTreeMap;

use super::cell::{Holder, NodeId};
use crate::model::{MemberName, Timestamp};

/// One job's, or one task's, share of a member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assumption {
    /// Where.
    pub member: MemberName,
    /// Since when.
    pub since: Timestamp,
    /// Complete polls since then.
    pub polls: u32,
    /// The job was seen holding its allocation.
    pub confirmed: bool,
    /// Nodes it is deducted from.
    pub(super) nodes: Vec<NodeId>,
}

/// Everything that is assumed.
#[derive(Debug, Default)]
pub(super) struct Assumptions(BTreeMap<Holder, Assumption>);

impl Assumptions {
    pub(super) fn insert(&mut self, holder: Holder, assumption: Assumption) {
        self.0.insert(holder, assumption);
    }

    pub(super) fn remove(&mut self, holder: Holder) -> Option<Assumption> {
        self.0.remove(&holder)
    }

    pub(super) fn get(&self, holder: Holder) -> Option<&Assumption> {
        self.0.get(&holder)
    }

    pub(super) fn confirm(&mut self, holder: Holder) {
        if let Some(assumption) = self.0.get_mut(&holder) {
            assumption.confirmed = true;
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (Holder, &Assumption)> {
        self.0
            .iter()
            .map(|(holder, assumption)| (*holder, assumption))
    }

    /// Those between two holders, both included.
    pub(super) fn range(
        &self,
        first: Holder,
        last: Holder,
    ) -> impl Iterator<Item = (Holder, &Assumption)> {
        self.0
            .range(first..=last)
            .map(|(holder, assumption)| (*holder, assumption))
    }

    /// A poll is complete: counts it, and says which assumptions it confirmed.
    pub(super) fn polled(&mut self) -> Vec<Holder> {
        let mut confirmed = Vec::new();
        for (holder, assumption) in &mut self.0 {
            assumption.polls = assumption.polls.saturating_add(1);
            if assumption.confirmed {
                confirmed.push(*holder);
            }
        }
        confirmed
    }
}
