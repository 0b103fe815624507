//! A partition record.

use fedsched_protocol::slurm;

use super::{memory, minutes, words};
use crate::model::{Access, Partition, PartitionState};

/// 0 is no default, and no limit.
fn some(packed: u64) -> Option<u64> {
    Some(packed).filter(|&packed| packed > 0)
}

/// A record as a partition.
pub(in crate::events::slurm) fn partition(record: &slurm::Partition) -> Partition {
    Partition {
        name: record.name.as_str().into(),
        state: match record.state.as_str() {
            "UP" => PartitionState::Up,
            "DRAIN" => PartitionState::Drain,
            "INACTIVE" => PartitionState::Inactive,
            // A state of tomorrow: nothing is sent there until somebody knows what it means.
            _ => PartitionState::Down,
        },
        time_max: record.time_max_min.map(minutes),
        time_default: record.time_default_min.map(minutes),
        nodes_max: record.nodes_max,
        nodes_min: record.nodes_min,
        node_cpus_max: record.node_cpus_max,
        memory_default: memory(some(record.memory_default)),
        memory_max: memory(some(record.memory_max)),
        access: Access {
            accounts_allowed: words(&record.accounts_allowed),
            accounts_denied: words(&record.accounts_denied),
            groups_allowed: words(&record.groups_allowed),
            qos_allowed: words(&record.qos_allowed),
            qos_denied: words(&record.qos_denied),
            closed: record.root_only || record.reservation_required,
        },
        exclusive: record.exclusive,
    }
}
