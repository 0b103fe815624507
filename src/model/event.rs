//! Everything that can happen to the engine.

use std::sync::Arc;

use super::{
    AskId, Intent, IntentId, Job, JobKey, JobMemory, Node, NodeName, Partition, PartitionName,
    Reservation, Settings,
};

/// An input of the engine.
#[derive(Debug, Clone)]
pub enum Event {
    /// A configuration, whole: the first, or a new one.
    Configured(Arc<Settings>),
    /// What the store held when the daemon started: intents without an outcome, and memories.
    Restored {
        /// Intents whose outcome is unknown until slurmctld has been asked.
        intents: Vec<Intent>,
        /// Memories of jobs.
        memories: Vec<JobMemory>,
        /// The last intent there ever was: later ones get higher ids.
        last_intent: Option<IntentId>,
    },
    /// A full listing begins: what it does not bring is gone at [`Event::InitDone`].
    Init,
    /// The full listing is complete.
    InitDone,
    /// A poll is complete: everything before it belongs together.
    Synced,
    /// slurmctld cannot be heard; what is known stays, nothing is bound.
    Unreachable {
        /// Why, for people.
        reason: String,
    },
    /// A partition.
    Partition(Change<PartitionName, Partition>),
    /// A node.
    Node(Change<NodeName, Node>),
    /// A reservation.
    Reservation(Change<String, Reservation>),
    /// A job record.
    Job(Change<JobKey, Job>),
    /// A job is being submitted and the plugin waits: `job.key.id` is 0, its mark is its identity.
    Submitted {
        /// To whom the answer goes.
        ask: AskId,
        /// The job.
        job: Box<Job>,
    },
    /// An intent was carried out, and reading back showed it.
    Done(IntentId),
    /// An intent was not carried out, and reading back showed that the job is where it was.
    Failed {
        /// Which.
        intent: IntentId,
        /// Why.
        error: BindError,
    },
    /// Time has passed: the engine asked for it with `Effect::WakeAt`.
    Tick,
}

/// A thing came, changed or went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change<K, T> {
    /// It is so now.
    Applied(T),
    /// It is gone.
    Deleted(K),
}

/// Why an intent could not be carried out.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BindError {
    /// slurmctld or slurmrestd did not answer, or answered "try again" for too long.
    #[error("slurmctld could not be reached: {0}")]
    Unreachable(String),
    /// The store did not take the intent, so it was not begun; another time it may.
    #[error("it could not be stored first: {0}")]
    NotStored(String),
    /// slurmctld refused it for this member.
    #[error("slurmctld refused it: {0}")]
    Refused(String),
    /// The job is no longer there, has started, is another one of the same id, or its user moved
    /// or held it meanwhile.
    #[error("the job changed meanwhile: {0}")]
    Overtaken(String),
}
