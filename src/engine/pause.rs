//! After a change of a job could not be stored or sent, no other is tried for a while.

use crate::model::Timestamp;
use crate::queue::Backoff;

/// A pause between attempts to change anything in slurmctld; longer with each failure in a row.
#[derive(Debug, Default)]
pub(super) struct Pause {
    until: Timestamp,
    failures: u32,
}

impl Pause {
    pub(super) fn begin(&mut self, backoff: Backoff, now: Timestamp) {
        if !self.lasts(now) {
            self.until = now + backoff.after(self.failures);
            self.failures = self.failures.saturating_add(1);
        }
    }

    /// Something succeeded.
    pub(super) fn over(&mut self) {
        *self = Self::default();
    }

    pub(super) fn lasts(&self, now: Timestamp) -> bool {
        now < self.until
    }

    pub(super) fn until(&self) -> Timestamp {
        self.until
    }
}
