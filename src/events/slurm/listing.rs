//! The feed of slurmrestd's listings, where no libslurm is at hand. It costs slurmrestd a hundred times
//! what the same costs `slurm-watch`.

use std::collections::BTreeMap;
use std::hash::{BuildHasher, RandomState};

use fedsched_protocol::slurm::{Job, Node, Partition, Reservation};
use serde::Serialize;

use super::poll::Poll;
use crate::members::slurm::{Client, Error, Listing};

/// The feed.
#[derive(Debug)]
pub(super) struct Listings {
    client: Client,
    hasher: RandomState,
    /// Everything was told once, and nothing failed since.
    told: bool,
    partitions: Told<String>,
    reservations: Told<String>,
    jobs: Told<u32>,
    nodes: Told<String>,
}

/// What was told of one kind: a hash of each record, for ten thousand records are large.
#[derive(Debug)]
struct Told<K> {
    hashes: BTreeMap<K, u64>,
    made: Option<i64>,
}

impl<K> Default for Told<K> {
    fn default() -> Self {
        Self {
            hashes: BTreeMap::new(),
            made: None,
        }
    }
}

impl Listings {
    pub(super) fn new(client: Client) -> Self {
        Self {
            client,
            hasher: RandomState::new(),
            told: false,
            partitions: Told::default(),
            reservations: Told::default(),
            jobs: Told::default(),
            nodes: Told::default(),
        }
    }

    /// Lists everything and tells what changed. After a failure, and after
    /// [`Listings::start_over`], that is everything.
    pub(super) async fn poll(&mut self) -> Result<Poll, Error> {
        let full = !std::mem::replace(&mut self.told, false);
        if full {
            self.partitions = Told::default();
            self.reservations = Told::default();
            self.jobs = Told::default();
            self.nodes = Told::default();
        }
        let mut poll = Poll {
            full,
            ..Poll::default()
        };
        let client = &self.client;
        let listing = never_empty("partitions", client.partitions(self.partitions.made).await?)?;
        let name = |partition: &Partition| partition.name.clone();
        (poll.partitions, poll.gone.partitions) =
            self.partitions.compare(listing, name, &self.hasher);

        let listing = client.reservations(self.reservations.made).await?;
        let name = |reservation: &Reservation| reservation.name.clone();
        (poll.reservations, poll.gone.reservations) =
            self.reservations.compare(listing, name, &self.hasher);

        let listing = client.jobs(self.jobs.made).await?;
        (poll.jobs, poll.gone.jobs) = self.jobs.compare(listing, |job: &Job| job.id, &self.hasher);

        // After the jobs: what a started job holds must be in the nodes of the same poll.
        let listing = never_empty("nodes", client.nodes(self.nodes.made).await?)?;
        let name = |node: &Node| node.name.clone();
        (poll.nodes, poll.gone.nodes) = self.nodes.compare(listing, name, &self.hasher);

        self.told = true;
        Ok(poll)
    }

    /// Throws away what was told.
    pub(super) fn start_over(&mut self) {
        self.told = false;
    }
}

/// A cluster has partitions and nodes: an empty list is a server that is not itself.
fn never_empty<T>(what: &str, listing: Listing<T>) -> Result<Listing<T>, Error> {
    match listing {
        Listing::Full { records, .. } if records.is_empty() => Err(Error::BadAnswer {
            what: what.to_owned(),
            why: "the list is empty".to_owned(),
        }),
        listing => Ok(listing),
    }
}

impl<K: Ord + Clone> Told<K> {
    /// The records that are new or changed, and the keys of those that went.
    fn compare<T: Serialize>(
        &mut self,
        listing: Listing<T>,
        key: fn(&T) -> K,
        hasher: &RandomState,
    ) -> (Vec<T>, Vec<K>) {
        let Listing::Full { records, made } = listing else {
            return (Vec::new(), Vec::new());
        };
        self.made = made;
        let before = std::mem::take(&mut self.hashes);
        let mut changed = Vec::new();
        for record in records {
            let key = key(&record);
            // A record that cannot be written down counts as changed each time.
            let hash = postcard::to_allocvec(&record).map_or(0, |bytes| hasher.hash_one(bytes));
            if hash == 0 || before.get(&key) != Some(&hash) {
                changed.push(record);
            }
            self.hashes.insert(key, hash);
        }
        let gone = before
            .into_keys()
            .filter(|key| !self.hashes.contains_key(key))
            .collect();
        (changed, gone)
    }
}
