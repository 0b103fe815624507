//! One scheduling pass: jobs in turn, each placed or refused with its class, and promises to the
//! first of those that must wait.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::Engine;
use super::record::{Placed, Portion};
use crate::model::{Action, Chapter, JobKey, MemberName, PartitionName, TaskSet, Timestamp};
use crate::queue::{ClassId, Order, Wake};
use crate::scheduler::{
    Choice, Decision, Outlook, Owner, Profile, Reason, Scope, Site, decide, needs, needs_of, span,
    span_of,
};
use crate::topology::{Holder, Promise, Promises, Shift, Snapshot};

/// Refused classes whose first job is looked at for a promise, for each member.
const PROMISE_LOOKS_PER_MEMBER: usize = 8;

/// Where a pass stands among the classes.
#[derive(Debug, Default)]
struct Cursor {
    pending: Option<Order>,
    unschedulable: Option<Order>,
    looked: usize,
    promises_looked: usize,
    band: Option<u32>,
}

impl Engine {
    /// What changed in the topology wakes those who waited for it.
    pub(super) fn wake_changed(&mut self) {
        for (partition, shift) in self.topology.take_changed() {
            let Some(member) = self.settings.member_at(&partition) else {
                continue;
            };
            let name = member.name.clone();
            self.queue.wake(&Wake::Freed(name.clone()));
            if shift == Shift::Facts {
                self.queue.wake(&Wake::Facts(name));
            }
        }
    }

    pub(super) fn pass(&mut self) {
        self.promises = self.direct_promises();
        let mut cursor = Cursor::default();
        let jobs_max = self.settings.limits.pass_jobs_max;
        let mut at = None;
        while let Some((order, class)) = self.queue.next_to_reschedule(at) {
            if cursor.looked >= jobs_max {
                break;
            }
            cursor.looked += 1;
            at = Some(order);
            self.consider(order, class);
        }
        while cursor.looked < jobs_max && self.step(&mut cursor) {}
        self.promised_at = Some(self.topology.version());
    }

    /// Makes the promises anew without placing anybody.
    pub(super) fn renew_promises(&mut self) {
        if self.promised_at == Some(self.topology.version()) {
            return;
        }
        self.promises = self.direct_promises();
        let mut at = None;
        for _ in 0..self.promise_looks_max() {
            let Some((order, class)) = self.queue.next_unschedulable(at) else {
                break;
            };
            at = Some(order);
            self.promise_again(order, class);
        }
        self.promised_at = Some(self.topology.version());
    }

    /// Looks at the next class in turn; says whether there was one that is ready.
    fn step(&mut self, cursor: &mut Cursor) -> bool {
        let Some((order, class)) = self.queue.next_pending(cursor.pending) else {
            return false;
        };
        if cursor.promises_looked < self.promise_looks_max()
            && let Some((earlier, asleep)) = self.queue.next_unschedulable(cursor.unschedulable)
            && earlier < order
        {
            cursor.unschedulable = Some(earlier);
            cursor.promises_looked += 1;
            self.promise_again(earlier, asleep);
            return true;
        }
        if cursor.band != Some(order.priority()) {
            cursor.band = Some(order.priority());
            self.send_home(order.priority(), cursor);
            return true;
        }
        cursor.pending = Some(order);
        cursor.looked += 1;
        self.consider(order, class);
        true
    }

    /// Of jobs of equal priority those go first that their own home can start.
    fn send_home(&mut self, priority: u32, cursor: &mut Cursor) {
        let band = self.queue.band(priority);
        if band.len() < 2 {
            return;
        }
        for (order, class) in band {
            let Some(profile) = self.classes.profile(class) else {
                continue;
            };
            let home = self
                .settings
                .home(&profile.account, &profile.groups)
                .cloned();
            let Some(home) = home else { continue };
            cursor.looked += 1;
            let decision = self.decide_for(Some(order.job()), &profile, Scope::Home(&home));
            if let Some(decision) = decision
                && matches!(decision.choice, Choice::Bind(_))
            {
                self.place(order.job(), &profile, &Arc::new(decision));
            }
        }
    }

    /// Decides about the first job of a class, and places it or refuses the class.
    fn consider(&mut self, order: Order, class: ClassId) {
        let key = order.job();
        if self.is_out_of_date(key) {
            self.reconcile(key);
            return;
        }
        let Some(profile) = self.classes.profile(class) else {
            return;
        };
        loop {
            if self.may_start(key) == Some(0) {
                self.refuse(order, class, BTreeSet::new(), None);
                return;
            }
            let Some(decision) = self.decide_for(Some(key), &profile, Scope::Everywhere) else {
                self.refuse(order, class, BTreeSet::new(), None);
                return;
            };
            let decision = Arc::new(decision);
            let bind = matches!(decision.choice, Choice::Bind(_));
            if !bind || self.settings.rehearsal {
                self.classes.decided(class, Arc::clone(&decision));
                self.keep_for(key, &profile, &decision);
                self.refuse(order, class, wakes(&decision), Some(&decision));
                return;
            }
            if !self.place(key, &profile, &decision) {
                self.refuse(order, class, wakes(&decision), Some(&decision));
                return;
            }
            self.queue.placed(class);
            // An array goes on with the tasks that are left.
            if self.queue.place(key).is_none() {
                return;
            }
        }
    }

