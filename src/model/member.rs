//! A member as the configuration declares it.

use std::collections::BTreeMap;

use super::{AccountName, GroupName, MemberName, PartitionName};

/// What an administrator says of a member. What the member says of itself comes as events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declaration {
    /// Name.
    pub name: MemberName,
    /// What it is.
    pub kind: MemberKind,
    /// Partition that stands for it.
    pub partition: PartitionName,
    /// Free words for policies and people.
    pub labels: BTreeMap<String, String>,
    /// Accounts whose home this is.
    pub home_accounts: Vec<AccountName>,
    /// Groups whose home this is.
    pub home_groups: Vec<GroupName>,
    /// Path prefixes that its nodes mount; `None`: everything the site has.
    pub paths: Option<Vec<String>>,
    /// Takes no new jobs of the federation, by the administrator's word.
    pub drained: bool,
}

/// What a member is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum MemberKind {
    /// A partition of the cluster that the daemon serves.
    SlurmPartition,
}

impl MemberKind {
    /// As in the configuration.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::SlurmPartition => "slurm-partition",
        }
    }
}
