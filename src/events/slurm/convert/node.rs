//! A node record.

use fedsched_protocol::slurm;

use super::{MIB, words};
use crate::events::slurm::tres;
use crate::model::{Feature, Node, NodeState, PartitionName, Tres};

/// Base states in which a node is not there.
const DOWN_STATES: [&str; 4] = ["DOWN", "UNKNOWN", "FUTURE", "ERROR"];

/// Flags with which it is not there, or not for ordinary jobs.
const DOWN_FLAGS: [&str; 5] = [
    "NOT_RESPONDING",
    "INVALID_REG",
    "INVALID",
    "DYNAMIC_FUTURE",
    "EXTERNAL",
];

/// Flags with which it takes no more jobs. A node that sleeps (`POWERED_DOWN`) does: Slurm wakes it.
const DRAINING_FLAGS: [&str; 8] = [
    "DRAIN",
    "FAIL",
    "MAINTENANCE",
    "MAINT",
    "REBOOT_REQUESTED",
    "REBOOT_ISSUED",
    "POWERING_DOWN",
    "BLOCKED",
];

/// A record as a node that is in `partitions` (sorted).
pub(in crate::events::slurm) fn node(record: &slurm::Node, partitions: Vec<PartitionName>) -> Node {
    let mut features: Vec<Feature> = words(&record.features);
    features.sort();
    features.dedup();
    Node {
        name: record.name.as_str().into(),
        partitions,
        state: state(record),
        reason: record.reason.clone(),
        total: Tres {
            cpu_milli: u64::from(record.cpus) * 1000,
            memory_bytes: record
                .memory_mib
                .saturating_sub(record.memory_reserved_mib)
                .saturating_mul(MIB),
            disk_bytes: u64::from(record.tmp_disk_mib) * MIB,
            gres: tres::on_node(&record.gres),
        },
        used: Tres {
            cpu_milli: u64::from(record.cpus_allocated) * 1000,
            memory_bytes: record.memory_allocated_mib.saturating_mul(MIB),
            disk_bytes: 0,
            gres: tres::on_node(&record.gres_used),
        },
        features,
        watts: record.watts,
        weight: record.weight,
    }
}

fn state(record: &slurm::Node) -> NodeState {
    let has = |flags: &[&str]| record.flags.iter().any(|own| flags.contains(&own.as_str()));
    if DOWN_STATES.contains(&record.state.as_str()) || has(&DOWN_FLAGS) {
        NodeState::Down
    } else if has(&DRAINING_FLAGS) {
        NodeState::Draining
    } else {
        NodeState::Up
    }
}

#[cfg(test)]
mod test {
    use super::*;

    fn record(state: &str, flags: &[&str]) -> slurm::Node {
        slurm::Node {
            state: state.to_owned(),
            flags: flags.iter().map(|&flag| flag.to_owned()).collect(),
            ..slurm::Node::default()
        }
    }

    #[test]
    fn states_and_flags_together_say_whether_it_takes_jobs() {
        for (base, flags, expected) in [
            ("IDLE", &[][..], NodeState::Up),
            ("MIXED", &["PLANNED"], NodeState::Up),
            ("IDLE", &["POWERED_DOWN"], NodeState::Up),
            ("ALLOCATED", &["A_FLAG_OF_TOMORROW"], NodeState::Up),
            ("IDLE", &["DRAIN"], NodeState::Draining),
            ("MIXED", &["DRAIN", "NOT_RESPONDING"], NodeState::Down),
            ("IDLE", &["NOT_RESPONDING"], NodeState::Down),
            ("DOWN", &[], NodeState::Down),
            ("FUTURE", &[], NodeState::Down),
        ] {
            assert_eq!(state(&record(base, flags)), expected, "{base} {flags:?}");
        }
    }
}