    /// What is remembered against members has run out since the job was classed.
    fn is_out_of_date(&mut self, key: JobKey) -> bool {
        let now = self.now;
        let record = self.records.get_mut(&key);
        record.is_some_and(|record| record.forget_old(now))
    }

    fn refuse(
        &mut self,
        order: Order,
        class: ClassId,
        wakes: BTreeSet<Wake<Owner>>,
        decision: Option<&Decision>,
    ) {
        let record = self.records.get(&order.job());
        let remembered = record
            .into_iter()
            .flat_map(|record| &record.memory.remembered);
        let blocked = decision
            .into_iter()
            .flat_map(|decision| &decision.judgements);
        let blocked = blocked.filter_map(|judgement| match &judgement.outlook {
            Outlook::Refused(Reason::Blocked { until, .. }) => Some(*until),
            _ => None,
        });
        let until = remembered.map(|each| each.until).chain(blocked).min();
        let until = until.unwrap_or(Timestamp::NEVER);
        self.queue
            .refuse(order, class, wakes, until, self.now.steady);
    }

    /// What the scheduler finds about a profile, seen by a job that may have a promise of its own.
    pub(super) fn decide(&self, profile: &Profile, job: Option<JobKey>) -> Option<Decision> {
        self.decide_for(job, profile, Scope::Everywhere)
    }

    fn decide_for(
        &self,
        job: Option<JobKey>,
        profile: &Profile,
        scope: Scope<'_>,
    ) -> Option<Decision> {
        decide(profile, &self.site(job), scope)
    }

