//! Where jobs go, a few lines each.

use std::time::Duration;

use fedsched::model::{NodeName, NodeState, PartitionName, PartitionState, Timestamp, WaitReason};
use fedsched::queue::Place;

use super::build::{cpus, featured, job, nodes, policy, with_gres};
use super::world::World;

/// Four nodes of 8 CPUs and two of 32.
pub(crate) fn two_members() -> World {
    World::new()
        .member("cpu", nodes("c", 4, &cpus(8)))
        .member("big", nodes("b", 2, &cpus(32)))
}

#[test]
fn a_job_that_fits_is_bound_and_runs() {
    let mut world = two_members().begin();
    world.submit(job(1).cpus(4)).settle();
    assert_eq!(world.place(1), "cpu", "less is left over there");
    assert_eq!(world.slurm.starts.len(), 1);
    assert!(world.stored.is_empty(), "every intent is settled");
}

#[test]
fn a_job_goes_where_it_fits_at_all() {
    let mut world = two_members().begin();
    world.submit(job(1).cpus(16)).settle();
    assert_eq!(world.place(1), "big");
}

#[test]
fn free_cpus_of_several_nodes_are_no_free_node() {
    let mut world = World::new().member("cpu", nodes("c", 4, &cpus(8))).begin();
    for id in 1..=4 {
        world.submit(job(id).cpus(5));
    }
    world.settle();
    // 12 CPUs are free, 3 on each node.
    world.submit(job(9).cpus(4)).settle();
    assert_eq!(world.place(9), "federation");
    assert_eq!(world.queue_of(9), Some(Place::Unschedulable));
}

#[test]
fn jobs_of_one_pass_do_not_get_the_same_nodes() {
    let mut world = World::new().member("cpu", nodes("c", 2, &cpus(8))).begin();
    for id in 1..=5 {
        world.submit(job(id).cpus(8));
    }
    world.poll();
    let bound = (1..=5).filter(|id| world.place(*id) == "cpu").count();
    assert_eq!(bound, 2);
}

#[test]
fn the_higher_priority_goes_first_then_the_earlier() {
    let mut world = World::new().member("cpu", nodes("c", 1, &cpus(8))).begin();
    world.submit(job(1).cpus(8).priority(10));
    world.submit(job(2).cpus(8).priority(30));
    world.submit(job(3).cpus(8).priority(30));
    world.settle();
    assert_eq!(world.place(2), "cpu");
    world.finish(2).settle();
    assert_eq!(world.place(3), "cpu");
    world.finish(3).settle();
    assert_eq!(world.place(1), "cpu");
}

#[test]
fn a_type_of_gres_is_asked_for_and_found() {
    let gpu = |kind| with_gres(cpus(16), kind, 4);
    let mut world = World::new()
        .member("amber", nodes("a", 1, &gpu("gpu:a100")))
        .member("hot", nodes("h", 1, &gpu("gpu:h200")))
        .begin();
    world.submit(job(1).gres("gpu:h200", 2));
    world.submit(job(2).gres("gpu:a100", 4));
    world.submit(job(3).gres("gpu", 3));
    world.submit(job(4).gres("gpu:v100", 1));
    world.settle();
    assert_eq!(world.place(1), "hot");
    assert_eq!(world.place(2), "amber");
    assert_eq!(world.place(3), "federation", "4 and 2 are taken");
    assert_eq!(world.place(4), "federation", "there are none");
    world.finish(2).settle();
    assert_eq!(world.place(3), "amber");
}

#[test]
fn features_are_matched() {
    let mut world = World::new()
        .member("old", featured(nodes("o", 2, &cpus(8)), &["haswell"]))
        .member(
            "young",
            featured(nodes("y", 2, &cpus(8)), &["avx512", "zen4"]),
        )
        .begin();
    world.submit(job(1).features(&["avx512", "zen4"])).settle();
    assert_eq!(world.place(1), "young");
}

