//! Complete and incomplete listings, restarts, reused ids, clocks.

use std::time::Duration;

use fedsched::engine::Alarm;
use fedsched::model::{Change, Event, JobKey, Outcome, Phase, Timestamp};
use fedsched_protocol::mark::Mark;

use super::build::{cpus, job, nodes};
use super::scenarios::two_members;
use super::world::{Fate, World};

/// Forty jobs, sixteen of which run.
fn crowd() -> World {
    let mut world = World::new().member("cpu", nodes("c", 2, &cpus(8))).begin();
    for id in 1..=40 {
        world.submit(job(id));
    }
    world.settle();
    assert_eq!(world.slurm.starts.len(), 16);
    world
}

fn doubts(world: &World) -> bool {
    let alarms = world.engine.alarms();
    alarms
        .iter()
        .any(|alarm| matches!(alarm, Alarm::Vanished { .. }))
}

#[test]
fn an_empty_listing_is_doubted_until_a_second_says_the_same() {
    let mut world = crowd();
    let jobs = std::mem::take(&mut world.slurm.jobs);
    world.list();
    assert!(doubts(&world));
    assert_eq!(world.engine.records().count(), 40, "nothing is forgotten");
    world.slurm.jobs = jobs;
    world.list();
    assert!(!doubts(&world));
    world.slurm.jobs.clear();
    world.list();
    assert!(doubts(&world));
    world.list();
    assert!(!doubts(&world));
    assert_eq!(world.engine.records().count(), 0);
}

#[test]
fn jobs_that_vanish_between_two_listings_are_doubted_too() {
    let mut world = crowd();
    let jobs = std::mem::take(&mut world.slurm.jobs);
    world.poll();
    assert!(doubts(&world));
    assert_eq!(world.engine.records().count(), 40);
    world.slurm.jobs = jobs;
    world.poll();
    assert!(!doubts(&world));
    world.slurm.jobs.clear();
    world.poll();
    world.pass(Duration::from_secs(70));
    assert_eq!(
        world.engine.records().count(),
        0,
        "polls have gone on saying so"
    );
}

#[test]
fn many_that_were_seen_to_end_may_go_at_once() {
    let mut world = crowd();
    for id in 1..=40 {
        world.cancel(id);
    }
    world.poll();
    world.slurm.jobs.clear();
    world.poll();
    assert!(!doubts(&world));
    assert_eq!(world.engine.records().count(), 0);
}

#[test]
fn a_few_may_vanish() {
    let mut world = crowd();
    world.slurm.jobs.remove(&JobKey::job(40));
    world.poll();
    assert!(!doubts(&world));
    assert_eq!(world.engine.records().count(), 39);
}

#[test]
fn a_node_that_vanishes_takes_its_room_with_it() {
    let mut world = World::new().member("cpu", nodes("c", 2, &cpus(8))).begin();
    world.slurm.nodes.remove(&"c2".into());
    world.submit(job(1).cpus(8));
    world.submit(job(2).cpus(8));
    world.settle();
    assert_eq!(world.slurm.starts.len(), 1);
}

#[test]
fn nothing_is_bound_before_the_first_full_listing() {
    let mut world = two_members();
    world.handle(Event::Init);
    let mut waiting = job(1).0;
    waiting.submitted = world.now;
    world.handle(Event::Job(Change::Applied(waiting)));
    world.schedule();
    assert!(world.log.is_empty(), "{}", world.log);
}

#[test]
fn a_daemon_killed_between_decision_and_outcome_looks_it_up() {
    for carried_out in [false, true] {
        let mut world = two_members().begin();
        world.fate = Fate::Kept;
        world.submit(job(1).cpus(4)).poll();
        let intent = world.stored.values().next().unwrap().clone();
        if carried_out {
            world.slurm.carry_out(&intent);
        }
        world.fate = Fate::Done;
        world.restart(true);
        world.settle();
        assert!(world.stored.is_empty());
        assert_eq!(world.place(1), "cpu");
        assert_eq!(world.starts_of(JobKey::job(1)), 1);
    }
}

