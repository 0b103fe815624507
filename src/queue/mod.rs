//! Waiting jobs: pending, unschedulable, reschedule, and those parked outside the three.
//!
//! ```text
//!   enqueue ──► pending ──── popped ──► (bound)
//!                 ▲  │
//!            wake │  │ refused, with its whole class
//!                 │  ▼
//!            unschedulable                      came back ──► reschedule ── popped ──► (bound)
//!                                                                  │ refused
//!                                                                  └──► unschedulable
//! ```
//!
//! Jobs alike in everything the scheduler looks at form a class. Pending and unschedulable are kept by
//! class, so that a refusal or a wake-up of ten thousand equal jobs costs as much as that of one.
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

mod backoff;
mod class;
mod order;
#[cfg(test)]
mod test;

pub use backoff::Backoff;
pub use class::{ClassId, Wake};
pub use order::Order;

use std::collections::{BTreeMap, BTreeSet};

use self::class::{Class, Sleep};
use crate::model::{JobKey, Timestamp};

/// Where a waiting job is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// Ready to be looked at.
    Pending,
    /// Refused, until something changes or its wait is over.
    Unschedulable,
    /// Came back from a member: first in turn.
    Reschedule,
    /// Not ready by its user's or Slurm's word.
    Parked,
}

#[derive(Debug, Clone, Copy)]
struct Slot {
    order: Order,
    class: ClassId,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    InClass,
    Reschedule,
    Parked,
}

/// Every waiting job, each in exactly one place. `O` names the owner of a limit.
#[derive(Debug)]
pub struct Queue<O> {
    backoff: Backoff,
    slots: BTreeMap<JobKey, Slot>,
    classes: BTreeMap<ClassId, Class<O>>,
    /// First job of each class that is ready.
    ready: BTreeSet<(Order, ClassId)>,
    /// First job of each class that sleeps.
    asleep: BTreeSet<(Order, ClassId)>,
    /// When each sleeping class wakes by itself.
    alarms: BTreeSet<(Timestamp, ClassId)>,
    reschedule: BTreeSet<Order>,
}

/// How many jobs wait where.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Lengths {
    /// Pending.
    pub pending: usize,
    /// Unschedulable.
    pub unschedulable: usize,
    /// Reschedule.
    pub reschedule: usize,
    /// Parked.
    pub parked: usize,
}

impl<O: Ord> Queue<O> {
    /// An empty queue.
    pub fn new(backoff: Backoff) -> Self {
        Self {
            backoff,
            slots: BTreeMap::new(),
            classes: BTreeMap::new(),
            ready: BTreeSet::new(),
            asleep: BTreeSet::new(),
            alarms: BTreeSet::new(),
            reschedule: BTreeSet::new(),
        }
    }

    /// Waits from now on are these.
    pub fn set_backoff(&mut self, backoff: Backoff) {
        self.backoff = backoff;
    }

    /// Puts a job where its class is: pending, or unschedulable if the class was refused. A job in
    /// *reschedule* stays there.
    pub fn enqueue(&mut self, order: Order, class: ClassId) {
        let job = order.job();
        if let Some(slot) = self.slots.get(&job) {
            if slot.order == order && slot.class == class && slot.kind != Kind::Parked {
                return;
            }
            if slot.kind == Kind::Reschedule {
                self.reschedule(order, class);
                return;
            }
        }
        self.remove(job);
        self.slots.insert(
            job,
            Slot {
                order,
                class,
                kind: Kind::InClass,
            },
        );
        self.change(class, |class| {
            // A new first job may have a promise behind it that stood before the others.
            if class.jobs.first().is_some_and(|first| order < *first) {
                class.sleep = None;
            }
            class.jobs.insert(order);
        });
    }

    /// Puts a job that came back from a member first in turn.
    pub fn reschedule(&mut self, order: Order, class: ClassId) {
        self.remove(order.job());
        let kind = Kind::Reschedule;
        self.slots.insert(order.job(), Slot { order, class, kind });
        self.reschedule.insert(order);
    }