    /// What a decision looks at outside the job, seen by a job that may have a promise of its own.
    pub(super) fn site(&self, job: Option<JobKey>) -> Site<'_> {
        let snapshot = Snapshot::new(&self.topology, &self.promises, self.now.wall);
        Site {
            settings: &self.settings,
            snapshot: job.map_or(snapshot, |job| snapshot.seen_by(job)),
            blocks: &self.blocks,
            standings: self.members.standings(),
        }
    }

    /// How many tasks of an array may start beside those that were sent or run; `None` for a job that
    /// is no array.
    fn may_start(&self, key: JobKey) -> Option<u32> {
        let record = self.records.get(&key)?;
        let free = self.free_tasks(key)?.len();
        let Some(most) = record.job.tasks_running_max else {
            return Some(free);
        };
        let all = JobKey::job(key.id)..=JobKey::task(key.id, u32::MAX);
        let out = |other: &JobKey| other.task.is_some();
        let records = self.records.range(all).filter(|(other, _)| out(other));
        let active = records.filter(|(_, record)| {
            super::class::holds(&record.job) || record.placed.is_some() && record.counted.is_some()
        });
        let portions = record
            .portions
            .iter()
            .flat_map(|portion| portion.tasks.iter());
        let unseen = portions.filter(|task| {
            let task = JobKey::task(key.id, *task);
            !self.records.contains_key(&task)
        });
        let busy = u32::try_from(active.count() + unseen.count()).unwrap_or(u32::MAX);
        Some(free.min(most.saturating_sub(busy)))
    }

    /// Assumes a job, or as many tasks as fit, at the chosen member, and has it bound there.
    fn place(&mut self, key: JobKey, profile: &Profile, decision: &Arc<Decision>) -> bool {
        let Choice::Bind(member) = &decision.choice else {
            return false;
        };
        let Some(declaration) = self.settings.member(member) else {
            return false;
        };
        let placed = Placed {
            member: member.clone(),
            partition: declaration.partition.clone(),
            decision: Some(Arc::clone(decision)),
            since: self.now.steady,
        };
        if self.settings.rehearsal {
            return false;
        }
        match self.may_start(key) {
            None => {
                if !self.assume(Holder::Job(key), Some(key), profile, member) {
                    return false;
                }
                self.bind_whole(key, placed);
            }
            Some(count) => {
                let tasks = self.assume_tasks(key, profile, member, count);
                if tasks.is_empty() {
                    return false;
                }
                let all = self.free_tasks(key).is_some_and(|free| free == tasks);
                let split = !all || self.has_siblings(key) || self.has_portions(key);
                if split {
                    self.bind_portion(key, tasks, placed);
                } else {
                    self.bind_whole(key, placed);
                }
            }
        }
        true
    }

    fn has_portions(&self, key: JobKey) -> bool {
        let record = self.records.get(&key);
        record.is_some_and(|record| !record.portions.is_empty())
    }

    fn assume_tasks(
        &mut self,
        key: JobKey,
        profile: &Profile,
        member: &MemberName,
        count: u32,
    ) -> TaskSet {
        let free = self.free_tasks(key).unwrap_or_default().first(count);
        let mut fitting = Vec::new();
        for task in free.iter().take(self.settings.limits.pass_jobs_max) {
            let holder = Holder::Job(JobKey::task(key.id, task));
            if !self.assume(holder, Some(key), profile, member) {
                break;
            }
            fitting.push(task);
        }
        fitting.into_iter().collect()
    }

    fn bind_whole(&mut self, key: JobKey, placed: Placed) {
        let action = bind(&placed);
        self.tell_bound(key, &placed.member);
        let id = self.open_intent(key, None, action, None);
        if let Some(record) = self.records.get_mut(&key) {
            record.intent = id;
            record.placed = Some(placed);
        }
        self.reconcile(key);
    }

    fn bind_portion(&mut self, key: JobKey, tasks: TaskSet, placed: Placed) {
        let action = bind(&placed);
        self.tell_bound(key, &placed.member);
        let intent = self.open_intent(key, Some(tasks.clone()), action, None);
        if let Some(record) = self.records.get_mut(&key) {
            record.portions.push(Portion {
                tasks,
                placed,
                intent,
                polls: 0,
            });
        }
        if self.free_tasks(key).is_some_and(|free| free.is_empty()) {
            self.dequeue(key);
        }
    }

    fn tell_bound(&mut self, key: JobKey, member: &MemberName) {
        let at = self.now.wall;
        if let Some(record) = self.records.get_mut(&key) {
            record.tell(Chapter::Bound {
                at,
                member: member.clone(),
                at_once: false,
            });
        }
    }

    fn promise_looks_max(&self) -> usize {
        self.settings.members.len() * PROMISE_LOOKS_PER_MEMBER
    }

    /// What Slurm itself will start next at each member must not be delayed.
    fn direct_promises(&self) -> Promises {
        let mut promises = Promises::default();
        for member in &self.settings.members {
            let none = Promises::default();
            let snapshot = Snapshot::new(&self.topology, &none, self.now.wall);
            let Some((job, direct)) = snapshot.direct_head(&member.partition) else {
                continue;
            };
            let Some(partition) = snapshot.partition(&member.partition) else {
                continue;
            };
            let needs = needs_of(&direct.request, partition);
            let length = span_of(&direct.request, partition);
            let first = snapshot.first_start(&member.partition, &needs, length);
            if let Some((start, placement)) = first {
                promises.add(Promise {
                    job,
                    direct: true,
                    member: member.name.clone(),
                    start,
                    end: length.map_or(Timestamp::NEVER, |length| start + length),
                    placement,
                });
            }
        }
        promises
    }

    /// The first job in turn that must wait for a member gets a promise there.
    fn keep_for(&mut self, key: JobKey, profile: &Profile, decision: &Decision) {
        let Choice::Later { member, .. } = &decision.choice else {
            return;
        };
        if self.promises.holds_for_queue(member) {
            return;
        }
        if let Some(promise) = self.earliest_at(key, profile, member) {
            self.promises.add(promise);
        }
    }

    fn promise_again(&mut self, order: Order, class: ClassId) {
        let profile = self.classes.profile(class);
        let decision = self.classes.decision(class).cloned();
        if let (Some(profile), Some(decision)) = (profile, decision) {
            self.keep_for(order.job(), &profile, &decision);
        }
    }

    fn earliest_at(&self, key: JobKey, profile: &Profile, member: &MemberName) -> Option<Promise> {
        let partition: &PartitionName = &self.settings.member(member)?.partition;
        let snapshot = Snapshot::new(&self.topology, &self.promises, self.now.wall);
        let facts = snapshot.partition(partition)?;
        let (needs, length) = (needs(profile, facts), span(profile, facts));
        let (start, placement) = snapshot.first_start(partition, &needs, length)?;
        Some(Promise {
            job: key,
            direct: false,
            member: member.clone(),
            start,
            end: length.map_or(Timestamp::NEVER, |length| start + length),
            placement,
        })
    }
}

fn bind(placed: &Placed) -> Action {
    Action::Bind {
        member: placed.member.clone(),
        partition: placed.partition.clone(),
    }
}

/// What could end a refusal.
fn wakes(decision: &Decision) -> BTreeSet<Wake<Owner>> {
    let mut wakes = BTreeSet::new();
    for judgement in &decision.judgements {
        match &judgement.outlook {
            Outlook::Refused(Reason::Blocked { owner, .. }) => {
                wakes.insert(Wake::Usage(owner.clone()));
            }
            Outlook::Refused(_) => {
                wakes.insert(Wake::Facts(judgement.member.clone()));
            }
            Outlook::Now(_) | Outlook::Later { .. } => {
                wakes.insert(Wake::Freed(judgement.member.clone()));
                wakes.insert(Wake::Facts(judgement.member.clone()));
            }
        }
    }
    wakes
}
