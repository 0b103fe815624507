//! What happens to jobs while all is well.

use fedsched_protocol::mark;
use fedsched_protocol::submit::{Answer, Submission};

use crate::daemon::{Act, Daemon};
use crate::host::Host;

const SCRIPT: &str = "#!/bin/sh\n#SBATCH -n4\n#FED --policy=green --avoid=west\nhostname\n";

fn wait(_: &Submission) -> Act {
    Act::Answer(Answer::Wait)
}

#[test]
fn the_plugin_is_what_slurmctld_looks_for() {
    let host = Host::start("");
    assert_eq!(host.started.get("type"), Some("job_submit/fedsched"));
    assert_eq!(
        host.started.get("name"),
        Some("Federation scheduler submit plugin")
    );
    assert_eq!(host.started.get("version"), Some("1"), "as in slurm.h");
    assert_eq!(host.started.get("rc"), Some("0"));
}

#[test]
fn a_job_goes_where_the_daemon_says_and_carries_its_mark() {
    let mut host = Host::start("");
    let daemon = Daemon::start(&host.socket(), |_| Act::bind("cpu"));
    let answer = host.submit(&[("script", SCRIPT)]);
    answer.assert_sent_to("cpu");
    assert_eq!(answer.log, Vec::<String>::new());
    let submission = daemon.submissions().remove(0);
    let (mark, directives) = mark::from_comment(answer.get("admin_comment").unwrap()).unwrap();
    assert_eq!(submission.mark, Some(mark));
    assert_eq!(directives, "--policy=green --avoid=west");
    assert_eq!(submission.directives, directives);
    assert_eq!((submission.user_id, submission.group_id), (4001, 4002));
    assert!(submission.batch);
}

#[test]
fn a_job_that_must_wait_goes_to_the_queue() {
    let mut host = Host::start("QueuePartition=room");
    let _daemon = Daemon::start(&host.socket(), wait);
    host.submit(&[]).assert_sent_to("room");
    host.submit(&[("partition", "room")]).assert_sent_to("room");
}

#[test]
fn a_job_that_the_daemon_refuses_is_refused_with_its_words() {
    let mut host = Host::start("");
    let _daemon = Daemon::start(&host.socket(), |_| {
        Act::Answer(Answer::Refuse {
            message: "no member has 99 nodes:\nthe largest, big, has 2".into(),
        })
    });
    let answer = host.submit(&[]);
    assert_eq!(answer.get("rc"), Some("2014"));
    assert_eq!(
        answer.get("message"),
        Some("fedsched: no member has 99 nodes: the largest, big, has 2")
    );
}

#[test]
fn the_daemon_is_told_nothing_that_the_user_did_not_say() {
    let mut host = Host::start("");
    let daemon = Daemon::start(&host.socket(), wait);
    host.submit(&[]);
    let submission = daemon.submissions().remove(0);
    let unset = Submission {
        mark: submission.mark,
        user_id: 4001,
        group_id: 4002,
        ..Submission::default()
    };
    assert_eq!(submission, unset);
}

#[test]
#[expect(clippy::too_many_lines, reason = "it is one table")]
fn the_daemon_is_told_every_field_as_slurm_has_it() {
    let mut host = Host::start("");
    let daemon = Daemon::start(&host.socket(), wait);
    host.submit(&[
        ("account", "physics"),
        ("qos", "high"),
        ("name", "sim"),
        ("work_dir", "/home/u"),
        ("array_inx", "0-9%4"),
        ("dependency", "afterok:12"),
        ("min_nodes", "2"),
        ("max_nodes", "4"),
        ("num_tasks", "8"),
        ("min_cpus", "16"),
        ("cpus_per_task", "2"),
        ("ntasks_per_node", "4"),
        ("pn_min_cpus", "6"),
        ("pn_min_memory", "1024"),
        ("pn_min_tmp_disk", "10"),
        ("tres_per_job", "gres/gpu:8"),
        ("tres_per_node", "gres/gpu:a100:2"),
        ("tres_per_task", "gres/gpu:1"),
        ("tres_per_socket", "gres/gpu:1"),
        ("cpus_per_tres", "gres/gpu:4"),
        ("mem_per_tres", "gres/gpu:100"),
        ("shared", "0"),
        ("contiguous", "1"),
        ("features", "ssd"),
        ("licenses", "matlab:1"),
        ("req_nodes", "n1"),
        ("exc_nodes", "n[2-3]"),
        ("time_limit", "60"),
        ("time_min", "30"),
        ("deadline", "4000000000"),
    ]);
    let submission = daemon.submissions().remove(0);
    let expected = Submission {
        mark: submission.mark,
        user_id: 4001,
        group_id: 4002,
        account: Some("physics".into()),
        qos: Some("high".into()),
        name: Some("sim".into()),
        work_dir: Some("/home/u".into()),
        array: Some("0-9%4".into()),
        deferred: true,
        dependency: Some("afterok:12".into()),
        nodes_min: Some(2),
        nodes_max: Some(4),
        tasks: Some(8),
        cpus_min: Some(16),
        cpus_per_task: Some(2),
        tasks_per_node: Some(4),
        node_cpus_min: Some(6),
        memory: Some(1024),
        tmp_disk_mib: Some(10),
        tres_per_job: Some("gres/gpu:8".into()),
        tres_per_node: Some("gres/gpu:a100:2".into()),
        tres_per_task: Some("gres/gpu:1".into()),
        tres_per_socket: Some("gres/gpu:1".into()),
        cpus_per_tres: Some("gres/gpu:4".into()),
        memory_per_tres: Some("gres/gpu:100".into()),
        shared: Some(0),
        contiguous: true,
        features: Some("ssd".into()),
        licenses: Some("matlab:1".into()),
        required_nodes: Some("n1".into()),
        excluded_nodes: Some("n[2-3]".into()),
        time_limit_min: Some(60),
        time_min_min: Some(30),
        deadline_s: Some(4_000_000_000),
        ..Submission::default()
    };
    assert_eq!(submission, expected);
}