    /// Keeps a job that is not ready out of the three queues.
    pub fn park(&mut self, order: Order, class: ClassId) {
        self.remove(order.job());
        let kind = Kind::Parked;
        self.slots.insert(order.job(), Slot { order, class, kind });
    }

    /// Takes a job out, wherever it is.
    pub fn remove(&mut self, job: JobKey) {
        let Some(slot) = self.slots.remove(&job) else {
            return;
        };
        match slot.kind {
            Kind::InClass => self.change(slot.class, |class| {
                class.jobs.remove(&slot.order);
            }),
            Kind::Reschedule => {
                self.reschedule.remove(&slot.order);
            }
            Kind::Parked => {}
        }
    }

    /// The first job after `after` that is in *reschedule*.
    pub fn next_to_reschedule(&self, after: Option<Order>) -> Option<(Order, ClassId)> {
        let order = match after {
            None => self.reschedule.first(),
            Some(after) => self.reschedule.range(after.successor()..).next(),
        }?;
        Some((*order, self.slots.get(&order.job())?.class))
    }

    /// The first job of the first pending class after `after`.
    pub fn next_pending(&self, after: Option<Order>) -> Option<(Order, ClassId)> {
        first_after(&self.ready, after)
    }

    /// The first job of each pending class, of those whose first job has this priority.
    pub fn band(&self, priority: u32) -> Vec<(Order, ClassId)> {
        let first = Order::new(JobKey::job(0), priority, Timestamp(i64::MIN));
        self.ready
            .range((first, ClassId(0))..)
            .take_while(|(order, _)| order.priority() == priority)
            .copied()
            .collect()
    }

    /// The first job of the first unschedulable class after `after`.
    pub fn next_unschedulable(&self, after: Option<Order>) -> Option<(Order, ClassId)> {
        first_after(&self.asleep, after)
    }

    /// The class of a job was refused: all its jobs are unschedulable until one of `wakes` happens,
    /// its wait is over, or `at_latest`. A job of *reschedule* goes with its class.
    pub fn refuse(
        &mut self,
        order: Order,
        class: ClassId,
        wakes: BTreeSet<Wake<O>>,
        at_latest: Timestamp,
        now: Timestamp,
    ) {
        if let Some(slot) = self.slots.get_mut(&order.job())
            && slot.kind == Kind::Reschedule
        {
            slot.kind = Kind::InClass;
            self.reschedule.remove(&order);
            self.change(class, |class| {
                class.jobs.insert(order);
            });
        }
        let backoff = self.backoff;
        self.change(class, |class| {
            let until = (now + backoff.after(class.refusals)).min(at_latest);
            class.refusals = class.refusals.saturating_add(1);
            class.sleep = Some(Sleep { wakes, until });
        });
    }

    /// A job of the class was bound: its next refusal is the first again.
    pub fn placed(&mut self, class: ClassId) {
        if self.classes.contains_key(&class) {
            self.change(class, |class| class.refusals = 0);
        }
    }

    /// Something happened: the classes whose refusal it could end are pending again.
    pub fn wake(&mut self, wake: &Wake<O>) {
        let woken: Vec<ClassId> = self
            .asleep
            .iter()
            .map(|(_, class)| *class)
            .filter(|class| self.sleeps_for(*class, wake))
            .collect();
        for class in woken {
            self.change(class, |class| class.sleep = None);
        }
    }

    /// A class is pending again, and its waits begin anew.
    pub fn wake_class(&mut self, class: ClassId) {
        if self.classes.contains_key(&class) {
            self.change(class, |class| {
                class.sleep = None;
                class.refusals = 0;
            });
        }
    }

    /// Every class is pending again.
    pub fn wake_all(&mut self) {
        let asleep: Vec<ClassId> = self.asleep.iter().map(|(_, class)| *class).collect();
        for class in asleep {
            self.change(class, |class| class.sleep = None);
        }
    }

