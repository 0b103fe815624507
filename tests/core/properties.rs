//! What must be true whatever happens: random workloads, random faults, restarts.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use fedsched::model::{JobKey, Outcome, PartitionState, Phase, WaitReason};
use proptest::prelude::*;

use super::build::{Ask, cpus, job, nodes, with_gres};
use super::world::{Fate, World};

#[derive(Debug, Clone)]
enum Step {
    Submit(Spec),
    Sbatch(Spec),
    Fate(Fate),
    Wait(u64),
    Cancel(usize),
    /// The first job that waits at a member gets this reason.
    Stick(WaitReason),
    Restart(bool),
    Relist,
    Partition(bool),
}

#[derive(Debug, Clone)]
struct Spec {
    size: u32,
    nodes: u32,
    minutes: u64,
    priority: u32,
    account: usize,
    array: Option<u32>,
    most: Option<u32>,
    gpu: bool,
}

const ACCOUNTS: [&str; 3] = ["chem", "bio", "none"];

impl Spec {
    fn ask(&self, id: u32) -> Ask {
        let ask = if self.nodes > 1 {
            job(id).nodes(self.nodes, self.size)
        } else {
            job(id).cpus(self.size)
        };
        let mut ask = ask
            .minutes(self.minutes)
            .priority(self.priority)
            .account(ACCOUNTS[self.account]);
        if self.gpu {
            ask = ask.gres("gpu", 1);
        }
        if let Some(tasks) = self.array {
            ask = ask.array(0..tasks);
            if let Some(most) = self.most {
                ask = ask.at_once(most);
            }
        }
        ask
    }
}

fn spec() -> impl Strategy<Value = Spec> {
    let shape = (
        1u32..17,
        prop_oneof![4 => Just(1u32), 1 => 2u32..4],
        1u64..6,
    );
    let array = prop::option::weighted(0.2, 1u32..9);
    let most = prop::option::weighted(0.3, 1u32..4);
    (
        shape,
        1u32..6,
        0usize..3,
        array,
        most,
        prop::bool::weighted(0.15),
    )
        .prop_map(
            |((size, nodes, minutes), priority, account, array, most, gpu)| Spec {
                size: if nodes > 1 { size.min(8) } else { size },
                nodes,
                minutes,
                priority: priority * 100,
                account,
                array,
                most,
                gpu: gpu && nodes == 1,
            },
        )
}

fn step() -> impl Strategy<Value = Step> {
    let fate = prop_oneof![
        3 => Just(Fate::Done),
        1 => Just(Fate::Refused),
        1 => Just(Fate::DoneUnheard),
        1 => Just(Fate::Lost),
        1 => Just(Fate::NotStored),
    ];
    let reason = prop_oneof![
        Just(WaitReason::NotHere("PartitionNodeLimit".to_owned())),
        Just(WaitReason::Turn("Priority".to_owned())),
        Just(WaitReason::Licenses),
        Just(WaitReason::Limit {
            owner: fedsched::model::LimitOwner::Qos,
            limit: "QOSMaxJobsPerUserLimit".to_owned(),
        }),
    ];
    prop_oneof![
        8 => spec().prop_map(Step::Submit),
        4 => spec().prop_map(Step::Sbatch),
        2 => fate.prop_map(Step::Fate),
        4 => (1u64..90).prop_map(Step::Wait),
        1 => (0usize..30).prop_map(Step::Cancel),
        2 => reason.prop_map(Step::Stick),
        1 => any::<bool>().prop_map(Step::Restart),
        1 => Just(Step::Relist),
        1 => any::<bool>().prop_map(Step::Partition),
    ]
}

fn site() -> World {
    World::new()
        .member("big", nodes("b", 2, &cpus(16)))
        .member("cpu", nodes("c", 4, &cpus(8)))
        .member("gpu", nodes("g", 2, &with_gres(cpus(16), "gpu:a100", 2)))
        .home("cpu", "chem")
        .home("big", "bio")
}

fn take(world: &mut World, step: Step, next: &mut u32) {
    match step {
        Step::Submit(spec) => {
            world.submit(spec.ask(*next)).poll();
            *next += 1;
        }
        Step::Sbatch(spec) => {
            world.sbatch(spec.ask(*next));
            *next += 1;
        }
        Step::Fate(fate) => world.fate = fate,
        Step::Wait(seconds) => world.pass(Duration::from_secs(seconds)),
        Step::Cancel(which) => {
            let keys: Vec<JobKey> = world.slurm.jobs.keys().copied().collect();
            if let Some(key) = keys.get(which) {
                world.slurm.end(*key, Outcome::Cancelled);
                world.poll();
            }
        }
        Step::Stick(reason) => {
            let mut jobs = world.slurm.jobs.values_mut();
            let stuck = jobs.find(|job| {
                job.partitions[0].as_str() != "federation" && matches!(job.phase, Phase::Waiting(_))
            });
            if let Some(job) = stuck {
                job.phase = Phase::Waiting(reason);
            }
            world.poll();
        }
        Step::Restart(with_store) => world.restart(with_store),
        Step::Relist => {
            world.list();
            world.schedule();
        }
        Step::Partition(up) => {
            let state = if up {
                PartitionState::Up
            } else {
                PartitionState::Down
            };
            world.partition("cpu").state = state;
            world.poll();
        }
    }
}

