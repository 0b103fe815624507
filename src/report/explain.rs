//! Why a job waits, or why it went where it went.

use fedsched_protocol::query::{Explanation, Happening, Judgement};

use super::span::about;
use super::{park, reason, size};
use crate::engine::{Engine, Record, Standing};
use crate::model::{Chapter, JobKey, MemberName, Outcome, Phase, Timestamp, UserId, WaitReason};
use crate::queue::Place;
use crate::scheduler::{Choice, Decision, Outlook};

/// Most remedies that are told.
const REMEDIES_MAX: usize = 5;

/// The explanation of a job or a task with its owner; `None` if the federation does not know it.
pub fn explain(engine: &Engine, job: u32, task: Option<u32>) -> Option<(UserId, Explanation)> {
    let record = find(engine, job, task)?;
    let now = engine.now().wall;
    let standing = engine.standing(record);
    let bound = record.placed.as_ref();
    let decision = match (
        &standing,
        bound.and_then(|placed| placed.decision.as_deref()),
    ) {
        (Standing::Waiting(_), _) => engine.judge(record),
        (_, decision) => decision.cloned(),
    };
    let member = bound.map(|placed| placed.member.clone());
    let chosen = member.clone().or_else(|| would_be(decision.as_ref()));
    let waits = matches!(standing, Standing::Waiting(_));
    let expected = match standing {
        Standing::Waiting(Place::Parked) => None,
        Standing::Waiting(_) => {
            let promised = engine.promise(record.job.key).map(|promise| promise.start);
            promised.or(decision.as_ref().and_then(Decision::expected))
        }
        _ => None,
    };
    let explanation = Explanation {
        job: size::name(&record.job),
        name: record.job.name.to_string(),
        user: record.job.user_name.to_string(),
        size: size::words(&record.job.request),
        summary: summary(engine, record, &standing, decision.as_ref()),
        member: member.map(|member| member.to_string()),
        decided_ms: decision.as_ref().map(|decision| decision.at.0),
        expected_ms: expected.map(|at| at.0),
        members: decision.as_ref().map_or_else(Vec::new, |decision| {
            judgements(decision, chosen.as_ref(), now)
        }),
        remedies: decision
            .as_ref()
            .filter(|_| waits)
            .map_or_else(Vec::new, |decision| remedies(decision, now)),
        history: record.memory.story.iter().map(happening).collect(),
    };
    Some((record.job.user, explanation))
}

/// The record of a job, of a task, or of the array that still holds the task.
fn find(engine: &Engine, job: u32, task: Option<u32>) -> Option<&Record> {
    let base = engine.record(JobKey::job(job));
    match task {
        Some(index) => engine.record(JobKey::task(job, index)).or_else(|| {
            base.filter(|record| {
                let tasks = record.job.tasks.as_ref();
                tasks.is_some_and(|tasks| tasks.contains(index))
            })
        }),
        None => base.or_else(|| {
            let mut tasks = engine.tasks(job);
            tasks.next()
        }),
    }
}

fn would_be(decision: Option<&Decision>) -> Option<MemberName> {
    match &decision?.choice {
        Choice::Bind(member) => Some(member.clone()),
        _ => None,
    }
}

fn summary(
    engine: &Engine,
    record: &Record,
    standing: &Standing<'_>,
    decision: Option<&Decision>,
) -> String {
    let now = engine.now().wall;
    match standing {
        Standing::Waiting(Place::Parked) => {
            let why = record.park.as_ref().map(|why| park(why, now));
            format!("It is not ready to be placed: {}.", why.unwrap_or_default())
        }
        Standing::Waiting(place) => waiting(engine, record, *place, decision),
        Standing::Bound(member) => match &record.job.phase {
            Phase::Waiting(WaitReason::Turn(why)) => {
                format!(
                    "It was bound to {member} and starts there as soon as Slurm gets to it ({why})."
                )
            }
            _ => format!("It was bound to {member}."),
        },
        Standing::Leaving => "Its last tasks are on their way to a member.".to_owned(),
        Standing::Returning => "It is on its way back to the queue.".to_owned(),
        Standing::Running(Some(member)) => format!("It runs at {member}."),
        Standing::Running(None) => "It runs.".to_owned(),
        Standing::Ended => ended(record),
    }
}

