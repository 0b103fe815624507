//! Who waits, and in which order.

use crate::site::Site;

/// Takes the whole of one member, and no other's.
const ALL_OF_CPU: [&str; 4] = ["-N4", "-n4", "--exclusive", "--comment=fed: members=cpu"];

#[test]
fn a_job_that_nobody_can_start_waits_in_the_room_and_is_bound_when_something_is_free() {
    let site = Site::take();
    let full = site.fill_all();
    let job = site.sbatch("user1", &["-n1", "-t5"], "sleep 600");
    let told = site.wait_explained(job, "No member can start it now");
    assert!(
        told.expected_ms.is_some(),
        "every job there has a time limit: {told:#?}"
    );
    assert!(
        told.members.iter().all(|member| member.verdict == "later"),
        "{told:#?}"
    );
    assert_eq!(site.field(job, "Partition"), "federation");
    assert_eq!(site.field(job, "JobState"), "PENDING");
    let waiting = site.queue("user1");
    assert_eq!(waiting.len(), 1);
    assert_eq!(
        (waiting[0].job.as_str(), waiting[0].queue.as_str()),
        (&*job.to_string(), "unschedulable")
    );

    site.end(full[1]);
    assert_eq!(site.wait_running(job), "big");
    assert!(site.queue("user1").is_empty());
    let told = site.wait_explained(job, "It runs at big");
    assert!(
        told.history
            .iter()
            .any(|happening| happening.text == "bound to big"),
        "{told:#?}"
    );
}

#[test]
#[ignore = "fails on 22.05, cause not known: jobs wait longer than the test does"]
fn those_who_wait_go_in_the_order_of_slurms_priority() {
    let site = Site::take();
    let full = site.fill_all();
    let submit = |user: &str, nice: &str| {
        site.sbatch(
            user,
            &[&ALL_OF_CPU[..], &["-t5", nice]].concat(),
            "sleep 600",
        )
    };
    let last = submit("user1", "--nice=200");
    let second = submit("user2", "--nice=100");
    let first = submit("user1", "--nice=0");
    site.wait("all three to be known in their order", || {
        let queue = site.queue("root");
        let order: Vec<&str> = queue.iter().map(|waiting| waiting.job.as_str()).collect();
        let wanted = [first, second, last].map(|job| job.to_string());
        if order == wanted {
            Ok(())
        } else {
            Err(format!("{queue:#?}"))
        }
    });
    site.end(full[0]);
    for (job, behind) in [
        (first, vec![second, last]),
        (second, vec![last]),
        (last, vec![]),
    ] {
        assert_eq!(site.wait_running(job), "cpu");
        for other in behind {
            assert_eq!(
                site.field(other, "JobState"),
                "PENDING",
                "{other} goes after {job}"
            );
        }
        site.end(job);
    }
}

#[test]
fn a_changed_priority_changes_the_order() {
    let site = Site::take();
    let full = site.fill_all();
    let submit = || site.sbatch("user1", &[&ALL_OF_CPU[..], &["-t5"]].concat(), "sleep 600");
    let (one, other) = (submit(), submit());
    site.wait_explained(other, "No member can start it now");
    let update = format!("jobid={other}");
    site.run("root", &["scontrol", "update", &update, "priority=1000000"]);
    site.wait("it to be first", || {
        let queue = site.queue("root");
        let first = queue.first().map(|waiting| waiting.job.clone());
        if first == Some(other.to_string()) {
            Ok(())
        } else {
            Err(format!("{queue:#?}"))
        }
    });
    site.end(full[0]);
    site.wait_running(other);
    assert_eq!(site.field(one, "JobState"), "PENDING");
}

#[test]
#[ignore = "fails on 22.05, cause not known: jobs wait longer than the test does"]
fn those_behind_the_head_start_only_where_they_do_not_delay_it() {
    let site = Site::take();
    // Everything but three nodes of cpu is in use, the fourth for ten minutes.
    let full = [site.fill("big"), site.fill("gpu")];
    let busy = site.sbatch(
        "user2",
        &["-pcpu", "-N1", "--exclusive", "-t10"],
        "sleep 600",
    );
    site.wait_running(busy);
    site.wait_member("cpu", |cpu| cpu.nodes_free == 3);
    let head = site.sbatch("user1", &[&ALL_OF_CPU[..], &["-t5"]].concat(), "sleep 600");
    site.wait_explained(head, "nodes are kept for it there");

    let long = site.sbatch("user2", &["-n1", "-t60"], "sleep 600");
    let short = site.sbatch("user2", &["-n1", "-t2"], "sleep 600");
    assert_eq!(
        site.wait_running(short),
        "cpu",
        "it is over before the head could start"
    );
    let told = site.wait_explained(long, "No member can start it now");
    let cpu = told
        .members
        .iter()
        .find(|member| member.member == "cpu")
        .unwrap();
    assert!(
        cpu.text.contains(&format!("kept for job {head}")),
        "{told:#?}"
    );
    assert_eq!(site.field(long, "JobState"), "PENDING");

    site.end(short);
    site.end(busy);
    assert_eq!(site.wait_running(head), "cpu");
    assert_eq!(site.field(long, "JobState"), "PENDING");
    site.end(full[0]);
    assert_eq!(site.wait_running(long), "big");
}

#[test]
fn what_a_user_sent_to_a_member_directly_is_not_delayed() {
    let site = Site::take();
    let full = [site.fill("big"), site.fill("gpu")];
    let busy = site.sbatch(
        "user2",
        &["-pcpu", "-N1", "--exclusive", "-t10"],
        "sleep 600",
    );
    site.wait_running(busy);
    site.wait_member("cpu", |cpu| cpu.nodes_free == 3);
    let direct = site.sbatch(
        "user2",
        &["-pcpu", "-N4", "--exclusive", "-t5"],
        "sleep 600",
    );
    site.wait_member("cpu", |cpu| cpu.direct_waiting == 1);
    let long = site.sbatch("user1", &["-n1", "-t60"], "sleep 600");
    let told = site.wait_explained(long, "No member can start it now");
    let cpu = told
        .members
        .iter()
        .find(|member| member.member == "cpu")
        .unwrap();
    assert!(
        cpu.text
            .contains(&format!("kept for job {direct}, sent there directly")),
        "{told:#?}"
    );
    site.end(busy);
    site.wait_running(direct);
    for job in full {
        site.end(job);
    }
    site.wait_running(long);
}

#[test]
fn a_job_changed_by_its_user_while_it_waits_is_looked_at_again() {
    let site = Site::take();
    let full = [site.fill("cpu"), site.fill("gpu")];
    let job = site.sbatch("user1", &["-n1", "-t5", "-Cgpu"], "sleep 600");
    site.wait_explained(job, "No member can start it now");
    let update = format!("jobid={job}");
    site.run("user1", &["scontrol", "update", &update, "features=big"]);
    assert_eq!(site.wait_running(job), "big");
    for job in full {
        site.end(job);
    }
}
