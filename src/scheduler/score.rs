//! How good a member is for a job: one function for each term of a policy, 0 to 100, 100 best.

use std::time::Duration;

use super::candidate::Candidate;
use super::decision::Score;
use crate::model::Term;

/// Wait at which the start term has fallen to half.
const HALF: Duration = Duration::from_secs(600);

/// What each failure to start there lately costs.
const FAILURE: u32 = 25;

/// What a score is made of, beside the candidate.
#[derive(Debug, Clone, Copy)]
pub(super) struct Prospect {
    /// Expected wait, `None` where it is not known.
    pub(super) wait: Option<Duration>,
    /// How well the nodes would be used, 0 to 100.
    pub(super) fitness: u32,
}

type Scorer = fn(&Candidate<'_>, Prospect) -> u32;

/// Every term with its function.
const SCORERS: &[(Term, Scorer)] = &[
    (Term::Start, start),
    (Term::Fit, |_, prospect| prospect.fitness),
    (Term::Locality, locality),
    (Term::Spread, spread),
    (Term::History, history),
];

/// Every term that the policy weighs.
pub(super) fn score(candidate: &Candidate<'_>, prospect: Prospect) -> Score {
    let weights = &candidate.policy.score;
    let terms = SCORERS.iter().filter_map(|(term, scorer)| {
        let weight = weights.get(term).copied().filter(|weight| *weight > 0)?;
        Some((*term, scorer(candidate, prospect).min(100), weight))
    });
    Score {
        terms: terms.collect(),
    }
}

fn start(_: &Candidate<'_>, prospect: Prospect) -> u32 {
    let Some(wait) = prospect.wait else { return 0 };
    let half = HALF.as_millis();
    u32::try_from(100 * half / (half + wait.as_millis())).unwrap_or(0)
}

fn locality(candidate: &Candidate<'_>, _: Prospect) -> u32 {
    match candidate.home {
        Some(home) if *home == candidate.member.name => 100,
        Some(_) => 0,
        None => 50,
    }
}

/// The share of the federation's jobs that are elsewhere.
fn spread(candidate: &Candidate<'_>, _: Prospect) -> u32 {
    let standings = candidate.site.standings;
    let all: u64 = standings.values().map(|each| u64::from(each.jobs)).sum();
    let here = standings
        .get(&candidate.member.name)
        .map_or(0, |each| u64::from(each.jobs));
    let elsewhere = all.saturating_sub(here);
    if all == 0 {
        return 100;
    }
    u32::try_from(100 * elsewhere / all).unwrap_or(100)
}

fn history(candidate: &Candidate<'_>, _: Prospect) -> u32 {
    let failures = candidate
        .site
        .standings
        .get(&candidate.member.name)
        .map_or(0, |each| each.failures);
    100u32.saturating_sub(failures.saturating_mul(FAILURE))
}