/// Every submitted job and task, each once, wherever it is.
fn census(world: &World) -> BTreeMap<JobKey, usize> {
    let mut census = BTreeMap::new();
    for (key, job) in &world.slurm.jobs {
        match &job.tasks {
            Some(tasks) if key.task.is_none() => {
                for task in tasks.iter() {
                    *census.entry(JobKey::task(key.id, task)).or_default() += 1;
                }
            }
            _ => *census.entry(*key).or_default() += 1,
        }
    }
    census
}

fn assert_each_started_at_most_once(world: &World) {
    let mut seen = BTreeSet::new();
    for (key, _) in &world.slurm.starts {
        assert!(seen.insert(*key), "{key} started twice");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn nothing_is_lost_nothing_runs_twice_and_everything_runs(
        steps in prop::collection::vec(step(), 1..40),
    ) {
        let mut world = site().begin();
        let mut next = 1;
        for step in steps {
            take(&mut world, step, &mut next);
            assert_each_started_at_most_once(&world);
            prop_assert!(census(&world).values().all(|count| *count == 1));
            world.assert_no_overcommitment();
        }
        // Faults are over: everything that waits runs, within what backoff and memory allow.
        world.fate = Fate::Done;
        world.partition("cpu").state = PartitionState::Up;
        let waits = |world: &World| {
            let jobs = world.slurm.jobs.values();
            jobs.filter(|job| !matches!(job.phase, Phase::Ended(_))).count()
        };
        for _ in 0..400 {
            if waits(&world) == 0 {
                break;
            }
            world.pass(Duration::from_secs(60));
        }
        prop_assert_eq!(waits(&world), 0, "{:#?}", world.slurm.jobs.values().find(|job| !matches!(job.phase, Phase::Ended(_))));
        assert_each_started_at_most_once(&world);
        for _ in 0..3 {
            world.poll();
        }
        prop_assert!(world.stored.is_empty(), "{:?}", world.stored);
        prop_assert_eq!(world.engine.topology().assumptions().count(), 0);
    }

    #[test]
    fn the_order_of_members_in_the_configuration_does_not_matter(
        specs in prop::collection::vec(spec(), 1..20),
        turn in 0usize..3,
    ) {
        let run = |turn: usize| {
            let mut world = site().configured(|settings| settings.members.rotate_left(turn)).begin();
            for (id, spec) in (1..).zip(&specs) {
                world.submit(spec.ask(id)).poll();
                world.pass(Duration::from_secs(20));
            }
            world.log
        };
        prop_assert_eq!(run(0), run(turn));
    }

    #[test]
    fn events_of_the_first_listing_in_any_order_lead_to_the_same_decisions(
        specs in prop::collection::vec(spec(), 1..20),
        seed in any::<u64>(),
    ) {
        let run = |seed: Option<u64>| {
            let mut world = site();
            for (id, spec) in (1..).zip(&specs) {
                world.submit(spec.ask(id));
            }
            world.list_shuffled(seed);
            world.schedule();
            world.log
        };
        prop_assert_eq!(run(None), run(Some(seed)));
    }

    #[test]
    fn every_member_is_spoken_of_with_a_reason(spec in spec(), others in prop::collection::vec(spec(), 0..12)) {
        let mut world = site().begin();
        for (id, other) in (2..).zip(&others) {
            world.submit(other.ask(id));
        }
        world.settle();
        world.submit(spec.ask(1)).poll();
        let (_, told) = fedsched::report::explain(&world.engine, 1, None).unwrap();
        prop_assert!(!told.summary.is_empty());
        if told.member.is_none() {
            let names: Vec<&str> = told.members.iter().map(|member| &*member.member).collect();
            prop_assert_eq!(names, ["big", "cpu", "gpu"]);
        }
        for member in &told.members {
            prop_assert!(!member.text.is_empty());
            prop_assert!(member.score.is_none_or(|score| score <= 100));
            prop_assert_eq!(member.score.is_none(), member.verdict == "refused");
        }
    }
}
