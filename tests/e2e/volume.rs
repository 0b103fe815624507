//! A thousand jobs of all sizes, by several users.

use std::collections::BTreeMap;
use std::process::Child;
use std::time::Duration;

use crate::site::{MEMBERS, Site};
use fedsched_sandbox::{Options, Service, Signal};

/// How long a thousand jobs may take on a machine that does other things besides.
const PATIENCE: Duration = Duration::from_secs(600);

/// Jobs of each user; some are arrays of ten.
const USERS: [(&str, u32); 2] = [("user1", 500), ("user2", 500)];

/// What each job notes: the id, and how often it was restarted.
const NOTE: &str = "echo $SLURM_JOB_ID.${SLURM_RESTART_COUNT:-0} >> $HOME/ran";

/// Submits one user's jobs with plain sbatch: 400 of mixed sizes, and ten arrays of ten tasks.
fn submit(user: &str) -> String {
    format!(
        "cd; rm -f ran; i=0
         while [ $i -lt 400 ]; do
             case $((i % 10)) in
                 0) size='-N1 -n20' ;;
                 1) size='--gres=gpu:1 -n2' ;;
                 2) size='-N2 -n2' ;;
                 3) size='-n6' ;;
                 4) size='-n1 --mem=20G' ;;
                 5) size='-N4 -n4' ;;
                 *) size='-n1' ;;
             esac
             sbatch --parsable -t5 $size -o /dev/null --wrap '{NOTE}' >> ids.{user} || exit 1
             if [ $((i % 40)) = 0 ]; then
                 sbatch --parsable -t5 --array=1-10 -n1 -o /dev/null --wrap '{NOTE}' >> ids.{user} || exit 1
             fi
             i=$((i + 1))
         done"
    )
}

fn begin(site: &Site) -> Vec<Child> {
    let users = USERS.iter().map(|(user, _)| {
        site.sandbox()
            .spawn(user, ["sh", "-c", &submit(user)])
            .unwrap()
    });
    users.collect()
}

/// Waits for the end of the submissions and of all jobs, with something done again and again
/// meanwhile, and looks whether each ran once.
fn finish(site: &Site, submitters: Vec<Child>, mut meanwhile: impl FnMut()) {
    let mut submitters = submitters;
    site.wait_for(PATIENCE, "everything to be submitted", || {
        meanwhile();
        for submitter in &mut submitters {
            match submitter.try_wait().unwrap() {
                None => return Err("sbatch still goes on".to_owned()),
                Some(status) => assert!(status.success(), "sbatch failed: {status}"),
            }
        }
        Ok(())
    });
    site.wait_for(PATIENCE, "every job to end", || {
        meanwhile();
        let left = site.run("root", &["squeue", "-haro%P %T %r"]);
        if left.is_empty() {
            return Ok(());
        }
        let mut kinds: BTreeMap<&str, u32> = BTreeMap::new();
        for line in left.lines() {
            *kinds.entry(line).or_default() += 1;
        }
        Err(format!("{kinds:?}"))
    });
    for (user, jobs) in USERS {
        ran_once(site, user, jobs);
    }
}

/// Each of the user's jobs ran once, at a member, and accounting says so.
fn ran_once(site: &Site, user: &str, jobs: u32) {
    let noted = site.read(&format!("/home/{user}/ran"));
    let mut runs: BTreeMap<&str, u32> = BTreeMap::new();
    for line in noted.lines() {
        *runs.entry(line).or_default() += 1;
    }
    let twice: Vec<_> = runs.iter().filter(|(_, count)| **count > 1).collect();
    assert!(twice.is_empty(), "{user}: ran twice: {twice:?}");
    let again: Vec<_> = runs.keys().filter(|run| !run.ends_with(".0")).collect();
    assert!(again.is_empty(), "{user}: restarted: {again:?}");
    assert_eq!(
        runs.len(),
        usize::try_from(jobs).unwrap(),
        "{user}: some did not run"
    );

    site.wait(&format!("accounting to know all jobs of {user}"), || {
        let rows = site.run(
            "root",
            &[
                "sacct",
                "-nXPD",
                "-u",
                user,
                "-Snow-1hour",
                "-oState,Partition",
            ],
        );
        let mut kinds: BTreeMap<(&str, &str), u32> = BTreeMap::new();
        for line in rows.lines() {
            *kinds.entry(line.split_once('|').unwrap()).or_default() += 1;
        }
        let done = kinds
            .iter()
            .filter(|((state, place), _)| *state == "COMPLETED" && MEMBERS.contains(place));
        let done: u32 = done.map(|(_, count)| count).sum();
        if done == jobs && kinds.len() <= MEMBERS.len() {
            Ok(())
        } else {
            Err(format!("{kinds:?}"))
        }
    });
}

#[test]
fn a_thousand_jobs_all_run_and_none_twice() {
    let site = Site::own(Options {
        min_job_age_s: 3600,
        ..Options::default()
    });
    let submitters = begin(&site);
    finish(&site, submitters, || {});
    let status = site.status();
    assert_eq!(status.totals.submitted, 820, "{status:#?}");
    assert_eq!(status.alarms, Vec::<String>::new());
    site.wait_idle();
}

#[test]
fn a_thousand_jobs_all_run_and_none_twice_while_the_daemon_is_killed_again_and_again() {
    let site = Site::own(Options {
        min_job_age_s: 3600,
        ..Options::default()
    });
    let submitters = begin(&site);
    let daemon = site.sandbox().service(Service::Fedsched);
    let mut last = std::time::Instant::now();
    let mut kills = 0;
    finish(&site, submitters, || {
        if last.elapsed() > Duration::from_secs(4) {
            daemon.kill(Signal::SIGKILL).unwrap();
            daemon.start().unwrap();
            last = std::time::Instant::now();
            kills += 1;
        }
    });
    assert!(kills >= 3, "the daemon was killed {kills} times");
    site.wait_ready();
    site.wait_idle();
}
