//! Arrays are placed in pieces.

use std::time::Duration;

use fedsched::model::{JobKey, Outcome};
use fedsched::queue::Place;

use super::build::{cpus, job, nodes};
use super::scenarios::two_members;
use super::world::{Fate, World};

fn tasks_at(world: &World, id: u32, partition: &str) -> usize {
    let records = world
        .slurm
        .jobs
        .range(JobKey::task(id, 0)..=JobKey::task(id, u32::MAX));
    records
        .filter(|(_, job)| job.partitions[0].as_str() == partition)
        .count()
}

#[test]
fn an_array_that_fits_one_member_goes_there_as_one_record() {
    let mut world = two_members().begin();
    world.submit(job(117).cpus(4).array(0..6)).poll();
    assert_eq!(world.place(117), "cpu");
    assert_eq!(world.log.matches("Intend").count(), 1);
    world.settle();
    assert_eq!(world.slurm.starts.len(), 6);
}

#[test]
fn an_array_is_spread_over_members_in_one_pass() {
    let mut world = two_members().begin();
    world.submit(job(117).cpus(8).array(0..9)).poll();
    assert_eq!(tasks_at(&world, 117, "cpu"), 4);
    assert_eq!(tasks_at(&world, 117, "big"), 5);
    assert_eq!(
        world.log.matches("Intend").count(),
        2,
        "a call for each range, not for each task"
    );
    world.settle();
    assert_eq!(world.slurm.starts.len(), 9);
}

#[test]
fn what_does_not_fit_stays_the_arrays_own_record() {
    let mut world = World::new().member("cpu", nodes("c", 2, &cpus(8))).begin();
    world.submit(job(117).cpus(8).array(0..10)).settle();
    assert_eq!(tasks_at(&world, 117, "cpu"), 2);
    let rest = &world.slurm.jobs[&JobKey::job(117)];
    assert_eq!(rest.tasks.as_ref().unwrap().to_string(), "2-9");
    assert_eq!(world.queue_of(117), Some(Place::Unschedulable));
    world.slurm.end(JobKey::task(117, 0), Outcome::Completed);
    world.settle();
    assert_eq!(tasks_at(&world, 117, "cpu"), 3);
}

#[test]
fn every_task_runs_once_and_never_more_than_its_limit() {
    let mut world = two_members().begin();
    world
        .submit(job(117).cpus(8).minutes(1).array(0..20).at_once(3))
        .settle();
    let mut most = 0;
    for _ in 0..900 {
        world.pass(Duration::from_secs(1));
        let jobs = world.slurm.jobs.values();
        let running = jobs.filter(|job| job.allocation.is_some()).count();
        most = most.max(running);
        let out = tasks_at(&world, 117, "cpu") + tasks_at(&world, 117, "big");
        let ended = world.slurm.jobs.values();
        let ended = ended.filter(|job| matches!(job.phase, fedsched::model::Phase::Ended(_)));
        assert!(out - ended.count() <= 3, "no more are bound than may run");
    }
    assert_eq!(most, 3);
    for task in 0..20 {
        assert_eq!(world.starts_of(JobKey::task(117, task)), 1, "{task}");
    }
}

#[test]
fn a_piece_that_did_not_go_is_free_again() {
    let mut world = World::new().member("cpu", nodes("c", 2, &cpus(8))).begin();
    world.fate = Fate::Lost;
    world.submit(job(117).cpus(8).array(0..10)).poll();
    world.fate = Fate::Done;
    for _ in 0..20 {
        world.now = world.now + Duration::from_secs(1);
        world.poll();
    }
    assert_eq!(tasks_at(&world, 117, "cpu"), 2);
    assert!(world.stored.is_empty());
}

#[test]
fn a_piece_of_which_only_a_part_went_is_followed_task_by_task() {
    let mut world = World::new().member("cpu", nodes("c", 4, &cpus(8))).begin();
    world.fate = Fate::Kept;
    world.submit(job(117).cpus(8).array(0..10)).poll();
    let intent = world.stored.values().next().unwrap().clone();
    assert_eq!(intent.tasks.as_ref().unwrap().to_string(), "0-3");
    // Two of the four tasks moved.
    let mut part = intent.clone();
    part.tasks = Some(intent.tasks.unwrap().first(2));
    world.slurm.carry_out(&part);
    world.fate = Fate::Done;
    world.handle(fedsched::model::Event::Done(intent.id));
    for _ in 0..8 {
        world.now = world.now + Duration::from_secs(1);
        world.slurm.start(world.now);
        world.poll();
    }
    assert_eq!(tasks_at(&world, 117, "cpu"), 4);
    assert_eq!(world.slurm.starts.len(), 4);
}

#[test]
fn tasks_that_start_and_end_between_two_polls_leave_nothing_assumed() {
    let mut world = World::new().member("cpu", nodes("c", 4, &cpus(8))).begin();
    for round in 0..5 {
        world.submit(job(100 + round).cpus(8).array(0..4)).poll();
        world.slurm.start(world.now);
        for task in 0..4 {
            assert!(
                world
                    .slurm
                    .end(JobKey::task(100 + round, task), Outcome::Completed)
            );
            world.slurm.jobs.remove(&JobKey::task(100 + round, task));
        }
        for _ in 0..4 {
            world.now = world.now + Duration::from_secs(1);
            world.poll();
        }
    }
    assert_eq!(world.slurm.starts.len(), 20);
}

#[test]
fn one_task_that_comes_back_leaves_the_others_where_they_are() {
    let mut world = two_members().begin();
    world.submit(job(117).cpus(8).array(0..6)).settle();
    let key = JobKey::task(117, 1);
    assert_eq!(world.place_of(key), "cpu");
    world.slurm.end(key, Outcome::NodeFailed);
    let job = world.slurm.jobs.get_mut(&key).unwrap();
    job.restarts = 1;
    job.phase = fedsched::model::Phase::Waiting(fedsched::model::WaitReason::BeginTime);
    world.poll();
    world.poll();
    assert_eq!(world.log.matches("Return {").count(), 1);
    world.settle();
    assert_eq!(world.starts_of(key), 2);
    for task in [0, 2, 3, 4, 5] {
        assert_eq!(world.starts_of(JobKey::task(117, task)), 1);
    }
}

#[test]
fn a_tasks_story_is_its_own_and_not_that_of_the_other_pieces() {
    let mut world = two_members().begin();
    world.submit(job(117).cpus(8).array(0..9)).settle();
    for (task, member) in [(0, "cpu"), (3, "cpu"), (4, "big"), (8, "big")] {
        let (_, told) = fedsched::report::explain(&world.engine, 117, Some(task)).unwrap();
        let story: Vec<&str> = told.history.iter().map(|each| each.text.as_str()).collect();
        let bound = format!("bound to {member}");
        let started = format!("started at {member}");
        assert_eq!(story, ["submitted", &bound, &started], "task {task}");
    }
}
