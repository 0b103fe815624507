//! What is not the federation's, and what is asked without being meant.

use crate::site::{MEMBERS, Site};
use fedsched_sandbox::Options;

#[test]
fn a_job_that_names_a_partition_is_left_alone() {
    let site = Site::take();
    for partition in ["-pcpu", "-pbig,gpu"] {
        let job = site.sbatch("user1", &["-n1", "-t5", partition], "sleep 600");
        let at = site.wait_running(job);
        assert!(partition.contains(&at), "{at}");
        assert_eq!(site.admin_comment(job), "", "no mark");
        assert_eq!(
            site.try_run("user1", &["fedsched", "explain", &job.to_string()])
                .code,
            4
        );
        site.end(job);
    }
    assert_eq!(site.status().totals.submitted, 0);
    // One that waits there is not taken either.
    let full = site.fill("big");
    let direct = site.sbatch("user1", &["-N1", "-n20", "-t5", "-pbig"], "true");
    site.wait_member("big", |big| big.direct_waiting == 1);
    assert_eq!(site.field(direct, "Partition"), "big");
    site.end(full);
    site.wait_completed(direct);
}

#[test]
fn a_job_that_names_the_room_is_the_federations() {
    let site = Site::take();
    let job = site.sbatch("user1", &["-n1", "-t5", "-pfederation"], "sleep 600");
    assert!(MEMBERS.contains(&site.wait_running(job).as_str()));
    let told = site.refused("user1", &["sbatch", "-pcpu,federation", "--wrap=true"]);
    assert!(
        told.contains("federation in a list of partitions has no meaning"),
        "{told}"
    );
}

#[test]
fn a_job_moved_out_of_the_room_by_hand_is_its_users() {
    let site = Site::take();
    let full = site.fill_all();
    let job = site.sbatch("user1", &["-n1", "-t5"], "sleep 600");
    site.wait_explained(job, "No member can start it now");
    let update = [
        "scontrol",
        "update",
        &format!("jobid={job}"),
        "partition=gpu",
    ];
    site.wait("the user to move it", || {
        let ran = site.try_run("user1", &update);
        if ran.code == 0 { Ok(()) } else { Err(ran.err) }
    });
    site.wait_queue_empty();
    site.end(full[0]);
    site.end(full[1]);
    site.wait_member("cpu", |cpu| cpu.nodes_free == 4);
    assert_eq!(
        site.field(job, "Partition"),
        "gpu",
        "it waits where its user wants it"
    );
    site.end(full[2]);
    assert_eq!(site.wait_running(job), "gpu");
}

#[test]
fn a_job_with_a_reservation_is_left_alone() {
    let site = Site::take();
    let reserve = [
        "reservationname=ours",
        "users=user1",
        "starttime=now",
        "duration=30",
    ];
    let place = ["partitionname=gpu", "nodes=gpu1"];
    site.run(
        "root",
        &[
            &["scontrol", "create", "reservation"],
            &reserve[..],
            &place[..],
        ]
        .concat(),
    );
    site.wait_polled();
    let job = site.sbatch("user1", &["-n1", "-t5", "--reservation=ours"], "sleep 600");
    assert_eq!(site.wait_running(job), "gpu");
    assert_eq!(site.field(job, "NodeList"), "gpu1");
    assert_eq!(site.admin_comment(job), "");
    // Nobody else is sent there.
    let other = site.sbatch("user2", &["-n1", "-t5", "--gres=gpu:a100:1"], "sleep 600");
    site.wait_explained(other, "No member can start it now");
    assert_eq!(site.field(other, "Partition"), "federation");
    site.end(job);
    site.run("root", &["scontrol", "delete", "reservationname=ours"]);
    assert_eq!(site.wait_running(other), "gpu");
}

#[test]
fn a_heterogeneous_job_is_bound_whole() {
    let site = Site::take();
    let script = "#!/bin/sh\n#SBATCH -n2 -t5\n#SBATCH hetjob\n#SBATCH -n1 -c4 -t5\n\
                  srun --het-group=0,1 sh -c 'echo $SLURM_JOB_PARTITION' > het\n";
    let script = site
        .sandbox()
        .write_file("user1", "het.sh", script)
        .unwrap();
    let full = site.fill_all();
    let job = site.submit("user1", &[script.to_str().unwrap()]);
    site.wait_explained(job, "No member can start it now");
    site.end(full[1]);
    assert_eq!(site.wait_completed(job), "big");
    assert_eq!(site.field(job + 1, "Partition"), "big");
    assert_eq!(site.read("/home/user1/het"), "big\nbig\nbig\n");
    site.end(full[0]);
    site.end(full[2]);
}

#[test]
fn a_test_has_no_lasting_effect() {
    let site = Site::take();
    let whole = ["-N2", "-n64", "-t60"];
    for _ in 0..3 {
        let words = [&["sbatch", "--test-only"], &whole[..], &["--wrap=true"]].concat();
        let ran = site.try_run("user1", &words);
        assert_eq!(ran.code, 0, "{ran:?}");
        assert!(ran.err.contains("to start at"), "{ran:?}");
    }
    assert_eq!(site.squeue(None, "%i"), Vec::<String>::new());
    let job = site.sbatch("user1", &whole, "sleep 600");
    assert_eq!(site.wait_running(job), "big");
}

#[test]
fn reserved_partitions_are_only_the_federations_to_use() {
    let site = Site::own(Options {
        plugin_config: "ReservedPartitions=gpu".to_owned(),
        ..Options::default()
    });
    for words in [["sbatch", "-pgpu"], ["sbatch", "-pcpu,gpu"]] {
        let told = site.refused("user1", &[&words[..], &["--wrap=true"]].concat());
        assert!(told.contains("gpu"), "{told}");
        assert_eq!(
            told.lines().count(),
            2,
            "one line of ours, one of sbatch's: {told}"
        );
    }
    let held = site.sbatch("user1", &["-n1", "-t5", "-H"], "true");
    let update = format!("jobid={held}");
    let told = site.refused("user1", &["scontrol", "update", &update, "partition=gpu"]);
    assert_eq!(site.field(held, "Partition"), "federation", "{told}");
    // The federation goes there, and so does an operator.
    let job = site.sbatch("user1", &["-n1", "-t5", "--gres=gpu:1"], "true");
    assert_eq!(site.wait_completed(job), "gpu");
    let direct = site.sbatch("operator", &["-n1", "-t5", "-pgpu"], "true");
    assert_eq!(site.wait_completed(direct), "gpu");
}
