//! Limits of accounts, users and QOS: used up everywhere alike, so the job waits in the room and no
//! member is tried in vain.

use crate::site::Site;
use fedsched_sandbox::{Options, Room};

fn site() -> Site {
    Site::own(Options {
        room: Room::Qos,
        ..Options::default()
    })
}

impl Site {
    /// Changes something in accounting, and waits until slurmctld knows.
    fn limit(&self, what: &[&str]) {
        self.run("root", &[&["sacctmgr", "-i"], what].concat());
    }

    /// A job that the limit holds waits in the room, is told why, and is not moved about; once
    /// `ends` has ended it starts.
    fn held_by_a_limit(&self, job: u32, limit: &str, ends: u32) {
        let told = self.wait_answer(
            "root",
            &["explain", &job.to_string()],
            |told: &fedsched_protocol::query::Explanation| {
                let says = |text: &str| text.contains(limit);
                says(&told.summary) || told.members.iter().any(|member| says(&member.text))
            },
        );
        self.wait_field(job, "Partition", "federation");
        let moved = self.status().totals;
        for _ in 0..5 {
            self.wait_polled();
        }
        // Now and then it is tried whether the limit still holds.
        let later = self.status().totals;
        assert!(later.returned <= moved.returned + 1, "{told:#?} {later:?}");
        self.end(ends);
        self.wait_running(job);
    }
}

#[test]
fn a_limit_of_the_account_is_waited_for_in_the_room() {
    let site = site();
    site.limit(&["modify", "account", "physics", "set", "GrpTRES=cpu=4"]);
    let first = site.sbatch("user1", &["-n4", "-t5"], "sleep 600");
    site.wait_running(first);
    let second = site.sbatch("user1", &["-n2", "-t5"], "sleep 600");
    // Others are not concerned.
    let other = site.sbatch("user2", &["-n8", "-t5"], "sleep 600");
    site.wait_running(other);
    site.held_by_a_limit(second, "AssocGrpCpuLimit", first);
}

#[test]
fn a_limit_of_the_user_is_waited_for_in_the_room() {
    let site = site();
    site.limit(&["modify", "user", "user1", "set", "MaxJobs=1"]);
    let first = site.sbatch("user1", &["-n1", "-t5"], "sleep 600");
    site.wait_running(first);
    let second = site.sbatch("user1", &["-n1", "-t5"], "sleep 600");
    site.held_by_a_limit(second, "AssocMaxJobsLimit", first);
}

#[test]
fn a_limit_of_a_qos_is_waited_for_in_the_room() {
    let site = site();
    site.limit(&["add", "qos", "small", "MaxTRESPerUser=cpu=4"]);
    site.limit(&["modify", "user", "user1", "set", "qos+=small"]);
    let first = site.sbatch("user1", &["-n3", "-t5", "--qos=small"], "sleep 600");
    site.wait_running(first);
    let second = site.sbatch("user1", &["-n3", "-t5", "--qos=small"], "sleep 600");
    // The same user's jobs under another QOS go on.
    let other = site.sbatch("user1", &["-n3", "-t5"], "sleep 600");
    site.wait_running(other);
    site.held_by_a_limit(second, "QOSMaxCpuPerUserLimit", first);
}

#[test]
fn a_job_that_its_own_limits_forbid_waits_and_is_told_so() {
    let site = site();
    site.limit(&["modify", "user", "user1", "set", "MaxTRESPerJob=cpu=4"]);
    let job = site.sbatch("user1", &["-n6", "-t5"], "sleep 600");
    site.wait_answer(
        "user1",
        &["explain", &job.to_string()],
        |told: &fedsched_protocol::query::Explanation| {
            told.members
                .iter()
                .all(|member| member.text.contains("AssocMaxCpuPerJobLimit"))
        },
    );
    site.wait_field(job, "Partition", "federation");
    // Smaller ones of the same user are not held up by it.
    let small = site.sbatch("user1", &["-n4", "-t5"], "sleep 600");
    site.wait_running(small);
    site.run(
        "user1",
        &["scontrol", "update", &format!("jobid={job}"), "numcpus=4"],
    );
    site.wait_running(job);
}