    /// Classes whose wait is over are pending again.
    pub fn wake_due(&mut self, now: Timestamp) {
        while let Some(&(until, class)) = self.alarms.first()
            && until <= now
        {
            self.change(class, |class| class.sleep = None);
        }
    }

    /// When the next wait is over.
    pub fn next_due(&self) -> Option<Timestamp> {
        self.alarms.first().map(|(until, _)| *until)
    }

    /// Whether any job is ready to be looked at.
    pub fn has_ready(&self) -> bool {
        !self.ready.is_empty() || !self.reschedule.is_empty()
    }

    /// Where a job is.
    pub fn place(&self, job: JobKey) -> Option<Place> {
        let slot = self.slots.get(&job)?;
        Some(match slot.kind {
            Kind::Parked => Place::Parked,
            Kind::Reschedule => Place::Reschedule,
            Kind::InClass => match self.classes.get(&slot.class) {
                Some(class) if class.sleep.is_some() => Place::Unschedulable,
                _ => Place::Pending,
            },
        })
    }

    /// The class of a job that waits.
    pub fn class(&self, job: JobKey) -> Option<ClassId> {
        self.slots.get(&job).map(|slot| slot.class)
    }

    /// Every waiting job with its place, in the order they will be looked at.
    pub fn in_order(&self) -> Vec<(JobKey, Place)> {
        let mut all: Vec<(Place, Order)> = self
            .slots
            .values()
            .filter_map(|slot| Some((self.place(slot.order.job())?, slot.order)))
            .collect();
        let turn = |place: Place| match place {
            Place::Reschedule => 0,
            Place::Pending | Place::Unschedulable => 1,
            Place::Parked => 2,
        };
        all.sort_by_key(|(place, order)| (turn(*place), *order));
        all.into_iter()
            .map(|(place, order)| (order.job(), place))
            .collect()
    }

    /// How many jobs wait where.
    pub fn lengths(&self) -> Lengths {
        let asleep = |class: &&Class<O>| class.sleep.is_some();
        let unschedulable = self
            .classes
            .values()
            .filter(asleep)
            .map(|c| c.jobs.len())
            .sum();
        let in_class: usize = self.classes.values().map(|class| class.jobs.len()).sum();
        let reschedule = self.reschedule.len();
        Lengths {
            pending: in_class - unschedulable,
            unschedulable,
            reschedule,
            parked: self.slots.len() - in_class - reschedule,
        }
    }

    fn sleeps_for(&self, class: ClassId, wake: &Wake<O>) -> bool {
        let sleep = self
            .classes
            .get(&class)
            .and_then(|class| class.sleep.as_ref());
        sleep.is_some_and(|sleep| sleep.wakes.contains(wake))
    }

    /// Changes a class and keeps what is derived from it; a class without jobs is dropped.
    fn change(&mut self, id: ClassId, change: impl FnOnce(&mut Class<O>)) {
        let class = self.classes.entry(id).or_default();
        if let Some(first) = class.jobs.first() {
            self.ready.remove(&(*first, id));
            self.asleep.remove(&(*first, id));
        }
        if let Some(sleep) = &class.sleep {
            self.alarms.remove(&(sleep.until, id));
        }
        change(class);
        let Some(first) = class.jobs.first() else {
            self.classes.remove(&id);
            return;
        };
        match &class.sleep {
            None => self.ready.insert((*first, id)),
            Some(sleep) => {
                self.alarms.insert((sleep.until, id));
                self.asleep.insert((*first, id))
            }
        };
    }
}

fn first_after(
    heads: &BTreeSet<(Order, ClassId)>,
    after: Option<Order>,
) -> Option<(Order, ClassId)> {
    match after {
        None => heads.first(),
        Some(after) => heads.range((after.successor(), ClassId(0))..).next(),
    }
    .copied()
}
