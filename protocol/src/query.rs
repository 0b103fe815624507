//! Command line ↔ daemon: one question, one answer. The answers are also what `--json` prints.
//!
//! The daemon knows who asks from the socket's peer credentials. Users see their own jobs,
//! operators see all. Times are milliseconds since 1970.

use serde::{Deserialize, Serialize};

/// What a person asks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(proptest_derive::Arbitrary))]
pub enum Request {
    /// The federation in one page.
    Status,
    /// Every member.
    Members,
    /// Every waiting job the asker may see, in the order they will be tried.
    Queue,
    /// Why a job waits, or why it went where it went.
    Explain {
        /// Slurm's job id; the base id for an array.
        job: u32,
        /// Task of an array.
        task: Option<u32>,
    },
    /// What the daemon finds when it looks at itself: connections, versions, rights.
    Check,
}

/// What the daemon answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(proptest_derive::Arbitrary))]
pub enum Answer {
    /// To [`Request::Status`].
    Status(Status),
    /// To [`Request::Members`].
    Members(Vec<Member>),
    /// To [`Request::Queue`].
    Queue(Vec<Waiting>),
    /// To [`Request::Explain`].
    Explain(Explanation),
    /// To [`Request::Check`].
    Check(Vec<Finding>),
    /// The question cannot be answered.
    Refused(Refusal),
}

/// Why a question was not answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(proptest_derive::Arbitrary))]
pub enum Refusal {
    /// The job is not known, or is somebody else's.
    NoSuchJob,
    /// Only operators may ask this.
    NotPermitted,
    /// The first listing of the site has not arrived yet.
    NotReady,
}

/// The federation in one page.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(proptest_derive::Arbitrary))]
pub struct Status {
    /// Release of the daemon.
    pub version: String,
    /// Decides and explains, but changes nothing.
    pub rehearsal: bool,
    /// Start of the daemon.
    pub started_ms: i64,
    /// Last complete listing from Slurm, `None` before the first.
    pub heard_ms: Option<i64>,
    /// Complaints that need an administrator, worst first.
    pub alarms: Vec<String>,
    /// Name of the queue partition.
    pub queue_partition: String,
    /// Waiting jobs by queue.
    pub queue: QueueCounts,
    /// Jobs bound and not started, and jobs running.
    pub bound: u32,
    /// Jobs of the federation that run now.
    pub running: u32,
    /// Counts since the daemon started.
    pub totals: Totals,
    /// Every member.
    pub members: Vec<Member>,
}

/// How many jobs wait where.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(proptest_derive::Arbitrary))]
pub struct QueueCounts {
    /// Ready to be placed.
    pub pending: u32,
    /// No member can take them now.
    pub unschedulable: u32,
    /// Were bound and came back.
    pub reschedule: u32,
    /// Held, deferred or dependent.
    pub parked: u32,
}

/// What the daemon did since its start.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(proptest_derive::Arbitrary))]
pub struct Totals {
    /// Submissions answered.
    pub submitted: u64,
    /// … of them sent to a member at once.
    pub placed_at_once: u64,
    /// … of them refused.
    pub refused: u64,
    /// Jobs bound out of the queue.
    pub bound: u64,
    /// Bindings that failed or were taken back.
    pub returned: u64,
}

/// One member.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(proptest_derive::Arbitrary))]
pub struct Member {
    /// Name.
    pub name: String,
    /// Kind, as in the configuration: `slurm-partition`, …
    pub kind: String,
    /// `up`, `drained`, `down`, `unreachable`, `missing`.
    pub state: String,
    /// Why it is not up.
    pub state_reason: String,
    /// Partition that stands for it.
    pub partition: String,
    /// Nodes that can take jobs, and all.
    pub nodes_usable: u32,
    /// Nodes in all.
    pub nodes: u32,
    /// Nodes that nobody uses.
    pub nodes_free: u32,
    /// CPUs free and in all, over usable nodes.
    pub cpus_free: u32,
    /// CPUs in all.
    pub cpus: u32,
    /// Memory free, bytes.
    pub memory_free_bytes: u64,
    /// Memory in all, bytes.
    pub memory_bytes: u64,
    /// Generic resources: name, free, in all.
    pub gres: Vec<(String, u64, u64)>,
    /// The federation's jobs that are bound here and wait.
    pub bound: u32,
    /// The federation's jobs that run here.
    pub running: u32,
    /// Jobs that users sent here directly and that wait.
    pub direct_waiting: u32,
}

/// One waiting job.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(proptest_derive::Arbitrary))]
pub struct Waiting {
    /// Job id as squeue prints it, such as `117_[3-9]`.
    pub job: String,
    /// User.
    pub user: String,
    /// Name of the job.
    pub name: String,
    /// Slurm's priority.
    pub priority: u32,
    /// Size in a few words, such as `2 nodes, 8 CPUs each, gpu:2 each`.
    pub size: String,
    /// First submission.
    pub submitted_ms: i64,
    /// `pending`, `unschedulable`, `reschedule`, `parked`.
    pub queue: String,
    /// Why it waits, in one line.
    pub reason: String,
    /// When it is expected to start, if that is known.
    pub expected_ms: Option<i64>,
}

/// Why one job waits or went where it went.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(proptest_derive::Arbitrary))]
pub struct Explanation {
    /// Job id as squeue prints it.
    pub job: String,
    /// Name of the job.
    pub name: String,
    /// User.
    pub user: String,
    /// Size in a few words.
    pub size: String,
    /// What happens to it now, in one sentence.
    pub summary: String,
    /// Member it is bound to.
    pub member: Option<String>,
    /// When the decision was made.
    pub decided_ms: Option<i64>,
    /// When it is expected to start, if that is known.
    pub expected_ms: Option<i64>,
    /// One entry for each member.
    pub members: Vec<Judgement>,
    /// What would change it, in sentences.
    pub remedies: Vec<String>,
    /// What happened to it, oldest first.
    pub history: Vec<Happening>,
}

/// What was found about one member for one job.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(proptest_derive::Arbitrary))]
pub struct Judgement {
    /// Member.
    pub member: String,
    /// `chosen`, `possible`, `later`, `refused`.
    pub verdict: String,
    /// Weighted score, 0 to 100, where it was scored.
    pub score: Option<u32>,
    /// In words, with numbers.
    pub text: String,
}

/// One event in a job's life with the federation.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(proptest_derive::Arbitrary))]
pub struct Happening {
    /// When.
    pub at_ms: i64,
    /// What.
    pub text: String,
}

/// One line of `fedsched check`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(proptest_derive::Arbitrary))]
pub struct Finding {
    /// What was looked at, such as `slurmrestd`.
    pub subject: String,
    /// How it is.
    pub grade: Grade,
    /// What was found.
    pub text: String,
    /// What to do about it; empty when all is well.
    pub remedy: String,
}

/// How a finding is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(proptest_derive::Arbitrary))]
#[serde(rename_all = "lowercase")]
pub enum Grade {
    /// As it should be.
    Ok,
    /// Works, but not as well as it could.
    Warning,
    /// Does not work.
    Error,
}
