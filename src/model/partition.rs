//! A Slurm partition.

use std::time::Duration;

use super::{AccountName, GroupName, Memory, PartitionName, QosName};

/// A Slurm partition: what its administrator allows there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Partition {
    /// Name.
    pub name: PartitionName,
    /// Whether jobs start there.
    pub state: PartitionState,
    /// Most time a job may have.
    pub time_max: Option<Duration>,
    /// Time of a job that asks for none.
    pub time_default: Option<Duration>,
    /// Most nodes a job may have.
    pub nodes_max: Option<u32>,
    /// Least nodes a job may have.
    pub nodes_min: u32,
    /// Most CPUs a job may have on a node.
    pub node_cpus_max: Option<u32>,
    /// Memory of a job that asks for none.
    pub memory_default: Memory,
    /// Most memory of a job.
    pub memory_max: Memory,
    /// Who may use it.
    pub access: Access,
    /// Whole nodes only.
    pub exclusive: bool,
}

/// Who may use a partition. Empty lists of the allowed mean everybody.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Access {
    /// `AllowAccounts`.
    pub accounts_allowed: Vec<AccountName>,
    /// `DenyAccounts`.
    pub accounts_denied: Vec<AccountName>,
    /// `AllowGroups`.
    pub groups_allowed: Vec<GroupName>,
    /// `AllowQos`.
    pub qos_allowed: Vec<QosName>,
    /// `DenyQos`.
    pub qos_denied: Vec<QosName>,
    /// `RootOnly`, or `ReqResv`: no job of the federation goes there.
    pub closed: bool,
}

/// State of a partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PartitionState {
    /// Jobs are accepted and start.
    Up,
    /// Jobs are accepted and wait.
    Down,
    /// Jobs are refused, those there start.
    Drain,
    /// Neither.
    Inactive,
}
