//! Partitions.

use std::ffi::c_int;

use fedsched_protocol::slurm::Partition;

use super::{Listing, LoadError, Owned, slice, state, text};
use crate::bindings::{self, partition_info_msg_t, partition_info_t};
use crate::unset::{given64, limited32};

/// Every partition of this cluster, hidden ones too.
#[derive(Debug)]
pub struct Partitions(Owned<partition_info_msg_t>);

impl Listing for Partitions {
    type Record = Partition;

    const WHAT: &'static str = "partitions";

    fn load(since: i64) -> Result<Option<Self>, LoadError> {
        let show = bindings::SHOW_ALL | bindings::SHOW_LOCAL;
        let load = |message| -> c_int {
            // SAFETY: `message` is where a pointer can be written.
            unsafe { bindings::slurm_load_partitions(since, message, show) }
        };
        let free = bindings::slurm_free_partition_info_msg;
        Ok(Owned::load(Self::WHAT, free, load)?.map(Self))
    }

    fn made(&self) -> i64 {
        self.0.get().last_update
    }

    fn records(&self) -> impl Iterator<Item = Partition> {
        let message = self.0.get();
        // SAFETY: libslurm unpacked as many records as it says, and they live as long as `self`.
        let records = unsafe { slice(message.partition_array, message.record_count) };
        records.iter().map(partition)
    }
}

fn partition(raw: &partition_info_t) -> Partition {
    Partition {
        name: text(raw.name),
        state: state::partition(raw.state_up),
        default: is_set(raw.flags, bindings::PART_FLAG_DEFAULT),
        nodes: text(raw.nodes),
        time_max_min: limited32(raw.max_time),
        time_default_min: limited32(raw.default_time),
        nodes_max: limited32(raw.max_nodes),
        nodes_min: raw.min_nodes,
        node_cpus_max: limited32(raw.max_cpus_per_node).filter(|&cpus| cpus != 0),
        memory_default: given64(raw.def_mem_per_cpu).unwrap_or(0),
        memory_max: given64(raw.max_mem_per_cpu).unwrap_or(0),
        accounts_allowed: text(raw.allow_accounts),
        accounts_denied: text(raw.deny_accounts),
        groups_allowed: text(raw.allow_groups),
        qos_allowed: text(raw.allow_qos),
        qos_denied: text(raw.deny_qos),
        qos: text(raw.qos_char),
        root_only: is_set(raw.flags, bindings::PART_FLAG_ROOT_ONLY),
        reservation_required: is_set(raw.flags, bindings::PART_FLAG_REQ_RESV),
        // `OverSubscribe=EXCLUSIVE` is the only way to no sharing at all.
        exclusive: raw.max_share == 0,
        priority_tier: raw.priority_tier,
    }
}

/// How wide the flags are depends on the version.
fn is_set(flags: impl Into<u32>, flag: u32) -> bool {
    flags.into() & flag != 0
}
