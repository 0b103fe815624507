//! What every member has, holds and will have free when.
//!
//! Members are declared by the configuration; what they are comes as events about partitions, nodes,
//! reservations and jobs, in any order: each is kept where it belongs whether or not the others have
//! been heard of, so the order makes no difference. A node that only a job or a reservation speaks
//! of is a placeholder that takes no jobs; a deleted one is again such a placeholder, and a late
//! event about a job on it brings nothing back.
//!
//! One truth for what is free: what the nodes report, less what is [assumed](Assumption) and not
//! yet visible there. Job records only tell *when* something will be free.
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

mod assume;
mod cell;
mod direct;
mod fit;
mod need;
mod obstacle;
mod pool;
mod promise;
mod shape;
mod snapshot;
#[cfg(test)]
mod test;

pub use assume::Assumption;
pub use cell::{Holder, NodeId};
pub use direct::Direct;
pub use fit::{Placement, Shortage};
pub use need::Need;
pub use obstacle::Obstacle;
pub use promise::{Promise, Promises};
pub use snapshot::{Holdings, Snapshot};

use std::collections::BTreeMap;

use self::assume::Assumptions;
use self::cell::{Cell, Span};
use self::direct::Directs;
use self::pool::Pool;
use self::shape::Shapes;
use crate::model::{
    Allocation, Change, JobKey, MemberName, Node, NodeName, Partition, PartitionName, Reservation,
    Timestamp, Tres,
};

/// How a partition changed to the better of a waiting job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Shift {
    /// Something became free there.
    Freed,
    /// What it is, allows or consists of changed.
    Facts,
}

/// A cache of partitions, nodes, and what is held on them.
#[derive(Debug, Default)]
pub struct Topology {
    partitions: BTreeMap<PartitionName, Partition>,
    ids: BTreeMap<NodeName, NodeId>,
    cells: Vec<Cell>,
    shapes: Shapes,
    pools: BTreeMap<PartitionName, Pool>,
    reservations: BTreeMap<String, Reservation>,
    held: BTreeMap<JobKey, Vec<NodeId>>,
    directs: Directs,
    assumptions: Assumptions,
    changed: BTreeMap<PartitionName, Shift>,
    version: u64,
}

impl Topology {
    /// Counts every change that a decision could see.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Partitions where, since this was last asked, a job may have come to fit.
    pub fn take_changed(&mut self) -> BTreeMap<PartitionName, Shift> {
        std::mem::take(&mut self.changed)
    }

    /// A partition came, changed or went.
    pub fn partition(&mut self, change: Change<PartitionName, Partition>) {
        let name = match change {
            Change::Applied(partition) => {
                let name = partition.name.clone();
                if self.partitions.get(&name) == Some(&partition) {
                    return;
                }
                self.partitions.insert(name.clone(), partition);
                name
            }
            Change::Deleted(name) => {
                self.partitions.remove(&name);
                name
            }
        };
        self.changed.insert(name, Shift::Facts);
        self.version += 1;
    }

    /// A node came, changed or went.
    pub fn node(&mut self, change: Change<NodeName, Node>) {
        match change {
            Change::Applied(node) => {
                let id = self.id(&node.name);
                let before = self.cells[id.0].report.as_ref();
                if before == Some(&node) {
                    return;
                }
                let alike = before.is_some_and(|before| same_but_for_use(before, &node));
                self.change(id, |cell| cell.report = Some(node));
                if !alike {
                    self.shift(id, Shift::Facts);
                }
            }
            Change::Deleted(name) => {
                if let Some(&id) = self.ids.get(&name) {
                    self.change(id, |cell| cell.report = None);
                }
            }
        }
    }

    /// A reservation came, changed or went.
    pub fn reservation(&mut self, change: Change<String, Reservation>) {
        let name = match &change {
            Change::Applied(reservation) => reservation.name.clone(),
            Change::Deleted(name) => name.clone(),
        };
        if let Some(before) = self.reservations.remove(&name) {
            for node in &before.nodes {
                let id = self.id(node);
                self.cells[id.0].reserved.remove(&name);
                self.shift(id, Shift::Freed);
            }
        }
        if let Change::Applied(reservation) = change {
            for node in &reservation.nodes {
                let id = self.id(node);
                let span = (reservation.start, reservation.end);
                self.cells[id.0].reserved.insert(name.clone(), span);
            }
            self.reservations.insert(name, reservation);
        }
        self.version += 1;
    }

