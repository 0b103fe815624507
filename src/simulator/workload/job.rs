//! A job of a trace.

use crate::simulator::clock::Seconds;

/// What a trace says of a job, and all that a replay needs of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Job {
    /// Submission, on the trace's own clock.
    pub submit: Seconds,
    /// Run time, above 0.
    pub run: Seconds,
    /// Time its user asked for, where the trace has it.
    pub requested: Option<Seconds>,
    /// Processors it holds, in the unit its trace counts in; at least 1.
    pub processors: u64,
}

impl Job {
    /// How long a scheduler must take it to run: what its user asked for, or the run time itself
    /// where the trace has no request, and never less than it does run. Some sites let jobs
    /// overrun their request: a quarter of Theta's do.
    pub fn estimate(&self) -> Seconds {
        self.requested.unwrap_or(self.run).max(self.run)
    }
}

#[cfg(test)]
mod test {
    use super::*;

    #[test]
    fn the_estimate_is_the_request_but_never_below_the_run_time() {
        let job = |run, requested| Job {
            submit: 0,
            run,
            requested,
            processors: 1,
        };
        assert_eq!(job(10, Some(60)).estimate(), 60);
        assert_eq!(job(90, Some(60)).estimate(), 90);
        assert_eq!(job(90, None).estimate(), 90);
    }
}
