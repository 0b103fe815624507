//! The other kind of waiting room: UP, under a QOS that lets nothing start.

use crate::site::{MEMBERS, Site};
use fedsched_sandbox::{Options, Room};

fn site() -> Site {
    Site::like(Options {
        room: Room::Qos,
        ..Options::default()
    })
}

#[test]
fn jobs_are_placed_at_once_or_wait_under_the_qos() {
    let site = site();
    let job = site.sbatch("user1", &["-n1", "-t5"], "sleep 600");
    assert!(MEMBERS.contains(&site.field(job, "Partition").as_str()));
    site.wait_running(job);
    site.end(job);
    let full = site.fill_all();
    let waits = site.sbatch("user1", &["-n1", "-t5"], "sleep 600");
    let other = site.sbatch("user2", &["-N1", "-n20", "-t5"], "sleep 600");
    site.wait_field(waits, "Reason", "QOSGrpJobsLimit");
    for job in [waits, other] {
        let told = site.wait_explained(job, "No member can start it now");
        assert!(told.expected_ms.is_some(), "{told:#?}");
        assert_eq!(site.field(job, "Partition"), "federation");
    }
    site.end(full[1]);
    assert_eq!(site.wait_running(other), "big");
    assert_eq!(site.wait_running(waits), "big");
    assert_eq!(
        site.field(other, "QOS"),
        "normal",
        "the room's QOS is the room's alone"
    );
    for job in full {
        site.end(job);
    }
}

#[test]
fn what_is_not_ready_is_told_apart_from_what_waits() {
    let site = site();
    let held = site.sbatch("user1", &["-n1", "-t5", "-H"], "true");
    let later = site.sbatch("user1", &["-n1", "-t5", "--begin=now+8"], "true");
    let after = site.sbatch(
        "user1",
        &["-n1", "-t5", &format!("-dafterok:{held}")],
        "true",
    );
    site.wait_explained(held, "held");
    site.wait_explained(later, "begins in about");
    site.wait_explained(after, "waits for other jobs");
    site.wait_completed(later);
    site.run("user1", &["scontrol", "release", &held.to_string()]);
    site.wait_completed(held);
    site.wait_completed(after);
}

#[test]
fn an_array_spreads_and_waits_under_the_qos() {
    let site = site();
    let array = site.sbatch("user1", &["--array=0-19", "-c8", "-t5"], "sleep 3");
    site.wait("every task to end", || {
        let left = site.squeue(Some(array), "%i|%T|%P|%r");
        if left.is_empty() {
            Ok(())
        } else {
            Err(format!("{left:?}"))
        }
    });
    let count = |state: &str| {
        let tasks = site.run(
            "root",
            &[
                "sacct",
                "-nXP",
                "-j",
                &array.to_string(),
                "-oState,Partition",
            ],
        );
        tasks.lines().filter(|line| line.starts_with(state)).count()
    };
    site.wait("sacct to know of all", || match count("COMPLETED") {
        20 => Ok(()),
        done => Err(done.to_string()),
    });
}

#[test]
fn a_requeued_job_comes_back_through_it() {
    let site = site();
    let job = site.sbatch("user1", &["-n1", "-t5", "--requeue"], "sleep 600");
    site.wait_running(job);
    site.run("root", &["scontrol", "requeue", &job.to_string()]);
    site.wait_field(job, "Restarts", "1");
    site.wait_running(job);
}
