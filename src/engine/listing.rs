//! Complete and incomplete listings, and what vanished from them.
//!
//! Absence from one listing proves little: a slurmctld that has just started, or a listing that was
//! cut off, may know nothing of most jobs. Where too many vanish at once without having been seen to
//! end, nothing is deleted until a second complete listing says the same, or polls have gone on saying
//! it for long enough.

use std::collections::BTreeSet;

use super::intents::POLLS_TO_SETTLE;
use super::{Engine, Record};
use crate::model::{Change, JobKey, NodeName, PartitionName, Phase, Timestamp};
use crate::topology::Holder;

/// Names seen since a full listing began.
#[derive(Debug)]
pub(super) struct Seen<K>(Option<BTreeSet<K>>);

impl<K> Default for Seen<K> {
    fn default() -> Self {
        Self(None)
    }
}

impl<K: Ord + Clone> Seen<K> {
    /// Keeps the name of what a full listing brings.
    pub(super) fn saw<T>(&mut self, change: &Change<K, T>, name: impl Fn(&T) -> &K) {
        if let (Some(seen), Change::Applied(thing)) = (&mut self.0, change) {
            seen.insert(name(thing).clone());
        }
    }

    fn begin(&mut self) {
        self.0 = Some(BTreeSet::new());
    }

    /// Those of `known` that the full listing did not bring.
    fn missing<'k>(&mut self, known: impl Iterator<Item = &'k K>) -> Vec<K>
    where
        K: 'k,
    {
        let Some(seen) = self.0.take() else {
            return Vec::new();
        };
        known.filter(|name| !seen.contains(name)).cloned().collect()
    }
}

/// Jobs that vanished in a way that is not believed yet.
#[derive(Debug, Clone)]
pub(super) struct Doubt {
    pub(super) jobs: BTreeSet<JobKey>,
    pub(super) known: usize,
    since: Timestamp,
}

/// What is heard from slurmctld, and how complete it is.
#[derive(Debug, Default)]
pub(super) struct Listing {
    /// A full listing has been complete once.
    ready: bool,
    /// Why slurmctld cannot be heard now.
    silent: Option<String>,
    /// End of the last complete poll.
    heard: Option<Timestamp>,
    jobs: Seen<JobKey>,
    pub(super) partitions: Seen<PartitionName>,
    pub(super) nodes: Seen<NodeName>,
    pub(super) reservations: Seen<String>,
    /// Jobs that left the listings during this poll without having been seen to end.
    vanished: BTreeSet<JobKey>,
    doubt: Option<Doubt>,
}

impl Listing {
    /// What is known may be acted upon.
    pub(super) fn is_current(&self) -> bool {
        self.ready && self.silent.is_none()
    }

    pub(super) fn is_ready(&self) -> bool {
        self.ready
    }

    pub(super) fn silence(&self) -> Option<&str> {
        self.silent.as_deref()
    }

    pub(super) fn heard(&self) -> Option<Timestamp> {
        self.heard
    }

    pub(super) fn doubt(&self) -> Option<&Doubt> {
        self.doubt.as_ref()
    }

    pub(super) fn unreachable(&mut self, reason: String) {
        self.silent = Some(reason);
    }

    /// A job is in the listing.
    pub(super) fn saw_job(&mut self, key: JobKey) {
        if let Some(seen) = &mut self.jobs.0 {
            seen.insert(key);
        }
        self.vanished.remove(&key);
        if let Some(doubt) = &mut self.doubt {
            doubt.jobs.remove(&key);
        }
    }

    /// A job left the listing.
    pub(super) fn lost_job(&mut self, key: JobKey) {
        self.vanished.insert(key);
    }
}

impl Engine {
    pub(super) fn listing_begins(&mut self) {
        self.listing.jobs.begin();
        self.listing.partitions.begin();
        self.listing.nodes.begin();
        self.listing.reservations.begin();
        self.listing.vanished.clear();
    }

