//! An engine and a small slurmctld, joined as the daemon joins them.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;

use fedsched::engine::Engine;
use fedsched::model::{
    AccountName, AskId, BindError, Change, Effect, Event, Intent, IntentId, Job, JobKey, Node,
    NodeName, Outcome, Partition, PartitionName, PartitionState, Reservation, Settings, Timestamp,
    Tres, Verdict,
};

use fedsched::queue::Place;

use super::build::{Ask, declaration, partition, settings};
use super::slurm::Slurm;

/// How the next intents fare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    /// Carried out, and reported.
    Done,
    /// Refused by slurmctld.
    Refused,
    /// Carried out, but the answer is lost.
    DoneUnheard,
    /// Not carried out, and no answer.
    Lost,
    /// The store did not take it.
    NotStored,
    /// Neither carried out nor reported: the test does it.
    Kept,
}

#[derive(Debug)]
pub(crate) struct World {
    pub(crate) settings: Settings,
    pub(crate) slurm: Slurm,
    pub(crate) engine: Engine,
    pub(crate) now: Timestamp,
    pub(crate) fate: Fate,
    /// Every effect as text, with its time.
    pub(crate) log: String,
    /// Intents stored and not settled.
    pub(crate) stored: BTreeMap<IntentId, Intent>,
    pub(crate) memories: BTreeMap<JobKey, fedsched::model::JobMemory>,
    pub(crate) verdicts: Vec<Verdict>,
    told_jobs: BTreeMap<JobKey, Job>,
    told_nodes: BTreeMap<NodeName, Node>,
    told_partitions: BTreeMap<PartitionName, Partition>,
    woken_at: Option<Timestamp>,
    asks: u64,
}

impl World {
    /// A room and nothing else, at a round time.
    pub(crate) fn new() -> Self {
        let settings = settings();
        let mut room = partition("federation");
        room.state = PartitionState::Down;
        let mut slurm = Slurm::default();
        slurm.room = Some(room.name.clone());
        slurm.partitions.insert(room.name.clone(), room);
        Self {
            engine: Engine::new(Arc::new(settings.clone())),
            settings,
            slurm,
            now: Timestamp::from_secs(1_000_000),
            fate: Fate::Done,
            log: String::new(),
            stored: BTreeMap::new(),
            memories: BTreeMap::new(),
            verdicts: Vec::new(),
            told_jobs: BTreeMap::new(),
            told_nodes: BTreeMap::new(),
            told_partitions: BTreeMap::new(),
            woken_at: None,
            asks: 0,
        }
    }

    /// A member with its partition of the same name.
    pub(crate) fn member(mut self, name: &str, nodes: Vec<Node>) -> Self {
        self.settings.members.push(declaration(name));
        self.settings.members.sort_by(|a, b| a.name.cmp(&b.name));
        self.slurm
            .partitions
            .insert(PartitionName::from(name), partition(name));
        for mut node in nodes {
            node.partitions.push(PartitionName::from(name));
            self.slurm.nodes.insert(node.name.clone(), node);
        }
        self
    }

    pub(crate) fn home(mut self, member: &str, account: &str) -> Self {
        let member = self
            .settings
            .members
            .iter_mut()
            .find(|m| m.name.as_str() == member);
        member
            .unwrap()
            .home_accounts
            .push(AccountName::from(account));
        self
    }

    pub(crate) fn configured(mut self, change: impl FnOnce(&mut Settings)) -> Self {
        change(&mut self.settings);
        self
    }

    pub(crate) fn partitioned(mut self, name: &str, change: impl FnOnce(&mut Partition)) -> Self {
        change(
            self.slurm
                .partitions
                .get_mut(&PartitionName::from(name))
                .unwrap(),
        );
        self
    }

    /// The engine starts and hears everything for the first time.
    pub(crate) fn begin(mut self) -> Self {
        self.restart(false);
        self
    }

    /// The daemon dies and starts again with what its store held, or with an empty store.
    pub(crate) fn restart(&mut self, with_store: bool) {
        self.engine = Engine::new(Arc::new(self.settings.clone()));
        if !with_store {
            self.stored.clear();
            self.memories.clear();
        }
        let intents = self.stored.values().cloned().collect();
        let memories = self.memories.values().cloned().collect();
        let last_intent = self.stored.keys().next_back().copied();
        self.handle(Event::Restored {
            intents,
            memories,
            last_intent,
        });
        self.list();
        self.settle();
    }

    /// A full listing.
    pub(crate) fn list(&mut self) {
        self.told_jobs.clear();
        self.told_nodes.clear();
        self.told_partitions.clear();
        self.handle(Event::Init);
        self.tell();
        self.handle(Event::InitDone);
        self.handle(Event::Synced);
    }

