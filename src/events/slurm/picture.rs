//! Slurm as it was last seen: what is needed to make events of records.
//!
//! Three things cannot be read off a record alone: which partitions a node is in (the partitions say
//! it), which job a record that went belonged to, and the other components of a heterogeneous job.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use fedsched_protocol::slurm;

use super::poll::Poll;
use super::shared::Shared;
use super::users::Users;
use super::{Batch, convert, hostlist};
use crate::model::{Change, Event, JobKey, PartitionName, UserId};

/// Fewer things than this may always go at once.
const GONE_MIN: usize = 16;

/// Turns polls into events.
#[derive(Debug)]
pub(super) struct Picture {
    users: Arc<Users>,
    shared: Shared,
    /// Names of the nodes of each partition.
    partitions: BTreeMap<String, BTreeSet<String>>,
    nodes: BTreeMap<String, slurm::Node>,
    /// The job that each record is, or belongs to.
    keys: BTreeMap<u32, JobKey>,
    /// Components of heterogeneous jobs, by the leader's id and by offset.
    het_jobs: BTreeMap<u32, BTreeMap<u32, slurm::Job>>,
}

impl Picture {
    pub(super) fn new(users: Arc<Users>) -> Self {
        Self {
            users,
            shared: Shared::default(),
            partitions: BTreeMap::new(),
            nodes: BTreeMap::new(),
            keys: BTreeMap::new(),
            het_jobs: BTreeMap::new(),
        }
    }

    /// Whether so much went at once that it is rather asked for in full again.
    pub(super) fn doubts(&self, poll: &Poll) -> bool {
        let much = |gone: usize, known: usize| gone >= GONE_MIN && gone * 2 > known;
        !poll.full
            && (much(poll.gone.jobs.len(), self.keys.len())
                || much(poll.gone.nodes.len(), self.nodes.len()))
    }

    /// The events of a poll, in the order that the core wants: what goes, then partitions,
    /// reservations and jobs, then the nodes that show what those jobs hold.
    pub(super) async fn apply(&mut self, poll: Poll) -> Batch {
        let owners = poll.jobs.iter().map(|job| UserId(job.user_id));
        self.users.learn(owners).await;
        let mut batch = Batch::new();
        if poll.full {
            batch.push(Event::Init);
            self.partitions.clear();
            self.nodes.clear();
            self.keys.clear();
            self.het_jobs.clear();
        }
        let moved = self.apply_partitions(&poll, &mut batch);
        apply_reservations(&poll, &mut batch);
        self.apply_jobs(poll.jobs, &poll.gone.jobs, &mut batch);
        self.apply_nodes(poll.nodes, &poll.gone.nodes, moved, &mut batch);
        if poll.full {
            batch.push(Event::InitDone);
        }
        batch.push(Event::Synced);
        batch
    }

    /// Returns the nodes whose partitions are others now.
    fn apply_partitions(&mut self, poll: &Poll, batch: &mut Batch) -> BTreeSet<String> {
        let mut moved = BTreeSet::new();
        for name in &poll.gone.partitions {
            moved.extend(self.partitions.remove(name).unwrap_or_default());
            let name = self.shared.partitions.keep(name);
            batch.push(Event::Partition(Change::Deleted(name)));
        }
        for record in &poll.partitions {
            let nodes = names(&record.nodes);
            let before = self.partitions.insert(record.name.clone(), nodes.clone());
            moved.extend(
                before
                    .unwrap_or_default()
                    .symmetric_difference(&nodes)
                    .cloned(),
            );
            let partition = convert::partition(record);
            batch.push(Event::Partition(Change::Applied(partition)));
        }
        moved
    }

    fn apply_jobs(&mut self, jobs: Vec<slurm::Job>, gone: &[u32], batch: &mut Batch) {
        let mut touched = BTreeSet::new();
        for id in gone {
            self.remove_record(*id, &mut touched, batch);
        }
        for record in jobs {
            let key = convert::key(&record);
            // The last task of an array takes over the record that stood for all that remained.
            if self
                .keys
                .get(&record.id)
                .is_some_and(|before| *before != key)
            {
                self.remove_record(record.id, &mut touched, batch);
            }
            self.keys.insert(record.id, key);
            if record.het_id == 0 {
                let job = convert::job(&record, &self.users, &mut self.shared);
                batch.push(Event::Job(Change::Applied(job)));
            } else {
                touched.insert(record.het_id);
                self.het_jobs
                    .entry(record.het_id)
                    .or_default()
                    .insert(record.het_offset, record);
            }
        }
        for leader in touched {
            self.apply_het_job(leader, batch);
        }
    }

    fn remove_record(&mut self, id: u32, touched: &mut BTreeSet<u32>, batch: &mut Batch) {
        let Some(key) = self.keys.remove(&id) else {
            return;
        };
        match self.het_jobs.get_mut(&key.id) {
            Some(components) => {
                components.retain(|_, component| component.id != id);
                touched.insert(key.id);
            }
            None => batch.push(Event::Job(Change::Deleted(key))),
        }
    }

    /// The components known of a heterogeneous job, as one job; without its leader it is gone.
    fn apply_het_job(&mut self, leader: u32, batch: &mut Batch) {
        let Some(components) = self.het_jobs.get(&leader) else {
            return;
        };
        let mut in_order = components.values();
        match in_order.next() {
            Some(first) if first.id == leader => {
                let others: Vec<&slurm::Job> = in_order.collect();
                let job = convert::het_job(first, &others, &self.users, &mut self.shared);
                batch.push(Event::Job(Change::Applied(job)));
            }
            first => {
                let over = first.is_none();
                batch.push(Event::Job(Change::Deleted(JobKey::job(leader))));
                if over {
                    self.het_jobs.remove(&leader);
                }
            }
        }
    }

    fn apply_nodes(
        &mut self,
        nodes: Vec<slurm::Node>,
        gone: &[String],
        mut moved: BTreeSet<String>,
        batch: &mut Batch,
    ) {
        for name in gone {
            if self.nodes.remove(name).is_some() {
                batch.push(Event::Node(Change::Deleted(name.as_str().into())));
            }
        }
        for record in nodes {
            moved.insert(record.name.clone());
            self.nodes.insert(record.name.clone(), record);
        }
        for name in moved {
            let partitions = self.partitions_of(&name);
            if let Some(record) = self.nodes.get(&name) {
                let node = convert::node(record, partitions);
                batch.push(Event::Node(Change::Applied(node)));
            }
        }
    }

    /// Sorted, for the map is.
    fn partitions_of(&mut self, node: &str) -> Vec<PartitionName> {
        let holding = self
            .partitions
            .iter()
            .filter(|(_, nodes)| nodes.contains(node));
        holding
            .map(|(name, _)| self.shared.partitions.keep(name))
            .collect()
    }
}

fn apply_reservations(poll: &Poll, batch: &mut Batch) {
    for name in &poll.gone.reservations {
        batch.push(Event::Reservation(Change::Deleted(name.clone())));
    }
    for record in &poll.reservations {
        let reservation = convert::reservation(record);
        batch.push(Event::Reservation(Change::Applied(reservation)));
    }
}

fn names(text: &str) -> BTreeSet<String> {
    match hostlist::expand(text) {
        Ok(names) => names.iter().map(ToString::to_string).collect(),
        Err(error) => {
            tracing::warn!(%error, "the nodes of a partition cannot be read");
            BTreeSet::new()
        }
    }
}