#[test]
fn a_job_that_may_not_start_yet_says_so() {
    let mut host = Host::start("");
    let daemon = Daemon::start(&host.socket(), wait);
    for (field, deferred) in [
        (("priority", "0"), true),
        (("begin_time", "4000000000"), true),
        (("dependency", "singleton"), true),
        (("begin_time", "1000"), false),
        (("priority", "7"), false),
    ] {
        host.submit(&[field]).assert_sent_to("federation");
        assert_eq!(daemon.submissions()[0].deferred, deferred, "{field:?}");
    }
}

#[test]
fn jobs_of_others_are_left_as_they_are() {
    let mut host = Host::start("");
    let daemon = Daemon::start(&host.socket(), |_| Act::bind("cpu"));
    for field in [
        ("partition", "gpu"),
        ("partition", "cpu,gpu"),
        ("reservation", "maint"),
        ("het_job_offset", "0"),
        ("cron", "1"),
        ("job_id", "67108865"),
    ] {
        let answer = host.submit(&[field]);
        assert_eq!(answer.get("rc"), Some("0"), "{field:?}");
        assert_eq!(answer.get("admin_comment"), None, "{field:?}");
        let partition = (field.0 == "partition").then_some(field.1);
        assert_eq!(answer.get("partition"), partition, "{field:?}");
    }
    assert_eq!(daemon.connections(), 0);
}

#[test]
fn a_wrong_directive_is_refused_before_the_daemon_is_asked() {
    let mut host = Host::start("");
    let daemon = Daemon::start(&host.socket(), wait);
    let answer = host.submit(&[("script", "#!/bin/sh\n#FED --split=nodse\n")]);
    assert_eq!(answer.get("rc"), Some("2029"));
    assert_eq!(
        answer.get("message"),
        Some(
            "fedsched: line 2 (#FED): --split=\"nodse\" is not understood, did you mean nodes? \
             Allowed is never, when-needed, nodes or nodes:max=N with N members at most"
        )
    );
    assert_eq!(daemon.connections(), 0);
    host.submit(&[("comment", "fed: split=nodes")])
        .assert_sent_to("federation");
    assert_eq!(daemon.submissions()[0].directives, "split=nodes");
}

#[test]
fn an_operators_admin_comment_is_kept() {
    let mut host = Host::start("");
    let daemon = Daemon::start(&host.socket(), wait);
    let answer = host.submit(&[("admin_comment", "ticket 12")]);
    answer.assert_sent_to("federation");
    assert_eq!(answer.get("admin_comment"), Some("ticket 12"));
    assert_eq!(daemon.submissions()[0].mark, None);

    let answer = host.submit(&[("admin_comment", "ticket 12"), ("script", SCRIPT)]);
    assert_eq!(answer.get("rc"), Some("2029"));

    let ours = "fedsched:1 9f86d081884c7d65 --policy=old";
    let answer = host.submit(&[("admin_comment", ours)]);
    let (mark, directives) = mark::from_comment(answer.get("admin_comment").unwrap()).unwrap();
    assert_ne!(mark.0, 0x9f86_d081_884c_7d65, "a mark names one submission");
    assert_eq!(directives, "");
}

#[test]
fn reserved_partitions_are_closed_to_users() {
    let mut host = Host::start("ReservedPartitions=span,gpu");
    let _daemon = Daemon::start(&host.socket(), wait);
    for command in ["submit", "modify"] {
        let answer = host.run(command, &[("partition", "gpu")]);
        assert_eq!(answer.get("rc"), Some("2002"), "{command}");
        // 22.05 gives job_modify no way to say why.
        if command == "submit" || answer.get("message").is_some() {
            assert_eq!(
                answer.get("message"),
                Some(
                    "fedsched: partition gpu belongs to the federation, which sends jobs there \
                     itself: leave out the partition, or name federation"
                )
            );
        }
        for submitter in ["0", "4000"] {
            let answer = host.run(command, &[("partition", "gpu"), ("submitter", submitter)]);
            assert_eq!(answer.get("rc"), Some("0"), "{command} {submitter}");
        }
    }
    let answer = host.run("modify", &[("partition", "federation")]);
    assert_eq!(answer.get("rc"), Some("0"));
    let answer = host.run("modify", &[("time_limit", "10")]);
    assert_eq!(answer.get("rc"), Some("0"));
    let answer = host.submit(&[("partition", "cpu,federation")]);
    assert_eq!(answer.get("rc"), Some("2000"));
}

#[test]
fn answers_reach_the_job_that_was_asked_about_whatever_runs_beside() {
    let mut host = Host::start("DeadlineMs=1000");
    let daemon = Daemon::start(&host.socket(), |submission| {
        Act::bind(submission.name.as_deref().unwrap())
    });
    let (mut cpu, mut gpu) = (Vec::new(), Vec::new());
    for _ in 0..20 {
        let fields = [("threads", "8"), ("times", "50"), ("name", "cpu")];
        host.run("submit", &fields).assert_sent_to("cpu");
        cpu.append(&mut daemon.submissions());
        let fields = [("threads", "8"), ("times", "50"), ("name", "gpu")];
        host.run("submit", &fields).assert_sent_to("gpu");
        gpu.append(&mut daemon.submissions());
    }
    let mut marks: Vec<_> = cpu.iter().chain(&gpu).map(|s| s.mark.unwrap()).collect();
    marks.sort_unstable();
    marks.dedup();
    assert_eq!(marks.len(), 20 * 2 * 8 * 50);
}
