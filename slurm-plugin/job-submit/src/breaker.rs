//! When not to ask: a daemon that does not answer must not cost every submission its deadline.
//!
//! ```text
//!            failures in a row               the attempt succeeds
//!   closed ─────────────────────► open ─────────────────────────────► closed
//!   (ask)                   (do not ask; one attempt after each cooldown,
//!                            which doubles as long as attempts fail)
//! ```

use std::num::NonZeroU32;
use std::time::{Duration, Instant};

/// The longest time without an attempt.
const COOLDOWN_MAX: Duration = Duration::from_secs(60);

/// The state, and what moves it.
#[derive(Debug)]
pub(crate) struct Breaker {
    failures_max: NonZeroU32,
    first_cooldown: Duration,
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Closed { failures: u32 },
    Open { until: Instant, cooldown: Duration },
}

/// Leave to ask once, to be handed back with the outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Attempt {
    /// Everybody asks.
    Ordinary,
    /// This one asks for all.
    Probe,
}

/// The daemon is asked no more, or again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Change {
    Opened { cooldown: Duration },
    Closed,
}

impl Breaker {
    pub(crate) fn new(failures_max: NonZeroU32, first_cooldown: Duration) -> Self {
        Self {
            failures_max,
            first_cooldown,
            state: State::Closed { failures: 0 },
        }
    }

    /// Leave to ask, if it may be asked now.
    pub(crate) fn attempt(&mut self, now: Instant) -> Option<Attempt> {
        match self.state {
            State::Closed { .. } => Some(Attempt::Ordinary),
            State::Open { until, .. } if now < until => None,
            State::Open { cooldown, .. } => {
                // The others wait for this attempt, but not for ever should it never come back.
                self.state = State::Open {
                    until: now + cooldown,
                    cooldown,
                };
                Some(Attempt::Probe)
            }
        }
    }

    /// The daemon answered.
    pub(crate) fn succeeded(&mut self) -> Option<Change> {
        let was = self.state;
        self.state = State::Closed { failures: 0 };
        matches!(was, State::Open { .. }).then_some(Change::Closed)
    }

    /// It did not.
    pub(crate) fn failed(&mut self, attempt: Attempt, now: Instant) -> Option<Change> {
        match (self.state, attempt) {
            (State::Closed { failures }, _) if failures + 1 < self.failures_max.get() => {
                self.state = State::Closed {
                    failures: failures + 1,
                };
                None
            }
            (State::Closed { .. }, _) => {
                let cooldown = self.first_cooldown;
                self.open(now, cooldown);
                Some(Change::Opened { cooldown })
            }
            (State::Open { cooldown, .. }, Attempt::Probe) => {
                self.open(now, (cooldown * 2).min(COOLDOWN_MAX).max(cooldown));
                None
            }
            // It began before the breaker opened, and tells nothing new.
            (State::Open { .. }, Attempt::Ordinary) => None,
        }
    }

    fn open(&mut self, now: Instant, cooldown: Duration) {
        self.state = State::Open {
            until: now + cooldown,
            cooldown,
        };
    }
}

#[cfg(test)]
mod test {
    use super::*;

    const COOLDOWN: Duration = Duration::from_secs(1);

    fn breaker() -> Breaker {
        Breaker::new(NonZeroU32::new(3).unwrap(), COOLDOWN)
    }

    fn opened(now: Instant) -> Breaker {
        let mut breaker = breaker();
        for _ in 0..2 {
            assert_eq!(breaker.failed(Attempt::Ordinary, now), None);
        }
        assert_eq!(
            breaker.failed(Attempt::Ordinary, now),
            Some(Change::Opened { cooldown: COOLDOWN })
        );
        breaker
    }

    #[test]
    fn failures_in_a_row_open_it_and_others_do_not() {
        let now = Instant::now();
        let mut breaker = breaker();
        for _ in 0..10 {
            assert_eq!(breaker.failed(Attempt::Ordinary, now), None);
            assert_eq!(breaker.failed(Attempt::Ordinary, now), None);
            assert_eq!(breaker.succeeded(), None);
        }
        assert_eq!(breaker.attempt(now), Some(Attempt::Ordinary));
        assert_eq!(opened(now).attempt(now), None);
    }

    #[test]
    fn one_attempt_is_made_after_each_cooldown() {
        let start = Instant::now();
        let mut breaker = opened(start);
        let mut now = start;
        let moment = Duration::from_millis(1);
        for cooldown in [1, 2, 4, 8, 16, 32, 60, 60].map(Duration::from_secs) {
            now += cooldown.saturating_sub(moment);
            assert_eq!(breaker.attempt(now), None);
            now += moment;
            assert_eq!(breaker.attempt(now), Some(Attempt::Probe), "{cooldown:?}");
            assert_eq!(breaker.attempt(now), None, "one at a time");
            assert_eq!(breaker.failed(Attempt::Probe, now), None, "said before");
        }
        now += COOLDOWN_MAX;
        assert_eq!(breaker.attempt(now), Some(Attempt::Probe));
        assert_eq!(breaker.succeeded(), Some(Change::Closed));
        assert_eq!(breaker.attempt(now), Some(Attempt::Ordinary));
    }

    #[test]
    fn an_attempt_that_never_comes_back_does_not_keep_it_open() {
        let now = Instant::now();
        let mut breaker = opened(now);
        assert_eq!(breaker.attempt(now + COOLDOWN), Some(Attempt::Probe));
        assert_eq!(breaker.attempt(now + COOLDOWN * 2), Some(Attempt::Probe));
    }

    #[test]
    fn late_failures_of_many_threads_do_not_lengthen_the_cooldown() {
        let now = Instant::now();
        let mut breaker = opened(now);
        for _ in 0..60 {
            assert_eq!(breaker.failed(Attempt::Ordinary, now), None);
        }
        assert_eq!(breaker.attempt(now + COOLDOWN), Some(Attempt::Probe));
    }
}
