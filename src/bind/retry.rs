//! Waits between attempts.

use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

use tokio::time::{Instant, sleep};

/// Growing, scattered waits with an end.
#[derive(Debug)]
pub(super) struct Retry {
    wait: Duration,
    wait_max: Duration,
    end: Instant,
    scatter: RandomState,
}

impl Retry {
    /// After "try again": slurmctld is busy with this job for 5 to 230 ms.
    pub(super) fn busy() -> Self {
        Self::new(
            Duration::from_millis(10),
            Duration::from_millis(500),
            Duration::from_secs(10),
        )
    }

    /// After no answer at all: slurmctld may be restarting.
    pub(super) fn silent() -> Self {
        Self::new(
            Duration::from_millis(250),
            Duration::from_secs(5),
            Duration::from_secs(30),
        )
    }

    fn new(wait: Duration, wait_max: Duration, time_max: Duration) -> Self {
        Self {
            wait,
            wait_max,
            end: Instant::now() + time_max,
            scatter: RandomState::new(),
        }
    }

    /// Waits for the next attempt; `false` when there is none.
    pub(super) async fn again(&mut self) -> bool {
        if Instant::now() >= self.end {
            return false;
        }
        sleep(self.next_wait()).await;
        true
    }

    /// Between half and all of the present wait, so that many that failed together do not come back
    /// together.
    fn next_wait(&mut self) -> Duration {
        let wait = self.wait;
        self.wait = (wait * 2).min(self.wait_max);
        let part = self.scatter.hash_one(wait) % 1024;
        wait / 2 + wait / 2 * u32::try_from(part).unwrap_or(0) / 1024
    }
}

#[cfg(test)]
mod test {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn waits_grow_to_a_bound_and_end() {
        let begin = Instant::now();
        let mut retry = Retry::busy();
        let mut attempts = 0;
        while retry.again().await {
            attempts += 1;
        }
        assert!((20..60).contains(&attempts), "{attempts}");
        assert!(begin.elapsed() < Duration::from_secs(11));
        for _ in 0..100 {
            assert!(retry.next_wait() <= retry.wait_max);
        }
    }
}
