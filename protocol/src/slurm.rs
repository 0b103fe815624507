//! What Slurm says of its jobs, nodes, partitions and reservations: one shape for every Slurm
//! version and for both ways of asking (libslurm and slurmrestd).
//!
//! Strings keep Slurm's spelling (`gres:gpu:2`, `cn[1-4]`): they are parsed in one place, by the
//! daemon. Times are seconds since 1970, `None` where Slurm has none.

use serde::{Deserialize, Serialize};

/// One job record. A pending array is one record until its tasks are started or bound.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(proptest_derive::Arbitrary))]
pub struct Job {
    /// Id of the record.
    pub id: u32,
    /// Base id of the array, 0 if none.
    pub array_id: u32,
    /// Index in the array, `None` for the record of the tasks that have none yet.
    pub array_task: Option<u32>,
    /// Indices that are still one record, such as `3-9%4`.
    pub array_tasks: Option<String>,
    /// Most tasks of the array that may run at once, 0 if unlimited.
    pub array_running_max: u32,
    /// Leader's id of a heterogeneous job, 0 if none.
    pub het_id: u32,
    /// Position in the heterogeneous job.
    pub het_offset: u32,
    /// Name.
    pub name: String,
    /// Numeric user id.
    pub user_id: u32,
    /// Numeric group id.
    pub group_id: u32,
    /// Account.
    pub account: String,
    /// QOS.
    pub qos: String,
    /// Partition, or several separated by commas.
    pub partition: String,
    /// Base state in upper case, such as `PENDING`.
    pub state: String,
    /// State flags in upper case, such as `COMPLETING`, `CONFIGURING`, `REQUEUE_HOLD`.
    pub flags: Vec<String>,
    /// Reason it waits, in Slurm's spelling, such as `PartitionDown`.
    pub reason: String,
    /// Free text beside the reason.
    pub reason_text: String,
    /// Priority; 0 is held.
    pub priority: u32,
    /// Submit time; changes with a requeue.
    pub submit_s: Option<i64>,
    /// Time from which it may run.
    pub eligible_s: Option<i64>,
    /// Start, expected start while pending.
    pub start_s: Option<i64>,
    /// End, expected end while running.
    pub end_s: Option<i64>,
    /// `--deadline`.
    pub deadline_s: Option<i64>,
    /// Time limit in minutes, `None` if unlimited or the partition's.
    pub time_limit_min: Option<u32>,
    /// How often it was requeued.
    pub restarts: u16,
    /// Slurm may requeue it.
    pub requeue: bool,
    /// It has a batch script.
    pub batch: bool,
    /// Least number of nodes, as requested.
    pub nodes_min: u32,
    /// Greatest number of nodes, 0 if the user gave none.
    pub nodes_max: u32,
    /// Tasks, 0 if not given.
    pub tasks: u32,
    /// CPUs in all, as requested.
    pub cpus_min: u32,
    /// CPUs for each task, 0 if not given.
    pub cpus_per_task: u16,
    /// Tasks on each node, 0 if not given.
    pub tasks_per_node: u16,
    /// Least CPUs on each node.
    pub node_cpus_min: u16,
    /// Memory the user asked for, as Slurm packs it: MiB per node, or per CPU when bit 63 is set; 0 is
    /// all of a node's. `None` if not given: what Slurm then shows is a default of where the job waits.
    pub memory: Option<u64>,
    /// Local storage per node, MiB.
    pub tmp_disk_mib: u32,
    /// TRES for the whole job.
    pub tres_per_job: String,
    /// TRES for each node.
    pub tres_per_node: String,
    /// TRES for each task.
    pub tres_per_task: String,
    /// TRES for each socket.
    pub tres_per_socket: String,
    /// CPUs for each TRES.
    pub cpus_per_tres: String,
    /// Memory for each TRES, MiB.
    pub memory_per_tres: String,
    /// Value of `shared`: 0 is exclusive, 2 exclusive by user, 3 by MCS label, 0xfffe not given.
    pub shared: u16,
    /// `--contiguous`.
    pub contiguous: bool,
    /// `--constraint`.
    pub features: String,
    /// `--licenses`.
    pub licenses: String,
    /// `--nodelist`.
    pub required_nodes: String,
    /// `--exclude`.
    pub excluded_nodes: String,
    /// `--reservation`.
    pub reservation: String,
    /// What is left of its dependencies.
    pub dependency: String,
    /// Working directory.
    pub work_dir: String,
    /// User's comment.
    pub comment: String,
    /// The mark and directives of fedsched, among other sites' texts.
    pub admin_comment: String,
    /// Nodes it holds, a host list.
    pub nodes: String,
    /// TRES it was allocated, such as `cpu=4,mem=8G,node=2,gres/gpu=2`.
    pub tres_allocated: String,
}