#[test]
fn a_wide_job_gets_whole_nodes_of_one_member() {
    let mut world = two_members().begin();
    world.submit(job(1).nodes(3, 8)).settle();
    assert_eq!(world.place(1), "cpu");
    world.submit(job(2).nodes(3, 8)).settle();
    assert_eq!(
        world.place(2),
        "federation",
        "one and two nodes are free: not three of one member"
    );
}

#[test]
fn limits_of_a_partition_are_kept() {
    let mut world = two_members()
        .partitioned("cpu", |cpu| cpu.time_max = Some(Duration::from_secs(1800)))
        .partitioned("big", |big| big.nodes_max = Some(1))
        .begin();
    world.submit(job(1).minutes(60));
    world.submit(job(2).minutes(20).nodes(2, 8));
    world.submit(job(3).minutes(60).nodes(2, 8));
    world.settle();
    assert_eq!(world.place(1), "big");
    assert_eq!(world.place(2), "cpu");
    assert_eq!(world.place(3), "federation");
}

#[test]
fn only_who_may_use_a_partition_is_sent_there() {
    let mut world = two_members()
        .partitioned("cpu", |cpu| {
            cpu.access.accounts_allowed = vec!["chem".into()];
        })
        .partitioned("big", |big| {
            big.access.groups_allowed = vec!["staff".into()];
        })
        .begin();
    world.submit(job(1).account("chem"));
    world.submit(job(2).account("physics"));
    world.settle();
    assert_eq!(world.place(1), "cpu");
    assert_eq!(world.place(2), "federation");
}

#[test]
fn directives_steer() {
    let mut world = two_members().begin();
    world.submit(job(1).directives(|fed| fed.members = vec!["big".to_owned()]));
    world.submit(job(2).directives(|fed| fed.avoid = vec!["cpu".to_owned()]));
    world.submit(job(3).directives(|fed| fed.image = Some("pytorch:2.7".to_owned())));
    world.settle();
    assert_eq!(world.place(1), "big");
    assert_eq!(world.place(2), "big");
    assert_eq!(world.place(3), "federation");
}

#[test]
fn a_path_that_is_not_mounted_rules_a_member_out() {
    let mut world = two_members()
        .configured(|settings| {
            let cpu = settings
                .members
                .iter_mut()
                .find(|m| m.name.as_str() == "cpu");
            cpu.unwrap().paths = Some(vec!["/home".to_owned(), "/scratch/".to_owned()]);
        })
        .begin();
    world.submit(job(1).request(|request| request.work_dir = "/home/user1".to_owned()));
    world.submit(job(2).request(|request| request.work_dir = "/home2/user1".to_owned()));
    world.submit(job(3).directives(|fed| fed.needs = vec!["/scratch/x".to_owned()]));
    world.submit(job(4).directives(|fed| fed.needs = vec!["/proj".to_owned()]));
    world.settle();
    let places: Vec<String> = (1..=4).map(|id| world.place(id)).collect();
    assert_eq!(places, ["cpu", "big", "cpu", "big"]);
}

#[test]
fn a_job_goes_home_if_home_can_start_it() {
    let mut world = two_members().home("big", "chem").begin();
    world.submit(job(1).account("chem")).settle();
    assert_eq!(world.place(1), "big");
    world.submit(job(2).nodes(2, 32).account("chem")).settle();
    assert_eq!(
        world.place(2),
        "federation",
        "home is the only one that could"
    );
    world.submit(job(3).nodes(4, 8).account("chem")).settle();
    assert_eq!(world.place(3), "cpu", "home cannot");
}

#[test]
fn a_policy_that_weighs_locality_decides_by_score() {
    let mut world = two_members()
        .home("big", "chem")
        .configured(|settings| {
            let mut thrifty = policy("thrifty");
            thrifty.score = [
                (fedsched::model::Term::Fit, 10),
                (fedsched::model::Term::Locality, 1),
            ]
            .into();
            settings.policies.insert("thrifty".into(), thrifty);
        })
        .begin();
    let thrifty = |fed: &mut fedsched_protocol::directive::Directives| {
        fed.policy = Some("thrifty".to_owned());
    };
    world
        .submit(job(1).cpus(8).account("chem").directives(thrifty))
        .settle();
    assert_eq!(world.place(1), "cpu");
}

