//! The life of a job between the room and its member.

use std::time::Duration;

use fedsched::model::{
    BindError, Chapter, Event, LimitOwner, Outcome, PartitionState, Phase, WaitReason,
};
use fedsched::queue::Place;

use super::build::{cpus, job, nodes};
use super::scenarios::two_members;
use super::world::{Fate, World};

fn secs(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// Job 1 is bound to `cpu` and waits there with this reason.
fn stuck(reason: WaitReason) -> World {
    let mut world = two_members().begin();
    world.submit(job(1).cpus(4)).poll();
    assert_eq!(world.place(1), "cpu");
    world.change(1, |job| job.phase = Phase::Waiting(reason));
    world
}

fn turn() -> WaitReason {
    WaitReason::Turn("Resources".to_owned())
}

/// Time passes at which slurmctld starts nothing.
fn idle(world: &mut World, seconds: u64) {
    for _ in 0..seconds {
        world.now = world.now + secs(1);
        world.poll();
    }
}

#[test]
fn past_its_patience_a_job_moves_to_another_member() {
    let mut world = stuck(turn());
    idle(&mut world, 50);
    assert_eq!(world.place(1), "cpu");
    idle(&mut world, 20);
    assert_eq!(world.place(1), "big", "cpu is remembered against it");
    let story = &world.memories[&fedsched::model::JobKey::job(1)].story;
    assert!(
        matches!(&story[2], Chapter::Returned { member, why, .. }
            if member.as_str() == "cpu" && why == "Resources"),
        "{story:?}"
    );
}

#[test]
fn a_job_that_nobody_else_could_take_stays_where_it_waits() {
    let mut world = World::new().member("cpu", nodes("c", 4, &cpus(8))).begin();
    world.submit(job(1).cpus(4)).poll();
    world.change(1, |job| job.phase = Phase::Waiting(turn()));
    idle(&mut world, 300);
    assert_eq!(world.place(1), "cpu");
}

#[test]
fn a_job_that_cannot_start_there_moves_at_once() {
    let mut world = stuck(WaitReason::NotHere("PartitionNodeLimit".to_owned()));
    idle(&mut world, 3);
    assert_eq!(world.place(1), "big");
}

#[test]
fn what_came_back_is_first_in_turn() {
    let mut world = World::new()
        .member("cpu", nodes("c", 1, &cpus(8)))
        .member("spare", nodes("s", 1, &cpus(8)))
        .begin();
    world.submit(job(1).cpus(8).priority(10)).poll();
    assert_eq!(world.place(1), "cpu");
    world.submit(job(2).cpus(8).priority(50)).poll();
    world.slurm.start(world.now);
    world.submit(job(3).cpus(8).priority(99)).poll();
    assert_eq!(world.place(3), "federation");
    // Job 1 comes back in the same poll in which job 2 ends.
    world.change(1, |job| {
        job.allocation = None;
        job.phase = Phase::Waiting(WaitReason::NotHere("NodeDown".to_owned()));
    });
    world
        .slurm
        .end(fedsched::model::JobKey::job(1), Outcome::Completed);
    world.change(1, |job| {
        job.phase = Phase::Waiting(WaitReason::NotHere("NodeDown".to_owned()));
    });
    world.poll();
    world.finish(2).poll();
    world.poll();
    assert_eq!(
        world.place(1),
        "spare",
        "before job 3, whose priority is higher"
    );
}

#[test]
fn the_limit_of_a_member_is_not_the_jobs_own() {
    let mut world = two_members().begin();
    world.submit(job(1).cpus(2).request(|request| request.time_limit = None));
    world.poll();
    let there = world.place(1);
    assert_ne!(there, "federation");
    // The bind gave it the default of the partition, and the partition cannot run it.
    world.change(1, |job| {
        let mut request = (*job.request).clone();
        request.time_limit = Some(Duration::from_secs(3600));
        job.request = request.into();
        job.phase = Phase::Waiting(WaitReason::NotHere("PartitionNodeLimit".to_owned()));
    });
    world.poll();
    let back = world
        .log
        .lines()
        .filter(|line| line.contains("action: Return"));
    let back: Vec<&str> = back.collect();
    assert_eq!(back.len(), 1, "{}", world.log);
    assert!(back[0].contains("time_limit_min: None"), "{back:?}");
}

#[test]
fn a_limit_blocks_its_owner_everywhere_until_usage_falls() {
    let limit = WaitReason::Limit {
        owner: LimitOwner::Association,
        limit: "AssocGrpCpuLimit".to_owned(),
    };
    let mut world = two_members().begin();
    world.submit(job(7).cpus(2).account("chem")).settle();
    assert!(world.started(7));
    world.submit(job(1).cpus(4).account("chem")).poll();
    assert_eq!(world.place(1), "cpu");
    world.change(1, |job| job.phase = Phase::Waiting(limit));
    world.submit(job(2).account("chem"));
    world.submit(job(3).account("bio"));
    idle(&mut world, 3);
    assert_eq!(world.place(1), "federation");
    assert_eq!(world.place(2), "federation", "the same account");
    assert_eq!(world.place(3), "cpu", "another account");
    world.finish(7).poll();
    world.poll();
    assert_eq!(world.place(1), "cpu", "its account uses less now");
}

#[test]
fn a_block_is_tried_again_after_a_growing_wait() {
    let limit = || WaitReason::Limit {
        owner: LimitOwner::Qos,
        limit: "QOSMaxJobsPerUserLimit".to_owned(),
    };
    let mut world = stuck(limit());
    let mut binds = Vec::new();
    for second in 0..120 {
        world.now = world.now + secs(1);
        world.poll();
        if world.place(1) != "federation" {
            binds.push(second);
            world.change(1, |job| job.phase = Phase::Waiting(limit()));
        }
    }
    let gaps: Vec<i32> = binds.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(binds.len() >= 3, "{binds:?}");
    assert!(gaps.windows(2).all(|pair| pair[1] >= pair[0]), "{gaps:?}");
}

#[test]
fn licences_that_are_used_up_keep_jobs_in_the_room_until_one_is_given_back() {
    let matlab = |id| job(id).request(|request| request.licenses = vec![("matlab".into(), 1)]);
    let mut world = two_members().begin();
    world.submit(matlab(1)).settle();
    world.submit(matlab(2)).poll();
    world.change(2, |job| job.phase = Phase::Waiting(WaitReason::Licenses));
    world.submit(matlab(3));
    world.submit(job(4));
    idle(&mut world, 3);
    assert_eq!(world.place(2), "federation");
    assert_eq!(world.place(3), "federation");
    assert_ne!(world.place(4), "federation");
    world.finish(1).poll();
    assert_ne!(world.place(2), "federation");
}

#[test]
fn never_is_believed_when_two_members_say_it() {
    let never = || WaitReason::Never("InvalidAccount".to_owned());
    let mut world = stuck(never());
    idle(&mut world, 3);
    assert_eq!(world.place(1), "big", "one member's word is not enough");
    world.change(1, |job| job.phase = Phase::Waiting(never()));
    idle(&mut world, 3);
    assert!(matches!(
        &world.slurm.jobs[&fedsched::model::JobKey::job(1)].phase,
        Phase::Waiting(WaitReason::Held(_))
    ));
    assert!(world.log.contains("Hold"));
    assert_eq!(
        world.place(1),
        "federation",
        "where a release lets it go on"
    );
    assert_eq!(world.queue_of(1), Some(Place::Parked));
}

#[test]
fn a_job_held_by_its_user_at_a_member_comes_home_and_is_parked() {
    let mut world = stuck(turn());
    world.change(1, |job| {
        job.priority = 0;
        job.phase = Phase::Waiting(WaitReason::Held("JobHeldUser".to_owned()));
    });
    idle(&mut world, 1);
    world.change(1, |job| {
        job.phase = Phase::Waiting(WaitReason::Held("JobHeldUser".to_owned()));
    });
    idle(&mut world, 2);
    assert_eq!(world.place(1), "federation");
    assert_eq!(world.queue_of(1), Some(Place::Parked));
    world.change(1, |job| {
        job.priority = 1000;
        job.phase = Phase::Waiting(turn());
    });
    world.settle();
    assert_eq!(world.place(1), "cpu", "no member is remembered against it");
}

#[test]
fn a_requeued_job_comes_home() {
    let mut world = two_members().begin();
    world.submit(job(1).cpus(4)).settle();
    world
        .slurm
        .end(fedsched::model::JobKey::job(1), Outcome::NodeFailed);
    let now = world.now;
    world.change(1, |job| {
        job.restarts = 1;
        job.submitted = now;
        job.phase = Phase::Waiting(WaitReason::BeginTime);
        job.eligible = Some(now + secs(120));
    });
    idle(&mut world, 3);
    assert_eq!(world.place(1), "federation");
    assert_eq!(world.queue_of(1), Some(Place::Parked));
    world.pass(secs(125));
    assert_eq!(world.starts_of(fedsched::model::JobKey::job(1)), 2);
}

#[test]
fn jobs_bound_to_a_member_that_goes_down_are_rebound() {
    let mut world = stuck(turn());
    world.partition("cpu").state = PartitionState::Down;
    idle(&mut world, 3);
    assert_eq!(world.place(1), "big");
}

#[test]
fn jobs_bound_to_a_member_that_is_no_more_come_home() {
    let mut world = stuck(turn());
    world
        .settings
        .members
        .retain(|member| member.name.as_str() != "cpu");
    world.handle(Event::Configured(std::sync::Arc::new(
        world.settings.clone(),
    )));
    idle(&mut world, 3);
    assert_eq!(world.place(1), "big");
}

#[test]
fn a_refusal_of_slurmctld_is_remembered_against_the_member() {
    let mut world = two_members().begin();
    world.fate = Fate::Refused;
    world.submit(job(1).cpus(4)).poll();
    world.fate = Fate::Done;
    idle(&mut world, 2);
    assert_eq!(world.place(1), "big");
    let story = &world.memories[&fedsched::model::JobKey::job(1)].story;
    assert!(matches!(&story[1], Chapter::Refused { member, .. } if member.as_str() == "cpu"));
}

#[test]
fn an_answer_that_got_lost_is_looked_up() {
    for (fate, moved) in [(Fate::DoneUnheard, true), (Fate::Lost, false)] {
        let mut world = two_members().begin();
        world.fate = fate;
        world.submit(job(1).cpus(4)).poll();
        assert_eq!(world.place(1) == "cpu", moved);
        world.fate = Fate::Done;
        idle(&mut world, 12);
        assert_eq!(world.place(1), "cpu");
        assert!(world.stored.is_empty());
        world.settle();
        assert_eq!(world.starts_of(fedsched::model::JobKey::job(1)), 1);
    }
}

#[test]
fn while_nothing_can_be_carried_out_jobs_are_not_tried_one_after_the_other() {
    let mut world = World::new().member("cpu", nodes("c", 10, &cpus(8))).begin();
    world.fate = Fate::Lost;
    for id in 1..=50 {
        world.submit(job(id).cpus(1));
    }
    idle(&mut world, 120);
    let tries = world.log.matches("Act(").count();
    assert!(tries < 50 * 8, "{tries}");
    world.fate = Fate::Done;
    idle(&mut world, 300);
    world.settle();
    assert_eq!(world.slurm.starts.len(), 50);
}

#[test]
fn an_intent_that_could_not_be_stored_is_tried_later() {
    let mut world = two_members().begin();
    world.fate = Fate::NotStored;
    world.submit(job(1).cpus(4));
    idle(&mut world, 4);
    assert_eq!(world.log.matches("Act(").count(), 1);
    world.fate = Fate::Done;
    idle(&mut world, 10);
    assert_eq!(world.place(1), "cpu");
}

#[test]
fn a_job_that_its_user_cancels_while_it_is_bound_is_gone() {
    let mut world = two_members().begin();
    world.fate = Fate::Kept;
    world.submit(job(1).cpus(8)).poll();
    let intent = *world.stored.keys().next().unwrap();
    world.cancel(1);
    world.poll();
    let error = BindError::Overtaken("it is cancelled".to_owned());
    world.handle(Event::Failed { intent, error });
    world.fate = Fate::Done;
    for id in 2..=5 {
        world.submit(job(id).cpus(8));
    }
    world.settle();
    assert!(
        (2..=5).all(|id| world.place(id) == "cpu"),
        "nothing is held for it any more"
    );
}

#[test]
fn a_job_that_its_user_moves_while_it_is_bound_is_left_there() {
    let mut world = two_members().begin();
    world.fate = Fate::Kept;
    world.submit(job(1).cpus(8)).poll();
    let intent = *world.stored.keys().next().unwrap();
    world.change(1, |job| job.partitions = vec!["big".into()]);
    world.poll();
    world.fate = Fate::Done;
    let error = BindError::Overtaken("it is in big".to_owned());
    world.handle(Event::Failed { intent, error });
    idle(&mut world, 3);
    assert_eq!(world.place(1), "big");
    world.settle();
    assert!(world.started(1));
}

#[test]
fn a_change_of_what_the_scheduler_looks_at_clears_what_is_remembered() {
    let mut world = stuck(WaitReason::NotHere("PartitionNodeLimit".to_owned()));
    world.partition("big").state = PartitionState::Down;
    idle(&mut world, 3);
    assert_eq!(world.place(1), "federation");
    idle(&mut world, 5);
    assert_eq!(world.place(1), "federation", "cpu is remembered against it");
    world.change(1, |job| {
        std::sync::Arc::make_mut(&mut job.request).parts[0].cpus_per_task = 2;
    });
    idle(&mut world, 2);
    assert_eq!(world.place(1), "cpu");
}

#[test]
fn what_is_remembered_runs_out() {
    let mut world = stuck(WaitReason::NotHere("PartitionNodeLimit".to_owned()));
    world.partition("big").state = PartitionState::Down;
    idle(&mut world, 590);
    assert_eq!(world.place(1), "federation");
    idle(&mut world, 30);
    assert_eq!(world.place(1), "cpu");
}

#[test]
fn age_that_a_move_hides_still_counts() {
    let mut world = World::new()
        .member("cpu", nodes("c", 1, &cpus(8)))
        .member("spare", nodes("s", 1, &cpus(8)))
        .begin();
    world.submit(job(1).cpus(8).priority(4111)).poll();
    world.change(1, |job| job.phase = Phase::Waiting(turn()));
    world.partition("spare").state = PartitionState::Down;
    world.partition("cpu").state = PartitionState::Down;
    idle(&mut world, 3);
    // Back in the room, slurmctld has reset its age.
    world.change(1, |job| job.priority = 2500);
    world.submit(job(2).cpus(8).priority(3000));
    idle(&mut world, 1);
    let waiting = world.engine.waiting();
    let first: Vec<u32> = waiting
        .iter()
        .map(|(record, _)| record.job.key.id)
        .collect();
    assert_eq!(first, [1, 2]);
}

#[test]
fn the_room_opened_by_mistake_is_an_alarm_and_its_jobs_count_as_running() {
    let mut world = two_members().begin();
    world.submit(job(1).cpus(8)).change(1, |job| {
        job.phase = Phase::Running;
        job.allocation = Some(fedsched::model::Allocation {
            nodes: vec!["c1".into()],
            tres: cpus(8),
            start: fedsched::model::Timestamp(0),
            end: fedsched::model::Timestamp::NEVER,
        });
    });
    world.poll();
    let alarms = world.engine.alarms();
    assert!(
        matches!(
            &alarms[..],
            [fedsched::engine::Alarm::RoomRuns { jobs: 1, .. }]
        ),
        "{alarms:?}"
    );
    assert_eq!(world.queue_of(1), None);
}

#[test]
fn a_rehearsal_decides_and_changes_nothing() {
    let mut world = two_members()
        .configured(|settings| settings.rehearsal = true)
        .begin();
    let verdict = world.sbatch(job(1).cpus(4));
    assert_eq!(verdict, fedsched::model::Verdict::Wait);
    idle(&mut world, 30);
    assert_eq!(world.place(1), "federation");
    assert!(!world.log.contains("Intend"));
    let decision = world
        .engine
        .last_decision(fedsched::model::JobKey::job(1))
        .unwrap();
    assert_eq!(
        decision.choice,
        fedsched::scheduler::Choice::Bind("cpu".into())
    );
}
