//! One row of a trace before it is known to be of use.

use super::Job;
use crate::simulator::clock::Seconds;

/// What a reader found in one row; `None` is "unknown".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Record {
    pub(super) submit: Seconds,
    pub(super) run: Option<Seconds>,
    pub(super) requested: Option<Seconds>,
    pub(super) allocated: Option<u64>,
    pub(super) wanted: Option<u64>,
}

/// What a reader found in a file.
#[derive(Debug, Default)]
pub(super) struct Rows {
    /// Rows in the file's order.
    pub(super) records: Vec<Record>,
    /// Size of the machine, where the file says it.
    pub(super) processors: Option<u64>,
}

/// Rows of a trace that are not replayed, by reason.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct LeftOut {
    /// Neither an allocation nor a request of processors.
    pub no_processors: u64,
    /// Larger than the member.
    pub too_large: u64,
    /// Never ran, or for no time at all.
    pub no_run: u64,
}

impl LeftOut {
    /// How many rows.
    pub fn total(&self) -> u64 {
        self.no_processors + self.too_large + self.no_run
    }
}

impl Record {
    /// The job of this row, if it can be replayed on a member of `processors`. Its processors are
    /// those it was given, else those it asked for.
    pub(super) fn job(&self, processors: u64, left_out: &mut LeftOut) -> Option<Job> {
        let positive = |count: &u64| *count > 0;
        let size = self
            .allocated
            .filter(positive)
            .or(self.wanted.filter(positive));
        let run = self.run.filter(|run| *run > 0);
        match (size, run) {
            (None, _) => left_out.no_processors += 1,
            (Some(size), _) if size > processors => left_out.too_large += 1,
            (_, None) => left_out.no_run += 1,
            (Some(size), Some(run)) => {
                return Some(Job {
                    submit: self.submit,
                    run,
                    requested: self.requested.filter(|requested| *requested > 0),
                    processors: size,
                });
            }
        }
        None
    }
}

#[cfg(test)]
mod test {
    use super::*;

    const WHOLE: Record = Record {
        submit: 5,
        run: Some(9),
        requested: Some(60),
        allocated: Some(4),
        wanted: Some(2),
    };

    #[test]
    fn processors_are_those_given_else_those_asked_for() {
        let mut left_out = LeftOut::default();
        let mut size = |record: Record| record.job(8, &mut left_out).map(|job| job.processors);
        assert_eq!(size(WHOLE), Some(4));
        assert_eq!(
            size(Record {
                allocated: Some(0),
                ..WHOLE
            }),
            Some(2)
        );
        assert_eq!(left_out.total(), 0);
    }

    #[test]
    fn a_row_without_size_or_run_time_or_too_large_is_counted_and_left_out() {
        let mut left_out = LeftOut::default();
        let rows = [
            Record {
                allocated: None,
                wanted: None,
                ..WHOLE
            },
            Record {
                allocated: Some(9),
                ..WHOLE
            },
            Record {
                run: Some(0),
                ..WHOLE
            },
            Record { run: None, ..WHOLE },
        ];
        for row in rows {
            assert_eq!(row.job(8, &mut left_out), None);
        }
        let counted = LeftOut {
            no_processors: 1,
            too_large: 1,
            no_run: 2,
        };
        assert_eq!(left_out, counted);
    }
}
