//! Everything the engine can ask for.

use super::{AskId, Intent, IntentId, JobKey, JobMemory, PartitionName, Timestamp};

/// An output of the engine. Effects are carried out in order; everything that is stored is stored
/// durably before what comes after it is begun.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Store an intent.
    Intend(Intent),
    /// Carry out a stored intent, and report [`Event::Done`](super::Event::Done) or
    /// [`Event::Failed`](super::Event::Failed).
    Act(IntentId),
    /// An intent has its outcome: it need not be stored any more.
    Settle(IntentId),
    /// Store what is remembered of a job.
    Remember(JobMemory),
    /// A job is over: forget it.
    Forget(JobKey),
    /// Answer a submission.
    Answer {
        /// Whose.
        ask: AskId,
        /// How.
        verdict: Verdict,
    },
    /// Something changed that the next poll would show only later: poll now.
    Poll,
    /// Send `Event::Tick` at this time, or earlier.
    WakeAt(Timestamp),
}

/// Answer to a submission.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Wait in the room.
    Wait,
    /// Start at this partition.
    Bind(PartitionName),
    /// Refused, with a line for its user.
    Refuse(String),
}