/// One node.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(proptest_derive::Arbitrary))]
pub struct Node {
    /// Name.
    pub name: String,
    /// Base state in upper case, such as `IDLE`, `MIXED`, `DOWN`.
    pub state: String,
    /// State flags in upper case, such as `DRAIN`, `NOT_RESPONDING`, `MAINTENANCE`.
    pub flags: Vec<String>,
    /// Reason an administrator or Slurm gave.
    pub reason: String,
    /// CPUs that jobs can have.
    pub cpus: u32,
    /// CPUs that jobs hold.
    pub cpus_allocated: u32,
    /// Memory, MiB.
    pub memory_mib: u64,
    /// Memory that jobs hold, MiB.
    pub memory_allocated_mib: u64,
    /// Memory kept from jobs (`MemSpecLimit`), MiB.
    pub memory_reserved_mib: u64,
    /// Local storage, MiB.
    pub tmp_disk_mib: u32,
    /// Generic resources, such as `gpu:a100:4(S:0-1)`.
    pub gres: String,
    /// Generic resources that jobs hold, such as `gpu:a100:1(IDX:0)`.
    pub gres_used: String,
    /// Features that are active now, separated by commas.
    pub features: String,
    /// Present power in watts, `None` where it is not measured.
    pub watts: Option<u32>,
    /// `Weight`: Slurm takes the lowest first.
    pub weight: u32,
}

/// One partition.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a switch of its own in slurm.conf"
)]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(proptest_derive::Arbitrary))]
pub struct Partition {
    /// Name.
    pub name: String,
    /// `UP`, `DOWN`, `DRAIN` or `INACTIVE`.
    pub state: String,
    /// It is the default partition.
    pub default: bool,
    /// Its nodes, a host list.
    pub nodes: String,
    /// Most minutes a job may have, `None` if unlimited.
    pub time_max_min: Option<u32>,
    /// Minutes a job has that asks for none.
    pub time_default_min: Option<u32>,
    /// Most nodes a job may have, `None` if unlimited.
    pub nodes_max: Option<u32>,
    /// Least nodes a job may have.
    pub nodes_min: u32,
    /// Most CPUs a job may have on a node, `None` if unlimited.
    pub node_cpus_max: Option<u32>,
    /// Default memory as Slurm packs it (bit 63: per CPU), 0 if none.
    pub memory_default: u64,
    /// Most memory as Slurm packs it (bit 63: per CPU), 0 if unlimited.
    pub memory_max: u64,
    /// Accounts allowed, separated by commas; empty: all.
    pub accounts_allowed: String,
    /// Accounts refused.
    pub accounts_denied: String,
    /// Groups allowed; empty: all.
    pub groups_allowed: String,
    /// QOS allowed; empty: all.
    pub qos_allowed: String,
    /// QOS refused.
    pub qos_denied: String,
    /// QOS of the partition itself.
    pub qos: String,
    /// Only root may use it.
    pub root_only: bool,
    /// Only jobs with a reservation may use it.
    pub reservation_required: bool,
    /// Whole nodes only (`OverSubscribe=EXCLUSIVE`).
    pub exclusive: bool,
    /// `PriorityTier`.
    pub priority_tier: u16,
}

/// One reservation.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(proptest_derive::Arbitrary))]
pub struct Reservation {
    /// Name.
    pub name: String,
    /// Start.
    pub start_s: i64,
    /// End.
    pub end_s: i64,
    /// Nodes, a host list.
    pub nodes: String,
    /// Flags, upper case, such as `MAINT`.
    pub flags: Vec<String>,
}
