//! Equivalence classes: each profile once, with its number and what was last decided about it.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::queue::ClassId;
use crate::scheduler::{Decision, Profile};

#[derive(Debug)]
struct Entry {
    profile: Arc<Profile>,
    jobs: u32,
    decision: Option<Arc<Decision>>,
}

/// Every profile that a waiting job has.
#[derive(Debug, Default)]
pub(super) struct Classes {
    ids: BTreeMap<Arc<Profile>, ClassId>,
    entries: BTreeMap<ClassId, Entry>,
    next: u64,
}

impl Classes {
    /// The class of a profile, counted once more.
    pub(super) fn enter(&mut self, profile: Profile) -> ClassId {
        if let Some(&id) = self.ids.get(&profile) {
            if let Some(entry) = self.entries.get_mut(&id) {
                entry.jobs += 1;
            }
            return id;
        }
        let id = ClassId(self.next);
        self.next += 1;
        let profile = Arc::new(profile);
        self.ids.insert(Arc::clone(&profile), id);
        self.entries.insert(
            id,
            Entry {
                profile,
                jobs: 1,
                decision: None,
            },
        );
        id
    }

    /// A job left its class; the last one takes the class with it.
    pub(super) fn leave(&mut self, id: ClassId) {
        let Some(entry) = self.entries.get_mut(&id) else {
            return;
        };
        entry.jobs -= 1;
        if entry.jobs == 0 {
            let profile = Arc::clone(&entry.profile);
            self.entries.remove(&id);
            self.ids.remove(&profile);
        }
    }

    pub(super) fn profile(&self, id: ClassId) -> Option<Arc<Profile>> {
        self.entries
            .get(&id)
            .map(|entry| Arc::clone(&entry.profile))
    }

    pub(super) fn decision(&self, id: ClassId) -> Option<&Arc<Decision>> {
        self.entries.get(&id)?.decision.as_ref()
    }

    pub(super) fn decided(&mut self, id: ClassId, decision: Arc<Decision>) {
        if let Some(entry) = self.entries.get_mut(&id) {
            entry.decision = Some(decision);
        }
    }
}
