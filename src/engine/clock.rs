//! Two readings of one clock.
//!
//! Times that Slurm tells (begin, deadline, end of a job) are compared with the clock as it stands.
//! What the engine measures itself (patience, backoff, age of an assumption) must not run out because
//! somebody set the clock, so it is measured on a second reading that only moves on with time that
//! has really passed as far as the engine can tell.

use std::time::Duration;

use crate::model::Timestamp;

/// A longer gap between two events, beyond the wake-up asked for, is a clock that was set or a
/// machine that slept.
const GAP_MAX: Duration = Duration::from_secs(60);

/// The time of one event.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Now {
    /// The clock as it stands.
    pub wall: Timestamp,
    /// Never goes back, and does not jump.
    pub steady: Timestamp,
}

impl Now {
    /// What the clock will show at `steady`, a time measured by the engine.
    pub(super) fn to_wall(self, steady: Timestamp) -> Timestamp {
        self.wall + steady.since(self.steady)
    }

    /// What the engine will have measured when the clock shows `wall`.
    pub(super) fn to_steady(self, wall: Timestamp) -> Timestamp {
        self.steady + wall.since(self.wall)
    }
}

/// The clock of an engine.
#[derive(Debug, Default)]
pub(super) struct Clock {
    last: Option<Now>,
    asked: Option<Timestamp>,
}

impl Clock {
    /// An event arrived at `wall`.
    pub(super) fn advance(&mut self, wall: Timestamp) -> Now {
        let now = match self.last {
            None => Now { wall, steady: wall },
            Some(last) => {
                let expected = self
                    .asked
                    .map_or(Duration::ZERO, |asked| asked.since(last.wall));
                let passed = wall.since(last.wall);
                let jumped = passed > expected.max(GAP_MAX);
                let steady = last.steady + if jumped { Duration::ZERO } else { passed };
                Now { wall, steady }
            }
        };
        self.last = Some(now);
        if self.asked.is_some_and(|asked| asked <= wall) {
            self.asked = None;
        }
        now
    }

    /// The engine asked to be woken at `wall`; says whether that is news.
    pub(super) fn ask(&mut self, wall: Option<Timestamp>) -> bool {
        let news = self.asked != wall;
        self.asked = wall;
        news && wall.is_some()
    }
}

#[cfg(test)]
mod test {
    use super::*;

    fn secs(seconds: i64) -> Timestamp {
        Timestamp::from_secs(seconds)
    }

    #[test]
    fn a_clock_that_is_set_does_not_count_as_time_passed() {
        let mut clock = Clock::default();
        clock.advance(secs(1000));
        assert_eq!(clock.advance(secs(1005)).steady, secs(1005));
        // An hour forward, then on.
        assert_eq!(clock.advance(secs(4605)).steady, secs(1005));
        assert_eq!(clock.advance(secs(4606)).steady, secs(1006));
        // Two hours back, then on.
        assert_eq!(clock.advance(secs(100)).steady, secs(1006));
        assert_eq!(clock.advance(secs(103)).steady, secs(1009));
    }

    #[test]
    fn a_long_sleep_that_was_asked_for_is_time_passed() {
        let mut clock = Clock::default();
        clock.advance(secs(1000));
        assert!(clock.ask(Some(secs(5000))));
        assert!(!clock.ask(Some(secs(5000))));
        assert_eq!(clock.advance(secs(5000)).steady, secs(5000));
    }
}
