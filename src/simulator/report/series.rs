//! Curves over time and distributions, for plots.

use crate::simulator::clock::Seconds;
use crate::simulator::metrics::{bounded_slowdown, counted, counted_processors, real, served};
use crate::simulator::schedule::Placement;
use crate::simulator::workload::{Job, MemberIndex, Workload};

/// Points of a curve.
const POINTS: usize = 240;

/// A curve: points by growing x.
pub(super) type Curve = Vec<(f64, f64)>;

/// Jobs of `home` that wait, by day: the mean over each of equal steps.
pub(super) fn waiting(workload: &Workload, schedule: &[Placement], home: MemberIndex) -> Curve {
    let jobs = served(workload, schedule, Some(home));
    over_time(workload, jobs.map(|(job, start)| (job.submit, start, 1.0)))
}

/// Share of all processors that work, in percent, by day.
pub(super) fn utilisation(workload: &Workload, schedule: &[Placement]) -> Curve {
    let percent = 100.0 / counted_processors(workload.processors());
    let jobs = served(workload, schedule, None);
    let held = jobs.map(|(job, start)| {
        let share = counted_processors(job.processors) * percent;
        (start, start + job.run, share)
    });
    over_time(workload, held)
}

/// Share of the jobs, in percent, whose bounded slowdown is at most x.
pub(super) fn distribution(workload: &Workload, schedule: &[Placement]) -> Curve {
    let jobs = served(workload, schedule, None);
    let mut slowdowns: Vec<f64> = jobs
        .map(|(job, start): (&Job, _)| bounded_slowdown(job, start))
        .collect();
    slowdowns.sort_by(f64::total_cmp);
    let count = slowdowns.len();
    let ranks = (1..=POINTS).map(|at| (count * at).div_ceil(POINTS).max(1));
    let ranks = ranks.filter(|rank| *rank <= count);
    ranks
        .map(|rank| (slowdowns[rank - 1], 100.0 * counted(rank) / counted(count)))
        .collect()
}

/// The mean weight of the spans (from, to, weight) that lie over each of equal steps from the
/// first submission to the last.
fn over_time(workload: &Workload, spans: impl Iterator<Item = (Seconds, Seconds, f64)>) -> Curve {
    let (Some((_, first)), Some((_, last))) = (workload.jobs.first(), workload.jobs.last()) else {
        return Curve::new();
    };
    let step = (real(last.submit - first.submit) / counted(POINTS)).max(1.0);
    let at = |time: Seconds| (real(time - first.submit) / step).clamp(0.0, counted(POINTS));
    let mut sums = vec![0.0; POINTS];
    for (from, to, weight) in spans {
        let (from, to) = (at(from), at(to));
        for (index, sum) in steps(from, to).zip(&mut sums[steps(from, to)]) {
            let left = counted(index);
            *sum += weight * (to.min(left + 1.0) - from.max(left));
        }
    }
    let day = |index: usize| (counted(index) + 0.5) * step / 86_400.0;
    let points = sums.into_iter().enumerate();
    points.map(|(index, sum)| (day(index), sum)).collect()
}

/// Steps that a span from `from` to `to`, in steps, touches.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "both ends lie between 0 and the number of points"
)]
fn steps(from: f64, to: f64) -> std::ops::Range<usize> {
    from.floor() as usize..to.ceil() as usize
}

#[cfg(test)]
mod test {
    use super::*;
    use crate::simulator::reference::test::workload;

    #[test]
    fn spans_are_shared_out_over_the_steps_they_lie_over() {
        // One job submitted at 0, one at 240: steps of one second.
        let jobs = [(0, (0, 1, 5, 5)), (0, (240, 1, 5, 5))];
        let workload = workload(&[4], jobs);
        let curve = over_time(&workload, [(2, 4, 3.0), (3, 9999, 1.0)].into_iter());
        let values: Vec<f64> = curve.iter().map(|point| point.1).collect();
        assert_eq!(values.len(), POINTS);
        assert!(values[..2].iter().all(|value| *value == 0.0));
        assert!((values[2] - 3.0).abs() < 1e-9 && (values[3] - 4.0).abs() < 1e-9);
        assert!(values[4..].iter().all(|value| (value - 1.0).abs() < 1e-9));
    }

    #[test]
    fn a_distribution_ends_with_all_jobs() {
        let jobs = [(0, (0, 4, 10, 10)), (0, (0, 4, 10, 10))];
        let workload = workload(&[4], jobs);
        let start = |start| Placement {
            start,
            member: Some(MemberIndex(0)),
        };
        let curve = distribution(&workload, &[start(0), start(10)]);
        assert_eq!(curve.first().map(|point| point.0), Some(1.0));
        assert_eq!(curve.last(), Some(&(2.0, 100.0)));
    }
}
