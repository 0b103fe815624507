//! Several traces side by side, over one window of time.

use super::{Job, LeftOut, Trace};
use crate::simulator::clock::{DAY, Seconds};

/// The part of every trace that is replayed. Each is counted from its own first row, so that
/// traces of different years lie side by side.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Window {
    /// Days left out at the start.
    pub offset_days: u32,
    /// Days replayed; `None`: to the end.
    pub days: Option<u32>,
}

/// A member's place in [`Workload::members`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct MemberIndex(pub usize);

/// A member of the replayed federation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// Name, unlike any other's.
    pub name: String,
    /// Processors.
    pub processors: u64,
    /// Rows of its trace that are not replayed, over the whole trace.
    pub left_out: LeftOut,
}

/// The jobs of all members within one window.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workload {
    /// Members, as their traces were given.
    pub members: Vec<Member>,
    /// Jobs and their homes, by submission, counted from the window's start; jobs of one second by
    /// member, then in their trace's order.
    pub jobs: Vec<(MemberIndex, Job)>,
}

impl Workload {
    /// The jobs that `traces` have in `window`.
    pub fn new(traces: &[Trace], window: Window) -> Self {
        let offset = Seconds::from(window.offset_days) * DAY;
        let length = window
            .days
            .map_or(Seconds::MAX, |days| Seconds::from(days) * DAY);
        let mut members: Vec<Member> = Vec::with_capacity(traces.len());
        let mut jobs = Vec::new();
        for (at, trace) in traces.iter().enumerate() {
            members.push(Member {
                name: unlike(&members, &trace.name),
                processors: trace.processors,
                left_out: trace.left_out,
            });
            let start = trace.first_submit + offset;
            let shifted = trace.jobs.iter().map(|job| Job {
                submit: job.submit - start,
                ..*job
            });
            let inside = shifted.filter(|job| (0..length).contains(&job.submit));
            jobs.extend(inside.map(|job| (MemberIndex(at), job)));
        }
        jobs.sort_by_key(|(home, job)| (job.submit, *home));
        Self { members, jobs }
    }

    /// Every member's place.
    pub fn indices(&self) -> impl Iterator<Item = MemberIndex> + use<> {
        (0..self.members.len()).map(MemberIndex)
    }

    /// Processors of all members together.
    pub fn processors(&self) -> u64 {
        self.members.iter().map(|member| member.processors).sum()
    }
}

/// `name`, numbered if a member has it already: a trace may be given twice.
fn unlike(members: &[Member], name: &str) -> String {
    let taken = |name: &str| members.iter().any(|member| member.name == name);
    if !taken(name) {
        return name.to_owned();
    }
    let numbered = (2..).map(|number| format!("{name}-{number}"));
    let free = |name: &String| !taken(name);
    #[expect(clippy::expect_used, reason = "there are more numbers than members")]
    numbered.clone().find(free).expect("a free number")
}

#[cfg(test)]
mod test {
    use super::*;

    fn trace(name: &str, first_submit: Seconds, submits: &[Seconds]) -> Trace {
        let job = |submit: &Seconds| Job {
            submit: *submit,
            run: 10,
            requested: None,
            processors: 1,
        };
        Trace {
            name: name.to_owned(),
            processors: 4,
            first_submit,
            jobs: submits.iter().map(job).collect(),
            left_out: LeftOut::default(),
        }
    }

    #[test]
    fn windows_start_with_each_trace_and_end_before_their_last_day_is_over() {
        let old = trace("old", 1000, &[1000, 1000 + DAY, 1000 + 3 * DAY - 1]);
        let new = trace("new", 9_000_000, &[9_000_005 + DAY, 9_000_000 + 3 * DAY]);
        let window = Window {
            offset_days: 1,
            days: Some(2),
        };
        let workload = Workload::new(&[old, new], window);
        let jobs: Vec<_> = workload
            .jobs
            .iter()
            .map(|(home, job)| (home.0, job.submit))
            .collect();
        assert_eq!(jobs, [(0, 0), (1, 5), (0, 2 * DAY - 1)]);
    }

    #[test]
    fn a_trace_given_twice_makes_two_members() {
        let twice = [trace("a", 0, &[1]), trace("a", 0, &[1]), trace("a", 0, &[])];
        let workload = Workload::new(&twice, Window::default());
        let names: Vec<_> = workload.members.iter().map(|member| &member.name).collect();
        assert_eq!(names, ["a", "a-2", "a-3"]);
        assert_eq!((workload.jobs.len(), workload.processors()), (2, 12));
    }
}
