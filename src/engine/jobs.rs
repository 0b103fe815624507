//! A job came, changed or ended: where it belongs now.

use std::sync::Arc;

use super::class::{self, Whereabouts};
use super::record::Expect;
use super::{Engine, Record};
use crate::model::{
    Change, Chapter, Effect, Job, JobKey, JobMemory, PartitionState, Phase, TaskSet, Timestamp,
    WaitReason,
};
use crate::queue::{Order, Wake};
use crate::scheduler::{Owner, Profile};
use crate::topology::{Direct, Holder};

impl Engine {
    pub(super) fn job_changed(&mut self, change: Change<JobKey, Job>) {
        match change {
            Change::Applied(job) => self.job_applied(job),
            Change::Deleted(key) => match self.records.get(&key) {
                Some(record) if !matches!(record.job.phase, Phase::Ended(_)) => {
                    self.listing.lost_job(key);
                }
                None if self.topology.knows(key) => self.listing.lost_job(key),
                _ => self.gone(key),
            },
        }
    }

    fn job_applied(&mut self, mut job: Job) {
        let key = job.key;
        // A task with a record of its own is one job: it has no tasks to be placed one by one.
        if key.task.is_some() {
            job.tasks = None;
            job.tasks_running_max = None;
        }
        self.listing.saw_job(key);
        match &job.allocation {
            Some(allocation) if class::holds(&job) => self.topology.hold(key, allocation),
            _ => self.topology.release(key),
        }
        if matches!(job.phase, Phase::Ended(_)) {
            self.usage_fell(&job);
        }
        if self.is_another(&job) {
            self.drop_record(key);
        }
        if self.is_ours(&job) {
            self.set_direct(key, None);
            self.take_in(job);
            self.reconcile(key);
        } else {
            self.drop_record(key);
            let direct = direct(&job, self.now.wall);
            self.set_direct(key, direct);
        }
    }

    /// Slurm reuses ids after a cold start: the mark tells, or else owner and submission.
    fn is_another(&self, job: &Job) -> bool {
        let Some(known) = self.records.get(&job.key).map(|record| &record.job) else {
            return false;
        };
        let restarted = job.restarts > known.restarts;
        let resurrected =
            matches!(known.phase, Phase::Ended(_)) && !matches!(job.phase, Phase::Ended(_));
        match (known.mark, job.mark) {
            (Some(known), Some(mark)) => known != mark,
            _ => {
                known.user != job.user
                    || (resurrected && !restarted && job.submitted > known.submitted)
            }
        }
    }

    /// Whether a job is the federation's: it is in the room, or the federation sent it where it is.
    fn is_ours(&self, job: &Job) -> bool {
        if job.reserved {
            return false;
        }
        let place = class::whereabouts(job, &self.settings);
        let ended = matches!(job.phase, Phase::Ended(_));
        if let Some(record) = self.records.get(&job.key) {
            return ended || place == Whereabouts::Room || was_sent_to(record, job);
        }
        let marked = job.mark.is_some() && matches!(place, Whereabouts::Member(_));
        let here = place == Whereabouts::Room || marked;
        (here && !ended) || self.was_sent_before(job)
    }

    /// A job that is new to this daemon was sent where it is by an answer to its submission, as a
    /// piece of an array, or before the daemon started.
    fn was_sent_before(&self, job: &Job) -> bool {
        let base = JobKey::job(job.key.id);
        let restored = [job.key, base]
            .iter()
            .filter_map(|key| self.restored.get(key))
            .any(|memory| memory.mark == job.mark && !memory.story.is_empty());
        let sibling = job.key.task.is_some()
            && self
                .records
                .get(&base)
                .is_some_and(|record| record.job.mark == job.mark && !record.portions.is_empty());
        let answered = job
            .mark
            .is_some_and(|mark| self.submissions.contains_key(&mark));
        restored || sibling || answered
    }

    fn take_in(&mut self, job: Job) {
        let key = job.key;
        if let Some(record) = self.records.get_mut(&key) {
            let resting = record.intent.is_none() && record.settling.is_none();
            let stayed =
                resting && record.placed.is_none() && job.partitions == record.job.partitions;
            let modified = stayed && differs(&record.job, &job);
            record.job = job;
            if let Some(settling) = &record.settling
                && settling.expect == Expect::News
            {
                record.settling = None;
            }
            if modified {
                record.memory.remembered.clear();
                record.came_back = false;
                self.dequeue(key);
            }
            return;
        }
        let record = self.new_record(job);
        self.records.insert(key, record);
        self.adopt(key);
    }

