//! What the daemon is about to do to a job: stored before it is done.

use fedsched_protocol::mark::Mark;
use serde::{Deserialize, Serialize};

use super::{IntentId, JobKey, MemberName, PartitionName, TaskSet, Timestamp};

/// One change of a job in slurmctld. An intent without an outcome is looked up there after a restart.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Intent {
    /// Name of the intent.
    pub id: IntentId,
    /// Job.
    pub job: JobKey,
    /// The job's own identity, against reused ids.
    pub mark: Option<Mark>,
    /// Tasks of an array that are meant; `None`: the whole record.
    pub tasks: Option<TaskSet>,
    /// What is done.
    pub action: Action,
    /// When it was decided.
    pub decided: Timestamp,
    /// What the job had before, to be put back when it comes home.
    pub original: Original,
}

/// What is done to a job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Action {
    /// From the waiting room to a member.
    Bind {
        /// Member.
        member: MemberName,
        /// Its partition.
        partition: PartitionName,
    },
    /// Back to the waiting room.
    Return {
        /// The waiting room.
        room: PartitionName,
        /// Where it is now.
        from: MemberName,
    },
    /// Past its `--deadline`: end it, as slurmctld would where it looks itself.
    Cancel,
    /// Held, because no member will ever take it as it is.
    Hold,
}

/// What a bind may change beside the partition.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Original {
    /// The job's time limit was its user's own, in minutes; `None`: it had the partition's default.
    pub time_limit_min: Option<u32>,
}
