//! Which nodes of a pool a job would get: the only place that counts nodes that fit.
//!
//! The fewest nodes that hold the job, and among those the lightest (Slurm's weight) with the least
//! left over. Free CPUs are never added up: a node takes whole tasks or none.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::cell::{Cell, NodeId};
use super::need::{Need, raise};
use super::pool::{Nodes, Pool};
use super::promise::Promises;
use super::shape::Shapes;
use crate::model::{JobKey, NodeName, Timestamp, Tres};

/// Chosen nodes, and what the job takes of each.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Placement {
    /// Nodes.
    pub nodes: Vec<(NodeId, Tres)>,
    /// How well the nodes are used then: mean share of what they have that is taken, 0 to 100.
    pub fitness: u32,
}

/// What was wanted and what there is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shortage {
    /// Nodes wanted at least.
    pub nodes_wanted: u32,
    /// Nodes that fit, as far as they were counted.
    pub nodes: u32,
    /// Tasks wanted.
    pub tasks_wanted: u32,
    /// Tasks for which there is room on as many nodes as the job may have.
    pub tasks: u32,
}

/// Which state of the nodes is asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum When {
    /// As if nothing ran and every node was up.
    Empty,
    /// Now.
    Now,
    /// Later, as far as ends of jobs tell.
    At(Timestamp),
}

/// One question to a pool.
pub(super) struct Question<'a> {
    pub(super) cells: &'a [Cell],
    pub(super) shapes: &'a Shapes,
    pub(super) pool: &'a Pool,
    pub(super) promises: &'a Promises,
    /// Ends of jobs alone count: neither reservations nor promises.
    pub(super) ends_alone: bool,
    /// Whose own promise does not count.
    pub(super) skip: Option<JobKey>,
    pub(super) when: When,
    pub(super) now: Timestamp,
    /// When the job would end.
    pub(super) end: Timestamp,
}

/// Nodes that have the same free.
struct Offer<'a> {
    free: Cow<'a, Tres>,
    total: &'a Tres,
    weight: u32,
    nodes: Members<'a>,
    tasks: u32,
    fitness: u32,
}

enum Members<'a> {
    Group(&'a Nodes),
    One(&'a NodeName, NodeId),
}

impl Members<'_> {
    fn iter(&self) -> Box<dyn Iterator<Item = (&NodeName, NodeId)> + '_> {
        match self {
            Self::Group(nodes) => Box::new(nodes.iter().map(|(name, id)| (name, *id))),
            Self::One(name, id) => Box::new(std::iter::once((*name, *id))),
        }
    }

    fn first(&self) -> Option<&NodeName> {
        self.iter().next().map(|(name, _)| name)
    }
}

/// A node that is being chosen.
struct Chosen<'a> {
    node: NodeId,
    free: Cow<'a, Tres>,
    total: &'a Tres,
    tasks: u32,
}

/// What parts placed before took.
pub(super) type Taken = BTreeMap<NodeId, Tres>;

impl<'a> Question<'a> {
    /// Nodes for every part of a job, each beside what the parts before it took.
    pub(super) fn place_all(&self, needs: &[Need]) -> Result<Placement, Shortage> {
        let mut taken = Taken::new();
        let mut fitness = 0;
        for need in needs {
            let part = self.place(need, &taken)?;
            fitness += part.fitness;
            for (node, tres) in part.nodes {
                taken.entry(node).or_default().add(&tres);
            }
        }
        let parts = u32::try_from(needs.len()).unwrap_or(u32::MAX).max(1);
        Ok(Placement {
            nodes: taken.into_iter().collect(),
            fitness: fitness / parts,
        })
    }

    fn place(&self, need: &Need, taken: &Taken) -> Result<Placement, Shortage> {
        let offers = self.offers(need);
        let mut order: Vec<&Offer<'a>> = offers.iter().collect();
        // Most tasks first: the fewest nodes that hold the job.
        order.sort_by(|a, b| {
            b.tasks
                .cmp(&a.tasks)
                .then_with(|| a.weight.cmp(&b.weight))
                .then_with(|| b.fitness.cmp(&a.fitness))
                .then_with(|| a.nodes.first().cmp(&b.nodes.first()))
        });
        let fewest = match self.fill(&order, need, taken, need.nodes_max) {
            // What the whole job wants may be where less tasks fit.
            Err(_) if !need.per_job.is_empty() => {
                order.sort_by_key(|offer| Reverse(need.devices(&offer.free)));
                self.fill(&order, need, taken, need.nodes_max)?
            }
            found => found?,
        };
        let count = u32::try_from(fewest.len()).unwrap_or(u32::MAX);
        // As many nodes as that, but those that leave the least.
        order.sort_by(|a, b| {
            a.weight
                .cmp(&b.weight)
                .then_with(|| b.fitness.cmp(&a.fitness))
                .then_with(|| a.nodes.first().cmp(&b.nodes.first()))
        });
        let chosen = self.fill(&order, need, taken, count).unwrap_or(fewest);
        Ok(distribute(need, &chosen))
    }

