//! What a job asks for.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{Feature, GresKind, NodeName};

/// Everything the scheduler looks at, apart from who asks. Jobs with equal requests and owners
/// form one equivalence class.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Request {
    /// Size: one, or one for each component of a heterogeneous job, all to be placed on one member.
    pub parts: Vec<Geometry>,
    /// Time limit, `None` where the user gave none and the member's default will hold.
    pub time_limit: Option<Duration>,
    /// Least time the job can use (`--time-min`).
    pub time_min: Option<Duration>,
    /// Licences, by name and count.
    pub licenses: Vec<(String, u64)>,
    /// Working directory: must be visible where the job runs.
    pub work_dir: String,
    /// What only Slurm can judge, such as `--dependency=expand:`, in Slurm's spelling.
    pub beyond_us: Vec<String>,
}

/// Size and shape of a job or component.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Geometry {
    /// Least number of nodes, at least 1.
    pub nodes_min: u32,
    /// Most nodes, `None` where the user gave none.
    pub nodes_max: Option<u32>,
    /// Tasks, at least 1.
    pub tasks: u32,
    /// CPUs of a task, at least 1.
    pub cpus_per_task: u32,
    /// Tasks on each node, `None` where the user gave none.
    pub tasks_per_node: Option<u32>,
    /// Least CPUs on each node (`--mincpus`).
    pub node_cpus_min: u32,
    /// Memory.
    pub memory: Memory,
    /// Local storage on each node, bytes.
    pub disk_bytes: u64,
    /// Generic resources on each node.
    pub gres_per_node: Vec<(GresKind, u64)>,
    /// … for each task.
    pub gres_per_task: Vec<(GresKind, u64)>,
    /// … for the whole job.
    pub gres_per_job: Vec<(GresKind, u64)>,
    /// Whole nodes only.
    pub exclusive: bool,
    /// Adjacent nodes: only Slurm can judge that.
    pub contiguous: bool,
    /// Features its nodes must have.
    pub constraint: Constraint,
    /// Nodes it must get.
    pub required_nodes: Vec<NodeName>,
    /// Nodes it must not get.
    pub excluded_nodes: Vec<NodeName>,
}

/// Memory of a job, bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Memory {
    /// The user said nothing: the default of where it runs.
    #[default]
    Default,
    /// For each node; 0 is all of the node's.
    PerNode(u64),
    /// For each CPU.
    PerCpu(u64),
}

/// `--constraint`.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Constraint {
    /// None.
    #[default]
    Any,
    /// Every node has, for one of the alternatives, all its features: `a&b|c` is `[[a, b], [c]]`.
    OneOf(Vec<Vec<Feature>>),
    /// Counts, brackets and parentheses: Slurm's to judge. The text as the user gave it.
    Slurm(String),
}