#[test]
fn a_daemon_that_starts_counts_what_waits_at_members() {
    let mut world = World::new().member("cpu", nodes("c", 2, &cpus(8))).begin();
    world.submit(job(1).cpus(8)).poll();
    assert_eq!(world.place(1), "cpu");
    world.engine = fedsched::engine::Engine::new(std::sync::Arc::new(world.settings.clone()));
    world.list();
    world.submit(job(2).cpus(8));
    world.submit(job(3).cpus(8));
    world.poll();
    let waiting = (2..=3)
        .filter(|id| world.place(*id) == "federation")
        .count();
    assert_eq!(waiting, 1, "one node is assumed for job 1");
}

#[test]
fn an_intent_about_another_job_of_the_same_id_is_dropped() {
    let mut world = two_members().begin();
    world.fate = Fate::Kept;
    world.submit(job(1).cpus(4)).poll();
    world.slurm.jobs.clear();
    world.fate = Fate::Done;
    let mut other = job(1).cpus(16);
    other.0.mark = Some(Mark(77));
    world.submit(other);
    world.restart(true);
    world.settle();
    assert!(world.stored.is_empty());
    assert_eq!(world.place(1), "big");
}

#[test]
fn an_id_used_again_is_another_job() {
    let mut world = two_members().begin();
    world.submit(job(1).cpus(8)).settle();
    world.slurm.end(JobKey::job(1), Outcome::NodeFailed);
    world.slurm.jobs.clear();
    let mut other = job(1).cpus(8);
    other.0.mark = Some(Mark(77));
    world.submit(other).settle();
    let record = world.engine.record(JobKey::job(1)).unwrap();
    assert_eq!(record.memory.mark, Some(Mark(77)));
    assert_eq!(record.memory.story.len(), 3, "{:?}", record.memory.story);
    assert_eq!(world.starts_of(JobKey::job(1)), 2);
}

#[test]
fn memories_of_jobs_that_are_no_more_are_forgotten() {
    let mut world = two_members().begin();
    world.submit(job(1).cpus(4)).settle();
    assert_eq!(world.memories.len(), 1);
    world.slurm.jobs.clear();
    world.restart(true);
    assert!(world.memories.is_empty());
}

#[test]
fn what_is_remembered_survives_a_restart() {
    let mut world = two_members().begin();
    world.submit(job(1).cpus(4)).poll();
    world.change(1, |job| {
        let why = "PartitionNodeLimit".to_owned();
        job.phase = Phase::Waiting(fedsched::model::WaitReason::NotHere(why));
    });
    world.partition("big").state = fedsched::model::PartitionState::Down;
    world.poll();
    world.poll();
    assert_eq!(world.place(1), "federation");
    world.restart(true);
    assert_eq!(world.place(1), "federation");
    world.partition("big").state = fedsched::model::PartitionState::Up;
    world.settle();
    assert_eq!(world.place(1), "big");
}

#[test]
fn a_clock_that_jumps_expires_nothing() {
    for jump in [7_200_000, -7_200_000] {
        let mut world = World::new().member("cpu", nodes("c", 1, &cpus(8))).begin();
        world.sbatch(job(1).cpus(8));
        world.slurm.jobs.clear();
        world.now = Timestamp(world.now.0 + jump);
        world.submit(job(2).cpus(8)).poll();
        world.now = Timestamp(world.now.0 + 1000);
        world.poll();
        world.poll();
        assert_eq!(world.place(2), "federation", "job 1 may still appear");
        world.pass(Duration::from_secs(70));
        assert!(
            world.started(2),
            "and after its time it is not waited for any more"
        );
    }
}

#[test]
fn while_slurmctld_is_silent_nothing_is_done() {
    let mut world = two_members().begin();
    let reason = "connection refused".to_owned();
    world.handle(Event::Unreachable { reason });
    world.handle(Event::Job(Change::Applied({
        let mut waiting = job(1).0;
        waiting.submitted = world.now;
        waiting.eligible = Some(world.now);
        waiting
    })));
    world.schedule();
    assert!(world.log.is_empty());
    assert!(matches!(
        world.engine.alarms()[..],
        [Alarm::Unreachable { .. }]
    ));
    world.submit(job(1));
    world.list();
    world.settle();
    assert!(world.started(1));
    assert!(world.engine.alarms().is_empty());
}
