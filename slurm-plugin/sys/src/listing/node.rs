//! Nodes.

use std::ffi::c_int;

use fedsched_protocol::slurm::Node;

use super::{Listing, LoadError, Owned, slice, state, text};
use crate::bindings::{self, node_info_msg_t, node_info_t};
use crate::unset::given32;

/// Every node of this cluster.
#[derive(Debug)]
pub struct Nodes(Owned<node_info_msg_t>);

impl Listing for Nodes {
    type Record = Node;

    const WHAT: &'static str = "nodes";

    fn load(since: i64) -> Result<Option<Self>, LoadError> {
        // Without "detail", slurmctld leaves out the generic resources in use.
        let show = bindings::SHOW_ALL | bindings::SHOW_DETAIL | bindings::SHOW_LOCAL;
        let load = |message| -> c_int {
            // SAFETY: `message` is where a pointer can be written.
            unsafe { bindings::slurm_load_node(since, message, show) }
        };
        Ok(Owned::load(Self::WHAT, bindings::slurm_free_node_info_msg, load)?.map(Self))
    }

    fn made(&self) -> i64 {
        self.0.get().last_update
    }

    fn records(&self) -> impl Iterator<Item = Node> {
        let message = self.0.get();
        // SAFETY: libslurm unpacked as many records as it says, and they live as long as `self`.
        let records = unsafe { slice(message.node_array, message.record_count) };
        // A node that was deleted leaves a record without a name.
        records.iter().filter(|raw| !raw.name.is_null()).map(node)
    }
}

fn node(raw: &node_info_t) -> Node {
    let held = Held::of(raw);
    let features = if raw.features_act.is_null() {
        raw.features
    } else {
        raw.features_act
    };
    Node {
        name: text(raw.name),
        state: state::node(raw.node_state),
        flags: state::node_flags(raw.node_state),
        reason: text(raw.reason),
        cpus: raw.cpus_efctv.into(),
        cpus_allocated: held.cpus,
        memory_mib: raw.real_memory,
        memory_allocated_mib: held.memory_mib,
        memory_reserved_mib: raw.mem_spec_limit,
        tmp_disk_mib: raw.tmp_disk,
        gres: text(raw.gres),
        gres_used: text(raw.gres_used),
        features: text(features),
        watts: watts(raw),
        weight: raw.weight,
    }
}

/// What jobs hold on a node.
#[derive(Default)]
struct Held {
    cpus: u32,
    memory_mib: u64,
}

impl Held {
    #[cfg(slurm_26_05)]
    fn of(raw: &node_info_t) -> Self {
        Self {
            cpus: raw.alloc_cpus.into(),
            memory_mib: raw.alloc_memory,
        }
    }

    /// The select plugin keeps the counts in a structure of its own.
    #[cfg(not(slurm_26_05))]
    fn of(raw: &node_info_t) -> Self {
        let mut cpus: u16 = 0;
        let mut memory_mib: u64 = 0;
        // SAFETY: the structure is the record's own, and this datum is a `uint16_t`.
        let cpus_known = unsafe {
            bindings::slurm_get_select_nodeinfo(
                raw.select_nodeinfo,
                bindings::SELECT_NODEDATA_SUBCNT,
                bindings::NODE_STATE_ALLOCATED,
                (&raw mut cpus).cast(),
            )
        };
        // SAFETY: as above, and this datum is a `uint64_t`.
        let memory_known = unsafe {
            bindings::slurm_get_select_nodeinfo(
                raw.select_nodeinfo,
                bindings::SELECT_NODEDATA_MEM_ALLOC,
                bindings::NODE_STATE_ALLOCATED,
                (&raw mut memory_mib).cast(),
            )
        };
        if cpus_known != 0 || memory_known != 0 {
            return Self::default();
        }
        Self {
            cpus: cpus.into(),
            memory_mib,
        }
    }
}

/// Power now; without an energy plugin Slurm says 0.
fn watts(raw: &node_info_t) -> Option<u32> {
    // SAFETY: null, or the record's own.
    let energy = unsafe { raw.energy.as_ref() }?;
    given32(energy.current_watts).filter(|&watts| watts != 0)
}
