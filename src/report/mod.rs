//! The engine's state in words, for people: what [`fedsched_protocol::query`] carries.
//!
//! Decisions are data; here they become sentences. A sentence says what is so, with numbers, in words
//! that a user of sbatch knows.

mod alarm;
mod explain;
mod reason;
mod size;
mod span;

pub use explain::explain;

use fedsched_protocol::query;

use self::span::about;
use crate::engine::{Engine, MemberState, MemberView, Park, Record};
use crate::model::{PartitionState, Timestamp, UserId};
use crate::queue::Place;
use crate::scheduler::{Choice, Decision};

/// What the daemon knows of itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DaemonFacts {
    /// Release.
    pub version: String,
    /// Start.
    pub started: Timestamp,
    /// Complaints of what is around the engine, worst first.
    pub alarms: Vec<String>,
}

/// The federation in one page.
pub fn status(engine: &Engine, facts: &DaemonFacts) -> query::Status {
    let lengths = engine.lengths();
    let totals = engine.totals();
    let members = members(engine);
    let alarms = engine.alarms();
    let alarms = alarms.iter().map(alarm::text);
    query::Status {
        version: facts.version.clone(),
        rehearsal: engine.settings().rehearsal,
        started_ms: facts.started.0,
        heard_ms: engine.heard().map(|at| at.0),
        alarms: alarms.chain(facts.alarms.iter().cloned()).collect(),
        queue_partition: engine.settings().queue_partition.to_string(),
        queue: query::QueueCounts {
            pending: count(lengths.pending),
            unschedulable: count(lengths.unschedulable),
            reschedule: count(lengths.reschedule),
            parked: count(lengths.parked),
        },
        bound: members.iter().map(|member| member.bound).sum(),
        running: members.iter().map(|member| member.running).sum(),
        totals: query::Totals {
            submitted: totals.submitted,
            placed_at_once: totals.placed_at_once,
            refused: totals.refused,
            bound: totals.bound,
            returned: totals.returned,
        },
        members,
    }
}

/// Every member, by name.
pub fn members(engine: &Engine) -> Vec<query::Member> {
    engine.members().iter().map(member).collect()
}

fn member(view: &MemberView<'_>) -> query::Member {
    let holdings = &view.holdings;
    let (state, state_reason) = state(&view.state);
    let gres = holdings.total.gres.iter();
    query::Member {
        name: view.declaration.name.to_string(),
        kind: view.declaration.kind.as_str().to_owned(),
        state: state.to_owned(),
        state_reason,
        partition: view.declaration.partition.to_string(),
        nodes_usable: holdings.nodes_usable,
        nodes: holdings.nodes,
        nodes_free: holdings.nodes_free,
        cpus_free: whole_cpus(holdings.free.cpu_milli),
        cpus: whole_cpus(holdings.total.cpu_milli),
        memory_free_bytes: holdings.free.memory_bytes,
        memory_bytes: holdings.total.memory_bytes,
        gres: gres
            .map(|(kind, count)| (kind.to_string(), holdings.free.gres.count(kind), count))
            .collect(),
        bound: view.bound,
        running: view.running,
        direct_waiting: view.direct_waiting,
    }
}

fn state(state: &MemberState) -> (&'static str, String) {
    match state {
        MemberState::Up => ("up", String::new()),
        MemberState::Drained => ("drained", "drained in the configuration".to_owned()),
        MemberState::Missing => ("missing", "Slurm does not list its partition".to_owned()),
        MemberState::Unreachable => ("unreachable", "slurmctld cannot be heard".to_owned()),
        MemberState::Partition(PartitionState::Drain) => {
            ("drained", "its partition is in state DRAIN".to_owned())
        }
        MemberState::Partition(state) => (
            "down",
            format!("its partition is in state {}", reason::state(*state)),
        ),
    }
}

/// Every waiting job with its owner, in the order they will be looked at.
pub fn queue(engine: &Engine) -> Vec<(UserId, query::Waiting)> {
    let all = engine.waiting().into_iter();
    all.map(|(record, place)| (record.job.user, waiting(engine, record, place)))
        .collect()
}

fn waiting(engine: &Engine, record: &Record, place: Place) -> query::Waiting {
    let job = &record.job;
    let decision = engine.last_decision(job.key);
    let decision = decision.filter(|_| place != Place::Parked);
    let promise = engine.promise(job.key).map(|promise| promise.start);
    let expected = promise.or(decision.and_then(|decision| decision.expected()));
    query::Waiting {
        job: size::name(job),
        user: job.user_name.to_string(),
        name: job.name.to_string(),
        priority: record.priority(engine.now()),
        size: size::words(&job.request),
        submitted_ms: record.memory.first_submitted.0,
        queue: place_word(place).to_owned(),
        reason: why(engine, record, place, decision.map(|decision| &**decision)),
        expected_ms: expected.map(|at| at.0),
    }
}

fn place_word(place: Place) -> &'static str {
    match place {
        Place::Pending => "pending",
        Place::Unschedulable => "unschedulable",
        Place::Reschedule => "reschedule",
        Place::Parked => "parked",
    }
}

/// Why a job waits, in one line.
fn why(engine: &Engine, record: &Record, place: Place, decision: Option<&Decision>) -> String {
    let now = engine.now().wall;
    if let (Place::Parked, Some(why)) = (place, &record.park) {
        return park(why, now);
    }
    match (place, decision) {
        (Place::Reschedule, _) => "came back from a member, first in turn".to_owned(),
        (Place::Pending, _) | (_, None) => "ready to be placed".to_owned(),
        (_, Some(decision)) if decision.is_never() => {
            "no member can ever run it as it is".to_owned()
        }
        (_, Some(decision)) => match &decision.choice {
            Choice::Bind(member) => format!("rehearsal: would be bound to {member}"),
            Choice::Later { member, start } => {
                let when = start.map_or_else(String::new, |start| {
                    format!(" in {}", about(start.since(now)))
                });
                format!("first expected at {member}{when}")
            }
            Choice::Nobody => "no member takes it now".to_owned(),
        },
    }
}

/// Why a job is not ready.
fn park(park: &Park, now: Timestamp) -> String {
    match park {
        Park::Held => "held: `scontrol release` lets it go on".to_owned(),
        Park::Begin(Some(at)) if *at > now => {
            format!("begins in {}", about(at.since(now)))
        }
        Park::Begin(_) => "its begin time has not come".to_owned(),
        Park::Dependency => "waits for other jobs (`--dependency`)".to_owned(),
        Park::DependencyNever => {
            "its dependency can never be satisfied: cancel it or change `--dependency`".to_owned()
        }
        Park::Reservation => "waits for its reservation".to_owned(),
        Park::Limit(limit) => format!("a limit of its account or QOS is used up ({limit})"),
        Park::Unknown(state) => format!("in a state this release does not know ({state})"),
    }
}

fn whole_cpus(milli: u64) -> u32 {
    u32::try_from(milli / 1000).unwrap_or(u32::MAX)
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
