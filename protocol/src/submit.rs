//! job_submit plugin ↔ daemon: one request, one answer, in turn on one connection.

use serde::{Deserialize, Serialize};

use crate::mark::Mark;

/// Largest frame on a plugin's connection, in bytes: slurmctld has not yet checked how long a job's
/// strings are when its plugin sees them, so the plugin must.
pub const MAX_BYTES: u32 = 256 << 10;

/// What the plugin asks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(proptest_derive::Arbitrary))]
pub enum Request {
    /// A job of the federation is being submitted: where should it go?
    Submit(Box<Submission>),
    /// The versions of both ends, asked once for each connection and by `fedsched check`.
    Hello {
        /// Release of the plugin, such as `0.1.0`.
        plugin: String,
        /// Slurm release it was built for, such as `22.05.8`.
        slurm: String,
    },
}

/// What the daemon answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(proptest_derive::Arbitrary))]
pub enum Answer {
    /// Let the job wait in the queue partition.
    Wait,
    /// The job can start now: put it into this partition straight away.
    Bind {
        /// Name of a Slurm partition.
        partition: String,
    },
    /// Refuse the job and tell its user why, in one line.
    Refuse {
        /// The line, without a trailing newline.
        message: String,
    },
    /// Answer to [`Request::Hello`].
    Hello {
        /// Release of the daemon.
        daemon: String,
    },
}

/// The fields of `job_desc_msg_t` that a decision depends on. `None` where the user said nothing.
///
/// Strings are Slurm's own spelling; the daemon parses them with the same code as those of a
/// listed job.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(proptest_derive::Arbitrary))]
pub struct Submission {
    /// The identity the plugin writes into the job's `admin_comment`.
    pub mark: Option<Mark>,
    /// Directives of the job: its `#FED` lines joined by blanks, or what follows `fed:` in its comment.
    pub directives: String,
    /// Numeric user id that slurmctld authenticated.
    pub user_id: u32,
    /// Numeric group id.
    pub group_id: u32,
    /// Account the job asks for.
    pub account: Option<String>,
    /// QOS the job asks for.
    pub qos: Option<String>,
    /// Job name.
    pub name: Option<String>,
    /// Working directory.
    pub work_dir: Option<String>,
    /// Script present: a batch job. Otherwise `srun` or `salloc`.
    pub batch: bool,
    /// `--array` expression, such as `0-9%4`.
    pub array: Option<String>,
    /// The job may not start yet for a reason of its own: held, `--begin` in the future, `--dependency`.
    pub deferred: bool,
    /// `--dependency` expression.
    pub dependency: Option<String>,
    /// Least number of nodes.
    pub nodes_min: Option<u32>,
    /// Greatest number of nodes.
    pub nodes_max: Option<u32>,
    /// Number of tasks.
    pub tasks: Option<u32>,
    /// CPUs in all.
    pub cpus_min: Option<u32>,
    /// CPUs for each task.
    pub cpus_per_task: Option<u16>,
    /// Tasks on each node.
    pub tasks_per_node: Option<u16>,
    /// Least number of CPUs on each node.
    pub node_cpus_min: Option<u16>,
    /// Memory as Slurm packs it: MiB per node, or per CPU when bit 63 is set.
    pub memory: Option<u64>,
    /// Local temporary storage per node, MiB.
    pub tmp_disk_mib: Option<u32>,
    /// `--gpus` and the like: TRES for the whole job.
    pub tres_per_job: Option<String>,
    /// `--gres`, `--gpus-per-node`: TRES for each node.
    pub tres_per_node: Option<String>,
    /// TRES for each task.
    pub tres_per_task: Option<String>,
    /// TRES for each socket.
    pub tres_per_socket: Option<String>,
    /// `--cpus-per-gpu`: CPUs for each TRES.
    pub cpus_per_tres: Option<String>,
    /// `--mem-per-gpu`: memory for each TRES, MiB.
    pub memory_per_tres: Option<String>,
    /// `--exclusive` and its kin: the value of `shared`.
    pub shared: Option<u16>,
    /// `--contiguous`.
    pub contiguous: bool,
    /// `--constraint`.
    pub features: Option<String>,
    /// `--licenses`.
    pub licenses: Option<String>,
    /// `--nodelist`.
    pub required_nodes: Option<String>,
    /// `--exclude`.
    pub excluded_nodes: Option<String>,
    /// Time limit, minutes; `u32::MAX`: the user asks for no limit.
    pub time_limit_min: Option<u32>,
    /// `--time-min`, minutes.
    pub time_min_min: Option<u32>,
    /// `--deadline`, seconds since 1970.
    pub deadline_s: Option<i64>,
}
