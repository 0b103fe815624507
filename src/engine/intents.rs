//! What is being done in slurmctld, and what became of it.
//!
//! ```text
//!  decided ─► Intend (stored) ─► Act ─► Done ──────────────► Settle; the listings show it soon
//!                                  │
//!                                  ├─► Failed: refused, overtaken ─► Settle; follow the listings
//!                                  └─► Failed: unreachable, or a restart ─► in doubt: the listings tell
//! ```

use std::collections::BTreeMap;

use fedsched_protocol::mark::Mark;

use super::Engine;
use super::class;
use super::record::{Expect, Settling};
use crate::model::{
    Action, BindError, Chapter, Effect, Intent, IntentId, JobKey, MemberName, Original, TaskSet,
    Timestamp,
};
use crate::queue::Backoff;
use crate::topology::Holder;

/// Complete polls after which the listings show what was done before the first of them began: one
/// may have been under way.
pub(super) const POLLS_TO_SETTLE: u32 = 2;

/// Ids of intents begin at the millisecond of the first, shifted by this: none is used twice, even
/// after a restart with an empty store. The store's last one holds where the clock was set back.
const IDS_PER_MILLISECOND_BITS: u32 = 16;

/// An intent without an outcome.
#[derive(Debug, Clone)]
pub(super) struct Open {
    pub(super) intent: Intent,
    /// Nobody will report its outcome: complete polls since that is so.
    doubt: Option<u32>,
    /// What to remember of a job that is taken back.
    pub(super) back: Option<Back>,
}

/// Why a job is taken back to the room.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Back {
    pub(super) member: MemberName,
    pub(super) why: String,
    /// The member is remembered against it.
    pub(super) remember: bool,
}

/// Every intent without an outcome.
#[derive(Debug, Default)]
pub(super) struct Intents {
    open: BTreeMap<IntentId, Open>,
    next: u64,
}

impl Intents {
    pub(super) fn restore(&mut self, intents: Vec<Intent>, last: Option<IntentId>) {
        self.next = last.map_or(0, |last| last.0 + 1);
        for intent in intents {
            let open = Open {
                doubt: Some(0),
                back: None,
                intent,
            };
            self.open.insert(open.intent.id, open);
        }
    }

    fn id(&mut self, now: Timestamp) -> IntentId {
        let by_time = u64::try_from(now.0).unwrap_or(0) << IDS_PER_MILLISECOND_BITS;
        let id = self.next.max(by_time);
        self.next = id + 1;
        IntentId(id)
    }

    /// The one about a whole record, if it is about this very job.
    pub(super) fn of_whole(&self, key: JobKey, mark: Option<Mark>) -> Option<IntentId> {
        self.open
            .values()
            .map(|open| &open.intent)
            .find(|intent| intent.job == key && intent.tasks.is_none() && intent.mark == mark)
            .map(|intent| intent.id)
    }

    pub(super) fn len(&self) -> usize {
        self.open.len()
    }
}

impl Engine {
    /// Stores an intent and the job's memory, and has the intent carried out.
    pub(super) fn open_intent(
        &mut self,
        key: JobKey,
        tasks: Option<TaskSet>,
        action: Action,
        back: Option<Back>,
    ) -> Option<IntentId> {
        let record = self.records.get_mut(&key)?;
        let minutes = |limit: std::time::Duration| u32::try_from(limit.as_secs() / 60).ok();
        if let Action::Bind { .. } = action {
            record.memory.time_limit_min = record.job.request.time_limit.and_then(minutes);
        }
        let intent = Intent {
            id: self.intents.id(self.now.wall),
            job: key,
            mark: record.job.mark,
            tasks,
            action,
            decided: self.now.wall,
            original: Original {
                time_limit_min: record.memory.time_limit_min,
            },
        };
        let id = intent.id;
        self.out.push(Effect::Intend(intent.clone()));
        self.store(key);
        self.out.push(Effect::Act(id));
        let doubt = None;
        self.intents.open.insert(
            id,
            Open {
                intent,
                doubt,
                back,
            },
        );
        Some(id)
    }

