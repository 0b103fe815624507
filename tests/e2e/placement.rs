//! Where jobs go.

use crate::site::{MEMBERS, Site, members};
use fedsched_sandbox::Options;

#[test]
fn a_job_that_can_start_is_sent_to_a_member_with_its_submission() {
    let site = Site::take();
    let job = site.sbatch("user1", &["-n1", "-t5"], "sleep 600");
    let partition = site.field(job, "Partition");
    assert!(MEMBERS.contains(&partition.as_str()), "{partition}");
    assert_eq!(site.wait_running(job), partition);
    let told = site.wait_explained(job, "It runs at");
    assert_eq!(told.member, Some(partition));
    assert_eq!(told.members.len(), MEMBERS.len(), "{told:#?}");
    let totals = site.status().totals;
    assert_eq!(
        (totals.submitted, totals.placed_at_once, totals.bound),
        (1, 1, 0)
    );
}

#[test]
fn sizes_go_where_they_fit() {
    let site = Site::take();
    let cases: [(&[&str], &str, &str); 8] = [
        (&["-N1", "-n20"], "big", "big"),
        (&["-N1", "--mem=40G"], "big", "big"),
        (&["--gres=gpu:h200:2"], "gpu", "gpu2"),
        (&["--gpus=a100:3"], "gpu", "gpu1"),
        (
            &["-N2", "--ntasks-per-node=1", "--gpus-per-node=4"],
            "gpu",
            "gpu[1-2]",
        ),
        (&["-N4", "--ntasks-per-node=2"], "cpu", "cpu[1-4]"),
        (&["-w", "cpu3"], "cpu", "cpu3"),
        (&["-C", "gpu"], "gpu", "gpu"),
    ];
    let jobs = cases.map(|(size, partition, nodes)| {
        let job = site.sbatch("user1", &[&["-t5"], size].concat(), "true");
        (job, size, partition, nodes)
    });
    for (job, size, partition, nodes) in jobs {
        assert_eq!(site.wait_completed(job), partition, "{size:?}");
        let on = site.field(job, "NodeList");
        assert!(on.starts_with(nodes), "{size:?} ran on {on}");
    }
}

#[test]
fn tasks_without_a_node_count_fill_as_many_nodes_as_they_need() {
    let site = Site::take();
    let job = site.sbatch("user1", &["-n60", "-t5"], "srun true");
    assert_eq!(site.wait_completed(job), "big", "60 CPUs are nowhere else");
    assert_eq!(site.field(job, "NodeList"), "big[1-2]");
}

#[test]
fn what_no_node_can_hold_is_refused_at_submission() {
    let site = Site::take();
    for size in [
        ["-N1", "-n33"],
        ["-N1", "--mem=80G"],
        ["-N9", "-n9"],
        ["-n1", "-Cnosuch"],
    ] {
        let words = [&["sbatch"], &size[..], &["--wrap=true"]].concat();
        let told = site.refused("user1", &words);
        assert!(
            told.contains("Batch job submission failed"),
            "{size:?}: {told}"
        );
    }
    assert_eq!(site.squeue(None, "%i"), Vec::<String>::new());
}

#[test]
fn what_no_member_alone_can_hold_waits_and_is_told_so() {
    let site = Site::take();
    let job = site.sbatch("user1", &["-N5", "-n5", "-t5"], "true");
    let told = site.wait_explained(job, "No member can ever run it");
    assert!(
        told.members
            .iter()
            .all(|member| member.verdict == "refused"),
        "{told:#?}"
    );
    assert_eq!(site.field(job, "Partition"), "federation");
}

#[test]
fn jobs_go_home_where_they_can_and_elsewhere_where_they_must() {
    let site = Site::own(Options {
        daemon_config: members(&[
            ("cpu", ""),
            ("big", "home_accounts = [\"physics\"]"),
            ("gpu", "home_accounts = [\"chemistry\"]"),
        ]),
        ..Options::default()
    });
    let first = site.sbatch("user1", &["-n1", "-t5"], "sleep 600");
    let second = site.sbatch("user2", &["-n1", "-t5"], "sleep 600");
    assert_eq!(site.wait_running(first), "big");
    assert_eq!(site.wait_running(second), "gpu");
    assert!(
        site.explain("user1", first).members[0]
            .text
            .contains("at home"),
        "{:#?}",
        site.explain("user1", first)
    );
    // A job bound out of the queue goes home as one that is placed at once does.
    let held = site.sbatch("user1", &["-n1", "-t5", "-H"], "sleep 600");
    site.wait_explained(held, "held");
    site.run("user1", &["scontrol", "release", &held.to_string()]);
    assert_eq!(site.wait_running(held), "big");

    // Its nodes must be free before they can be filled.
    site.end(first);
    site.end(held);
    let full = site.fill("big");
    let guest = site.sbatch("user1", &["-n1", "-t5"], "sleep 600");
    assert_ne!(site.wait_running(guest), "big");
    site.end(full);
}

#[test]
fn a_member_that_does_not_admit_an_account_is_passed_over() {
    let site = Site::own(Options::default());
    site.run(
        "root",
        &[
            "scontrol",
            "update",
            "partitionname=big",
            "allowaccounts=chemistry",
        ],
    );
    site.wait_polled();
    let other = site.sbatch("user2", &["-N1", "-n20", "-t5"], "sleep 600");
    assert_eq!(site.wait_running(other), "big");
    let job = site.sbatch("user1", &["-N1", "-n20", "-t5"], "sleep 600");
    let told = site.wait_explained(job, "No member can ever run it");
    let big = told
        .members
        .iter()
        .find(|member| member.member == "big")
        .unwrap();
    assert_eq!(big.text, "account physics may not use it");
    site.run(
        "root",
        &[
            "scontrol",
            "update",
            "partitionname=big",
            "allowaccounts=ALL",
        ],
    );
    assert_eq!(site.wait_running(job), "big");
}

#[test]
fn a_job_keeps_what_it_asked_for_when_it_is_bound() {
    let site = Site::take();
    let full = site.fill_all();
    let asked = [
        "-n2",
        "-c3",
        "--mem-per-cpu=100",
        "-t17",
        "-Jnamed",
        "--nice=7",
        "--mail-type=NONE",
    ];
    let job = site.sbatch("user1", &asked, "sleep 600");
    assert_eq!(site.field(job, "Partition"), "federation");
    let names = [
        "NumTasks",
        "CPUs/Task",
        "MinMemoryCPU",
        "TimeLimit",
        "JobName",
        "Nice",
        "UserId",
    ];
    let before = site.fields(job);
    for job in full {
        site.end(job);
    }
    site.wait_running(job);
    let after = site.fields(job);
    for name in names {
        assert_eq!(before.get(name), after.get(name), "{name}");
        assert!(after.contains_key(name), "{name}: {after:?}");
    }
}
