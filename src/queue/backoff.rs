//! How long a refused job waits before it is looked at again.

use std::time::Duration;

/// A wait that doubles with each refusal up to a bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Backoff {
    /// The first wait.
    pub first: Duration,
    /// The longest wait.
    pub max: Duration,
}

impl Backoff {
    /// The wait after so many refusals before this one: never shorter than the one before, never
    /// longer than the bound.
    pub fn after(self, refusals: u32) -> Duration {
        let factor = 1u32.checked_shl(refusals).unwrap_or(u32::MAX);
        self.first.saturating_mul(factor).min(self.max)
    }
}

#[cfg(test)]
mod test {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn waits_grow_and_are_bounded(first in 1u64..100_000, max in 1u64..10_000_000, n in 0u32..100) {
            let backoff = Backoff {
                first: Duration::from_millis(first),
                max: Duration::from_millis(max),
            };
            prop_assert!(backoff.after(n) <= backoff.after(n + 1));
            prop_assert!(backoff.after(n) <= backoff.max);
            prop_assert!(backoff.after(n) > Duration::ZERO);
        }
    }
}