    pub(super) fn done(&mut self, id: IntentId) {
        if let Some(open) = self.settle(id) {
            self.pause.over();
            self.was_done(&open);
            self.out.push(Effect::Poll);
            self.reconcile(open.intent.job);
        }
    }

    pub(super) fn failed(&mut self, id: IntentId, error: &BindError) {
        match error {
            BindError::NotStored(_) => {
                self.pause();
                if let Some(open) = self.settle(id) {
                    self.was_not_done(&open);
                    self.reconcile(open.intent.job);
                }
            }
            BindError::Unreachable(_) => {
                self.pause();
                if let Some(open) = self.intents.open.get_mut(&id) {
                    open.doubt = Some(0);
                }
            }
            BindError::Refused(why) => {
                if let Some(open) = self.settle(id) {
                    self.was_refused(&open, why);
                    self.reconcile(open.intent.job);
                }
            }
            BindError::Overtaken(_) => {
                if let Some(open) = self.settle(id) {
                    self.was_not_done(&open);
                    if let Some(record) = self.records.get_mut(&open.intent.job) {
                        let expect = Expect::News;
                        record.settling = Some(Settling { expect, polls: 0 });
                    }
                    self.out.push(Effect::Poll);
                    self.reconcile(open.intent.job);
                }
            }
        }
    }

    /// Nothing can be bound just now: trying on would only make it worse.
    fn pause(&mut self) {
        let limits = &self.settings.limits;
        let backoff = Backoff {
            first: limits.backoff_first,
            max: limits.backoff_max,
        };
        self.pause.begin(backoff, self.now.steady);
    }

    /// The intent has its outcome.
    fn settle(&mut self, id: IntentId) -> Option<Open> {
        let open = self.intents.open.remove(&id)?;
        self.out.push(Effect::Settle(id));
        if let Some(record) = self.records.get_mut(&open.intent.job)
            && record.intent == Some(id)
        {
            record.intent = None;
        }
        Some(open)
    }

    fn was_done(&mut self, open: &Open) {
        let key = open.intent.job;
        let now = self.now;
        let Some(record) = self.records.get_mut(&key) else {
            return;
        };
        let expect = match &open.intent.action {
            Action::Bind { partition, .. } => {
                self.totals.bound += 1;
                Expect::At(partition.clone())
            }
            Action::Return { room, .. } => Expect::At(room.clone()),
            Action::Cancel | Action::Hold => Expect::Stopped,
        };
        record.moved(now);
        if open.intent.tasks.is_some()
            && let Some(portion) = record
                .portions
                .iter_mut()
                .find(|portion| portion.intent == Some(open.intent.id))
        {
            portion.intent = None;
            portion.placed.since = now.steady;
            self.unsettled.insert(key);
            return;
        }
        if let Some(placed) = &mut record.placed {
            placed.since = now.steady;
        }
        record.settling = Some(Settling { expect, polls: 0 });
        if let Some(back) = &open.back {
            self.came_back(key, back);
        }
    }

    /// A job is back in the room: what was assumed for it is free, and what it met is remembered.
    fn came_back(&mut self, key: JobKey, back: &Back) {
        self.unplace(key);
        self.totals.returned += 1;
        let at = self.now.wall;
        let until = self.now.steady + self.settings.limits.remember;
        if back.remember {
            self.members.failed(&back.member, self.now.steady);
        }
        let Some(record) = self.records.get_mut(&key) else {
            return;
        };
        record.came_back = true;
        if back.remember {
            record.remember(&back.member, &back.why, until);
        }
        record.tell(Chapter::Returned {
            at,
            member: back.member.clone(),
            why: back.why.clone(),
        });
        self.store(key);
    }

    fn was_refused(&mut self, open: &Open, why: &str) {
        self.was_not_done(open);
        let Action::Bind { member, .. } = &open.intent.action else {
            return;
        };
        self.totals.returned += 1;
        self.members.failed(member, self.now.steady);
        let at = self.now.wall;
        let until = self.now.steady + self.settings.limits.remember;
        let key = open.intent.job;
        let Some(record) = self.records.get_mut(&key) else {
            return;
        };
        record.came_back = true;
        record.remember(member, why, until);
        record.tell(Chapter::Refused {
            at,
            member: member.clone(),
            why: why.to_owned(),
        });
        self.store(key);
    }