fn waiting(engine: &Engine, record: &Record, place: Place, decision: Option<&Decision>) -> String {
    let now = engine.now().wall;
    if !engine.is_ready() {
        return "The first listing from slurmctld has not arrived yet.".to_owned();
    }
    let Some(decision) = decision else {
        return "It is ready to be placed.".to_owned();
    };
    if decision.is_never() {
        return "No member can ever run it as it is. It stays in the queue: change it, or cancel it."
            .to_owned();
    }
    let came_back = match (place, record.memory.remembered.last()) {
        (Place::Reschedule, Some(last)) => {
            format!("It came back from {} ({}). ", last.member, last.why)
        }
        _ => String::new(),
    };
    let outlook = match &decision.choice {
        Choice::Bind(member) if engine.settings().rehearsal => {
            format!("Rehearsal: it would be bound to {member} now.")
        }
        Choice::Bind(member) => format!("It is about to be bound to {member}."),
        Choice::Later { member, start } => {
            let promised = engine.promise(record.job.key);
            let start = promised.map(|promise| promise.start).or(*start);
            let when = start.map_or_else(
                || ", but it is not known when".to_owned(),
                |start| format!(", in {}", about(start.since(now))),
            );
            let kept = if promised.is_some() {
                "; nodes are kept for it there"
            } else {
                ""
            };
            format!("No member can start it now. {member} is expected to be the first{when}{kept}.")
        }
        Choice::Nobody => "No member takes it now.".to_owned(),
    };
    format!("{came_back}{outlook}")
}

fn ended(record: &Record) -> String {
    let how = match record.job.phase {
        Phase::Ended(Outcome::Completed) => "completed",
        Phase::Ended(Outcome::Failed) => "failed",
        Phase::Ended(Outcome::Cancelled) => "was cancelled",
        Phase::Ended(Outcome::TimedOut) => "reached its time limit",
        Phase::Ended(Outcome::NodeFailed) => "lost a node",
        Phase::Ended(Outcome::Preempted) => "was preempted",
        Phase::Ended(Outcome::OutOfMemory) => "ran out of memory",
        _ => "ended",
    };
    match &record.placed {
        Some(placed) => format!("It ran at {} and {how}.", placed.member),
        None => format!("It {how}."),
    }
}

fn judgements(decision: &Decision, chosen: Option<&MemberName>, now: Timestamp) -> Vec<Judgement> {
    let judgements = decision.judgements.iter();
    judgements
        .map(|judgement| {
            let is_chosen = chosen == Some(&judgement.member);
            let at_home = decision.home.as_ref() == Some(&judgement.member);
            let home = if at_home { ", at home" } else { "" };
            let (verdict, score, text) = match &judgement.outlook {
                Outlook::Now(score) => {
                    let verdict = if is_chosen { "chosen" } else { "possible" };
                    (
                        verdict,
                        Some(score.mean()),
                        format!("can start it now{home}"),
                    )
                }
                Outlook::Later {
                    reason,
                    start,
                    score,
                } => {
                    let when = start.map_or_else(
                        || "not known when".to_owned(),
                        |start| format!("expected in {}", about(start.since(now))),
                    );
                    let why = reason::text(reason, now);
                    ("later", Some(score.mean()), format!("{why}; {when}{home}"))
                }
                Outlook::Refused(reason) => ("refused", None, reason::text(reason, now)),
            };
            Judgement {
                member: judgement.member.to_string(),
                verdict: verdict.to_owned(),
                score,
                text,
            }
        })
        .collect()
}

fn remedies(decision: &Decision, now: Timestamp) -> Vec<String> {
    let mut remedies = Vec::new();
    for judgement in &decision.judgements {
        let (Outlook::Refused(reason) | Outlook::Later { reason, .. }) = &judgement.outlook else {
            continue;
        };
        if let Some(remedy) = reason::remedy(&judgement.member, reason, now)
            && !remedies.contains(&remedy)
        {
            remedies.push(remedy);
        }
    }
    remedies.truncate(REMEDIES_MAX);
    remedies
}

fn happening(chapter: &Chapter) -> Happening {
    let (at, text) = match chapter {
        Chapter::Queued { at } => (at, "submitted".to_owned()),
        Chapter::Bound {
            at,
            member,
            at_once: true,
        } => (at, format!("sent to {member} straight from its submission")),
        Chapter::Bound { at, member, .. } => (at, format!("bound to {member}")),
        Chapter::Started { at, member } => (at, format!("started at {member}")),
        Chapter::Returned { at, member, why } => (
            at,
            format!("taken back from {member}: it did not start ({why})"),
        ),
        Chapter::Refused { at, member, why } => (at, format!("slurmctld refused {member}: {why}")),
        Chapter::Held { at, why } => (at, format!("held: no member will ever run it ({why})")),
    };
    Happening { at_ms: at.0, text }
}