    /// The first listing, its events shuffled.
    pub(crate) fn list_shuffled(&mut self, seed: Option<u64>) {
        let mut events: Vec<Event> = Vec::new();
        let partitions = self.slurm.partitions.values().cloned();
        events.extend(partitions.map(|it| Event::Partition(Change::Applied(it))));
        let jobs = self.slurm.jobs.values().cloned();
        events.extend(jobs.map(|it| Event::Job(Change::Applied(it))));
        let nodes = self.slurm.nodes.values().cloned();
        events.extend(nodes.map(|it| Event::Node(Change::Applied(it))));
        if let Some(mut seed) = seed {
            for at in (1..events.len()).rev() {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let other = usize::try_from(seed >> 33).unwrap() % (at + 1);
                events.swap(at, other);
            }
        }
        self.handle(Event::Init);
        for event in events {
            self.handle(event);
        }
        self.handle(Event::InitDone);
        self.handle(Event::Synced);
    }

    /// After a poll no node has more assumed and used than it has, unless slurmctld itself chose
    /// other nodes than were assumed.
    pub(crate) fn assert_no_overcommitment(&self) {
        let mut total = Tres::default();
        let mut taken = Tres::default();
        for (_, all, used, assumed) in self.engine.topology().usage() {
            total.add(all);
            taken.add(used);
            taken.add(&assumed);
        }
        assert!(total.cpu_milli >= taken.cpu_milli, "{taken:?} of {total:?}");
    }

    /// Tells what differs from what was told before, jobs before nodes.
    fn tell(&mut self) {
        for (name, partition) in self.slurm.partitions.clone() {
            if self.told_partitions.get(&name) != Some(&partition) {
                self.told_partitions.insert(name, partition.clone());
                self.handle(Event::Partition(Change::Applied(partition)));
            }
        }
        for (key, job) in self.slurm.jobs.clone() {
            if self.told_jobs.get(&key) != Some(&job) {
                self.told_jobs.insert(key, job.clone());
                self.handle(Event::Job(Change::Applied(job)));
            }
        }
        let gone: Vec<JobKey> = self
            .told_jobs
            .keys()
            .filter(|key| !self.slurm.jobs.contains_key(key))
            .copied()
            .collect();
        for key in gone {
            self.told_jobs.remove(&key);
            self.handle(Event::Job(Change::Deleted(key)));
        }
        for (name, node) in self.slurm.nodes.clone() {
            if self.told_nodes.get(&name) != Some(&node) {
                self.told_nodes.insert(name, node.clone());
                self.handle(Event::Node(Change::Applied(node)));
            }
        }
        let gone: Vec<NodeName> = self
            .told_nodes
            .keys()
            .filter(|name| !self.slurm.nodes.contains_key(name))
            .cloned()
            .collect();
        for name in gone {
            self.told_nodes.remove(&name);
            self.handle(Event::Node(Change::Deleted(name)));
        }
    }

    /// One poll and one pass.
    pub(crate) fn poll(&mut self) {
        self.tell();
        self.handle(Event::Synced);
        self.schedule();
    }

    /// Polls until nothing is done any more, starting what slurmctld would start.
    pub(crate) fn settle(&mut self) {
        for _ in 0..8 {
            self.slurm.start(self.now);
            self.poll();
        }
    }

    pub(crate) fn handle(&mut self, event: Event) {
        let effects = self.engine.handle(event, self.now);
        self.carry_out(effects);
        self.check();
    }

    pub(crate) fn schedule(&mut self) {
        let effects = self.engine.schedule(self.now);
        self.carry_out(effects);
        self.check();
    }

