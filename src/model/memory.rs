//! What the daemon remembers of a job and Slurm does not.

use fedsched_protocol::mark::Mark;
use serde::{Deserialize, Serialize};

use super::{JobKey, MemberName, Timestamp};

/// Stored for each job of the federation until it ends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobMemory {
    /// Job.
    pub job: JobKey,
    /// The job's own identity: a memory with another mark is somebody else's.
    pub mark: Option<Mark>,
    /// First submission; requeues change Slurm's.
    pub first_submitted: Timestamp,
    /// Last priority that Slurm had aged; a change of partition resets Slurm's for a while.
    pub priority: u32,
    /// Time limit it had in the waiting room, in minutes: at its member it may have that one's default.
    #[serde(default)]
    pub time_limit_min: Option<u32>,
    /// Members it could not start at.
    pub remembered: Vec<Remembered>,
    /// What happened to it, oldest first, bounded.
    pub story: Vec<Chapter>,
}

/// A member that is not tried again for a while.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remembered {
    /// Member.
    pub member: MemberName,
    /// Until when.
    pub until: Timestamp,
    /// Slurm's word for why it did not start.
    pub why: String,
}

/// One thing that happened to a job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Chapter {
    /// Seen in the waiting room.
    Queued {
        /// When.
        at: Timestamp,
    },
    /// A member was chosen.
    Bound {
        /// When.
        at: Timestamp,
        /// Which.
        member: MemberName,
        /// Straight from the submission.
        at_once: bool,
    },
    /// It runs.
    Started {
        /// When.
        at: Timestamp,
        /// Where.
        member: MemberName,
    },
    /// Taken back to the waiting room.
    Returned {
        /// When.
        at: Timestamp,
        /// From where.
        member: MemberName,
        /// Slurm's word for why it did not start.
        why: String,
    },
    /// slurmctld refused the change.
    Refused {
        /// When.
        at: Timestamp,
        /// For which member.
        member: MemberName,
        /// Slurm's own words.
        why: String,
    },
    /// No member will ever take it; held.
    Held {
        /// When.
        at: Timestamp,
        /// Slurm's word.
        why: String,
    },
}
