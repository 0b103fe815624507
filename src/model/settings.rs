//! What the configuration says to the core, validated as a whole.

use std::collections::BTreeMap;
use std::time::Duration;

use super::{AccountName, Declaration, GroupName, MemberName, PartitionName, Policy, PolicyName};

/// The part of the configuration that decisions depend on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// The waiting room.
    pub queue_partition: PartitionName,
    /// Decide and explain, but bind nothing.
    pub rehearsal: bool,
    /// Members, sorted by name, names unique, partitions unique.
    pub members: Vec<Declaration>,
    /// Policies by name; the default one is always there.
    pub policies: BTreeMap<PolicyName, Policy>,
    /// Policy of jobs that name none.
    pub default_policy: PolicyName,
    /// Bounds and spans.
    pub limits: Limits,
}

impl Settings {
    /// The member of that name.
    pub fn member(&self, name: &MemberName) -> Option<&Declaration> {
        self.members.iter().find(|member| member.name == *name)
    }

    /// The member that a partition stands for.
    pub fn member_at(&self, partition: &PartitionName) -> Option<&Declaration> {
        self.members
            .iter()
            .find(|member| member.partition == *partition)
    }

    /// The member at home with an account, or else with one of the groups.
    pub fn home(&self, account: &AccountName, groups: &[GroupName]) -> Option<&MemberName> {
        let by_account = self
            .members
            .iter()
            .find(|member| member.home_accounts.contains(account));
        let by_group = || {
            self.members.iter().find(|member| {
                member
                    .home_groups
                    .iter()
                    .any(|group| groups.contains(group))
            })
        };
        by_account.or_else(by_group).map(|member| &member.name)
    }

    /// Whether nobody can say where a job is at home before its account is known.
    pub fn home_needs_account(&self) -> bool {
        let mut members = self.members.iter();
        members.any(|member| !member.home_accounts.is_empty())
    }

    /// The policy of that name, or the default one. `None` only for settings without it.
    pub fn policy(&self, name: Option<&str>) -> Option<&Policy> {
        name.and_then(|name| self.policies.get(&PolicyName::from(name)))
            .or_else(|| self.policies.get(&self.default_policy))
    }
}

/// Bounds of the queue and the topology.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// First wait of a job that no member can take.
    pub backoff_first: Duration,
    /// Longest such wait; each doubles the one before.
    pub backoff_max: Duration,
    /// How long a member is remembered against a job that could not start there.
    pub remember: Duration,
    /// How long an assumption without a sign of its job is kept.
    pub assume_max: Duration,
    /// Jobs looked at in one scheduling pass.
    pub pass_jobs_max: usize,
    /// Largest share of the known jobs (in percent) that may vanish from one listing before it is
    /// doubted; below `vanish_jobs_min` jobs, nothing is doubted.
    pub vanish_percent_max: u8,
    /// See `vanish_percent_max`.
    pub vanish_jobs_min: usize,
}
