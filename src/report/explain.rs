//! Why a job waits, or why it went where it went.

use std::collections::BTreeMap;

use fedsched_protocol::query::{Explanation, Happening, Judgement};

use super::span::about;
use super::{park, reason, size};
use crate::engine::{Engine, Record, Standing};
use crate::model::{Chapter, JobKey, MemberName, Outcome, Phase, Timestamp, UserId, WaitReason};
use crate::queue::Place;
use crate::scheduler::{self, Choice, Decision, Outlook, Reason};

/// The explanation of a job or a task with its owner; `None` if the federation does not know it.
pub fn explain(engine: &Engine, job: u32, task: Option<u32>) -> Option<(UserId, Explanation)> {
    let record = find(engine, job, task)?;
    let now = engine.now().wall;
    let standing = engine.standing(record);
    let piece = || record.pieces().last().map(|(_, placed)| placed);
    let bound = match standing {
        Standing::Leaving => piece(),
        _ => record.placed.as_ref(),
    };
    let decision = match (
        &standing,
        bound.and_then(|placed| placed.decision.as_deref()),
    ) {
        (Standing::Waiting(_), _) => engine.judge(record),
        (_, decision) => decision.cloned(),
    };
    let member = bound.map(|placed| placed.member.clone());
    let parked = matches!(standing, Standing::Waiting(Place::Parked));
    let would_be = || would_be(decision.as_ref()).filter(|_| !parked);
    let chosen = member.clone().or_else(would_be);
    let waits = matches!(standing, Standing::Waiting(_));
    let expected = match standing {
        Standing::Waiting(Place::Parked) => None,
        Standing::Waiting(_) => {
            let promised = engine.promise(record.job.key).map(|promise| promise.start);
            promised.or(decision.as_ref().and_then(Decision::expected))
        }
        _ => None,
    };
    let summary = summary(engine, record, &standing, decision.as_ref());
    let mut explanation = Explanation {
        job: size::name(&record.job),
        name: record.job.name.to_string(),
        user: record.job.user_name.to_string(),
        size: size::words(&record.job.request),
        summary: match array(engine, record) {
            Some(array) => format!("{summary} {array}"),
            None => summary,
        },
        member: member.map(|member| member.to_string()),
        decided_ms: decision.as_ref().map(|decision| decision.at.0),
        expected_ms: expected.map(|at| at.0),
        members: Vec::new(),
        remedies: Vec::new(),
        history: record.memory.story.iter().map(happening).collect(),
    };
    if let Some(decision) = &decision {
        for found in &decision.judgements {
            let reasons = if waits {
                engine.refusals(record, &found.member)
            } else {
                Vec::new()
            };
            let is_chosen = chosen.as_ref() == Some(&found.member);
            let mut judgement = judgement(decision, found, &reasons, is_chosen, now);
            if waits {
                judgement.text.push_str(&room(engine, found));
                explanation.remedies.extend(remedy(found, &reasons, now));
            }
            explanation.members.push(judgement);
        }
        explanation.remedies.dedup();
    }
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

/// Where the tasks of an array are that left its record, one sentence.
fn array(engine: &Engine, record: &Record) -> Option<String> {
    record.job.tasks.as_ref()?;
    let mut places: BTreeMap<String, u32> = BTreeMap::new();
    for (tasks, placed) in record.pieces() {
        let unseen = tasks.iter().filter(|task| {
            let task = JobKey::task(record.job.key.id, *task);
            engine.record(task).is_none()
        });
        *places
            .entry(format!("bound to {}", placed.member))
            .or_default() += u32::try_from(unseen.count()).unwrap_or(u32::MAX);
    }
    for task in engine.tasks(record.job.key.id) {
        let place = match engine.standing(task) {
            Standing::Running(Some(member)) => format!("running at {member}"),
            Standing::Running(None) => "running".to_owned(),
            Standing::Bound(member) => format!("bound to {member}"),
            Standing::Ended => "over".to_owned(),
            Standing::Waiting(_) | Standing::Leaving | Standing::Returning => "waiting".to_owned(),
        };
        *places.entry(place).or_default() += 1;
    }
    places.retain(|_, count| *count > 0);
    if places.is_empty() {
        return None;
    }
    let places: Vec<String> = places
        .iter()
        .map(|(place, count)| format!("{count} {place}"))
        .collect();
    Some(format!("Tasks that left it: {}.", places.join(", ")))
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

/// What was found about one member; `reasons` are all that refuse the job, where they are known.
fn judgement(
    decision: &Decision,
    found: &scheduler::Judgement,
    reasons: &[Reason],
    is_chosen: bool,
    now: Timestamp,
) -> Judgement {
    let at_home = decision.home.as_ref() == Some(&found.member);
    let home = if at_home { ", at home" } else { "" };
    let (verdict, score, text) = match &found.outlook {
        Outlook::Now(score) => {
            let verdict = if is_chosen { "chosen" } else { "possible" };
            let text = format!("can start it now{home}");
            (verdict, Some(score.mean()), text)
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
            let text = format!("{}; {when}{home}", reason::text(reason, now));
            ("later", Some(score.mean()), text)
        }
        Outlook::Refused(first) => {
            let all = if reasons.is_empty() {
                std::slice::from_ref(first)
            } else {
                reasons
            };
            let all: Vec<String> = all.iter().map(|each| reason::text(each, now)).collect();
            ("refused", None, all.join("; "))
        }
    };
    Judgement {
        member: found.member.to_string(),
        verdict: verdict.to_owned(),
        score,
        text,
    }
}

/// How much is free where too little is.
fn room(engine: &Engine, found: &scheduler::Judgement) -> String {
    let Outlook::Later {
        reason: Reason::Busy(_),
        ..
    } = &found.outlook
    else {
        return String::new();
    };
    let holdings = engine.holdings(&found.member);
    format!(
        " ({} of {} CPUs free)",
        holdings.free.cpu_milli / 1000,
        holdings.total.cpu_milli / 1000
    )
}

/// What would open the member to the job: told only where one thing alone is in the way.
fn remedy(found: &scheduler::Judgement, reasons: &[Reason], now: Timestamp) -> Option<String> {
    match (&found.outlook, reasons) {
        (Outlook::Refused(_), [only]) => reason::remedy(&found.member, only, now),
        _ => None,
    }
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