#[test]
fn at_equal_priority_home_jobs_come_before_guests() {
    let mut world = World::new()
        .member("east", nodes("e", 1, &cpus(8)))
        .member("west", nodes("w", 1, &cpus(8)))
        .home("east", "chem")
        .home("west", "bio")
        .begin();
    world.submit(job(1).cpus(8).account("bio"));
    world.settle();
    assert_eq!(world.place(1), "west");
    // The guest was first, but east's own job has the same priority.
    world.submit(job(2).cpus(8).account("bio"));
    world.submit(job(3).cpus(8).account("chem"));
    world.settle();
    assert_eq!(world.place(3), "east");
    assert_eq!(world.place(2), "federation");
}

#[test]
fn backfill_does_not_delay_the_first_in_turn() {
    let mut world = World::new().member("cpu", nodes("c", 2, &cpus(8))).begin();
    world
        .submit(job(1).cpus(8).minutes(60).priority(90))
        .settle();
    world
        .submit(job(2).nodes(2, 8).minutes(60).priority(80))
        .settle();
    world.submit(job(3).cpus(8).minutes(120).priority(70));
    world.submit(job(4).cpus(8).minutes(30).priority(60));
    world.settle();
    assert_eq!(world.place(2), "federation", "needs both nodes");
    assert_eq!(
        world.place(3),
        "federation",
        "would still run when job 2 could start"
    );
    assert_eq!(world.place(4), "cpu", "is over by then");
    world.pass(Duration::from_secs(62 * 60));
    assert_eq!(world.place(2), "cpu");
    assert!(world.started(2) && !world.started(3));
}

#[test]
fn a_job_that_a_user_sent_there_directly_is_not_delayed() {
    let mut world = World::new().member("cpu", nodes("c", 2, &cpus(8))).begin();
    world.submit(job(1).cpus(8).minutes(60)).settle();
    world
        .submit(job(2).nodes(2, 8).partition("cpu").unmarked())
        .settle();
    world.submit(job(3).cpus(8).minutes(120));
    world.submit(job(4).cpus(8).minutes(30));
    world.settle();
    assert_eq!(world.place(3), "federation");
    assert_eq!(world.place(4), "cpu");
    world.pass(Duration::from_secs(62 * 60));
    assert!(
        world.started(2),
        "the direct job started when the first was over"
    );
}

#[test]
fn when_a_promise_falls_those_behind_it_are_looked_at() {
    let mut world = World::new().member("cpu", nodes("c", 2, &cpus(8))).begin();
    world
        .submit(job(1).cpus(8).minutes(60).priority(90))
        .settle();
    world.submit(job(2).nodes(2, 8).priority(80)).settle();
    world
        .submit(job(3).cpus(8).minutes(120).priority(70))
        .settle();
    assert_eq!(world.place(3), "federation");
    world.cancel(2).settle();
    assert_eq!(world.place(3), "cpu");
}

#[test]
fn a_reservation_keeps_jobs_away_that_would_run_into_it() {
    let mut world = World::new().member("cpu", nodes("c", 1, &cpus(8)));
    let start = world.now + Duration::from_secs(1800);
    world = world.begin();
    world.reserve(
        "maintenance",
        &["c1"],
        start,
        start + Duration::from_secs(3600),
    );
    world.submit(job(1).minutes(60));
    world.submit(job(2).minutes(20));
    world.settle();
    assert_eq!(world.place(1), "federation");
    assert_eq!(world.place(2), "cpu");
    world.pass(Duration::from_secs(91 * 60));
    assert_eq!(world.place(1), "cpu", "the maintenance is over");
}

