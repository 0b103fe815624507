//! Members that drain, vanish, or do not start what was sent to them.

use fedsched_sandbox::{Options, Service};

use crate::site::Site;

/// A daemon that hears of Slurm so rarely that it decides by what was true before.
const DEAF: &str = "poll = \"60s\"\nhint_gap = \"60s\"";

#[test]
fn a_job_that_does_not_start_in_time_moves_to_another_member() {
    let site = Site::own(Options::default());
    let text = site
        .configuration()
        .replace("[slurm]", &format!("[slurm]\n{DEAF}"));
    site.configure(&format!("{text}\n[policy.default]\npatience = \"3s\"\n"));
    site.sandbox().service(Service::Fedsched).restart().unwrap();
    site.wait_ready();
    // Behind the daemon's back, cpu fills up.
    let direct = site.sbatch(
        "user2",
        &["-p", "cpu", "-N4", "--exclusive", "-t10"],
        "sleep 600",
    );
    site.wait_running(direct);
    let job = site.sbatch(
        "user1",
        &[
            "-n8",
            "-N1",
            "-t1",
            "--comment=fed: --members=cpu,gpu",
            "-J",
            "late",
        ],
        "true",
    );
    if site.field(job, "Partition") == "cpu" {
        // As intended: bound by what was true before. (gpu would be right as well.)
        site.configure(&text.replace(DEAF, ""));
    }
    site.configure(&format!(
        "{}\n[policy.default]\npatience = \"3s\"\n",
        text.replace(DEAF, "")
    ));
    site.sandbox().service(Service::Fedsched).restart().unwrap();
    site.wait_ready();
    assert_eq!(site.wait_completed(job), "gpu");
}

#[test]
fn jobs_bound_to_a_partition_that_goes_down_go_elsewhere() {
    let site = Site::own(Options::default());
    // Nothing starts at gpu, and the daemon does not know it yet when it answers.
    site.run(
        "root",
        &["scontrol", "update", "partitionname=gpu", "state=down"],
    );
    let job = site.sbatch("user1", &["-n12", "-N1", "-t1"], "true");
    assert_eq!(
        site.wait_completed(job),
        "big",
        "12 CPUs on a node: gpu is down, big is not"
    );
    site.wait("the member to be shown as down", || {
        let status = site.status();
        let gpu = status
            .members
            .iter()
            .find(|member| member.name == "gpu")
            .unwrap();
        if gpu.state == "down" {
            Ok(())
        } else {
            Err(format!("{gpu:?}"))
        }
    });
    site.run(
        "root",
        &["scontrol", "update", "partitionname=gpu", "state=up"],
    );
    let job = site.sbatch("user1", &["--gres=gpu:1", "-t1"], "true");
    assert_eq!(site.wait_completed(job), "gpu");
}

#[test]
fn a_node_that_goes_down_takes_no_jobs() {
    let site = Site::own(Options::default());
    for node in ["cpu1", "cpu2", "cpu3", "cpu4"] {
        let words = [
            "scontrol",
            "update",
            &format!("nodename={node}"),
            "state=down",
            "reason=test",
        ];
        site.run("root", &words);
    }
    site.wait("the nodes to be shown as lost", || {
        let status = site.status();
        let cpu = status
            .members
            .iter()
            .find(|member| member.name == "cpu")
            .unwrap();
        if cpu.nodes_usable == 0 {
            Ok(())
        } else {
            Err(format!("{cpu:?}"))
        }
    });
    let job = site.sbatch("user1", &["-n1", "-t1"], "true");
    assert_ne!(site.wait_completed(job), "cpu");
    let wide = site.sbatch("user1", &["-N4", "-t1"], "true");
    site.wait_explained(wide, "");
    for node in ["cpu1", "cpu2", "cpu3", "cpu4"] {
        site.run(
            "root",
            &[
                "scontrol",
                "update",
                &format!("nodename={node}"),
                "state=resume",
            ],
        );
    }
    assert_eq!(site.wait_completed(wide), "cpu", "it waited for the nodes");
}