    fn offers(&self, need: &Need) -> Vec<Offer<'a>> {
        let pool = self.pool;
        let mut offers = Vec::new();
        match self.when {
            When::Now => {
                for ((shape, free), nodes) in &pool.groups {
                    let shape = self.shapes.get(*shape);
                    if shape.satisfies(&need.constraint) {
                        let (free, nodes) = (Cow::Borrowed(free), Members::Group(nodes));
                        push(&mut offers, need, free, &shape.total, shape.weight, nodes);
                    }
                }
            }
            When::Empty => {
                for (shape, nodes) in &pool.all {
                    let shape = self.shapes.get(*shape);
                    if shape.satisfies(&need.constraint) {
                        let (free, nodes) = (Cow::Borrowed(&shape.total), Members::Group(nodes));
                        push(&mut offers, need, free, &shape.total, shape.weight, nodes);
                    }
                }
            }
            When::At(at) => {
                for (shape, nodes) in &pool.all {
                    let shape = self.shapes.get(*shape);
                    if !shape.satisfies(&need.constraint) {
                        continue;
                    }
                    for (name, id) in nodes {
                        let free = Cow::Owned(self.cells[id.0].free_at(at, self.now));
                        let nodes = Members::One(name, *id);
                        push(&mut offers, need, free, &shape.total, shape.weight, nodes);
                    }
                }
            }
        }
        offers
    }

    /// Takes nodes in the order of `offers` until they hold the job.
    fn fill<'o>(
        &self,
        offers: &[&'o Offer<'a>],
        need: &Need,
        taken: &Taken,
        nodes_max: u32,
    ) -> Result<Vec<Chosen<'o>>, Shortage> {
        let mut filling = Filling::new(need, nodes_max);
        if !need.required.is_empty() {
            for offer in offers {
                for (name, id) in offer.nodes.iter() {
                    if need.required.contains(name) {
                        filling.add(self.chosen(offer, name, id, need, taken));
                    }
                }
            }
            if filling.chosen.len() < need.required.len() {
                return Err(filling.shortage());
            }
        }
        'all: for offer in offers {
            for (name, id) in offer.nodes.iter() {
                if filling.complete() || filling.full() {
                    break 'all;
                }
                if !need.required.contains(name) {
                    filling.add(self.chosen(offer, name, id, need, taken));
                }
            }
        }
        if filling.complete() {
            Ok(filling.chosen)
        } else {
            Err(filling.shortage())
        }
    }

    /// The node, with what reservations, promises and parts before leave of it.
    fn chosen<'o>(
        &self,
        offer: &'o Offer<'a>,
        name: &NodeName,
        id: NodeId,
        need: &Need,
        taken: &Taken,
    ) -> Option<Chosen<'o>> {
        if need.excluded.contains(name) {
            return None;
        }
        let mut free = Cow::Borrowed(&*offer.free);
        if let Some(tres) = taken.get(&id) {
            free.to_mut().subtract(tres);
        }
        let start = match self.when {
            When::Empty => None,
            _ if self.ends_alone => None,
            When::Now => Some(self.now),
            When::At(at) => Some(at),
        };
        if let Some(start) = start {
            if self.cells[id.0].reserved(start, self.end) {
                return None;
            }
            for (_, tres) in self.promises.met(id, start, self.end, self.skip) {
                free.to_mut().subtract(tres);
            }
        }
        let tasks = match free {
            Cow::Borrowed(_) => offer.tasks,
            Cow::Owned(ref free) => need.tasks_on(free, offer.total),
        };
        (tasks > 0).then_some(Chosen {
            node: id,
            free,
            total: offer.total,
            tasks,
        })
    }
}

