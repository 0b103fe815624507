//! Answers to submissions.

use std::time::Duration;

use fedsched::model::{Job, JobKey, Verdict, WaitReason};

use super::build::{cpus, job, nodes};
use super::scenarios::two_members;
use super::world::World;

fn bind(partition: &str) -> Verdict {
    Verdict::Bind(partition.into())
}

#[test]
fn a_job_that_can_start_is_sent_there_at_once() {
    let mut world = two_members().begin();
    assert_eq!(world.sbatch(job(1).cpus(4)), bind("cpu"));
    world.settle();
    assert!(world.started(1));
    assert!(!world.log.contains("Intend"), "nothing is left to do");
}

#[test]
fn answers_before_the_next_poll_do_not_give_the_same_nodes_away() {
    let mut world = World::new().member("cpu", nodes("c", 2, &cpus(8))).begin();
    assert_eq!(world.sbatch(job(1).cpus(8)), bind("cpu"));
    assert_eq!(world.sbatch(job(2).cpus(8)), bind("cpu"));
    assert_eq!(world.sbatch(job(3).cpus(8)), Verdict::Wait);
    world.settle();
    assert!(world.started(1) && world.started(2));
    assert_eq!(world.place(3), "federation");
    world.finish(1).settle();
    assert!(world.started(3));
}

#[test]
fn a_question_without_a_submission_leaves_nothing_lasting() {
    let mut world = World::new().member("cpu", nodes("c", 1, &cpus(8))).begin();
    let test_only: Job = job(0).cpus(8).0;
    assert_eq!(world.ask(&test_only), bind("cpu"));
    world.submit(job(1).cpus(8)).settle();
    assert_eq!(world.place(1), "federation");
    world.pass(Duration::from_secs(70));
    assert!(world.started(1));
}

#[test]
fn a_job_that_ran_between_two_polls_frees_what_was_assumed() {
    let mut world = World::new().member("cpu", nodes("c", 1, &cpus(8))).begin();
    for id in 1..=5 {
        assert_eq!(world.sbatch(job(id).cpus(8)), bind("cpu"), "{id}");
        world.slurm.start(world.now);
        world.finish(id).poll();
    }
}

#[test]
fn a_job_whose_answer_came_too_late_waits_in_the_room_and_goes_on() {
    let mut world = World::new().member("cpu", nodes("c", 1, &cpus(8))).begin();
    assert_eq!(world.sbatch(job(1).cpus(8)), bind("cpu"));
    world.change(1, |job| job.partitions = vec!["federation".into()]);
    world.settle();
    assert!(world.started(1));
}

#[test]
fn a_newcomer_does_not_overtake_who_waits_for_the_place() {
    let mut world = World::new().member("cpu", nodes("c", 2, &cpus(8))).begin();
    world.submit(job(1).cpus(8).minutes(60)).settle();
    world.submit(job(2).nodes(2, 8)).settle();
    assert_eq!(world.sbatch(job(3).cpus(8).minutes(120)), Verdict::Wait);
    assert_eq!(
        world.sbatch(job(4).cpus(8).minutes(10)),
        bind("cpu"),
        "delays nobody"
    );
}

#[test]
fn deferred_jobs_wait() {
    let mut world = two_members().begin();
    let held = WaitReason::Held("JobHeldUser".to_owned());
    for (id, ask) in [
        (1, job(1).waits(held)),
        (2, job(2).waits(WaitReason::BeginTime)),
        (3, job(3).waits(WaitReason::Dependency)),
    ] {
        assert_eq!(world.sbatch(ask), Verdict::Wait, "{id}");
    }
    let mut dependent = job(4);
    dependent.0.dependency = "afterok:3(unfulfilled)".to_owned();
    assert_eq!(world.sbatch(dependent), Verdict::Wait);
}

#[test]
fn an_array_goes_at_once_only_if_it_fits_whole() {
    let mut world = World::new().member("cpu", nodes("c", 2, &cpus(8))).begin();
    assert_eq!(world.sbatch(job(1).cpus(4).array(0..5)), Verdict::Wait);
    let mut world = World::new().member("cpu", nodes("c", 2, &cpus(8))).begin();
    assert_eq!(world.sbatch(job(1).cpus(4).array(0..4)), bind("cpu"));
    world.settle();
    assert_eq!(world.slurm.starts.len(), 4);
    assert_eq!(world.sbatch(job(2).cpus(1)), Verdict::Wait);
    for task in 0..4 {
        world
            .slurm
            .end(JobKey::task(1, task), fedsched::model::Outcome::Completed);
    }
    world.settle();
    assert_eq!(world.sbatch(job(3).cpus(1)), bind("cpu"));
}

#[test]
fn names_that_do_not_exist_are_refused_with_the_nearest() {
    let mut world = two_members().begin();
    let verdict = world.sbatch(job(1).directives(|fed| fed.members = vec!["fast".to_owned()]));
    let refused =
        Verdict::Refuse("#FED --members=fast: there is no fast; allowed: big, cpu".to_owned());
    assert_eq!(verdict, refused);
    let verdict = world.sbatch(job(1).directives(|fed| fed.policy = Some("defualt".to_owned())));
    let refused = Verdict::Refuse(
        "#FED --policy=defualt: there is no defualt (did you mean default?); allowed: default"
            .to_owned(),
    );
    assert_eq!(verdict, refused);
}

#[test]
fn where_homes_go_by_account_a_job_of_unknown_account_waits_until_it_is_known() {
    let mut world = two_members().home("big", "chem").begin();
    assert_eq!(world.sbatch(job(1).account("")), Verdict::Wait);
    assert_eq!(world.sbatch(job(2).account("chem")), bind("big"));
    let mut world = two_members().begin();
    assert_eq!(world.sbatch(job(1).account("")), bind("cpu"));
}

#[test]
fn where_the_account_counts_and_is_not_known_yet_the_job_waits() {
    let mut world = World::new()
        .member("cpu", nodes("c", 1, &cpus(8)))
        .partitioned("cpu", |cpu| {
            cpu.access.accounts_allowed = vec!["chem".into()];
        })
        .begin();
    assert_eq!(world.sbatch(job(1).account("")), Verdict::Wait);
    world.change(1, |job| job.account = "chem".into());
    world.settle();
    assert!(world.started(1));
}

#[test]
fn before_the_first_listing_and_while_slurmctld_is_silent_jobs_wait() {
    let mut world = World::new().member("cpu", nodes("c", 1, &cpus(8)));
    assert_eq!(world.sbatch(job(1)), Verdict::Wait);
    let mut world = world.begin();
    let reason = "connection refused".to_owned();
    world.handle(fedsched::model::Event::Unreachable { reason });
    assert_eq!(world.sbatch(job(2)), Verdict::Wait);
    world.settle();
    assert!(world.started(1) && world.started(2));
}

#[test]
fn explain_knows_why_a_job_was_sent_at_once() {
    let mut world = two_members().begin();
    world.sbatch(job(1).cpus(4));
    world.settle();
    let (_, explanation) = fedsched::report::explain(&world.engine, 1, None).unwrap();
    assert_eq!(explanation.member.as_deref(), Some("cpu"));
    let happened: Vec<&str> = explanation.history.iter().map(|each| &*each.text).collect();
    assert_eq!(
        happened,
        [
            "submitted",
            "sent to cpu straight from its submission",
            "started at cpu"
        ]
    );
    assert_eq!(explanation.members.len(), 2);
}