    fn new_record(&mut self, job: Job) -> Record {
        let key = job.key;
        let base = JobKey::job(key.id);
        let restored = self.restored.remove(&key);
        let restored = restored.filter(|memory| memory.mark == job.mark);
        let inherited = || {
            let known = self.records.get(&base).map(|record| &record.memory);
            let memory = known.or_else(|| self.restored.get(&base))?;
            let memory = Some(memory).filter(|memory| memory.mark == job.mark)?;
            let place = class::whereabouts(&job, &self.settings);
            Some(JobMemory {
                job: key,
                story: story_of_task(&memory.story, &place),
                ..memory.clone()
            })
        };
        let stored = restored.is_some();
        let memory = restored.or_else(inherited).unwrap_or_else(|| JobMemory {
            job: key,
            mark: job.mark,
            first_submitted: job.submitted,
            priority: job.priority,
            time_limit_min: None,
            remembered: Vec::new(),
            story: Vec::new(),
        });
        let mut record = Record::new(job, memory);
        record.stored = stored;
        let longest = self.now.steady + self.settings.limits.remember;
        for remembered in &mut record.memory.remembered {
            remembered.until = remembered.until.min(longest);
        }
        if record.memory.story.is_empty() {
            let at = record.job.submitted;
            record.tell(Chapter::Queued { at });
        }
        record.intent = self.intents.of_whole(key, record.job.mark);
        record
    }

    /// Brings a job to where it belongs by what is known of it.
    pub(super) fn reconcile(&mut self, key: JobKey) {
        let Some(record) = self.records.get_mut(&key) else {
            return;
        };
        self.timers.set(key, None);
        if matches!(record.job.phase, Phase::Ended(_)) {
            self.ended(key);
        } else if class::holds(&record.job) {
            self.runs(key);
        } else if record.intent.is_some() {
            self.dequeue(key);
        } else if is_unsettled(record) {
            self.unsettled.insert(key);
            self.dequeue(key);
        } else {
            record.settling = None;
            if record.portions.is_empty() {
                self.unsettled.remove(&key);
            }
            match class::whereabouts(&record.job, &self.settings) {
                Whereabouts::Room => self.in_room(key),
                Whereabouts::Member(member) => self.at_member(key, &member),
                Whereabouts::Elsewhere => self.at_lost_member(key),
            }
        }
        self.recount(key);
    }

    fn in_room(&mut self, key: JobKey) {
        self.unplace(key);
        let gate_open = self.gate_open();
        let now = self.now;
        let Some(record) = self.records.get_mut(&key) else {
            return;
        };
        record.learn_priority(now);
        let readiness = class::readiness(&record.job, gate_open, now.wall);
        record.park = readiness.as_ref().err().cloned();
        if self.cancel_if_too_late(key) {
            return;
        }
        match readiness {
            Err(park) => {
                if let super::Park::Begin(Some(at)) = park
                    && at > self.now.wall
                {
                    self.wake_job_at(key, self.now.to_steady(at));
                }
                self.put(key, Lane::Parked);
            }
            Ok(()) if self.free_tasks(key).is_some_and(|tasks| tasks.is_empty()) => {
                self.dequeue(key);
            }
            Ok(()) => self.put(key, Lane::Queue),
        }
    }

    /// Puts a waiting job into its queue.
    fn put(&mut self, key: JobKey, lane: Lane) {
        let Some(record) = self.records.get_mut(&key) else {
            return;
        };
        record.forget_old(self.now);
        let profile = Profile::new(&record.job, record.remembered());
        let class = self.classes.enter(profile);
        if let Some(before) = record.class.replace(class) {
            self.classes.leave(before);
        }
        let order = Order::new(
            key,
            record.priority(self.now),
            record.memory.first_submitted,
        );
        match lane {
            Lane::Parked => self.queue.park(order, class),
            Lane::Queue if std::mem::take(&mut record.came_back) => {
                self.queue.reschedule(order, class);
            }
            Lane::Queue => self.queue.enqueue(order, class),
        }
    }

