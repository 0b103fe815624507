//! What `report` shows.

use std::sync::Arc;

use super::{Engine, Now, Record, class};
use crate::model::{Declaration, JobKey, MemberName, PartitionState, Phase, Settings, Timestamp};
use crate::queue::{Lengths, Place};
use crate::scheduler::{Decision, Profile, Reason, refusals};
use crate::topology::{Holdings, Promise, Snapshot, Topology};

/// What the engine did since its start.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Totals {
    /// Submissions answered.
    pub submitted: u64,
    /// … of them sent to a member at once.
    pub placed_at_once: u64,
    /// … of them refused.
    pub refused: u64,
    /// Jobs, and pieces of arrays, bound out of the queue.
    pub bound: u64,
    /// Bindings that were refused or taken back.
    pub returned: u64,
}

/// What needs an administrator.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Alarm {
    /// slurmctld cannot be heard: nothing is bound.
    Unreachable {
        /// Why.
        reason: String,
        /// Last complete poll.
        heard: Option<Timestamp>,
    },
    /// Most jobs vanished from a listing: nothing is deleted until it is sure.
    Vanished {
        /// How many.
        jobs: usize,
        /// Of how many.
        known: usize,
    },
    /// The queue partition is not in Slurm.
    RoomMissing,
    /// Jobs run in the waiting room.
    RoomRuns {
        /// One of them.
        job: JobKey,
        /// How many.
        jobs: usize,
    },
    /// Slurm does not list a member's partition.
    MemberMissing(MemberName),
}

/// Whether a member takes jobs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MemberState {
    /// It does.
    Up,
    /// Drained in the configuration.
    Drained,
    /// Its partition starts no jobs.
    Partition(PartitionState),
    /// Its partition is not in Slurm.
    Missing,
    /// slurmctld cannot be heard.
    Unreachable,
}

/// One member.
#[derive(Debug, Clone)]
pub struct MemberView<'a> {
    /// As configured.
    pub declaration: &'a Declaration,
    /// Whether it takes jobs.
    pub state: MemberState,
    /// What it has.
    pub holdings: Holdings,
    /// The federation's jobs that are bound there and wait.
    pub bound: u32,
    /// The federation's jobs that run there.
    pub running: u32,
    /// Jobs that users sent there and that wait.
    pub direct_waiting: u32,
}

