//! The plugin meets a daemon that is not there, hangs, lies, or is somebody else.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use fedsched_sandbox::{Options, Service, Signal};

use super::impostor::{Impostor, Manner, PLUGIN_SOCKET};
use crate::site::Site;

/// Submits some jobs, which must all be accepted without a word, and returns their ids.
fn submit_some(site: &Site) -> Vec<u32> {
    (0..10)
        .map(|_| site.sbatch("user1", &["-n1", "-t1"], "true"))
        .collect()
}

fn assert_all_wait(site: &Site, jobs: &[u32]) {
    for job in jobs {
        let fields = site.fields(job);
        assert_eq!(fields["Partition"], "federation", "{fields:?}");
        assert_eq!(fields["JobState"], "PENDING", "{fields:?}");
        assert!(
            fields["AdminComment"].starts_with("fedsched:1"),
            "marked by the plugin alone"
        );
    }
}

#[test]
fn without_the_daemon_jobs_wait_and_are_placed_when_it_is_back() {
    let site = Site::own(Options::default());
    let daemon = site.sandbox().service(Service::Fedsched);
    daemon.kill(Signal::SIGKILL).unwrap();
    let jobs = submit_some(&site);
    assert_all_wait(&site, &jobs);
    daemon.start().unwrap();
    for job in jobs {
        assert_ne!(site.wait_completed(job), "federation");
    }
}

#[test]
fn a_daemon_that_hangs_costs_no_job() {
    let site = Site::own(Options::default());
    let daemon = site.sandbox().service(Service::Fedsched);
    daemon.kill(Signal::SIGSTOP).unwrap();
    let jobs = submit_some(&site);
    assert_all_wait(&site, &jobs);
    daemon.kill(Signal::SIGCONT).unwrap();
    for job in jobs {
        assert_ne!(site.wait_completed(job), "federation");
    }
}

#[test]
fn a_daemon_that_talks_nonsense_is_not_believed() {
    let site = Site::own(Options::default());
    let daemon = site.sandbox().service(Service::Fedsched);
    daemon.stop().unwrap();
    let mut jobs = Vec::new();
    for manner in [
        Manner::Garbage,
        Manner::HalfFrame,
        Manner::HangUp,
        Manner::Late("big"),
        Manner::Bind("no such partition"),
    ] {
        let impostor = Impostor::at(&site, manner);
        let some = submit_some(&site);
        assert_all_wait(&site, &some);
        // The breaker may keep the later submissions from asking at all, but not for long.
        site.wait(
            &format!("the plugin to ask the impostor ({manner:?})"),
            || {
                if impostor.served() > 0 {
                    return Ok(());
                }
                jobs.push(site.sbatch("user1", &["-n1", "-t1"], "true"));
                Err("not asked yet".to_owned())
            },
        );
        jobs.extend(some);
    }
    assert_all_wait(&site, &jobs);
    daemon.start().unwrap();
    for job in jobs {
        assert_ne!(site.wait_completed(job), "federation");
    }
}

#[test]
fn a_socket_that_cannot_be_used_costs_no_job() {
    let site = Site::own(Options::default());
    let daemon = site.sandbox().service(Service::Fedsched);
    let path = site.sandbox().path(PLUGIN_SOCKET);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    let forbidden = submit_some(&site);
    assert_all_wait(&site, &forbidden);
    daemon.stop().unwrap();
    drop(fs::remove_file(&path));
    fs::create_dir(&path).unwrap();
    let no_socket = submit_some(&site);
    assert_all_wait(&site, &no_socket);
    // The daemon says what is in its way instead of removing it.
    let refused = site.refused("fedsched", &["fedsched", "daemon"]);
    assert!(refused.contains("no socket"), "{refused}");
    fs::remove_dir(&path).unwrap();
    daemon.start().unwrap();
    for job in forbidden.into_iter().chain(no_socket) {
        assert_ne!(site.wait_completed(job), "federation");
    }
}
