//! The policies that ours is held against. Under each, every member runs EASY backfill over
//! processors as interchangeable units.

mod ledger;
mod machine;
mod plan;
mod replay;
mod route;

pub use replay::replay;

/// A reference policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reference {
    /// Each job on its home: no federation.
    LocalOnly,
    /// Bound at submission to a member large enough, by chance.
    Random,
    /// Bound at submission to the members large enough, by turns.
    RoundRobin,
    /// Bound at submission to the member with the least work before it for its size, running and
    /// waiting, by estimates.
    LeastLoaded,
    /// Bound at submission to the member where, by estimates, its turn comes first.
    EarliestStart,
    /// As Slurm's federation: one copy on every member large enough; the first to start wins and
    /// the others vanish.
    Siblings,
    /// One machine with all members' processors: not to be had, shows the headroom.
    Pooled,
}

impl Reference {
    /// Every reference policy.
    pub const ALL: [Self; 7] = [
        Self::LocalOnly,
        Self::Random,
        Self::RoundRobin,
        Self::LeastLoaded,
        Self::EarliestStart,
        Self::Siblings,
        Self::Pooled,
    ];

    /// As on the command line.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::LocalOnly => "local-only",
            Self::Random => "random",
            Self::RoundRobin => "round-robin",
            Self::LeastLoaded => "least-loaded",
            Self::EarliestStart => "earliest-start",
            Self::Siblings => "siblings",
            Self::Pooled => "pooled",
        }
    }
}

#[cfg(test)]
pub(in crate::simulator) mod test {
    use super::*;
    use crate::simulator::clock::Seconds;
    use crate::simulator::workload::{Job, LeftOut, Member, MemberIndex, Workload};

    /// Members of the given sizes, and jobs: home, (submission, processors, run, requested).
    pub(in crate::simulator) fn workload(
        sizes: &[u64],
        jobs: impl IntoIterator<Item = (usize, (Seconds, u64, Seconds, Seconds))>,
    ) -> Workload {
        let member = |(at, processors): (usize, &u64)| Member {
            name: format!("m{at}"),
            processors: *processors,
            left_out: LeftOut::default(),
        };
        let job = |(home, (submit, processors, run, requested))| {
            let job = Job {
                submit,
                run,
                requested: Some(requested),
                processors,
            };
            (MemberIndex(home), job)
        };
        Workload {
            members: sizes.iter().enumerate().map(member).collect(),
            jobs: jobs.into_iter().map(job).collect(),
        }
    }

    /// Where and when each job starts; member 9 is the pool.
    fn places(workload: &Workload, policy: Reference) -> Vec<(usize, Seconds)> {
        replay(workload, policy, 7, &|| {})
            .iter()
            .map(|placement| (placement.member.map_or(9, |at| at.0), placement.start))
            .collect()
    }

    /// Two members of 4; the first is full, and three more jobs of its own come.
    fn busy_home() -> Workload {
        let job = (0, 4, 100, 100);
        let jobs = [job, (1, 4, 50, 50), (2, 2, 10, 10), (3, 2, 10, 10)];
        workload(&[4, 4], jobs.map(|job| (0, job)))
    }

    #[test]
    fn each_policy_sends_jobs_where_it_says() {
        let busy = busy_home();
        let of = |policy| places(&busy, policy);
        assert_eq!(
            of(Reference::LocalOnly),
            [(0, 0), (0, 100), (0, 150), (0, 150)]
        );
        assert_eq!(
            of(Reference::RoundRobin),
            [(0, 0), (1, 1), (0, 100), (1, 51)]
        );
        assert_eq!(
            of(Reference::LeastLoaded),
            [(0, 0), (1, 1), (1, 51), (1, 51)]
        );
        assert_eq!(
            of(Reference::EarliestStart),
            [(0, 0), (1, 1), (1, 51), (1, 51)]
        );
        assert_eq!(of(Reference::Siblings), [(0, 0), (1, 1), (1, 51), (1, 51)]);
        assert_eq!(of(Reference::Pooled), [(9, 0), (9, 1), (9, 51), (9, 51)]);
    }

    #[test]
    fn no_policy_sends_a_job_where_it_is_too_large() {
        let jobs = (0..20).map(|at| (1, (at, 3, 100, 100)));
        let uneven = workload(&[2, 4, 2], jobs);
        for policy in Reference::ALL {
            let inside = |place: &(usize, Seconds)| policy == Reference::Pooled || place.0 == 1;
            assert!(places(&uneven, policy).iter().all(inside), "{policy:?}");
        }
    }

    #[test]
    fn a_sibling_that_vanishes_makes_room_in_the_other_queue() {
        // Job 2 is the head of both queues; when it starts on member 1, job 3, held back on
        // member 0 by its reservation, starts in the same second.
        let jobs = [
            (0, (0, 3, 100, 100)),
            (1, (0, 4, 50, 50)),
            (0, (1, 4, 10, 10)),
            (0, (2, 1, 300, 300)),
        ];
        let starts = places(&workload(&[4, 4], jobs), Reference::Siblings);
        assert_eq!(starts, [(0, 0), (1, 0), (1, 50), (0, 50)]);
    }

    #[test]
    fn chance_comes_from_the_seed_alone() {
        let jobs = (0..64).map(|at| (0, (at, 1, 10, 10)));
        let even = workload(&[4, 4], jobs);
        let run = |seed| replay(&even, Reference::Random, seed, &|| {});
        assert_eq!(run(1), run(1));
        assert_ne!(run(1), run(2));
    }
}