/// Where a job of the federation is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing<'a> {
    /// It waits in the room.
    Waiting(Place),
    /// It is being bound, or waits at its member.
    Bound(&'a MemberName),
    /// It is being taken back to the room.
    Returning,
    /// It holds resources.
    Running(Option<&'a MemberName>),
    /// It ended.
    Ended,
    /// Every task that is left is on its way to a member.
    Leaving,
}

impl Engine {
    /// The configuration in force.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Whether the first full listing has arrived.
    pub fn is_ready(&self) -> bool {
        self.listing.is_ready()
    }

    /// Last complete poll.
    pub fn heard(&self) -> Option<Timestamp> {
        self.listing.heard()
    }

    /// The time of the last event.
    pub fn now(&self) -> Now {
        self.now
    }

    /// What was done since the start.
    pub fn totals(&self) -> Totals {
        self.totals
    }

    /// How many jobs wait where.
    pub fn lengths(&self) -> Lengths {
        self.queue.lengths()
    }

    /// Intents without an outcome.
    pub fn open_intents(&self) -> usize {
        self.intents.len()
    }

    /// A job of the federation.
    pub fn record(&self, key: JobKey) -> Option<&Record> {
        self.records.get(&key)
    }

    /// Every job of the federation.
    pub fn records(&self) -> impl Iterator<Item = (JobKey, &Record)> {
        self.records.iter().map(|(key, record)| (*key, record))
    }

    /// Every record of one task of this array.
    pub fn tasks(&self, job: u32) -> impl Iterator<Item = &Record> {
        self.records
            .range(JobKey::task(job, 0)..=JobKey::task(job, u32::MAX))
            .map(|(_, record)| record)
    }

    /// Every waiting job, in the order they will be looked at.
    pub fn waiting(&self) -> Vec<(&Record, Place)> {
        let all = self.queue.in_order().into_iter();
        all.filter_map(|(key, place)| Some((self.records.get(&key)?, place)))
            .collect()
    }

    /// Where a job is.
    pub fn standing<'a>(&self, record: &'a Record) -> Standing<'a> {
        if let Some(place) = self.queue.place(record.job.key) {
            return Standing::Waiting(place);
        }
        let placed = record.placed.as_ref().map(|placed| &placed.member);
        match (&record.job.phase, placed) {
            (Phase::Ended(_), _) => Standing::Ended,
            (_, member) if class::holds(&record.job) => Standing::Running(member),
            (_, Some(member)) => Standing::Bound(member),
            _ if !record.portions.is_empty() => Standing::Leaving,
            _ => Standing::Returning,
        }
    }

    /// What was last decided about a waiting job, for a line in a table.
    pub fn last_decision(&self, key: JobKey) -> Option<&Arc<Decision>> {
        let class = self.queue.class(key)?;
        self.classes.decision(class)
    }

    /// What would be decided about a job now.
    pub fn judge(&self, record: &Record) -> Option<Decision> {
        let profile = Profile::new(&record.job, record.remembered());
        self.decide(&profile, Some(record.job.key))
    }

    /// Everything that keeps a job from a member now.
    pub fn refusals(&self, record: &Record, member: &MemberName) -> Vec<Reason> {
        let profile = Profile::new(&record.job, record.remembered());
        refusals(&profile, &self.site(Some(record.job.key)), member)
    }

    /// What members have.
    pub fn topology(&self) -> &Topology {
        &self.topology
    }

    /// What is kept for a job.
    pub fn promise(&self, key: JobKey) -> Option<&Promise> {
        self.promises.to(key)
    }

    /// What a member has.
    pub fn holdings(&self, member: &MemberName) -> Holdings {
        let declaration = self.settings.member(member);
        let snapshot = Snapshot::new(&self.topology, &self.promises, self.now.wall);
        declaration.map_or_else(Holdings::default, |declaration| {
            snapshot.holdings(&declaration.partition)
        })
    }

    /// Every member, by name.
    pub fn members(&self) -> Vec<MemberView<'_>> {
        let snapshot = Snapshot::new(&self.topology, &self.promises, self.now.wall);
        let mut members: Vec<MemberView<'_>> = self
            .settings
            .members
            .iter()
            .map(|declaration| MemberView {
                declaration,
                state: self.member_state(declaration),
                holdings: snapshot.holdings(&declaration.partition),
                bound: 0,
                running: 0,
                direct_waiting: count(snapshot.direct_count(&declaration.partition)),
            })
            .collect();
        for record in self.records.values() {
            let view = record.counted.as_ref().and_then(|name| {
                let mut members = members.iter_mut();
                members.find(|view| view.declaration.name == *name)
            });
            if let Some(view) = view {
                if class::holds(&record.job) {
                    view.running += 1;
                } else {
                    view.bound += 1;
                }
            }
        }
        members
    }

    fn member_state(&self, declaration: &Declaration) -> MemberState {
        let partition = self.topology.partition_named(&declaration.partition);
        match partition.map(|partition| partition.state) {
            _ if self.listing.silence().is_some() => MemberState::Unreachable,
            _ if declaration.drained => MemberState::Drained,
            None => MemberState::Missing,
            Some(PartitionState::Up) => MemberState::Up,
            Some(state) => MemberState::Partition(state),
        }
    }

    /// Everything that needs an administrator, worst first.
    pub fn alarms(&self) -> Vec<Alarm> {
        let mut alarms = Vec::new();
        if let Some(reason) = self.listing.silence() {
            alarms.push(Alarm::Unreachable {
                reason: reason.to_owned(),
                heard: self.listing.heard(),
            });
        }
        if let Some(doubt) = self.listing.doubt() {
            alarms.push(Alarm::Vanished {
                jobs: doubt.jobs.len(),
                known: doubt.known,
            });
        }
        let room = &self.settings.queue_partition;
        let in_room = |record: &&Record| {
            class::holds(&record.job) && record.job.partitions.first() == Some(room)
        };
        let mut runners = self.records.values().filter(in_room);
        if let Some(first) = runners.next() {
            alarms.push(Alarm::RoomRuns {
                job: first.job.key,
                jobs: 1 + runners.count(),
            });
        }
        if self.listing.is_ready() {
            if self.topology.partition_named(room).is_none() {
                alarms.push(Alarm::RoomMissing);
            }
            for member in &self.settings.members {
                if self.topology.partition_named(&member.partition).is_none() {
                    alarms.push(Alarm::MemberMissing(member.name.clone()));
                }
            }
        }
        alarms
    }
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