    /// Takes a job out of the queue, and what was promised to it with it.
    pub(super) fn dequeue(&mut self, key: JobKey) {
        self.queue.remove(key);
        let class = self
            .records
            .get_mut(&key)
            .and_then(|record| record.class.take());
        if let Some(class) = class {
            self.classes.leave(class);
        }
        self.promise_ends(key);
    }

    /// Whoever waited behind a promise is looked at again.
    fn promise_ends(&mut self, key: JobKey) {
        if let Some(member) = self.promises.to(key).map(|promise| promise.member.clone()) {
            self.promised_at = None;
            self.queue.wake(&Wake::Freed(member));
        }
    }

    fn set_direct(&mut self, key: JobKey, direct: Option<Direct>) {
        if direct.is_none() {
            self.promise_ends(key);
        }
        self.topology.direct(key, direct);
    }

    fn runs(&mut self, key: JobKey) {
        self.dequeue(key);
        self.topology.confirm(Holder::Job(key));
        self.unsettled.remove(&key);
        let Some(record) = self.records.get_mut(&key) else {
            return;
        };
        record.settling = None;
        record.park = None;
        let place = class::whereabouts(&record.job, &self.settings);
        let started = matches!(record.memory.story.last(), Some(Chapter::Started { .. }));
        if let (Whereabouts::Member(member), false) = (place, started) {
            let at = record.job.allocation.as_ref();
            let at = at.map_or(self.now.wall, |allocation| allocation.start);
            record.tell(Chapter::Started { at, member });
            self.store(key);
        }
    }

    fn ended(&mut self, key: JobKey) {
        self.dequeue(key);
        self.unsettled.remove(&key);
        self.give_back(key);
        let Some(record) = self.records.get_mut(&key) else {
            return;
        };
        record.settling = None;
        record.park = None;
        if std::mem::take(&mut record.stored) {
            self.out.push(Effect::Forget(key));
        }
        // One task less: an array with a limit of its own may go on.
        let array = self.records.get(&JobKey::job(key.id));
        if let Some(class) = array.and_then(|array| array.class)
            && key.task.is_some()
        {
            self.queue.wake_class(class);
        }
    }

    /// A job is in no listing any more.
    pub(super) fn gone(&mut self, key: JobKey) {
        self.topology.release(key);
        self.set_direct(key, None);
        if self.restored.remove(&key).is_some() {
            self.out.push(Effect::Forget(key));
        }
        self.drop_record(key);
    }

    /// Forgets everything about a job, save tasks that became records of their own.
    pub(super) fn drop_record(&mut self, key: JobKey) {
        if !self.records.contains_key(&key) {
            return;
        }
        self.dequeue(key);
        self.timers.set(key, None);
        self.unsettled.remove(&key);
        let Some(record) = self.records.remove(&key) else {
            return;
        };
        self.members.moved(record.counted.as_ref(), None);
        self.topology.forget(Holder::Job(key));
        for task in record.job.tasks.iter().flat_map(TaskSet::iter) {
            let task = JobKey::task(key.id, task);
            if !self.records.contains_key(&task) {
                self.topology.forget(Holder::Job(task));
            }
        }
        if record.stored {
            self.out.push(Effect::Forget(key));
        }
    }

    fn usage_fell(&mut self, job: &Job) {
        let owners = Owner::all_of(&Profile::new(job, Vec::new()));
        for owner in self.blocks.lift(owners) {
            self.queue.wake(&Wake::Usage(owner));
        }
    }

    /// A job is not where it was sent.
    pub(super) fn unplace(&mut self, key: JobKey) {
        let record = self.records.get(&key);
        if record.is_some_and(|record| record.placed.is_some()) {
            self.give_back(key);
        }
        if let Some(record) = self.records.get_mut(&key) {
            record.placed = None;
        }
    }

    /// What was assumed for a job is free again, save for pieces of it that were sent elsewhere.
    fn give_back(&mut self, key: JobKey) {
        self.topology.forget(Holder::Job(key));
        for task in self.free_tasks(key).iter().flat_map(TaskSet::iter) {
            let task = JobKey::task(key.id, task);
            if !self.records.contains_key(&task) {
                self.topology.forget(Holder::Job(task));
            }
        }
    }