    fn carry_out(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            writeln!(self.log, "{} {effect:?}", self.now.0 / 1000).unwrap();
            match effect {
                Effect::Intend(intent) => {
                    self.stored.insert(intent.id, intent);
                }
                Effect::Act(id) => self.act(id),
                Effect::Settle(id) => {
                    assert!(self.stored.remove(&id).is_some(), "settled twice: {id:?}");
                }
                Effect::Remember(memory) => {
                    self.memories.insert(memory.job, memory);
                }
                Effect::Forget(key) => {
                    self.memories.remove(&key);
                }
                Effect::Answer { verdict, .. } => self.verdicts.push(verdict),
                Effect::WakeAt(at) => self.woken_at = Some(at),
                Effect::Poll => {}
            }
        }
    }

    fn act(&mut self, id: IntentId) {
        let intent = self.stored[&id].clone();
        match self.fate {
            Fate::Done => {
                let event = if self.slurm.carry_out(&intent) {
                    Event::Done(id)
                } else {
                    let error = BindError::Overtaken("it is not there".to_owned());
                    Event::Failed { intent: id, error }
                };
                self.handle(event);
            }
            Fate::Refused => {
                let error = BindError::Refused("Invalid partition name".to_owned());
                self.handle(Event::Failed { intent: id, error });
            }
            Fate::DoneUnheard | Fate::Lost => {
                if self.fate == Fate::DoneUnheard {
                    self.slurm.carry_out(&intent);
                }
                let error = BindError::Unreachable("timed out".to_owned());
                self.handle(Event::Failed { intent: id, error });
            }
            Fate::NotStored => {
                let error = BindError::NotStored("the disk is full".to_owned());
                self.handle(Event::Failed { intent: id, error });
            }
            Fate::Kept => {}
        }
    }

    /// Time passes, with a poll every second and wake-ups as asked for.
    pub(crate) fn pass(&mut self, span: Duration) {
        let end = self.now + span;
        while self.now < end {
            self.now = self.now + Duration::from_secs(1);
            self.finish_due();
            self.slurm.start(self.now);
            self.poll();
        }
    }

    /// Jobs end at their time limit.
    fn finish_due(&mut self) {
        let due: Vec<JobKey> = self
            .slurm
            .jobs
            .values()
            .filter(|job| {
                job.allocation
                    .as_ref()
                    .is_some_and(|held| held.end <= self.now)
            })
            .map(|job| job.key)
            .collect();
        for key in due {
            self.slurm.end(key, Outcome::TimedOut);
        }
    }

    /// A job in the room, or where its user sent it.
    pub(crate) fn submit(&mut self, ask: Ask) -> &mut Self {
        let mut job = ask.0;
        job.submitted = self.now;
        job.eligible = Some(self.now);
        self.slurm.jobs.insert(job.key, job);
        self
    }

    /// A job through the plugin: asks, then puts it where the answer says.
    pub(crate) fn sbatch(&mut self, ask: Ask) -> Verdict {
        let mut job = ask.0;
        let key = std::mem::replace(&mut job.key, JobKey::job(0));
        job.submitted = self.now;
        job.eligible = None;
        job.priority = 0;
        let verdict = self.ask(&job);
        job.key = key;
        job.priority = 1000;
        job.eligible = Some(self.now);
        match &verdict {
            Verdict::Bind(partition) => job.partitions = vec![partition.clone()],
            Verdict::Wait => {}
            Verdict::Refuse(_) => return verdict,
        }
        self.slurm.jobs.insert(key, job);
        verdict
    }

    /// Only asks, as `sbatch --test-only` does.
    pub(crate) fn ask(&mut self, job: &Job) -> Verdict {
        self.asks += 1;
        let ask = AskId(self.asks);
        let job = Box::new(job.clone());
        self.handle(Event::Submitted { ask, job });
        self.verdicts.pop().unwrap()
    }

    /// Partition of a job in slurmctld, or where it started last.
    pub(crate) fn place(&self, id: u32) -> String {
        self.place_of(JobKey::job(id))
    }

    pub(crate) fn place_of(&self, key: JobKey) -> String {
        self.slurm.jobs[&key].partitions[0].to_string()
    }

    pub(crate) fn started(&self, id: u32) -> bool {
        self.starts_of(JobKey::job(id)) > 0
    }

    pub(crate) fn starts_of(&self, key: JobKey) -> usize {
        self.slurm
            .starts
            .iter()
            .filter(|(job, _)| *job == key)
            .count()
    }

    pub(crate) fn queue_of(&self, id: u32) -> Option<Place> {
        let waiting = self.engine.waiting();
        let mut waiting = waiting.iter();
        waiting
            .find(|(record, _)| record.job.key == JobKey::job(id))
            .map(|(_, place)| *place)
    }

    pub(crate) fn finish(&mut self, id: u32) -> &mut Self {
        self.slurm.end(JobKey::job(id), Outcome::Completed);
        self
    }

    pub(crate) fn cancel(&mut self, id: u32) -> &mut Self {
        self.slurm.end(JobKey::job(id), Outcome::Cancelled);
        self
    }

    pub(crate) fn partition(&mut self, name: &str) -> &mut Partition {
        self.slurm
            .partitions
            .get_mut(&PartitionName::from(name))
            .unwrap()
    }

    pub(crate) fn node(&mut self, name: &str) -> &mut Node {
        self.slurm.nodes.get_mut(&NodeName::from(name)).unwrap()
    }

    pub(crate) fn reserve(&mut self, name: &str, nodes: &[&str], start: Timestamp, end: Timestamp) {
        let reservation = Reservation {
            name: name.to_owned(),
            start,
            end,
            nodes: nodes.iter().map(|name| NodeName::from(*name)).collect(),
        };
        self.handle(Event::Reservation(Change::Applied(reservation)));
    }

    /// Changes a job in slurmctld behind the federation's back.
    pub(crate) fn change(&mut self, id: u32, change: impl FnOnce(&mut Job)) {
        change(self.slurm.jobs.get_mut(&JobKey::job(id)).unwrap());
    }

    /// What must be true after every event.
    fn check(&self) {
        self.slurm.assert_nothing_overcommitted();
        let lengths = self.engine.lengths();
        let sum = lengths.pending + lengths.unschedulable + lengths.reschedule + lengths.parked;
        assert_eq!(sum, self.engine.waiting().len());
    }
}
