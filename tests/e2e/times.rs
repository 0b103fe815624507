//! Time limits and deadlines.

use crate::site::Site;
use fedsched_sandbox::{Options, Room};

#[test]
fn a_job_without_a_time_limit_gets_its_members_default() {
    let site = Site::own(Options::default());
    site.run(
        "root",
        &[
            "scontrol",
            "update",
            "partitionname=gpu",
            "defaulttime=13",
            "maxtime=60",
        ],
    );
    site.wait_polled();
    let only = "--comment=fed: members=gpu";
    let full = site.fill("gpu");
    let job = site.sbatch("user1", &["-n1", only], "sleep 600");
    site.wait_explained(job, "No member can start it now");
    site.end(full);
    site.wait_running(job);
    assert_eq!(
        site.field(job, "TimeLimit"),
        "00:13:00",
        "bound out of the room"
    );
    let job = site.sbatch("user1", &["-n1", only], "sleep 600");
    site.wait_running(job);
    assert_eq!(
        site.field(job, "TimeLimit"),
        "00:13:00",
        "sent with its submission"
    );
}

#[test]
fn without_a_default_the_maximum_of_the_member_holds() {
    let site = Site::own(Options::default());
    site.run(
        "root",
        &["scontrol", "update", "partitionname=gpu", "maxtime=45"],
    );
    site.wait_polled();
    let only = "--comment=fed: members=gpu";
    let full = site.fill_later("gpu", 45);
    site.wait_member("gpu", |gpu| gpu.nodes_free == 0);
    let job = site.sbatch("user1", &["-n1", only], "sleep 600");
    let long = site.sbatch("user1", &["-n1", "-t46", only], "sleep 600");
    site.wait_explained(job, "No member can start it now");
    let told = site.wait_explained(long, "No member can ever run it");
    let gpu = told
        .members
        .iter()
        .find(|member| member.member == "gpu")
        .unwrap();
    assert!(gpu.text.contains("over its maximum of"), "{told:#?}");
    site.end(full);
    site.wait_running(job);
    assert_eq!(site.field(job, "TimeLimit"), "00:45:00");
    assert_eq!(site.field(long, "Partition"), "federation");
}

#[test]
fn a_job_that_reaches_its_time_limit_times_out() {
    let site = Site::take();
    let job = site.sbatch("user1", &["-n1", "-t0:05"], "sleep 600");
    site.wait_running(job);
    // slurmctld rounds limits up to minutes.
    site.wait_for(
        std::time::Duration::from_secs(180),
        "it to time out",
        || match site.field(job, "JobState") {
            state if state == "TIMEOUT" => Ok(()),
            state => Err(state),
        },
    );
    site.wait_idle();
}

#[test]
fn a_deadline_is_kept_in_a_room_that_is_down() {
    past_its_deadline(&Site::take(), "CANCELLED");
}

#[test]
fn a_deadline_is_kept_in_a_room_under_a_qos() {
    past_its_deadline(
        &Site::like(Options {
            room: Room::Qos,
            ..Options::default()
        }),
        "DEADLINE",
    );
}

/// A job that cannot be over in time any more ends instead of waiting on.
fn past_its_deadline(site: &Site, state: &str) {
    let full = site.fill_all();
    let job = site.sbatch("user1", &["-n1", "-t1", "--deadline=now+75seconds"], "true");
    site.wait_explained(job, "No member can start it now");
    site.wait_field(job, "JobState", state);
    site.wait_queue_empty();
    for job in full {
        site.end(job);
    }
}
