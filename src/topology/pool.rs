//! The nodes of one partition, grouped by shape and by what they have free: how many take a job is
//! asked of groups, not of nodes.

use std::collections::BTreeMap;

use super::cell::NodeId;
use super::shape::ShapeId;
use crate::model::{NodeName, Tres};

/// Nodes by name: ties between them are broken by it.
pub(super) type Nodes = BTreeMap<NodeName, NodeId>;

/// The nodes of one partition.
#[derive(Debug, Default)]
pub(super) struct Pool {
    /// Every node that reports, whatever its state.
    pub(super) all: BTreeMap<ShapeId, Nodes>,
    /// The nodes that take jobs, by what they have free now.
    pub(super) groups: BTreeMap<(ShapeId, Tres), Nodes>,
}

impl Pool {
    pub(super) fn insert(
        &mut self,
        shape: ShapeId,
        free: Option<Tres>,
        name: &NodeName,
        id: NodeId,
    ) {
        self.all.entry(shape).or_default().insert(name.clone(), id);
        if let Some(free) = free {
            let group = self.groups.entry((shape, free)).or_default();
            group.insert(name.clone(), id);
        }
    }

    pub(super) fn remove(&mut self, shape: ShapeId, free: Option<Tres>, name: &NodeName) {
        take_out(&mut self.all, &shape, name);
        if let Some(free) = free {
            take_out(&mut self.groups, &(shape, free), name);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Every node that reports.
    pub(super) fn nodes(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.all.values().flat_map(|nodes| nodes.values().copied())
    }
}

fn take_out<K: Ord>(groups: &mut BTreeMap<K, Nodes>, key: &K, name: &NodeName) {
    if let Some(nodes) = groups.get_mut(key) {
        nodes.remove(name);
        if nodes.is_empty() {
            groups.remove(key);
        }
    }
}
