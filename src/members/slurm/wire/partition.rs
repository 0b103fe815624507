//! A partition: flat in v0.0.38, nested in v0.0.42.
//!
//! Neither says everything: v0.0.38 has no `OverSubscribe`, v0.0.42 has no flags (`Default`,
//! `RootOnly`, `ReqResv`). What is missing reads as Slurm's default.

use fedsched_protocol::slurm;
use serde::Deserialize;

use super::lenient::{Number, Text, Words};

/// Bit 63 of Slurm's memory: the rest is per CPU, not per node.
const MEMORY_PER_CPU: u64 = 1 << 63;

/// A partition as v0.0.38 writes it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in super::super) struct Partition38 {
    name: Text,
    state: Text,
    flags: Words,
    nodes: Text,
    max_time_limit: Number,
    default_time_limit: Number,
    maximum_nodes_per_job: Number,
    #[serde(rename = "min nodes per job")]
    minimum_nodes_per_job: Number,
    maximum_cpus_per_node: Number,
    default_memory_per_cpu: Number,
    default_memory_per_node: Number,
    maximum_memory_per_cpu: Number,
    maximum_memory_per_node: Number,
    allowed_accounts: Text,
    denied_accounts: Text,
    allowed_groups: Text,
    allowed_qos: Text,
    denied_qos: Text,
    qos: Text,
    priority_tier: Number,
}

impl Partition38 {
    /// The record, `None` if it has no name.
    pub(in super::super) fn into_record(self) -> Option<slurm::Partition> {
        if self.name.0.is_empty() {
            return None;
        }
        Some(slurm::Partition {
            name: self.name.0,
            state: self.state.0.to_ascii_uppercase(),
            default: self.flags.has("DEFAULT"),
            nodes: self.nodes.0,
            time_max_min: self.max_time_limit.narrow(),
            time_default_min: self.default_time_limit.narrow(),
            nodes_max: self.maximum_nodes_per_job.narrow(),
            nodes_min: self.minimum_nodes_per_job.or_zero(),
            node_cpus_max: self.maximum_cpus_per_node.narrow(),
            memory_default: memory(self.default_memory_per_cpu, self.default_memory_per_node),
            memory_max: memory(self.maximum_memory_per_cpu, self.maximum_memory_per_node),
            accounts_allowed: self.allowed_accounts.0,
            accounts_denied: self.denied_accounts.0,
            groups_allowed: self.allowed_groups.0,
            qos_allowed: self.allowed_qos.0,
            qos_denied: self.denied_qos.0,
            qos: self.qos.0,
            root_only: self.flags.has("ROOT_ONLY"),
            reservation_required: self.flags.has("REQ_RESV"),
            exclusive: false,
            priority_tier: self.priority_tier.or_zero(),
        })
    }
}

/// A partition as v0.0.42 writes it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in super::super) struct Partition42 {
    name: Text,
    partition: State,
    nodes: Nodes,
    maximums: Maximums,
    minimums: Minimums,
    defaults: Defaults,
    accounts: Access,
    groups: Access,
    qos: Access,
    priority: Priority,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct State {
    state: Words,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Nodes {
    configured: Text,
}

#[derive(Debug, Deserialize)]
#[serde(default)]
struct Maximums {
    time: Number,
    nodes: Number,
    cpus_per_node: Number,
    partition_memory_per_cpu: Number,
    partition_memory_per_node: Number,
    shares: Number,
}

impl Default for Maximums {
    fn default() -> Self {
        Self {
            time: Number::Infinite,
            nodes: Number::Infinite,
            cpus_per_node: Number::Infinite,
            partition_memory_per_cpu: Number::Unset,
            partition_memory_per_node: Number::Unset,
            // 0 jobs to share with is `EXCLUSIVE`; 1 is Slurm's default.
            shares: Number::Value(1),
        }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Minimums {
    nodes: Number,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Defaults {
    time: Number,
    partition_memory_per_cpu: Number,
    partition_memory_per_node: Number,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Access {
    allowed: Text,
    deny: Text,
    assigned: Text,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Priority {
    tier: Number,
}

impl Partition42 {
    /// The record, `None` if it has no name.
    pub(in super::super) fn into_record(self) -> Option<slurm::Partition> {
        if self.name.0.is_empty() {
            return None;
        }
        let (maximums, defaults) = (self.maximums, self.defaults);
        Some(slurm::Partition {
            name: self.name.0,
            state: self.partition.state.split_first().0,
            default: false,
            nodes: self.nodes.configured.0,
            time_max_min: maximums.time.narrow(),
            time_default_min: defaults.time.narrow(),
            nodes_max: maximums.nodes.narrow(),
            nodes_min: self.minimums.nodes.or_zero(),
            node_cpus_max: maximums.cpus_per_node.narrow(),
            memory_default: memory(
                defaults.partition_memory_per_cpu,
                defaults.partition_memory_per_node,
            ),
            memory_max: memory(
                maximums.partition_memory_per_cpu,
                maximums.partition_memory_per_node,
            ),
            accounts_allowed: self.accounts.allowed.0,
            accounts_denied: self.accounts.deny.0,
            groups_allowed: self.groups.allowed.0,
            qos_allowed: self.qos.allowed.0,
            qos_denied: self.qos.deny.0,
            qos: self.qos.assigned.0,
            root_only: false,
            reservation_required: false,
            exclusive: maximums.shares == Number::Value(0),
            priority_tier: self.priority.tier.or_zero(),
        })
    }
}

/// Memory as Slurm packs it, 0 where there is none.
fn memory(per_cpu: Number, per_node: Number) -> u64 {
    match per_cpu.value() {
        Some(mib) if mib > 0 => mib | MEMORY_PER_CPU,
        _ => per_node.or_zero(),
    }
}
