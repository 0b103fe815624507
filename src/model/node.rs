//! A node as its member reports it.

use super::{Feature, NodeName, PartitionName, Tres};

/// A node. Free is what its member reports: total less what jobs hold there, the federation's or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// Name.
    pub name: NodeName,
    /// Partitions it is in, sorted.
    pub partitions: Vec<PartitionName>,
    /// Whether it takes jobs.
    pub state: NodeState,
    /// Why not.
    pub reason: String,
    /// What jobs can have in all.
    pub total: Tres,
    /// What jobs hold now.
    pub used: Tres,
    /// Active features, sorted.
    pub features: Vec<Feature>,
    /// Present power, watts.
    pub watts: Option<u32>,
    /// Slurm's `Weight`: lowest first.
    pub weight: u32,
}

/// Whether a node takes jobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum NodeState {
    /// Takes jobs.
    Up,
    /// Runs what it has and takes no more.
    Draining,
    /// Not there, or an administrator's.
    Down,
}