    /// A job holds an allocation: tells when its nodes will be free.
    pub fn hold(&mut self, job: JobKey, allocation: &Allocation) {
        self.release(job);
        let tres = allocation.tres.share(allocation.nodes.len() as u64);
        let mut nodes = Vec::with_capacity(allocation.nodes.len());
        for name in &allocation.nodes {
            let id = self.id(name);
            let span = Span {
                tres: tres.clone(),
                end: allocation.end,
            };
            self.cells[id.0].held.insert(job, span);
            nodes.push(id);
        }
        self.held.insert(job, nodes);
        self.version += 1;
    }

    /// A job holds nothing any more.
    pub fn release(&mut self, job: JobKey) {
        for id in self.held.remove(&job).unwrap_or_default() {
            self.cells[id.0].held.remove(&job);
            self.version += 1;
        }
    }

    /// A job that its user sent there waits, or waits no longer.
    pub fn direct(&mut self, job: JobKey, direct: Option<Direct>) {
        let changed = match direct {
            Some(direct) => self.directs.insert(job, direct),
            None => self.directs.remove(job),
        };
        self.version += u64::from(changed);
    }

    /// Deducts a placement at once, before its member shows it.
    pub fn assume(
        &mut self,
        holder: Holder,
        member: MemberName,
        placement: &Placement,
        since: Timestamp,
        end: Timestamp,
    ) {
        self.forget(holder);
        for (id, tres) in &placement.nodes {
            let span = Span {
                tres: tres.clone(),
                end,
            };
            self.change(*id, |cell| cell.assumed.insert(holder, span));
        }
        let assumption = Assumption {
            member,
            since,
            polls: 0,
            confirmed: false,
            nodes: placement.nodes.iter().map(|(id, _)| *id).collect(),
        };
        self.assumptions.insert(holder, assumption);
    }

    /// Its job was seen holding an allocation: the nodes will show it by the end of this poll.
    pub fn confirm(&mut self, holder: Holder) {
        self.assumptions.confirm(holder);
    }

    /// Gives back what was assumed; says whether anything was.
    pub fn forget(&mut self, holder: Holder) -> bool {
        let Some(assumption) = self.assumptions.remove(holder) else {
            return false;
        };
        for id in assumption.nodes {
            self.change(id, |cell| cell.assumed.remove(&holder));
        }
        true
    }

    /// A submission got its id.
    pub fn rename(&mut self, from: Holder, to: Holder) {
        let Some(assumption) = self.assumptions.remove(from) else {
            return;
        };
        for id in &assumption.nodes {
            let cell = &mut self.cells[id.0];
            if let Some(span) = cell.assumed.remove(&from) {
                cell.assumed.insert(to, span);
            }
        }
        self.assumptions.insert(to, assumption);
    }

    /// A poll is complete: what it confirmed is now deducted by the nodes themselves.
    pub fn synced(&mut self) {
        for holder in self.assumptions.polled() {
            self.forget(holder);
        }
    }

    /// Everything that is assumed.
    pub fn assumptions(&self) -> impl Iterator<Item = (Holder, &Assumption)> {
        self.assumptions.iter()
    }

    /// What is assumed for one holder.
    pub fn assumption(&self, holder: Holder) -> Option<&Assumption> {
        self.assumptions.get(holder)
    }

    /// What is assumed for a job and for each task of an array of this id.
    pub fn assumptions_of(&self, job: u32) -> impl Iterator<Item = (JobKey, &Assumption)> {
        let first = Holder::Job(JobKey::job(job));
        let last = Holder::Job(JobKey::task(job, u32::MAX));
        self.assumptions
            .range(first, last)
            .filter_map(|(holder, assumption)| match holder {
                Holder::Job(key) => Some((key, assumption)),
                Holder::Submission(..) => None,
            })
    }

