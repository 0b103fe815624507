//! The queue against a model: where each job is, by hand.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use proptest::prelude::*;

use super::*;

type Jobs = Queue<u8>;

#[derive(Debug, Clone)]
enum Step {
    Enqueue(u32, u32, u64),
    Reschedule(u32, u32, u64),
    Park(u32, u32, u64),
    Remove(u32),
    /// Pops whoever is first, and refuses it with its class until this owner's usage falls.
    Refuse(u8),
    /// Pops whoever is first, and places it.
    Place,
    Wake(u8),
    Wait(u64),
}

fn step() -> impl Strategy<Value = Step> {
    let job = || (0u32..12, 0u32..4, 0u64..3);
    prop_oneof![
        4 => job().prop_map(|(job, priority, class)| Step::Enqueue(job, priority, class)),
        1 => job().prop_map(|(job, priority, class)| Step::Reschedule(job, priority, class)),
        1 => job().prop_map(|(job, priority, class)| Step::Park(job, priority, class)),
        1 => (0u32..12).prop_map(Step::Remove),
        3 => (0u8..2).prop_map(Step::Refuse),
        2 => Just(Step::Place),
        1 => (0u8..2).prop_map(Step::Wake),
        1 => (0u64..400).prop_map(Step::Wait),
    ]
}

fn order(job: u32, priority: u32) -> Order {
    Order::new(JobKey::job(job), priority, Timestamp(0))
}

fn first(queue: &Jobs) -> Option<(Order, ClassId)> {
    let head = queue.next_to_reschedule(None);
    head.or_else(|| queue.next_pending(None))
}

proptest! {
    #[test]
    fn every_waiting_job_is_in_exactly_one_place(steps in prop::collection::vec(step(), 1..80)) {
        let backoff = Backoff {
            first: Duration::from_secs(5),
            max: Duration::from_secs(60),
        };
        let mut queue = Jobs::new(backoff);
        let mut known: BTreeMap<u32, (u32, u64)> = BTreeMap::new();
        let mut now = Timestamp(0);
        for step in steps {
            match step {
                Step::Enqueue(job, priority, class) => {
                    queue.enqueue(order(job, priority), ClassId(class));
                    known.insert(job, (priority, class));
                }
                Step::Reschedule(job, priority, class) => {
                    queue.reschedule(order(job, priority), ClassId(class));
                    known.insert(job, (priority, class));
                    prop_assert_eq!(queue.place(JobKey::job(job)), Some(Place::Reschedule));
                }
                Step::Park(job, priority, class) => {
                    queue.park(order(job, priority), ClassId(class));
                    known.insert(job, (priority, class));
                    prop_assert_eq!(queue.place(JobKey::job(job)), Some(Place::Parked));
                }
                Step::Remove(job) => {
                    queue.remove(JobKey::job(job));
                    known.remove(&job);
                    prop_assert_eq!(queue.place(JobKey::job(job)), None);
                }
                Step::Refuse(owner) => {
                    if let Some((order, class)) = first(&queue) {
                        let wakes = BTreeSet::from([Wake::Usage(owner)]);
                        queue.refuse(order, class, wakes, Timestamp::NEVER, now);
                        prop_assert_eq!(queue.place(order.job()), Some(Place::Unschedulable));
                        prop_assert!(queue.next_due().unwrap() > now);
                    }
                }
                Step::Place => {
                    if let Some((order, class)) = first(&queue) {
                        queue.placed(class);
                        queue.remove(order.job());
                        known.remove(&order.job().id);
                    }
                }
                Step::Wake(owner) => queue.wake(&Wake::Usage(owner)),
                Step::Wait(seconds) => {
                    now = now + Duration::from_secs(seconds);
                    queue.wake_due(now);
                    prop_assert!(queue.next_due().is_none_or(|due| due > now));
                }
            }
            let listed: Vec<u32> = queue.in_order().iter().map(|(key, _)| key.id).collect();
            let unique: BTreeSet<u32> = listed.iter().copied().collect();
            prop_assert_eq!(listed.len(), unique.len());
            prop_assert_eq!(unique, known.keys().copied().collect());
            let lengths = queue.lengths();
            let sum = lengths.pending + lengths.unschedulable + lengths.reschedule + lengths.parked;
            prop_assert_eq!(sum, known.len());
            prop_assert_eq!(queue.has_ready(), lengths.pending + lengths.reschedule > 0);
            // Whoever is pending and first of its class is found in its turn.
            let mut at = None;
            let mut heads = 0;
            while let Some((order, class)) = queue.next_pending(at) {
                prop_assert!(at.is_none_or(|at| at < order));
                let (priority, own) = known[&order.job().id];
                prop_assert_eq!((order.priority(), class.0), (priority, own));
                heads += 1;
                at = Some(order);
            }
            prop_assert!(heads <= 3);
        }
    }
}
