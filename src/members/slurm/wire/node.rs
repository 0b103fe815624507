//! A node. v0.0.42 has one list of states and says more: power, and what is kept from jobs.

use fedsched_protocol::slurm;
use serde::Deserialize;

use super::lenient::{Number, Text, Words};

/// A node as slurmrestd writes it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in super::super) struct Node {
    name: Text,
    state: Words,
    state_flags: Words,
    reason: Text,
    cpus: Number,
    effective_cpus: Number,
    alloc_cpus: Number,
    real_memory: Number,
    alloc_memory: Number,
    specialized_memory: Number,
    temporary_disk: Number,
    gres: Text,
    gres_used: Text,
    features: Text,
    active_features: Text,
    energy: Energy,
    weight: Number,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Energy {
    current_watts: Number,
}

impl Node {
    /// The record, `None` if it has no name: a deleted node leaves such a hole.
    pub(in super::super) fn into_record(self) -> Option<slurm::Node> {
        if self.name.0.is_empty() {
            return None;
        }
        let (state, mut flags) = self.state.split_first();
        flags.extend(self.state_flags.0);
        Some(slurm::Node {
            name: self.name.0,
            state,
            flags,
            reason: self.reason.0,
            cpus: match self.effective_cpus.or_zero() {
                0 => self.cpus.or_zero(),
                cpus => cpus,
            },
            cpus_allocated: self.alloc_cpus.or_zero(),
            memory_mib: self.real_memory.or_zero(),
            memory_allocated_mib: self.alloc_memory.or_zero(),
            memory_reserved_mib: self.specialized_memory.or_zero(),
            tmp_disk_mib: self.temporary_disk.or_zero(),
            gres: self.gres.0,
            gres_used: self.gres_used.0,
            features: if self.active_features.0.is_empty() {
                self.features.0
            } else {
                self.active_features.0
            },
            // Without an energy plugin Slurm says 0.
            watts: self
                .energy
                .current_watts
                .narrow()
                .filter(|&watts| watts != 0),
            weight: self.weight.or_zero(),
        })
    }
}