#[test]
fn a_member_that_is_down_or_drained_gets_nothing() {
    let mut world = two_members()
        .partitioned("cpu", |cpu| cpu.state = PartitionState::Down)
        .configured(|settings| {
            let big = settings
                .members
                .iter_mut()
                .find(|m| m.name.as_str() == "big");
            big.unwrap().drained = true;
        })
        .begin();
    world.submit(job(1)).settle();
    assert_eq!(world.place(1), "federation");
    world.partition("cpu").state = PartitionState::Up;
    world.settle();
    assert_eq!(world.place(1), "cpu", "its state woke the job");
}

#[test]
fn nodes_that_drain_take_nothing_more() {
    let mut world = World::new().member("cpu", nodes("c", 2, &cpus(8))).begin();
    world.node("c1").state = NodeState::Draining;
    world.submit(job(1).cpus(8));
    world.submit(job(2).cpus(8));
    world.settle();
    let bound = (1..=2).filter(|id| world.place(*id) == "cpu").count();
    assert_eq!(bound, 1);
    world.node("c1").state = NodeState::Up;
    world.settle();
    assert_eq!(world.place(2), "cpu");
}

#[test]
fn a_node_in_two_members_counts_once() {
    let mut shared = nodes("s", 1, &cpus(8));
    shared[0].partitions.push(PartitionName::from("night"));
    let mut world = World::new()
        .member("day", shared)
        .member("night", Vec::new())
        .begin();
    world.submit(job(1).cpus(8));
    world.submit(job(2).cpus(8));
    world.poll();
    let waiting = (1..=2)
        .filter(|id| world.place(*id) == "federation")
        .count();
    assert_eq!(waiting, 1);
}

#[test]
fn whole_nodes_are_given_whole() {
    let mut world = World::new().member("cpu", nodes("c", 2, &cpus(8))).begin();
    world.submit(job(1)).settle();
    world.submit(job(2).geometry(|part| part.exclusive = true));
    world.submit(job(3).geometry(|part| part.exclusive = true));
    world.poll();
    assert_eq!(world.place(2), "cpu");
    assert_eq!(world.place(3), "federation");
}

#[test]
fn required_and_excluded_nodes_count() {
    let mut world = two_members().begin();
    world.submit(job(1).geometry(|part| part.required_nodes = vec![NodeName::from("b2")]));
    world.submit(
        job(2)
            .cpus(32)
            .geometry(|part| part.excluded_nodes = vec!["b1".into()]),
    );
    world.settle();
    assert_eq!(world.place(1), "big");
    assert_eq!(world.place(2), "federation", "b2 is partly taken");
}

#[test]
fn parked_jobs_wait_outside_the_queues_until_what_parks_them_lifts() {
    let mut world = two_members().begin();
    let later = world.now + Duration::from_secs(600);
    world.submit(
        job(1)
            .waits(WaitReason::Held("JobHeldUser".to_owned()))
            .priority(0),
    );
    world.submit(job(2).waits(WaitReason::Dependency));
    world
        .submit(job(3))
        .change(3, |job| job.eligible = Some(later));
    world.settle();
    for id in 1..=3 {
        assert_eq!(world.queue_of(id), Some(Place::Parked), "{id}");
    }
    world.change(1, |job| {
        job.priority = 1000;
        job.phase = fedsched::model::Phase::Waiting(WaitReason::Turn("None".to_owned()));
    });
    world.change(2, |job| {
        job.phase = fedsched::model::Phase::Waiting(WaitReason::Turn("PartitionDown".to_owned()));
    });
    world.settle();
    assert!(world.started(1) && world.started(2) && !world.started(3));
    world.pass(Duration::from_secs(605));
    assert!(
        world.started(3),
        "its begin time came, though slurmctld said nothing new"
    );
}

#[test]
fn a_limit_in_a_room_that_is_up_parks_and_the_rooms_own_gate_does_not() {
    let limit = |limit: &str| WaitReason::Limit {
        owner: fedsched::model::LimitOwner::Qos,
        limit: limit.to_owned(),
    };
    let mut world = two_members()
        .partitioned("federation", |room| room.state = PartitionState::Up)
        .begin();
    world.submit(job(1).waits(limit("QOSGrpJobsLimit")));
    world.submit(job(2).waits(limit("QOSMaxJobsPerUserLimit")));
    world.settle();
    assert_eq!(world.place(1), "cpu");
    assert_eq!(world.queue_of(2), Some(Place::Parked));
}