    /// The job is where it was, or where somebody else put it.
    fn was_not_done(&mut self, open: &Open) {
        let key = open.intent.job;
        let quiet_until = self.now.steady + self.settings.limits.backoff_first;
        let bind = matches!(open.intent.action, Action::Bind { .. });
        if open.intent.tasks.is_some() {
            self.drop_portion(key, open.intent.id);
        } else if bind
            && self
                .records
                .get(&key)
                .is_some_and(|record| !class::holds(&record.job))
        {
            self.unplace(key);
        }
        let Some(record) = self.records.get_mut(&key) else {
            return;
        };
        if bind {
            record.untell_bound();
            self.store(key);
        } else {
            record.quiet_until = quiet_until;
        }
    }

    /// Gives back what was assumed for a piece of an array that did not go.
    fn drop_portion(&mut self, key: JobKey, id: IntentId) {
        let Some(record) = self.records.get_mut(&key) else {
            return;
        };
        let (dropped, kept) = std::mem::take(&mut record.portions)
            .into_iter()
            .partition(|portion| portion.intent == Some(id));
        record.portions = kept;
        let dropped: Vec<super::record::Portion> = dropped;
        for portion in dropped {
            self.forget_tasks(key.id, &portion.tasks);
        }
    }

    /// Gives back what was assumed for tasks that have no record of their own.
    fn forget_tasks(&mut self, id: u32, tasks: &TaskSet) {
        for task in tasks.iter() {
            let task = JobKey::task(id, task);
            if !self.records.contains_key(&task) {
                self.topology.forget(Holder::Job(task));
            }
        }
    }

    /// A full listing is complete: what was in doubt is as it shows.
    pub(super) fn resolve_all(&mut self) {
        let doubted: Vec<IntentId> = self
            .intents
            .open
            .iter()
            .filter(|(_, open)| open.doubt.is_some())
            .map(|(id, _)| *id)
            .collect();
        for id in doubted {
            self.resolve(id);
        }
        let keys: Vec<JobKey> = self.records.keys().copied().collect();
        for key in keys {
            self.reconcile(key);
        }
    }

    /// The listings tell what became of an intent.
    fn resolve(&mut self, id: IntentId) {
        let Some(open) = self.settle(id) else { return };
        let key = open.intent.job;
        let record = self.records.get(&key);
        let shown = record.is_some_and(|record| match &open.intent.action {
            Action::Bind { partition, .. } => class::is_in(&record.job, partition),
            Action::Return { room, .. } => class::is_in(&record.job, room),
            Action::Cancel | Action::Hold => true,
        });
        if shown {
            self.was_done(&open);
        } else {
            self.was_not_done(&open);
        }
        self.reconcile(key);
    }

    /// A poll is complete: what the listings should show by now and do not did not happen.
    pub(super) fn settle_or_give_up(&mut self) {
        let mut over = Vec::new();
        for (id, open) in &mut self.intents.open {
            if let Some(polls) = &mut open.doubt {
                *polls += 1;
                if *polls >= POLLS_TO_SETTLE && self.listing.is_ready() {
                    over.push(*id);
                }
            }
        }
        for id in over {
            self.resolve(id);
        }
        for key in std::mem::take(&mut self.unsettled) {
            self.count_poll(key);
            self.reconcile(key);
        }
    }

    fn count_poll(&mut self, key: JobKey) {
        let Some(record) = self.records.get_mut(&key) else {
            return;
        };
        if let Some(settling) = &mut record.settling {
            settling.polls += 1;
        }
        let mut over = Vec::new();
        record.portions.retain_mut(|portion| {
            portion.polls += u32::from(portion.intent.is_none());
            let keep = portion.polls < POLLS_TO_SETTLE;
            if !keep {
                over.push(portion.tasks.clone());
            }
            keep
        });
        if !record.portions.is_empty() {
            self.unsettled.insert(key);
        }
        for tasks in over {
            self.forget_tasks(key.id, &tasks);
        }
    }
}
