//! What no node of a partition has enough of.

use super::fit::Shortage;
use super::need::{Need, raise};
use super::pool::Pool;
use super::shape::Shapes;
use crate::model::{GresKind, Tres};

/// What no node of a partition has enough of, even when nothing runs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Obstacle {
    /// The partition has no nodes.
    NoNodes,
    /// No node has the features.
    Features,
    /// CPUs on one node.
    Cpus {
        /// Wanted.
        wanted: u64,
        /// Most that a node has.
        most: u64,
    },
    /// Memory on one node, bytes.
    Memory {
        /// Wanted.
        wanted: u64,
        /// Most that a node has.
        most: u64,
    },
    /// Local storage on one node, bytes.
    Disk {
        /// Wanted.
        wanted: u64,
        /// Most that a node has.
        most: u64,
    },
    /// A generic resource on one node.
    Gres {
        /// Which.
        kind: GresKind,
        /// Wanted.
        wanted: u64,
        /// Most that a node has.
        most: u64,
    },
    /// Each of it somewhere, but no node has all of it.
    Together,
    /// Some nodes fit, but not enough.
    Count(Shortage),
}

/// Of which things no node has enough for the largest share of the job, each by itself.
pub(super) fn sizes(shapes: &Shapes, pool: &Pool, need: &Need) -> Vec<Obstacle> {
    let usable: Vec<&Tres> = pool
        .all
        .keys()
        .map(|id| shapes.get(*id))
        .filter(|shape| shape.satisfies(&need.constraint))
        .map(|shape| &shape.total)
        .collect();
    if usable.is_empty() {
        return vec![Obstacle::Features];
    }
    let most = |of: &dyn Fn(&Tres) -> u64| usable.iter().map(|total| of(total)).max().unwrap_or(0);
    let wanted = least(need);
    let mut obstacles = Vec::new();
    let (cpus, most_cpus) = (wanted.cpu_milli, most(&|total| total.cpu_milli));
    if cpus > most_cpus {
        let (wanted, most) = (cpus / 1000, most_cpus / 1000);
        obstacles.push(Obstacle::Cpus { wanted, most });
    }
    let (wanted_bytes, most_bytes) = (wanted.memory_bytes, most(&|total| total.memory_bytes));
    if wanted_bytes > most_bytes {
        let (wanted, most) = (wanted_bytes, most_bytes);
        obstacles.push(Obstacle::Memory { wanted, most });
    }
    let (wanted_bytes, most_bytes) = (wanted.disk_bytes, most(&|total| total.disk_bytes));
    if wanted_bytes > most_bytes {
        let (wanted, most) = (wanted_bytes, most_bytes);
        obstacles.push(Obstacle::Disk { wanted, most });
    }
    for (kind, wanted) in wanted.gres.iter() {
        let most = most(&|total| total.gres(kind));
        if wanted > most {
            let kind = kind.clone();
            obstacles.push(Obstacle::Gres { kind, wanted, most });
        }
    }
    obstacles
}

/// What the node with the largest share of the job must have.
fn least(need: &Need) -> Tres {
    let part = Need {
        whole: false,
        all_memory: false,
        ..need.clone()
    };
    let mut least = part.take(need.tasks_on_largest(), &Tres::default());
    for (kind, _) in &need.per_job {
        raise(&mut least.gres, kind, 1);
    }
    least
}
