//! Jobs run and are accounted as on a real cluster, on every version of Slurm.

use std::collections::BTreeSet;

use fedsched_sandbox::{JobSubmit, Options, Room, Sandbox, Series};

use crate::{plain, run, wait_for, without_fedsched};

#[test]
fn jobs_run_on_22_05() {
    jobs_run(Series::V22_05);
}

#[test]
fn jobs_run_on_24_11() {
    jobs_run(Series::V24_11);
}

#[test]
fn jobs_run_on_26_05() {
    jobs_run(Series::V26_05);
}

#[test]
fn the_room_may_be_a_qos() {
    let options = Options {
        room: Room::Qos,
        ..without_fedsched(Series::V22_05)
    };
    let sandbox = Sandbox::start(&options).unwrap();
    let job = run(
        &sandbox,
        "user1",
        &["sbatch", "--parsable", "--wrap=hostname"],
    );
    wait_for(
        &sandbox,
        &["squeue", "-ho%P %T %r", "-j", &job],
        "federation PENDING QOSGrpJobsLimit",
    );
    run(&sandbox, "user1", &["srun", "-pcpu", "true"]);
}

#[test]
fn a_script_may_route_jobs() {
    let route = "function slurm_job_submit(job, partitions, uid)\n\
                 if job.partition == nil then job.partition = 'gpu' end\n\
                 return slurm.SUCCESS\nend\n\
                 function slurm_job_modify() return slurm.SUCCESS end\n\
                 return slurm.SUCCESS\n";
    let options = Options {
        job_submit: JobSubmit::Lua(route.to_owned()),
        slurm_config: String::from("MaxStepCount=17\n"),
        ..without_fedsched(Series::V22_05)
    };
    let sandbox = Sandbox::start(&options).unwrap();
    let show = "echo $SLURM_JOB_PARTITION; scontrol show config | grep -o 'MaxStepCount.*'";
    let printed = run(&sandbox, "user1", &["srun", "sh", "-c", show]);
    assert_eq!(printed.replace(' ', ""), "gpu\nMaxStepCount=17");
}

fn jobs_run(series: Series) {
    let sandbox = plain(series);
    assert!(
        sandbox.slurm_version().starts_with(series.name()),
        "{sandbox:?}"
    );
    a_parallel_job_spreads_over_nodes(&sandbox);
    a_job_gets_the_gpus_it_asks_for(&sandbox);
    a_job_waits_in_the_room_until_it_is_moved(&sandbox);
    a_step_started_by_hand_has_a_terminal(&sandbox);
}

fn a_parallel_job_spreads_over_nodes(sandbox: &Sandbox) {
    let text = "#!/bin/sh\nsrun sh -c 'echo $SLURMD_NODENAME'\n";
    let script = sandbox.write_file("user1", "job.sh", text).unwrap();
    let submit = [
        "sbatch",
        "--parsable",
        "--wait",
        "-pcpu",
        "-n16",
        script.to_str().unwrap(),
    ];
    let job = run(sandbox, "user1", &submit);

    let accounts = [
        "sacct",
        "-nPX",
        "-j",
        &job,
        "-oState,Account,User,AllocCPUS",
    ];
    wait_for(sandbox, &accounts, "COMPLETED|physics|user1|16");
    let home = sandbox.home("user1").unwrap();
    let output = sandbox.path(home.join(format!("slurm-{job}.out")));
    let printed = std::fs::read_to_string(output).unwrap();
    assert_eq!(
        printed.lines().collect::<BTreeSet<_>>(),
        BTreeSet::from(["cpu1", "cpu2"])
    );
}

fn a_job_gets_the_gpus_it_asks_for(sandbox: &Sandbox) {
    let show = "echo $SLURMD_NODENAME $CUDA_VISIBLE_DEVICES";
    let command = ["srun", "-pgpu", "--gres=gpu:h200:3", "sh", "-c", show];
    assert_eq!(run(sandbox, "user2", &command), "gpu2 0,1,2");
    let accounts = ["sacct", "-nPX", "-uuser2", "-oState,Account,AllocTRES"];
    let wanted = "COMPLETED|chemistry|billing=1,cpu=1,gres/gpu=3,mem=500M,node=1";
    wait_for(sandbox, &accounts, wanted);
}

fn a_job_waits_in_the_room_until_it_is_moved(sandbox: &Sandbox) {
    let job = run(
        sandbox,
        "user1",
        &["sbatch", "--parsable", "--wrap=hostname"],
    );
    wait_for(
        sandbox,
        &["squeue", "-ho%P %T", "-j", &job],
        "federation PENDING",
    );
    let update = [
        "scontrol",
        "update",
        &format!("jobid={job}"),
        "partition=big",
    ];
    assert!(
        !sandbox.exec("user2", update).unwrap().status.success(),
        "only operators may"
    );
    // Slurm asks to try again now and then; nothing has changed when it does.
    let moved = format!("job {job} to be moved");
    sandbox
        .wait_until(crate::PATIENCE, &moved, || {
            let output = sandbox
                .exec("operator", update)
                .map_err(|error| error.to_string())?;
            if output.status.success() {
                return Ok(());
            }
            Err(String::from_utf8_lossy(&output.stderr).into_owned())
        })
        .unwrap();
    wait_for(
        sandbox,
        &["sacct", "-nPX", "-j", &job, "-oState,Partition"],
        "COMPLETED|big",
    );
}

fn a_step_started_by_hand_has_a_terminal(sandbox: &Sandbox) {
    let command = ["script", "-qec", "srun -pcpu --pty tty", "/dev/null"];
    let terminal = run(sandbox, "user1", &command);
    assert!(terminal.contains("/dev/pts/"), "{terminal:?}");
}