    /// The partition of that name.
    pub fn partition_named(&self, name: &PartitionName) -> Option<&Partition> {
        self.partitions.get(name)
    }

    /// Of each node that takes jobs: its total, what it reports used, and what is assumed there.
    pub fn usage(&self) -> impl Iterator<Item = (&NodeName, &Tres, &Tres, Tres)> {
        self.cells.iter().filter_map(|cell| {
            let node = cell.up()?;
            let mut assumed = Tres::default();
            for span in cell.assumed.values() {
                assumed.add(&span.tres);
            }
            Some((&cell.name, &node.total, &node.used, assumed))
        })
    }

    /// The name of a node.
    pub fn node_name(&self, id: NodeId) -> &NodeName {
        &self.cells[id.0].name
    }

    /// Every partition that was listed.
    pub fn partition_names(&self) -> impl Iterator<Item = &PartitionName> {
        self.partitions.keys()
    }

    /// Every node that was listed.
    pub fn node_names(&self) -> impl Iterator<Item = &NodeName> {
        let listed = self.cells.iter().filter(|cell| cell.report.is_some());
        listed.map(|cell| &cell.name)
    }

    /// Every reservation that was listed.
    pub fn reservation_names(&self) -> impl Iterator<Item = &String> {
        self.reservations.keys()
    }

    /// Every job that holds something or waits at a place of its user's choice.
    pub fn jobs(&self) -> impl Iterator<Item = JobKey> + '_ {
        self.held.keys().copied().chain(self.directs.jobs())
    }

    /// Whether it is one of these.
    pub fn knows(&self, job: JobKey) -> bool {
        self.held.contains_key(&job) || self.directs.knows(job)
    }

    fn id(&mut self, name: &NodeName) -> NodeId {
        if let Some(id) = self.ids.get(name) {
            return *id;
        }
        let id = NodeId(self.cells.len());
        self.cells.push(Cell::new(name.clone()));
        self.ids.insert(name.clone(), id);
        id
    }

    /// Changes a node, and moves it to the group where it belongs then.
    fn change<R>(&mut self, id: NodeId, change: impl FnOnce(&mut Cell) -> R) -> R {
        let before = self.cells[id.0].free();
        if let Some((shape, free)) = self.group_key(id) {
            let cell = &self.cells[id.0];
            for partition in cell.report.iter().flat_map(|node| &node.partitions) {
                if let Some(pool) = self.pools.get_mut(partition) {
                    pool.remove(shape, free.clone(), &cell.name);
                    if pool.is_empty() {
                        self.pools.remove(partition);
                    }
                }
            }
        }
        let result = change(&mut self.cells[id.0]);
        if let Some((shape, free)) = self.group_key(id) {
            let cell = &self.cells[id.0];
            for partition in cell.report.iter().flat_map(|node| &node.partitions) {
                let pool = self.pools.entry(partition.clone()).or_default();
                pool.insert(shape, free.clone(), &cell.name, id);
            }
        }
        if !before.covers(&self.cells[id.0].free()) {
            self.shift(id, Shift::Freed);
        }
        self.version += 1;
        result
    }

    /// Shape and, if it takes jobs, what it has free.
    fn group_key(&mut self, id: NodeId) -> Option<(shape::ShapeId, Option<Tres>)> {
        let cell = &self.cells[id.0];
        let node = cell.report.as_ref()?;
        let free = cell.up().is_some().then(|| cell.free());
        Some((self.shapes.id(node), free))
    }

    fn shift(&mut self, id: NodeId, shift: Shift) {
        let node = self.cells[id.0].report.iter();
        for partition in node.flat_map(|node| &node.partitions) {
            let known = self.changed.entry(partition.clone()).or_insert(shift);
            *known = shift.max(*known);
        }
    }
}

/// Whether a node changed only in what is used of it and in what it draws.
fn same_but_for_use(before: &Node, after: &Node) -> bool {
    before.partitions == after.partitions
        && before.state == after.state
        && before.total == after.total
        && before.features == after.features
        && before.weight == after.weight
}
