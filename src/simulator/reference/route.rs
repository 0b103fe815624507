//! Which machines' queues a job joins.

use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use super::Reference;
use super::ledger::Ledger;
use super::machine::Machine;
use super::plan::{earliest_start, work};
use crate::simulator::workload::{Job, MemberIndex};

/// A policy, with what it remembers from job to job.
#[derive(Debug)]
pub(super) enum Route {
    Home,
    Pool,
    Random(Box<ChaCha8Rng>),
    RoundRobin { turn: usize },
    LeastLoaded,
    EarliestStart,
    Siblings,
}

impl Route {
    pub(super) fn new(policy: Reference, seed: u64) -> Self {
        match policy {
            Reference::LocalOnly => Self::Home,
            Reference::Random => Self::Random(Box::new(ChaCha8Rng::seed_from_u64(seed))),
            Reference::RoundRobin => Self::RoundRobin { turn: 0 },
            Reference::LeastLoaded => Self::LeastLoaded,
            Reference::EarliestStart => Self::EarliestStart,
            Reference::Siblings => Self::Siblings,
            Reference::Pooled => Self::Pool,
        }
    }

    /// The machines that `job` of `home` joins, in the order in which they may take it.
    pub(super) fn machines(
        &mut self,
        home: MemberIndex,
        job: &Job,
        machines: &[Machine],
        ledger: &Ledger<'_>,
    ) -> Vec<usize> {
        let fits = |at: &usize| machines[*at].processors() >= job.processors;
        let all = || (0..machines.len()).filter(fits);
        // Home first: where members are alike, a job stays.
        let home_first = || [home.0].into_iter().chain(all().filter(|at| *at != home.0));
        match self {
            Self::Home => vec![home.0],
            Self::Pool => vec![0],
            Self::Random(rng) => {
                let fit: Vec<usize> = all().collect();
                vec![fit[rng.random_range(0..fit.len())]]
            }
            Self::RoundRobin { turn } => {
                let fit: Vec<usize> = all().collect();
                *turn += 1;
                vec![fit[(*turn - 1) % fit.len()]]
            }
            Self::LeastLoaded => {
                let work = |at| work(&machines[at], job.submit, ledger);
                let size = |at: usize| u128::from(machines[at].processors());
                let load = home_first().map(|at| (at, work(at), size(at)));
                let least = load.reduce(|best, other| {
                    if other.1 * best.2 < best.1 * other.2 {
                        other
                    } else {
                        best
                    }
                });
                least.into_iter().map(|(at, _, _)| at).collect()
            }
            Self::EarliestStart => home_first()
                .min_by_key(|at| earliest_start(&machines[*at], job, ledger))
                .into_iter()
                .collect(),
            // Round the ring from home, backwards.
            Self::Siblings => (0..machines.len())
                .map(|step| (home.0 + machines.len() - step) % machines.len())
                .filter(fits)
                .collect(),
        }
    }
}
