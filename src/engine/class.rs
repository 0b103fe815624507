//! What a job's state in Slurm means for the federation.

use crate::model::{Job, MemberName, PartitionName, Phase, Settings, Timestamp, WaitReason};

/// The limit with which a waiting room that is UP keeps jobs from starting: no limit of the job's.
const ROOM_GATE: &str = "QOSGrpJobsLimit";

/// What of a job's dependencies does not keep it from starting.
const GROWS: &str = "expand:";

/// Where a job is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Whereabouts {
    /// In the waiting room alone.
    Room,
    /// In this member's partition alone.
    Member(MemberName),
    /// In another partition, or in several.
    Elsewhere,
}

/// Where a job is, by its partitions.
pub(super) fn whereabouts(job: &Job, settings: &Settings) -> Whereabouts {
    let [partition] = &job.partitions[..] else {
        return Whereabouts::Elsewhere;
    };
    if *partition == settings.queue_partition {
        return Whereabouts::Room;
    }
    match settings.member_at(partition) {
        Some(member) => Whereabouts::Member(member.name.clone()),
        None => Whereabouts::Elsewhere,
    }
}

/// Why a job in the waiting room is not ready.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Park {
    /// Held by its user or an administrator.
    Held,
    /// Its begin time, or the time from which it may run, is still to come.
    Begin(Option<Timestamp>),
    /// Other jobs come first.
    Dependency,
    /// A dependency that can never be satisfied.
    DependencyNever,
    /// It waits for a reservation.
    Reservation,
    /// A limit of its owner, in Slurm's word.
    Limit(String),
    /// A state that this release does not know.
    Unknown(String),
}

/// Whether a job that waits in the room is ready, or why not.
///
/// `gate_open` says that Slurm looks at the room's jobs (the room is UP): only then is a limit that it
/// gives as the reason a fresh one. Reasons about the partition mean nothing in the room.
pub(super) fn readiness(job: &Job, gate_open: bool, now: Timestamp) -> Result<(), Park> {
    let reason = match &job.phase {
        Phase::Waiting(reason) => reason,
        Phase::Unknown(state) => return Err(Park::Unknown(state.clone())),
        _ => return Ok(()),
    };
    match reason {
        WaitReason::Held(_) => return Err(Park::Held),
        WaitReason::DependencyNever => return Err(Park::DependencyNever),
        WaitReason::Dependency => return Err(Park::Dependency),
        WaitReason::Reservation => return Err(Park::Reservation),
        WaitReason::BeginTime => return Err(Park::Begin(job.eligible)),
        WaitReason::Limit { limit, .. } if gate_open && limit != ROOM_GATE => {
            return Err(Park::Limit(limit.clone()));
        }
        WaitReason::Limit { .. }
        | WaitReason::Turn(_)
        | WaitReason::NotHere(_)
        | WaitReason::Never(_)
        | WaitReason::Licenses
        | WaitReason::Other(_) => {}
    }
    if job.priority == 0 {
        return Err(Park::Held);
    }
    if depends(job) {
        return Err(Park::Dependency);
    }
    match job.eligible {
        Some(eligible) if eligible <= now => Ok(()),
        eligible => Err(Park::Begin(eligible)),
    }
}

/// Whether a submission, of which Slurm has not decided priority and eligible time, waits for
/// something of its own.
pub(super) fn is_deferred(job: &Job, now: Timestamp) -> bool {
    let by_reason = matches!(
        job.phase,
        Phase::Waiting(
            WaitReason::Held(_)
                | WaitReason::BeginTime
                | WaitReason::Dependency
                | WaitReason::DependencyNever
                | WaitReason::Reservation
        )
    );
    by_reason || job.reserved || depends(job) || job.eligible.is_some_and(|begin| begin > now)
}

fn depends(job: &Job) -> bool {
    job.dependency
        .split([',', '?'])
        .any(|each| !each.is_empty() && !each.starts_with(GROWS))
}

/// Whether a job holds, or is just about to hold or give back, resources.
pub(super) fn holds(job: &Job) -> bool {
    match job.phase {
        Phase::Starting | Phase::Running | Phase::Suspended | Phase::Completing => true,
        Phase::Unknown(_) => job.allocation.is_some(),
        Phase::Waiting(_) | Phase::Ended(_) => false,
    }
}

/// Whether a job is in that partition and no other.
pub(super) fn is_in(job: &Job, partition: &PartitionName) -> bool {
    matches!(&job.partitions[..], [only] if only == partition)
}
