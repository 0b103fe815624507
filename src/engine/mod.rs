//! Events in, effects out: holds the queue, the topology and the order of calls.
//!
//! The engine is level-triggered: an event changes what is known of one thing, and then
//! `Engine::reconcile` brings the job concerned to where it belongs *by what is known now*. Nothing
//! depends on having seen every step in between, so lost, repeated and reordered events end in the
//! same state.
//!
//! | file | part |
//! |---|---|
//! | `class` | what a job's state in Slurm means |
//! | `jobs` | a job came, changed, ended: where it belongs now |
//! | `watch` | a job waits at its member: leave it, take it back, or hold it |
//! | `intents` | what is being done in slurmctld, and what became of it |
//! | `pass` | one scheduling pass |
//! | `submit` | a job that is being submitted |
//! | `listing` | complete and incomplete listings, and what vanished from them |
//! | `view` | what `report` shows |
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

mod class;
mod classes;
mod clock;
mod directive;
mod intents;
mod jobs;
mod listing;
mod members;
mod pass;
mod pause;
mod record;
mod submit;
mod timers;
mod view;
mod watch;

pub use class::Park;
pub use clock::Now;
pub use record::{Placed, Record};
pub use view::{Alarm, MemberState, MemberView, Standing, Totals};

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use fedsched_protocol::mark::Mark;

use self::classes::Classes;
use self::clock::Clock;
use self::intents::Intents;
use self::listing::Listing;
use self::members::Members;
use self::pause::Pause;
use self::submit::Submission;
use self::timers::Timers;
use crate::model::{Effect, Event, Intent, IntentId, JobKey, JobMemory, Settings, Timestamp};
use crate::queue::{Backoff, Queue};
use crate::scheduler::{Blocks, Owner};
use crate::topology::{Promises, Topology};

/// The federation's state and rules.
#[derive(Debug)]
pub struct Engine {
    settings: Arc<Settings>,
    clock: Clock,
    now: Now,
    listing: Listing,
    topology: Topology,
    members: Members,
    queue: Queue<Owner>,
    classes: Classes,
    records: BTreeMap<JobKey, Record>,
    /// Memories of jobs that have not been listed yet.
    restored: BTreeMap<JobKey, JobMemory>,
    /// Submissions answered with a member that have not been listed yet.
    submissions: BTreeMap<Mark, Submission>,
    intents: Intents,
    /// Jobs whose last change the listings should show soon.
    unsettled: BTreeSet<JobKey>,
    timers: Timers,
    pause: Pause,
    blocks: Blocks,
    promises: Promises,
    /// Version of the topology for which the promises hold.
    promised_at: Option<u64>,
    totals: Totals,
    out: Vec<Effect>,
}

impl Engine {
    /// An engine that has heard nothing yet.
    pub fn new(settings: Arc<Settings>) -> Self {
        let queue = Queue::new(backoff(&settings));
        Self {
            members: Members::new(&settings),
            settings,
            clock: Clock::default(),
            now: Now::default(),
            listing: Listing::default(),
            topology: Topology::default(),
            queue,
            classes: Classes::default(),
            records: BTreeMap::new(),
            restored: BTreeMap::new(),
            submissions: BTreeMap::new(),
            intents: Intents::default(),
            unsettled: BTreeSet::new(),
            timers: Timers::default(),
            pause: Pause::default(),
            blocks: Blocks::default(),
            promises: Promises::default(),
            promised_at: None,
            totals: Totals::default(),
            out: Vec::new(),
        }
    }

    /// Takes in an event that happened at `now`, and says what is to be done about it.
    pub fn handle(&mut self, event: Event, now: Timestamp) -> Vec<Effect> {
        self.now = self.clock.advance(now);
        match event {
            Event::Configured(settings) => self.configured(settings),
            Event::Restored {
                intents,
                memories,
                last_intent,
            } => self.restore(intents, memories, last_intent),
            Event::Init => self.listing_begins(),
            Event::InitDone => self.listing_complete(),
            Event::Synced => self.poll_complete(),
            Event::Unreachable { reason } => self.listing.unreachable(reason),
            Event::Partition(change) => {
                self.listing.partitions.saw(&change, |p| &p.name);
                self.topology.partition(change);
            }
            Event::Node(change) => {
                self.listing.nodes.saw(&change, |node| &node.name);
                self.topology.node(change);
            }
            Event::Reservation(change) => {
                self.listing.reservations.saw(&change, |r| &r.name);
                self.topology.reservation(change);
            }
            Event::Job(change) => self.job_changed(change),
            Event::Submitted { ask, job } => self.submitted(ask, &job),
            Event::Done(intent) => self.done(intent),
            Event::Failed { intent, error } => self.failed(intent, &error),
            Event::Tick => {}
        }
        std::mem::take(&mut self.out)
    }

    /// One scheduling pass over everything that happened since the last: to be called when the
    /// events that are there have been handled.
    pub fn schedule(&mut self, now: Timestamp) -> Vec<Effect> {
        self.now = self.clock.advance(now);
        self.time_passed();
        if self.listing.is_current() {
            self.wake_changed();
            if self.queue.has_ready() && !self.pause.lasts(self.now.steady) {
                self.pass();
            }
        }
        self.ask_to_be_woken();
        std::mem::take(&mut self.out)
    }

    fn configured(&mut self, settings: Arc<Settings>) {
        self.queue.set_backoff(backoff(&settings));
        self.members.configure(&settings);
        self.settings = settings;
        self.promised_at = None;
        self.queue.wake_all();
        let keys: Vec<JobKey> = self.records.keys().copied().collect();
        for key in keys {
            self.reconcile(key);
        }
    }

    fn restore(
        &mut self,
        intents: Vec<Intent>,
        memories: Vec<JobMemory>,
        last_intent: Option<IntentId>,
    ) {
        for memory in memories {
            self.restored.insert(memory.job, memory);
        }
        self.intents.restore(intents, last_intent);
    }

    /// What the passing of time alone brings about.
    fn time_passed(&mut self) {
        for key in self.timers.due(self.now.steady) {
            self.reconcile(key);
        }
        self.members
            .forget_old_failures(self.now.steady, self.settings.limits.remember);
        let quiet = self.settings.limits.backoff_max;
        for owner in self.blocks.expire(self.now.steady, quiet) {
            self.queue.wake(&crate::queue::Wake::Usage(owner));
        }
        self.queue.wake_due(self.now.steady);
    }

    fn ask_to_be_woken(&mut self) {
        let pause = Some(self.pause.until()).filter(|until| *until > self.now.steady);
        // A pass that reached its bound goes on at once.
        let more = self.listing.is_current() && pause.is_none() && self.queue.has_ready();
        let more = more.then_some(self.now.steady);
        let next = [self.timers.next(), self.queue.next_due(), pause, more];
        let next = next.into_iter().flatten().min();
        let wall = next.map(|steady| self.now.to_wall(steady));
        if self.clock.ask(wall)
            && let Some(at) = wall
        {
            self.out.push(Effect::WakeAt(at));
        }
    }
}

fn backoff(settings: &Settings) -> Backoff {
    Backoff {
        first: settings.limits.backoff_first,
        max: settings.limits.backoff_max,
    }
}
