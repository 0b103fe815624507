//! A sandbox runs jobs as a real cluster does. Needs root, as everything here.

#![expect(clippy::unwrap_used, reason = "what fails in a test fails the test")]

use std::time::Duration;

use fedsched_sandbox::{JobSubmit, Options, Sandbox, Service, ServiceState, Signal};

const PATIENCE: Duration = Duration::from_secs(60);

/// Plain Slurm: these tests are about the sandbox itself.
fn plain() -> Options {
    Options {
        daemon: false,
        job_submit: JobSubmit::None,
        ..Options::default()
    }
}

/// Standard output of a command that must succeed.
fn run(sandbox: &Sandbox, user: &str, command: &[&str]) -> String {
    let output = sandbox.exec(user, command).unwrap();
    assert!(
        output.status.success(),
        "{command:?} as {user}: {}: {}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// Waits until a command prints this.
fn wait_for(sandbox: &Sandbox, command: &[&str], wanted: &str) {
    sandbox
        .wait_until(PATIENCE, &format!("{command:?} to print {wanted}"), || {
            let output = sandbox
                .exec("operator", command)
                .map_err(|error| error.to_string())?;
            let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
            if text == wanted { Ok(()) } else { Err(text) }
        })
        .unwrap();
}

#[test]
fn jobs_run_and_are_accounted() {
    let sandbox = Sandbox::start(&plain()).unwrap();
    let script = sandbox
        .write_file(
            "user1",
            "job.sh",
            "#!/bin/sh\nsrun sh -c 'echo $SLURMD_NODENAME'\n",
        )
        .unwrap();
    let script = script.to_str().unwrap();

    let job = run(
        &sandbox,
        "user1",
        &["sbatch", "--parsable", "--wait", "-pcpu", "-n16", script],
    );
    let state = [
        "sacct",
        "-nPX",
        "-j",
        &job,
        "-oState,Account,User,AllocCPUS",
    ];
    wait_for(&sandbox, &state, "COMPLETED|physics|user1|16");
    let printed = std::fs::read_to_string(sandbox.path(format!("/home/user1/slurm-{job}.out")));
    let nodes: std::collections::BTreeSet<_> = printed
        .as_ref()
        .unwrap()
        .lines()
        .map(str::to_owned)
        .collect();
    assert_eq!(
        nodes.into_iter().collect::<Vec<_>>(),
        ["cpu1", "cpu2"],
        "{printed:?}"
    );

    run(
        &sandbox,
        "user2",
        &["srun", "-pgpu", "--gres=gpu:h200:3", "true"],
    );
    let gpus = [
        "sacct",
        "-nPX",
        "-uuser2",
        "-oState,Account,NodeList,AllocTRES",
    ];
    let wanted = "COMPLETED|chemistry|gpu2|billing=1,cpu=1,gres/gpu=3,mem=500M,node=1";
    wait_for(&sandbox, &gpus, wanted);

    let waiting = run(
        &sandbox,
        "user1",
        &["sbatch", "--parsable", "--wrap=hostname"],
    );
    wait_for(&sandbox, &["squeue", "-ho%P %T"], "federation PENDING");
    run(
        &sandbox,
        "operator",
        &[
            "scontrol",
            "update",
            &format!("jobid={waiting}"),
            "partition=big",
        ],
    );
    let state = ["sacct", "-nPX", "-j", &waiting, "-oState,Partition"];
    wait_for(&sandbox, &state, "COMPLETED|big");
}

#[test]
fn services_can_be_hurt_and_started_again() {
    let sandbox = Sandbox::start(&plain()).unwrap();
    let job = run(
        &sandbox,
        "user1",
        &["sbatch", "--parsable", "-pbig", "--wrap=sleep 1000"],
    );
    let state = ["squeue", "-ho%T", "-j", &job];
    wait_for(&sandbox, &state, "RUNNING");

    let slurmctld = sandbox.service(Service::Slurmctld);
    let before = slurmctld.pid().unwrap();
    slurmctld.kill(Signal::SIGKILL).unwrap();
    assert_eq!(
        slurmctld.state().unwrap(),
        ServiceState::Ended {
            how: "signal SIGKILL".into()
        }
    );
    assert!(!sandbox.exec("user1", ["squeue"]).unwrap().status.success());
    slurmctld.start().unwrap();
    assert_ne!(slurmctld.pid().unwrap(), before);
    wait_for(&sandbox, &state, "RUNNING");

    let node = sandbox.service(Service::Slurmd("gpu2".into()));
    node.stop().unwrap();
    node.start().unwrap();
    run(&sandbox, "user1", &["srun", "-pgpu", "-wgpu2", "true"]);

    let slurmrestd = sandbox.service(Service::Slurmrestd);
    slurmrestd.restart().unwrap();
    assert!(slurmrestd.log_path().exists());
}
