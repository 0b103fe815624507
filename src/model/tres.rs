//! Trackable resources as one vector of integers.

use serde::{Deserialize, Serialize};

use super::{Gres, GresKind};

/// Amounts of everything a node has or a job takes. Fixed units; never added up over nodes to
/// decide anything, since that promises capacity that no node has.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Tres {
    /// Thousandths of a CPU.
    pub cpu_milli: u64,
    /// Memory, bytes.
    pub memory_bytes: u64,
    /// Local storage, bytes.
    pub disk_bytes: u64,
    /// Generic resources.
    pub gres: Gres,
}

impl Tres {
    /// Whole CPUs, and nothing else.
    pub fn cpus(count: u64) -> Self {
        Self {
            cpu_milli: count.saturating_mul(1000),
            ..Self::default()
        }
    }

    /// Adds `other`.
    pub fn add(&mut self, other: &Self) {
        self.cpu_milli = self.cpu_milli.saturating_add(other.cpu_milli);
        self.memory_bytes = self.memory_bytes.saturating_add(other.memory_bytes);
        self.disk_bytes = self.disk_bytes.saturating_add(other.disk_bytes);
        for (kind, count) in other.gres.iter() {
            self.gres.add(kind, count);
        }
    }

    /// Takes `other` away, each amount down to zero at most.
    pub fn subtract(&mut self, other: &Self) {
        self.cpu_milli = self.cpu_milli.saturating_sub(other.cpu_milli);
        self.memory_bytes = self.memory_bytes.saturating_sub(other.memory_bytes);
        self.disk_bytes = self.disk_bytes.saturating_sub(other.disk_bytes);
        for (kind, count) in other.gres.iter() {
            self.gres.take(kind, count);
        }
    }

    /// Whether each amount is at least that of `other`.
    pub fn covers(&self, other: &Self) -> bool {
        self.cpu_milli >= other.cpu_milli
            && self.memory_bytes >= other.memory_bytes
            && self.disk_bytes >= other.disk_bytes
            && other
                .gres
                .iter()
                .all(|(kind, count)| self.gres.satisfying(kind) >= count)
    }

    /// An equal share of it for each of `count` nodes, rounded up.
    #[must_use]
    pub fn share(&self, count: u64) -> Self {
        let count = count.max(1);
        Self {
            cpu_milli: self.cpu_milli.div_ceil(count),
            memory_bytes: self.memory_bytes.div_ceil(count),
            disk_bytes: self.disk_bytes.div_ceil(count),
            gres: self
                .gres
                .iter()
                .map(|(kind, amount)| (kind.clone(), amount.div_ceil(count)))
                .collect(),
        }
    }

    /// How many of the kind satisfy a request.
    pub fn gres(&self, wanted: &GresKind) -> u64 {
        self.gres.satisfying(wanted)
    }
}
