//! `scancel` in every state: nothing stays behind.

use crate::site::Site;

#[test]
fn a_job_that_waits_is_cancelled() {
    let site = Site::take();
    let full = site.fill_all();
    let job = site.sbatch("user1", &["-n1", "-t5"], "true");
    site.wait_explained(job, "No member can start it now");
    site.run("user1", &["scancel", &job.to_string()]);
    site.wait_field(job, "JobState", "CANCELLED");
    site.wait_queue_empty();
    for job in full {
        site.end(job);
    }
    site.wait_idle();
}

#[test]
fn a_job_that_is_not_ready_is_cancelled() {
    let site = Site::take();
    let held = site.sbatch("user1", &["-n1", "-t5", "-H"], "true");
    let later = site.sbatch("user1", &["-n1", "-t5", "--begin=now+1hour"], "true");
    let after = site.sbatch(
        "user1",
        &["-n1", "-t5", &format!("-dafterok:{held}")],
        "true",
    );
    for job in [held, later, after] {
        site.wait_explained(job, "It is not ready");
    }
    for job in [after, later, held] {
        site.run("user1", &["scancel", &job.to_string()]);
        site.wait_field(job, "JobState", "CANCELLED");
    }
    site.wait_queue_empty();
}

#[test]
fn a_job_that_runs_is_cancelled_and_its_nodes_are_free_at_once() {
    let site = Site::take();
    let whole = ["-N2", "-n64", "-t60"];
    let job = site.sbatch("user1", &whole, "sleep 600");
    assert_eq!(site.wait_running(job), "big");
    let next = site.sbatch("user2", &whole, "sleep 600");
    site.wait_explained(next, "No member can start it now");
    site.run("user1", &["scancel", &job.to_string()]);
    assert_eq!(site.wait_running(next), "big");
    site.wait_field(job, "JobState", "CANCELLED");
}

#[test]
fn a_job_is_cancelled_right_after_its_submission() {
    let site = Site::take();
    for _ in 0..10 {
        let job = site.sbatch("user1", &["-N2", "-n64", "-t60"], "sleep 600");
        site.run("user1", &["scancel", &job.to_string()]);
    }
    site.wait_idle();
    // What was assumed for them is free again.
    let job = site.sbatch("user1", &["-N2", "-n64", "-t60"], "sleep 600");
    assert_eq!(site.wait_running(job), "big");
}

#[test]
fn jobs_cancelled_while_they_are_being_bound_stay_cancelled() {
    let site = Site::take();
    let full = site.fill_all();
    let jobs: Vec<String> = (0..24)
        .map(|_| {
            site.sbatch("user1", &["-n4", "-t5"], "sleep 600")
                .to_string()
        })
        .collect();
    site.wait("all of them to wait", || {
        let known = site.queue("user1").len();
        if known == jobs.len() {
            Ok(())
        } else {
            Err(known.to_string())
        }
    });
    for job in full {
        site.run("root", &["scancel", &job.to_string()]);
    }
    // They are bound while this goes on.
    let jobs: Vec<&str> = jobs.iter().map(String::as_str).collect();
    for some in jobs.chunks(3) {
        site.run("user1", &[&["scancel"], some].concat());
    }
    site.wait_idle();
    for job in jobs {
        site.wait_field(job, "JobState", "CANCELLED");
    }
}

#[test]
fn a_user_cancels_no_other_users_job() {
    let site = Site::take();
    let job = site.sbatch("user1", &["-n1", "-t5"], "sleep 600");
    site.wait_running(job);
    let ran = site.try_run("user2", &["scancel", &job.to_string()]);
    assert!(ran.err.contains("Access/permission denied"), "{ran:?}");
    assert_eq!(site.field(job, "JobState"), "RUNNING");
}