fn push<'a>(
    offers: &mut Vec<Offer<'a>>,
    need: &Need,
    free: Cow<'a, Tres>,
    total: &'a Tres,
    weight: u32,
    nodes: Members<'a>,
) {
    let tasks = need.tasks_on(&free, total);
    if tasks > 0 {
        let taking = need.take(tasks.min(need.tasks), total);
        offers.push(Offer {
            fitness: fitness(&free, &taking, total),
            free,
            total,
            weight,
            nodes,
            tasks,
        });
    }
}

/// Nodes taken so far, and what is still missing.
struct Filling<'a, 'n> {
    need: &'n Need,
    nodes_max: u32,
    chosen: Vec<Chosen<'a>>,
    tasks: u32,
    /// Of each resource wanted for the whole job, what the chosen nodes have.
    per_job: Vec<u64>,
}

impl<'a, 'n> Filling<'a, 'n> {
    fn new(need: &'n Need, nodes_max: u32) -> Self {
        Self {
            need,
            nodes_max,
            chosen: Vec::new(),
            tasks: 0,
            per_job: vec![0; need.per_job.len()],
        }
    }

    fn add(&mut self, chosen: Option<Chosen<'a>>) {
        let Some(chosen) = chosen else { return };
        self.tasks = self.tasks.saturating_add(chosen.tasks);
        for (has, (kind, _)) in self.per_job.iter_mut().zip(&self.need.per_job) {
            *has += chosen.free.gres(kind);
        }
        self.chosen.push(chosen);
    }

    fn nodes(&self) -> u32 {
        u32::try_from(self.chosen.len()).unwrap_or(u32::MAX)
    }

    fn full(&self) -> bool {
        self.nodes() >= self.nodes_max
    }

    fn complete(&self) -> bool {
        self.nodes() >= self.need.nodes_min
            && self.nodes() <= self.nodes_max
            && self.tasks >= self.need.tasks
            && (self.per_job.iter().zip(&self.need.per_job)).all(|(has, (_, want))| has >= want)
    }

    fn shortage(&self) -> Shortage {
        let required = u32::try_from(self.need.required.len()).unwrap_or(u32::MAX);
        Shortage {
            nodes_wanted: self.need.nodes_min.max(required),
            nodes: self.nodes(),
            tasks_wanted: self.need.tasks,
            tasks: self.tasks,
        }
    }
}

/// Gives each chosen node its tasks: one each, and the rest to the first that have room.
fn distribute(need: &Need, chosen: &[Chosen<'_>]) -> Placement {
    let mut left = need.tasks;
    let mut behind = u32::try_from(chosen.len()).unwrap_or(u32::MAX);
    let mut per_job: Vec<u64> = need.per_job.iter().map(|(_, count)| *count).collect();
    let mut sum = 0;
    let mut nodes = Vec::with_capacity(chosen.len());
    for node in chosen {
        behind -= 1;
        let tasks = left.saturating_sub(behind).clamp(1, node.tasks);
        left = left.saturating_sub(tasks);
        let mut take = need.take(tasks, node.total);
        if !need.whole {
            for (want, (kind, _)) in per_job.iter_mut().zip(&need.per_job) {
                let now = node.free.gres(kind).min(*want);
                raise(&mut take.gres, kind, now);
                *want = want.saturating_sub(take.gres.satisfying(kind).max(now));
            }
        }
        sum += fitness(&node.free, &take, node.total);
        nodes.push((node.node, take));
    }
    Placement {
        fitness: sum / u32::try_from(nodes.len()).unwrap_or(1).max(1),
        nodes,
    }
}

/// Mean share, in percent, of everything a node has that is in use once `take` is taken of `free`.
fn fitness(free: &Tres, take: &Tres, total: &Tres) -> u32 {
    let mut after = free.clone();
    after.subtract(take);
    let mut shares = vec![share(after.cpu_milli, total.cpu_milli)];
    if total.memory_bytes > 0 {
        shares.push(share(after.memory_bytes, total.memory_bytes));
    }
    for (kind, count) in total.gres.iter() {
        shares.push(share(after.gres.count(kind), count));
    }
    let count = u32::try_from(shares.len()).unwrap_or(1);
    shares.iter().sum::<u32>() / count
}

/// What is in use, in percent, where `left` of `total` are left.
fn share(left: u64, total: u64) -> u32 {
    let used = total.saturating_sub(left);
    u32::try_from(used.saturating_mul(100) / total.max(1)).unwrap_or(100)
}
