//! A job as Slurm has it now.

use std::sync::Arc;

use fedsched_protocol::directive::Directives;
use fedsched_protocol::mark::Mark;
use serde::{Deserialize, Serialize};

use super::{
    AccountName, GroupName, JobKey, NodeName, PartitionName, QosName, Request, TaskSet, Timestamp,
    Tres, UserId, UserName, WaitReason,
};

/// One job record of slurmctld, or a submission that has no record yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    /// Which record.
    pub key: JobKey,
    /// Identity that outlives ids; `None` for jobs the plugin did not see or leaves alone.
    pub mark: Option<Mark>,
    /// Indices that are still in this one record, if it is an array's.
    pub tasks: Option<TaskSet>,
    /// Most tasks of the array that may run at once (`%4`).
    pub tasks_running_max: Option<u32>,
    /// Name.
    pub name: Arc<str>,
    /// Owner.
    pub user: UserId,
    /// Owner's name, the number as text where it has none.
    pub user_name: UserName,
    /// Owner's groups.
    pub groups: Arc<[GroupName]>,
    /// Account.
    pub account: AccountName,
    /// QOS.
    pub qos: QosName,
    /// Partitions it is in: one, or several that Slurm chooses from.
    pub partitions: Vec<PartitionName>,
    /// What Slurm says of it.
    pub phase: Phase,
    /// Slurm's priority; 0 is held.
    pub priority: u32,
    /// Submission; a requeue changes it.
    pub submitted: Timestamp,
    /// Time from which it may run, `None` where Slurm has not decided that.
    pub eligible: Option<Timestamp>,
    /// `--deadline`: to be finished by then.
    pub deadline: Option<Timestamp>,
    /// What is left of its dependencies; empty if nothing.
    pub dependency: String,
    /// It asks for a Slurm reservation: left alone.
    pub reserved: bool,
    /// What it asks for.
    pub request: Arc<Request>,
    /// What its user asks of the federation.
    pub directives: Arc<Directives>,
    /// What it holds, while it holds something.
    pub allocation: Option<Allocation>,
    /// Slurm may requeue it.
    pub requeue: bool,
    /// How often it was requeued.
    pub restarts: u16,
}

/// What a job holds at a member.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Allocation {
    /// Nodes.
    pub nodes: Vec<NodeName>,
    /// Over all nodes together.
    pub tres: Tres,
    /// Start.
    pub start: Timestamp,
    /// End by its time limit, `Timestamp::NEVER` without one.
    pub end: Timestamp,
}

/// Slurm's state of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Phase {
    /// `PENDING`.
    Waiting(WaitReason),
    /// `CONFIGURING`, or running with its prolog not done.
    Starting,
    /// `RUNNING`.
    Running,
    /// `SUSPENDED`, `STOPPED`.
    Suspended,
    /// The `COMPLETING` flag: resources are not back yet.
    Completing,
    /// Over.
    Ended(Outcome),
    /// A state this release does not know: never taken to be the end.
    Unknown(String),
}

/// How a job ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Outcome {
    /// Exit code 0.
    Completed,
    /// Another exit code, or it could not be launched.
    Failed,
    /// By a user or administrator.
    Cancelled,
    /// Time limit or deadline.
    TimedOut,
    /// A node was lost.
    NodeFailed,
    /// Preempted.
    Preempted,
    /// Out of memory.
    OutOfMemory,
    /// Another cluster has it (`REVOKED`).
    Revoked,
}
