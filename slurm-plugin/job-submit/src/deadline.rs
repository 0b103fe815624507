//! The end of the time that a submission may take.

use std::time::{Duration, Instant};

#[derive(Debug, Clone, Copy)]
pub(crate) struct Deadline(Instant);

impl Deadline {
    pub(crate) fn after(time: Duration) -> Self {
        Self(Instant::now() + time)
    }

    /// `None` once it is over.
    pub(crate) fn remaining(self) -> Option<Duration> {
        let remaining = self.0.saturating_duration_since(Instant::now());
        (!remaining.is_zero()).then_some(remaining)
    }
}
