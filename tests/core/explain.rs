//! What people read: held word for word.

use std::fmt::Write;
use std::time::Duration;

use fedsched::model::{PartitionState, Phase, WaitReason};
use fedsched::report;

use super::build::{cpus, gres, job, nodes, with_gres};
use super::world::World;

fn site() -> World {
    World::new()
        .member("big", nodes("b", 2, &cpus(32)))
        .member("cpu", nodes("c", 4, &cpus(8)))
        .member("gpu", nodes("g", 2, &with_gres(cpus(16), "gpu:a100", 4)))
        .partitioned("big", |big| {
            big.time_max = Some(Duration::from_secs(4 * 3600));
        })
        .home("cpu", "chem")
}

/// The explanation as lines; times are left out, they are for the command line to print.
fn told(world: &World, id: u32) -> String {
    let (_, told) = report::explain(&world.engine, id, None).unwrap();
    let mut text = format!(
        "{} ({}): {}\n{}\n",
        told.job, told.user, told.size, told.summary
    );
    for member in told.members {
        let score = member
            .score
            .map_or_else(|| "-".to_owned(), |score| score.to_string());
        writeln!(
            text,
            "  {:4} {:8} {:>3}  {}",
            member.member, member.verdict, score, member.text
        )
        .unwrap();
    }
    for remedy in told.remedies {
        writeln!(text, "  > {remedy}").unwrap();
    }
    for happening in told.history {
        writeln!(text, "  . {}", happening.text).unwrap();
    }
    text
}

#[test]
fn a_job_that_runs() {
    let mut world = site().begin();
    world.submit(job(1).cpus(4).account("chem")).settle();
    insta::assert_snapshot!(told(&world, 1));
}

#[test]
fn a_job_that_waits_for_room() {
    let mut world = site().begin();
    world.submit(job(1).nodes(2, 32).minutes(90)).settle();
    world.submit(job(2).nodes(4, 8).minutes(20)).settle();
    world.pass(Duration::from_secs(120));
    world.submit(job(3).nodes(2, 20).minutes(30)).settle();
    world
        .submit(job(4).nodes(3, 4).minutes(600).priority(10))
        .settle();
    insta::assert_snapshot!("first_in_turn", told(&world, 3));
    insta::assert_snapshot!("waits_for_nodes", told(&world, 4));
}

#[test]
fn a_job_behind_a_promise() {
    let mut world = World::new().member("cpu", nodes("c", 2, &cpus(8))).begin();
    world
        .submit(job(1).cpus(8).minutes(60).priority(90))
        .settle();
    world.submit(job(2).nodes(2, 8).priority(80)).settle();
    world
        .submit(job(3).cpus(8).minutes(120).priority(70))
        .settle();
    insta::assert_snapshot!(told(&world, 3));
}

#[test]
fn a_job_that_no_member_can_ever_run() {
    let mut world = site().begin();
    world.submit(job(1).cpus(48).minutes(600).geometry(|part| {
        part.gres_per_node = vec![(gres("gpu:h200"), 2)];
    }));
    world.submit(job(2).nodes(6, 8).minutes(600));
    world.settle();
    insta::assert_snapshot!("too_large", told(&world, 1));
    insta::assert_snapshot!("too_many_nodes", told(&world, 2));
}

#[test]
fn a_job_steered_away() {
    let mut world = site()
        .partitioned("big", |big| {
            big.access.accounts_allowed = vec!["physics".into()];
        })
        .partitioned("gpu", |gpu| gpu.state = PartitionState::Down)
        .begin();
    world
        .submit(
            job(1)
                .cpus(4)
                .directives(|fed| fed.avoid = vec!["cpu".to_owned()]),
        )
        .settle();
    insta::assert_snapshot!(told(&world, 1));
}

#[test]
fn a_job_that_came_back() {
    let mut world = site()
        .partitioned("big", |big| big.state = PartitionState::Drain)
        .begin();
    world.submit(job(1).cpus(4)).poll();
    world.change(1, |job| {
        let why = "PartitionTimeLimit".to_owned();
        job.phase = Phase::Waiting(WaitReason::NotHere(why));
    });
    world.partition("gpu").state = PartitionState::Down;
    for _ in 0..3 {
        world.poll();
    }
    insta::assert_snapshot!(told(&world, 1));
}

#[test]
fn an_array_in_pieces() {
    let mut world = site().begin();
    world.submit(job(117).cpus(8).array(0..30)).settle();
    insta::assert_snapshot!(told(&world, 117));
    let (_, task) = report::explain(&world.engine, 117, Some(2)).unwrap();
    insta::assert_snapshot!("one_task", format!("{}: {}", task.job, task.summary));
}

#[test]
fn a_job_that_is_not_ready() {
    let mut world = site().begin();
    world
        .submit(job(1).cpus(4).waits(WaitReason::Dependency))
        .settle();
    insta::assert_snapshot!(told(&world, 1));
}

#[test]
fn a_rehearsal() {
    let mut world = site()
        .configured(|settings| settings.rehearsal = true)
        .begin();
    world.submit(job(1).cpus(4)).settle();
    insta::assert_snapshot!(told(&world, 1));
}

#[test]
fn the_queue_in_one_table() {
    let mut world = site().begin();
    world.submit(job(1).nodes(2, 32).minutes(90)).settle();
    world.submit(job(2).nodes(4, 8).minutes(20)).settle();
    world.submit(job(3).nodes(2, 20).minutes(30)).settle();
    world.submit(job(4).cpus(48));
    world.submit(
        job(5)
            .waits(WaitReason::Held("JobHeldUser".to_owned()))
            .priority(0),
    );
    world.submit(job(6).cpus(8).array(0..9).priority(10));
    world.settle();
    let mut text = String::new();
    for (_, waiting) in report::queue(&world.engine) {
        writeln!(
            text,
            "{:8} {:13} {:40} {}",
            waiting.job, waiting.queue, waiting.size, waiting.reason
        )
        .unwrap();
    }
    insta::assert_snapshot!(text);
}

#[test]
fn the_federation_in_one_page() {
    let mut world = site().begin();
    world.submit(job(1).nodes(2, 32).minutes(90));
    world.submit(job(2).cpus(4).gres("gpu", 2));
    world.submit(job(3).cpus(40));
    world.submit(job(4).partition("cpu").unmarked().nodes(5, 8));
    world.settle();
    let status = report::status(&world.engine, &report::DaemonFacts::default());
    insta::assert_debug_snapshot!(status);
}
