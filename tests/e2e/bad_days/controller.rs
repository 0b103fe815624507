//! slurmctld and slurmrestd go away and come back, changed or not.

use fedsched_sandbox::{Options, Service, Signal};

use crate::site::Site;

/// Waits until a job of this name is in the file from which slurmctld starts again: one that was
/// submitted a moment ago is not, and slurmctld alone loses it.
fn wait_saved(site: &Site, name: &str) {
    let file = format!("{}/job_state", state_dir(site));
    site.wait("slurmctld to save its jobs", || {
        let found = site.try_run("root", &["grep", "-q", name, &file]);
        if found.code == 0 {
            Ok(())
        } else {
            Err(format!("{file} does not hold {name}"))
        }
    });
}

/// slurmctld's StateSaveLocation.
fn state_dir(site: &Site) -> String {
    let setting = site.run(
        "root",
        &["grep", "^StateSaveLocation", "/etc/slurm/slurm.conf"],
    );
    setting.split_once('=').unwrap().1.to_owned()
}

#[test]
fn slurmctld_killed_and_restarted_loses_no_job() {
    let site = Site::own(Options::default());
    let running = site.sbatch("user1", &["-n1", "-t5"], "sleep 5");
    site.wait_running(running);
    let large = ["-N5", "-t1", "-J", "saved"];
    let waiting = site.sbatch("user1", &large, "true");
    wait_saved(&site, "saved");
    let controller = site.sandbox().service(Service::Slurmctld);
    controller.kill(Signal::SIGKILL).unwrap();
    site.wait("the daemon to notice", || {
        let status = site.status();
        if status.alarms.is_empty() {
            Err(format!("{status:?}"))
        } else {
            Ok(())
        }
    });
    controller.start().unwrap();
    let next = site.sbatch("user2", &["-n1", "-t1"], "true");
    assert_ne!(site.wait_completed(next), "federation");
    site.wait_completed(running);
    assert_eq!(site.field(waiting, "JobState"), "PENDING");
    assert!(
        site.field(waiting, "AdminComment")
            .starts_with("fedsched:1")
    );
    site.wait_explained(waiting, "No member can ever run it");
}

#[test]
fn without_slurmrestd_jobs_wait_and_the_daemon_says_so() {
    let site = Site::own(Options::default());
    let rest = site.sandbox().service(Service::Slurmrestd);
    // Not for the fast path: a job that must be bound later.
    let job = site.sbatch("user1", &["-n1", "-t1", "--begin=now+2"], "true");
    rest.kill(Signal::SIGKILL).unwrap();
    site.wait("an alarm", || {
        let alarms = site.status().alarms;
        let of_rest = alarms
            .iter()
            .any(|alarm| alarm.contains("slurmrestd fails"));
        if of_rest {
            Ok(())
        } else {
            Err(format!("{alarms:?}"))
        }
    });
    assert_eq!(site.field(job, "Partition"), "federation");
    rest.start().unwrap();
    assert_ne!(site.wait_completed(job), "federation");
}

#[test]
fn a_cold_start_of_slurmctld_gives_no_job_the_story_of_another() {
    let site = Site::own(Options::default());
    let first = site.sbatch("user1", &["-n1", "-t1", "-J", "before"], "true");
    site.wait_completed(first);
    site.wait_explained(first, "completed");
    let controller = site.sandbox().service(Service::Slurmctld);
    controller.stop().unwrap();
    let state = state_dir(&site);
    site.run("root", &["find", &state, "-mindepth", "1", "-delete"]);
    controller.start().unwrap();
    let second = site.sbatch("user2", &["-N5", "-t1", "-J", "after"], "true");
    assert_eq!(second, first, "the id is used again");
    let told = site.wait_explained(second, "No member can ever run it");
    assert_eq!((told.name.as_str(), told.user.as_str()), ("after", "user2"));
    let others: Vec<_> = told
        .history
        .iter()
        .filter(|line| line.text.contains("started"))
        .collect();
    assert_eq!(others, Vec::<&fedsched_protocol::query::Happening>::new());
}

#[test]
fn a_room_set_up_by_mistake_raises_an_alarm() {
    let site = Site::own(Options::default());
    let job = site.sbatch("user1", &["-N5", "-t5"], "sleep 300");
    site.wait_explained(job, "No member can ever run it");
    site.run(
        "root",
        &["scontrol", "update", "partitionname=federation", "state=up"],
    );
    assert_eq!(
        site.wait_running(job),
        "federation",
        "Slurm starts it there"
    );
    site.wait("an alarm", || {
        let alarms = site.status().alarms;
        let of_room = alarms
            .iter()
            .any(|alarm| alarm.contains("run in the queue partition"));
        if of_room {
            Ok(())
        } else {
            Err(format!("{alarms:?}"))
        }
    });
    site.run(
        "root",
        &[
            "scontrol",
            "update",
            "partitionname=federation",
            "state=down",
        ],
    );
    site.run("user1", &["scancel", &job.to_string()]);
    site.wait("the alarm to end", || {
        let alarms = site.status().alarms;
        if alarms.is_empty() {
            Ok(())
        } else {
            Err(format!("{alarms:?}"))
        }
    });
}
