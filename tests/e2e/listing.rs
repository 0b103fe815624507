//! Listing through slurmrestd where there is no libslurm, and slurmrestd by token.

use crate::site::Site;
use fedsched_sandbox::{Options, Service};

/// What a site without slurm-watch does on an ordinary day.
fn a_day(site: &Site) {
    let at_once = site.sbatch("user1", &["-n1", "-t5"], "sleep 600");
    assert_ne!(site.field(at_once, "Partition"), "federation");
    site.wait_running(at_once);
    site.wait_explained(at_once, "It runs at");
    site.end(at_once);
    let full = site.fill_all();
    let held = site.sbatch("user1", &["-n1", "-t5", "-H"], "true");
    let later = site.sbatch("user1", &["-n1", "-t5", "--begin=now+1hour"], "true");
    let after = site.sbatch(
        "user1",
        &["-n1", "-t5", &format!("-dafterok:{held}")],
        "true",
    );
    let gpu = site.sbatch("user1", &["-n1", "-t5", "--gres=gpu:h200:1"], "sleep 600");
    let array = site.sbatch("user2", &["--array=0-19", "-c8", "-t5"], "sleep 1");
    site.wait_explained(held, "held");
    site.wait_explained(later, "begins in about");
    site.wait_explained(after, "waits for other jobs");
    site.wait_explained(array, "No member can start it now");
    let told = site.wait_explained(gpu, "No member can start it now");
    assert!(told.expected_ms.is_some(), "{told:#?}");
    for job in full {
        site.end(job);
    }
    assert_eq!(site.wait_running(gpu), "gpu");
    assert_eq!(site.field(gpu, "NodeList"), "gpu2");
    site.wait("the array to end", || {
        let left = site.squeue(Some(array), "%i|%T|%P|%r");
        if left.is_empty() {
            Ok(())
        } else {
            Err(format!("{left:?}"))
        }
    });
    site.run("user1", &["scontrol", "release", &held.to_string()]);
    site.wait_completed(held);
    site.wait_completed(after);
    site.run("root", &["scontrol", "requeue", &gpu.to_string()]);
    site.wait_field(gpu, "Restarts", "1");
    site.wait_running(gpu);
    site.run("user1", &["scancel", &gpu.to_string(), &later.to_string()]);
    site.wait_idle();
}

#[test]
fn without_slurm_watch_everything_is_the_same() {
    let site = Site::own(Options {
        daemon_config: "[slurm]\nwatch = \"off\"\n".to_owned(),
        ..Options::default()
    });
    let running = site.try_run("root", &["pgrep", "-x", "slurm-watch"]);
    assert_eq!(running.code, 1, "{running:?}");
    a_day(&site);
}

/// The key of the cluster's tokens, where the daemon may read it.
const KEY: &str = "/var/lib/fedsched-jwt.key";

#[test]
#[ignore = "starts a daemon in a sandbox that has none: Options::daemon must be true"]
fn slurmrestd_is_spoken_to_over_tcp_with_tokens_made_from_the_key() {
    let site = Site::own(Options {
        daemon_config: format!(
            "[slurm]\nwatch = \"off\"\nrestd = \"http://127.0.0.1:6820\"\njwt_key = \"{KEY}\"\n"
        ),
        daemon: false,
        ..Options::default()
    });
    let copy = [
        "install",
        "-ofedsched",
        "-m400",
        "/var/lib/slurm/jwt_hs256.key",
        KEY,
    ];
    site.run("root", &copy);
    site.sandbox().service(Service::Fedsched).start().unwrap();
    a_day(&site);
}

#[test]
fn tokens_that_live_shortly_are_renewed() {
    let site = Site::own(Options {
        daemon_config: "[slurm]\nrestd = \"http://127.0.0.1:6820\"\n\
                        token_command = [\"/usr/bin/scontrol\", \"token\", \"lifespan=6\"]\n"
            .to_owned(),
        ..Options::default()
    });
    let full = site.fill_all();
    // Each is bound over slurmrestd, the later ones with tokens that did not exist at first.
    let mut ends = full.into_iter();
    for _ in 0..3 {
        let job = site.sbatch(
            "user1",
            &["-N1", "-n1", "--exclusive", "-t5", "--begin=now+5"],
            "sleep 1",
        );
        site.wait_explained(job, "begins in about");
        if let Some(full) = ends.next() {
            site.end(full);
        }
        site.wait_completed(job);
    }
    assert_eq!(site.status().alarms, Vec::<String>::new());
}
