//! `srun` and `salloc`: people who wait at their terminals.

use std::process::Child;

use crate::site::{Ran, Site};

impl Site {
    /// Starts a command of user1 that will wait, and waits until its job is in the room.
    fn begin(&self, words: &[&str]) -> (Child, String) {
        let child = self.sandbox().spawn("user1", words).unwrap();
        let job = self.wait("a job of user1 to wait in the room", || {
            let lines = self.run("root", &["squeue", "-hauuser1", "-o%A|%P|%T"]);
            let job = lines.strip_suffix("|federation|PENDING");
            job.map(str::to_owned).ok_or_else(|| lines.clone())
        });
        (child, job)
    }
}

/// Waits for the end of a command.
fn end(child: Child) -> Ran {
    let output = child.wait_with_output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).trim_end().to_owned();
    Ran {
        code: output.status.code().unwrap_or(-1),
        out: text(output.stdout),
        err: text(output.stderr),
    }
}

const WHERE: [&str; 3] = ["sh", "-c", "echo $SLURM_JOB_PARTITION"];

#[test]
fn srun_starts_at_once_where_a_member_can_take_it() {
    let site = Site::take();
    let out = site.run(
        "user1",
        &[&["srun", "-n2", "-Cgpu", "-t5"], &WHERE[..]].concat(),
    );
    assert_eq!(out, "gpu\ngpu");
    assert_eq!(
        site.run("user1", &["srun", "-n1", "-t5", "sh", "-c", "exit 0"]),
        ""
    );
    assert_eq!(
        site.try_run("user1", &["srun", "-n1", "-t5", "sh", "-c", "exit 7"])
            .code,
        7
    );
}

#[test]
fn srun_waits_in_the_room_and_starts_once_it_is_bound() {
    let site = Site::take();
    let full = site.fill_all();
    let (srun, job) = site.begin(&[&["srun", "-n1", "-t5"], &WHERE[..]].concat());
    site.wait_explained(&job, "No member can start it now");
    site.end(full[2]);
    let ran = end(srun);
    assert_eq!((ran.code, ran.out.as_str()), (0, "gpu"), "{ran:?}");
}

#[test]
fn a_terminal_is_given_to_who_waited_for_it() {
    let site = Site::take();
    let full = site.fill_all();
    let (srun, _) = site.begin(&["script", "-qec", "srun -n1 -t5 --pty tty", "/dev/null"]);
    site.end(full[0]);
    let ran = end(srun);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(
        ran.out.lines().any(|line| line.starts_with("/dev/pts/")),
        "{ran:?}"
    );
}

#[test]
fn salloc_waits_and_its_steps_run_where_it_was_bound() {
    let site = Site::take();
    let full = site.fill_all();
    let step = "srun sh -c 'echo $SLURM_JOB_PARTITION $SLURMD_NODENAME'";
    let (salloc, _) = site.begin(&["salloc", "-n1", "-t5", "sh", "-c", step]);
    site.end(full[1]);
    let ran = end(salloc);
    assert_eq!((ran.code, ran.out.as_str()), (0, "big big1"), "{ran:?}");
}

#[test]
fn who_gives_up_waiting_leaves_nothing() {
    let site = Site::take();
    let full = site.fill_all();
    let (mut srun, job) = site.begin(&["srun", "-n1", "-t5", "true"]);
    site.wait_explained(&job, "No member can start it now");
    srun.kill().unwrap();
    srun.wait().unwrap();
    // Slurm ends an allocation whose srun is gone only when it looks for it.
    site.run("user1", &["scancel", &job]);
    site.wait_queue_empty();
    for job in full {
        site.end(job);
    }
}

#[test]
fn what_must_start_immediately_fails_where_it_cannot() {
    let site = Site::take();
    let full = site.fill_all();
    let told = site.refused("user1", &["srun", "-n1", "-t5", "--immediate=1", "true"]);
    assert!(told.contains("Unable to allocate resources"), "{told}");
    site.wait_queue_empty();
    for job in full {
        site.end(job);
    }
}

#[test]
fn steps_inside_a_batch_job_are_the_jobs_own() {
    let site = Site::take();
    let job = site.sbatch(
        "user1",
        &["-N2", "-n2", "-t5"],
        "srun -l sh -c 'echo $SLURMD_NODENAME' | sort > steps",
    );
    let partition = site.wait_completed(job);
    let steps = site.read("/home/user1/steps");
    assert_eq!(steps, format!("0: {partition}1\n1: {partition}2\n"));
}
