//! From judgements to a choice.

use super::candidate::{Candidate, Site};
use super::decision::{Choice, Decision, Judgement, Outlook, Score};
use super::filter;
use super::profile::Profile;
use super::reason::Reason;
use super::score::{self, Prospect};
use crate::model::{MemberName, Policy, Term};
use crate::topology::{Need, Shortage};

/// Which members a decision is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope<'a> {
    /// All.
    Everywhere,
    /// Only the one at home with the job.
    Home(&'a MemberName),
}

/// Where a job of this profile should go now. `None` only for settings without a default policy.
pub fn decide(profile: &Profile, site: &Site<'_>, scope: Scope<'_>) -> Option<Decision> {
    let settings = site.settings;
    let policy = settings.policy(profile.directives.policy.as_deref())?;
    let home = settings.home(&profile.account, &profile.groups);
    let mut judgements: Vec<Judgement> = settings
        .members
        .iter()
        .filter(|member| match scope {
            Scope::Everywhere => true,
            Scope::Home(home) => member.name == *home,
        })
        .map(|member| Judgement {
            member: member.name.clone(),
            outlook: judge(&Candidate::new(site, profile, policy, home, member)),
        })
        .collect();
    judgements.sort_by(|a, b| a.member.cmp(&b.member));
    Some(Decision {
        at: site.snapshot.now(),
        policy: policy.name.clone(),
        home: home.cloned(),
        choice: choose(&judgements, policy, home),
        judgements,
    })
}

/// Everything that keeps a job of this profile from a member, not only the first thing.
pub fn refusals(profile: &Profile, site: &Site<'_>, member: &MemberName) -> Vec<Reason> {
    let settings = site.settings;
    let policy = settings.policy(profile.directives.policy.as_deref());
    let declaration = settings.member(member);
    let home = settings.home(&profile.account, &profile.groups);
    policy
        .zip(declaration)
        .map_or_else(Vec::new, |(policy, declaration)| {
            filter::refusals(&Candidate::new(site, profile, policy, home, declaration))
        })
}

fn judge(candidate: &Candidate<'_>) -> Outlook {
    if let Some(reason) = filter::refusal(candidate) {
        return Outlook::Refused(reason);
    }
    let snapshot = &candidate.site.snapshot;
    let partition = &candidate.member.partition;
    let (needs, span) = (&candidate.needs, candidate.span());
    let shortage = match snapshot.fit_now(partition, needs, span) {
        Ok(placement) => {
            return Outlook::Now(score::score(
                candidate,
                Prospect {
                    wait: Some(std::time::Duration::ZERO),
                    fitness: placement.fitness,
                },
            ));
        }
        Err(shortage) => shortage,
    };
    let reason = why_not_now(candidate, needs, shortage);
    let earliest = snapshot.earliest(partition, needs, span);
    let start = earliest.as_ref().map(|(start, _)| *start);
    let prospect = Prospect {
        wait: start.map(|start| start.since(snapshot.now())),
        fitness: earliest.map_or(0, |(_, placement)| placement.fitness),
    };
    Outlook::Later {
        reason,
        start,
        score: score::score(candidate, prospect),
    }
}

/// Whether too little is free, or enough that is kept for somebody.
fn why_not_now(candidate: &Candidate<'_>, needs: &[Need], shortage: Shortage) -> Reason {
    let snapshot = &candidate.site.snapshot;
    let partition = &candidate.member.partition;
    let span = candidate.span();
    snapshot
        .fit_unpromised(partition, needs, span)
        .ok()
        .and_then(|placement| snapshot.in_the_way(&placement.nodes, span))
        .map_or(Reason::Busy(shortage), |promise| Reason::Promised {
            to: promise.job,
            direct: promise.direct,
            start: promise.start,
        })
}

fn choose(judgements: &[Judgement], policy: &Policy, home: Option<&MemberName>) -> Choice {
    let now = |judgement: &Judgement| matches!(judgement.outlook, Outlook::Now(_));
    // A job goes home where that starts it now, unless its policy weighs being at home itself.
    if !policy.score.contains_key(&Term::Locality)
        && let Some(judgement) = judgements.iter().find(|each| Some(&each.member) == home)
        && now(judgement)
    {
        return Choice::Bind(judgement.member.clone());
    }
    if let Some(best) = best(judgements, |outlook| match outlook {
        Outlook::Now(score) => Some(score),
        _ => None,
    }) {
        return Choice::Bind(best.member.clone());
    }
    match best(judgements, |outlook| match outlook {
        Outlook::Later { score, .. } => Some(score),
        _ => None,
    }) {
        Some(Judgement {
            member,
            outlook: Outlook::Later { start, .. },
        }) => Choice::Later {
            member: member.clone(),
            start: *start,
        },
        _ => Choice::Nobody,
    }
}

/// The highest score; the first by name where several have it.
fn best(
    judgements: &[Judgement],
    scored: impl Fn(&Outlook) -> Option<&Score>,
) -> Option<&Judgement> {
    let mut best: Option<(u64, &Judgement)> = None;
    for judgement in judgements {
        if let Some(score) = scored(&judgement.outlook)
            && best.is_none_or(|(sum, _)| score.sum() > sum)
        {
            best = Some((score.sum(), judgement));
        }
    }
    best.map(|(_, judgement)| judgement)
}