    pub(super) fn listing_complete(&mut self) {
        let known = self.known_jobs();
        let missing = self.listing.jobs.missing(known.iter());
        let ended = |key: &JobKey| self.records.get(key).is_some_and(has_ended);
        let (over, vanished): (Vec<_>, Vec<_>) = missing.into_iter().partition(ended);
        for key in over {
            self.gone(key);
        }
        let vanished: BTreeSet<JobKey> = vanished.into_iter().collect();
        let again = self.listing.doubt.take();
        let again = again.is_some_and(|doubt| vanished == doubt.jobs);
        if again || !self.is_doubtful(vanished.len(), known.len()) {
            self.all_gone(vanished);
            self.delete_missing();
        } else {
            self.doubt(vanished, known.len());
            self.listing.partitions = Seen::default();
            self.listing.nodes = Seen::default();
            self.listing.reservations = Seen::default();
        }
        self.listing.ready = true;
        self.listing.silent = None;
        self.listing.heard = Some(self.now.wall);
        self.resolve_all();
    }

    pub(super) fn poll_complete(&mut self) {
        let vanished = std::mem::take(&mut self.listing.vanished);
        if !vanished.is_empty() {
            let known = self.known_jobs().len();
            if self.is_doubtful(vanished.len(), known) {
                self.doubt(vanished, known);
            } else {
                self.all_gone(vanished);
            }
        }
        self.believe_old_doubt();
        self.topology.synced();
        self.listing.silent = None;
        self.listing.heard = Some(self.now.wall);
        self.settle_or_give_up();
        self.expire_submissions();
        self.forget_strays();
    }

    /// Nothing stays assumed for jobs and tasks of which there is no sign: those that started and
    /// ended between two polls.
    fn forget_strays(&mut self) {
        let stray = |holder: Holder| match holder {
            Holder::Job(key) => !self.records.contains_key(&key) && !self.is_piece(key),
            Holder::Submission(mark, _) => !self.submissions.contains_key(&mark),
        };
        let strays: Vec<Holder> = self
            .topology
            .assumptions()
            .filter(|(holder, assumption)| assumption.polls >= POLLS_TO_SETTLE && stray(*holder))
            .map(|(holder, _)| holder)
            .collect();
        for holder in strays {
            self.topology.forget(holder);
        }
    }

    /// Whether a task is still part of its array's record.
    fn is_piece(&self, key: JobKey) -> bool {
        let array = self.records.get(&JobKey::job(key.id));
        array.zip(key.task).is_some_and(|(array, task)| {
            let tasks = array.job.tasks.as_ref();
            tasks.is_some_and(|tasks| tasks.contains(task)) || array.portion_of(task).is_some()
        })
    }

    fn all_gone(&mut self, jobs: BTreeSet<JobKey>) {
        for key in jobs {
            self.gone(key);
        }
    }

    fn known_jobs(&self) -> BTreeSet<JobKey> {
        let mut known: BTreeSet<JobKey> = self.topology.jobs().collect();
        known.extend(self.records.keys().chain(self.restored.keys()));
        known
    }

    fn is_doubtful(&self, vanished: usize, known: usize) -> bool {
        let limits = &self.settings.limits;
        let most = known.saturating_mul(usize::from(limits.vanish_percent_max)) / 100;
        vanished > most && known >= limits.vanish_jobs_min
    }

    fn doubt(&mut self, vanished: BTreeSet<JobKey>, known: usize) {
        let since = self.now.steady;
        let doubt = self.listing.doubt.get_or_insert_with(|| Doubt {
            jobs: BTreeSet::new(),
            known,
            since,
        });
        doubt.jobs.extend(vanished);
    }

    fn believe_old_doubt(&mut self) {
        let patience = self.settings.limits.assume_max;
        let now = self.now.steady;
        if let Some(doubt) = self
            .listing
            .doubt
            .take_if(|doubt| doubt.jobs.is_empty() || doubt.since + patience <= now)
        {
            self.all_gone(doubt.jobs);
        }
    }

    fn delete_missing(&mut self) {
        let names = self.topology.partition_names();
        for name in self.listing.partitions.missing(names) {
            self.topology.partition(Change::Deleted(name));
        }
        let names = self.topology.node_names();
        for name in self.listing.nodes.missing(names) {
            self.topology.node(Change::Deleted(name));
        }
        let names = self.topology.reservation_names();
        for name in self.listing.reservations.missing(names) {
            self.topology.reservation(Change::Deleted(name));
        }
    }
}

fn has_ended(record: &Record) -> bool {
    matches!(record.job.phase, Phase::Ended(_))
}
