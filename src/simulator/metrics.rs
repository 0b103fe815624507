//! How well a schedule served the jobs.

use serde::Serialize;

use super::clock::Seconds;
use super::schedule::Placement;
use super::workload::{Job, MemberIndex, Workload};

/// Shorter run times count as this many seconds, so that a job of no length does not rule a mean.
const RUN_MIN: Seconds = 10;

/// How long a job took from submission to end, over how long it ran: `max(1, (wait + run) /
/// max(run, 10 s))`. 1 is a job that did not wait.
pub fn bounded_slowdown(job: &Job, start: Seconds) -> f64 {
    let whole = start - job.submit + job.run;
    (real(whole) / real(job.run.max(RUN_MIN))).max(1.0)
}

/// How a set of jobs fared. Means and percentiles are of bounded slowdown.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Summary {
    /// Jobs.
    pub jobs: u64,
    /// Mean; a few jobs that waited very long rule it.
    pub mean: f64,
    /// Geometric mean.
    pub geometric_mean: f64,
    /// What 95 % of the jobs did not exceed.
    pub p95: f64,
    /// What 99 % of the jobs did not exceed.
    pub p99: f64,
    /// Mean wait, seconds.
    pub wait_mean_s: f64,
}

impl Summary {
    /// Of jobs and their starts; `None` of no jobs.
    pub fn of<'a>(jobs: impl IntoIterator<Item = (&'a Job, Seconds)>) -> Option<Self> {
        let mut slowdowns = Vec::new();
        let mut waited: Seconds = 0;
        let mut logarithms = 0.0;
        for (job, start) in jobs {
            let slowdown = bounded_slowdown(job, start);
            // From a library, not from the machine: the same everywhere to the last bit.
            logarithms += libm::log(slowdown);
            waited += start - job.submit;
            slowdowns.push(slowdown);
        }
        if slowdowns.is_empty() {
            return None;
        }
        let count = counted(slowdowns.len());
        let mean = slowdowns.iter().sum::<f64>() / count;
        slowdowns.sort_by(f64::total_cmp);
        Some(Self {
            jobs: slowdowns.len() as u64,
            mean,
            geometric_mean: libm::exp(logarithms / count),
            p95: percentile(&slowdowns, 95),
            p99: percentile(&slowdowns, 99),
            wait_mean_s: real(waited) / count,
        })
    }

    /// Of all jobs of a workload, or of those whose home is `home`.
    pub fn of_schedule(
        workload: &Workload,
        schedule: &[Placement],
        home: Option<MemberIndex>,
    ) -> Option<Self> {
        Self::of(served(workload, schedule, home))
    }
}

/// The jobs of a workload, or those whose home is `home`, with their starts.
pub fn served<'a>(
    workload: &'a Workload,
    schedule: &'a [Placement],
    home: Option<MemberIndex>,
) -> impl Iterator<Item = (&'a Job, Seconds)> {
    let jobs = workload.jobs.iter().zip(schedule);
    jobs.filter(move |((at, _), _)| home.is_none_or(|home| home == *at))
        .map(|((_, job), placement)| (job, placement.start))
}

/// What members did for each other, processor hours.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct GiveAndTake {
    /// Other members' jobs that ran here.
    pub given_hours: f64,
    /// Its own jobs that ran elsewhere.
    pub taken_hours: f64,
}

impl GiveAndTake {
    /// Of one member; `None` where jobs ran on no member in particular.
    pub fn of(workload: &Workload, schedule: &[Placement], member: MemberIndex) -> Option<Self> {
        let mut account = Self::default();
        for ((home, job), placement) in workload.jobs.iter().zip(schedule) {
            let ran = placement.member?;
            let hours = processor_hours(job);
            if ran == member && *home != member {
                account.given_hours += hours;
            } else if ran != member && *home == member {
                account.taken_hours += hours;
            }
        }
        Some(account)
    }
}