    /// Tasks of an array record that are neither bound nor on their way; `None` for a job that is no
    /// array.
    pub(super) fn free_tasks(&self, key: JobKey) -> Option<TaskSet> {
        let record = self.records.get(&key)?;
        let mut free = record.job.tasks.clone()?;
        for portion in &record.portions {
            free = free.minus(&portion.tasks);
        }
        Some(free)
    }

    /// Counts a job among those of the member it is bound to or runs at.
    fn recount(&mut self, key: JobKey) {
        let Some(record) = self.records.get_mut(&key) else {
            return;
        };
        let member = match class::whereabouts(&record.job, &self.settings) {
            _ if matches!(record.job.phase, Phase::Ended(_)) => None,
            Whereabouts::Member(member) if class::holds(&record.job) => Some(member),
            _ => record.placed.as_ref().map(|placed| placed.member.clone()),
        };
        self.members.moved(record.counted.as_ref(), member.as_ref());
        record.counted = member;
    }

    /// Stores what is remembered of a job.
    pub(super) fn store(&mut self, key: JobKey) {
        if let Some(record) = self.records.get_mut(&key) {
            record.stored = true;
            self.out.push(Effect::Remember(record.memory.clone()));
        }
    }

    /// The job is looked at again at that time, or earlier.
    pub(super) fn wake_job_at(&mut self, key: JobKey, steady: Timestamp) {
        if steady != Timestamp::NEVER {
            self.timers.set_earliest(key, steady);
        }
    }

    /// Slurm looks at the jobs of the room, and only a limit keeps them there.
    pub(super) fn gate_open(&self) -> bool {
        let room = self
            .topology
            .partition_named(&self.settings.queue_partition);
        room.is_some_and(|room| room.state == PartitionState::Up)
    }
}

/// What of an array's story is also a task's: of all the members to which pieces went, its own.
fn story_of_task(story: &[Chapter], place: &Whereabouts) -> Vec<Chapter> {
    let own = story.iter().rposition(|chapter| {
        matches!((chapter, place), (Chapter::Bound { member, .. }, Whereabouts::Member(at)) if member == at)
    });
    let of_pieces =
        |chapter: &Chapter| matches!(chapter, Chapter::Bound { .. } | Chapter::Started { .. });
    let chapters = story.iter().enumerate().filter(|(index, chapter)| {
        own == Some(*index) || *place == Whereabouts::Elsewhere || !of_pieces(chapter)
    });
    chapters.map(|(_, chapter)| chapter.clone()).collect()
}

/// A known job is where the federation sent it, or is on its way there or back.
fn was_sent_to(record: &Record, job: &Job) -> bool {
    let placed = record.placed.as_ref();
    placed.is_some_and(|placed| class::is_in(job, &placed.partition))
        || record.intent.is_some()
        || record.settling.is_some()
        || (class::holds(job) && class::holds(&record.job))
}

#[derive(Debug, Clone, Copy)]
enum Lane {
    Queue,
    Parked,
}

/// The listings do not show yet what was done to the job.
fn is_unsettled(record: &Record) -> bool {
    record.settling.as_ref().is_some_and(|settling| {
        let shown = match &settling.expect {
            Expect::At(partition) => class::is_in(&record.job, partition),
            Expect::Stopped => record.job.priority == 0,
            Expect::News => false,
        };
        !shown && settling.polls < super::intents::POLLS_TO_SETTLE
    })
}

/// Whether the scheduler would look at two versions of a job differently.
fn differs(before: &Job, after: &Job) -> bool {
    before.request != after.request
        || before.account != after.account
        || before.qos != after.qos
        || before.directives != after.directives
}

/// A job that waits at a place of its user's choice.
fn direct(job: &Job, now: Timestamp) -> Option<Direct> {
    let Phase::Waiting(reason) = &job.phase else {
        return None;
    };
    Some(Direct {
        partitions: job.partitions.clone(),
        priority: job.priority,
        submitted: job.submitted,
        request: Arc::clone(&job.request),
        ready: matches!(reason, WaitReason::Turn(_))
            && job.priority > 0
            && !job.reserved
            && job.eligible.is_some_and(|eligible| eligible <= now),
    })
}