#[test]
fn reasons_about_the_partition_mean_nothing_in_the_room() {
    for reason in [
        WaitReason::NotHere("ReqNodeNotAvail".to_owned()),
        WaitReason::Turn("Resources".to_owned()),
        WaitReason::Other("SomethingNew".to_owned()),
    ] {
        let mut world = two_members().begin();
        world.submit(job(1).waits(reason)).settle();
        assert_eq!(world.place(1), "cpu");
    }
}

#[test]
fn a_reserved_job_is_left_alone() {
    let mut world = two_members().begin();
    world.submit(job(1)).change(1, |job| job.reserved = true);
    world.settle();
    assert_eq!(world.place(1), "federation");
    assert!(world.log.is_empty(), "{}", world.log);
}

#[test]
fn past_its_deadline_a_job_is_cancelled_in_a_room_that_is_down() {
    let mut world = two_members()
        .partitioned("cpu", |cpu| cpu.state = PartitionState::Down)
        .partitioned("big", |big| big.state = PartitionState::Down)
        .begin();
    let deadline = world.now + Duration::from_secs(3600 + 300);
    world
        .submit(job(1))
        .change(1, |job| job.deadline = Some(deadline));
    world.settle();
    world.pass(Duration::from_secs(290));
    assert_eq!(world.queue_of(1), Some(Place::Unschedulable));
    world.pass(Duration::from_secs(20));
    assert!(
        world.log.contains("Cancel"),
        "it could not end in time any more"
    );
}

#[test]
fn a_heterogeneous_job_goes_whole_to_one_member() {
    let gpu = with_gres(cpus(8), "gpu", 2);
    let mut both = nodes("c", 1, &cpus(16));
    both.extend(nodes("g", 1, &gpu));
    let mut world = World::new()
        .member("cpu", nodes("n", 4, &cpus(16)))
        .member("mixed", both)
        .begin();
    let two_parts = job(1).cpus(16).request(|request| {
        let mut part = request.parts[0].clone();
        part.cpus_per_task = 4;
        part.gres_per_node = vec![(super::build::gres("gpu"), 2)];
        request.parts.push(part);
    });
    world.submit(two_parts);
    world.poll();
    assert_eq!(world.place(1), "mixed");
}

#[test]
fn unlimited_jobs_never_backfill_before_a_promise() {
    let mut world = World::new().member("cpu", nodes("c", 2, &cpus(8))).begin();
    world.submit(job(1).cpus(8).priority(90)).settle();
    world.submit(job(2).nodes(2, 8).priority(80)).settle();
    world.submit(
        job(3)
            .cpus(8)
            .priority(70)
            .request(|request| request.time_limit = None),
    );
    world.settle();
    assert_eq!(world.place(3), "federation");
}

#[test]
fn memory_is_counted_by_cpu_and_by_node() {
    let gib = super::build::GIB;
    let mut world = World::new().member("cpu", nodes("c", 1, &cpus(8))).begin();
    world.submit(job(1).geometry(|part| part.memory = fedsched::model::Memory::PerNode(30 * gib)));
    world.settle();
    world.submit(
        job(2)
            .cpus(2)
            .geometry(|part| part.memory = fedsched::model::Memory::PerCpu(gib)),
    );
    world.submit(job(3).geometry(|part| part.memory = fedsched::model::Memory::PerCpu(gib)));
    world.settle();
    assert_eq!(world.place(2), "cpu", "exactly the two GiB that are left");
    assert_eq!(world.place(3), "federation");
}

#[test]
fn a_submission_in_the_future_of_a_clock_set_back_still_runs() {
    let mut world = two_members().begin();
    world.submit(job(1).cpus(8)).settle();
    world.now = Timestamp(world.now.0 - 7_200_000);
    world.submit(job(2).cpus(8)).settle();
    world.pass(Duration::from_secs(30));
    assert!(world.started(2));
}