/// Use of the processors from the first submission to the last end.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Use {
    /// First submission to last end, seconds.
    pub makespan_s: Seconds,
    /// Share of the processors that worked over that time, 0 to 1.
    pub utilisation: f64,
}

impl Use {
    /// Of all members together; `None` of no jobs.
    pub fn of(workload: &Workload, schedule: &[Placement]) -> Option<Self> {
        let (_, first) = workload.jobs.first()?;
        let placed = workload.jobs.iter().zip(schedule);
        let ends = placed.map(|((_, job), placement)| placement.start + job.run);
        let makespan_s = ends.max()? - first.submit;
        let worked: f64 = workload
            .jobs
            .iter()
            .map(|(_, job)| processor_hours(job))
            .sum();
        let whole = real(makespan_s) / 3600.0 * counted_processors(workload.processors());
        Some(Self {
            makespan_s,
            utilisation: worked / whole,
        })
    }
}

/// The smallest value that `percent` of `sorted` do not exceed; `sorted` is not empty.
fn percentile(sorted: &[f64], percent: usize) -> f64 {
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted[rank - 1]
}

fn processor_hours(job: &Job) -> f64 {
    real(job.run) / 3600.0 * counted_processors(job.processors)
}

#[expect(
    clippy::cast_precision_loss,
    reason = "spans of a replay are far below 2^52 seconds"
)]
pub(super) fn real(seconds: Seconds) -> f64 {
    seconds as f64
}

#[expect(
    clippy::cast_precision_loss,
    reason = "a replay has far fewer than 2^52 jobs"
)]
pub(super) fn counted(count: usize) -> f64 {
    count as f64
}

#[expect(clippy::cast_precision_loss, reason = "no site has 2^52 processors")]
pub(super) fn counted_processors(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod test {
    use super::*;
    use crate::simulator::reference::test::workload;

    fn job(run: Seconds) -> Job {
        Job {
            submit: 100,
            run,
            requested: None,
            processors: 1,
        }
    }

    fn close(left: f64, right: f64) -> bool {
        (left - right).abs() < 1e-9
    }

    #[test]
    fn slowdown_is_bounded_on_both_sides() {
        assert!(close(bounded_slowdown(&job(50), 100), 1.0));
        assert!(close(bounded_slowdown(&job(50), 150), 2.0));
        assert!(close(bounded_slowdown(&job(1), 100), 1.0));
        assert!(close(bounded_slowdown(&job(1), 119), 2.0));
    }

    #[test]
    fn a_summary_has_means_and_nearest_ranks() {
        // Slowdowns 1, 2, …, 100.
        let jobs: Vec<Job> = (0..100).map(|_| job(10)).collect();
        let starts = (0..100).map(|at| 100 + 10 * at);
        let summary = Summary::of(jobs.iter().zip(starts)).unwrap();
        assert_eq!(summary.jobs, 100);
        assert!(close(summary.mean, 50.5));
        assert!(close(summary.p95, 95.0) && close(summary.p99, 99.0));
        assert!(close(summary.wait_mean_s, 495.0));
        assert!((37.9..38.0).contains(&summary.geometric_mean));
        assert_eq!(Summary::of([]), None);
    }

    #[test]
    fn use_and_give_and_take_are_in_processor_hours() {
        let jobs = [(0, (0, 2, 3600, 3600)), (0, (0, 4, 7200, 7200))];
        let workload = workload(&[4, 4], jobs);
        let place = |member, start| Placement {
            start,
            member: Some(MemberIndex(member)),
        };
        let schedule = vec![place(0, 0), place(1, 0)];
        let account = |member| GiveAndTake::of(&workload, &schedule, MemberIndex(member)).unwrap();
        assert!(close(account(0).taken_hours, 8.0) && close(account(0).given_hours, 0.0));
        assert!(close(account(1).given_hours, 8.0) && close(account(1).taken_hours, 0.0));
        let used = Use::of(&workload, &schedule).unwrap();
        assert_eq!(used.makespan_s, 7200);
        assert!(close(used.utilisation, 10.0 / 16.0));
    }
}
