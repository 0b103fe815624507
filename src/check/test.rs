use std::path::Path;
use std::time::Duration;

use fedsched_protocol::query::{Grade, QueueCounts, Status};

use super::*;
use crate::config::Config;
use crate::site::test::{accounting, site, with};
use crate::site::{Partition, Plugin, Values};

/// One thing made wrong.
type Change<T> = fn(&mut T);

const MEMBERS: &str =
    "[[member]]\nname = \"cpu\"\n[[member]]\nname = \"big\"\n[[member]]\nname = \"gpu\"\n";

fn config(more: &str) -> Config {
    let text = format!("{MEMBERS}{more}");
    Config::parse(Path::new("/etc/fedsched/fedsched.toml"), &text).unwrap()
}

/// The sound site, but for one partition.
fn site_but(name: &str, change: impl Fn(&mut Partition)) -> Site {
    let mut site = site();
    site.config = sound(&site.config);
    change(site.partitions.get_mut(name).unwrap());
    site
}

/// The fixture was taken before fedsched was set up.
fn sound(config: &Values) -> Values {
    with(config, "JobSubmitPlugins", "fedsched")
}

fn sound_site() -> Site {
    site_but("cpu", |_| {})
}

/// What is not as it should be, as `subject: text`.
fn complaints(findings: &[Finding]) -> Vec<String> {
    let wrong = findings.iter().filter(|finding| finding.grade != Grade::Ok);
    wrong
        .map(|finding| {
            assert!(!finding.remedy.is_empty(), "{finding:?}");
            format!("{:?} {}: {}", finding.grade, finding.subject, finding.text)
        })
        .collect()
}

fn of_site(site: &Site) -> Vec<String> {
    complaints(&slurm(&config(""), site, Some(&accounting()), None))
}

#[track_caller]
fn assert_only(found: &[String], expected: &str) {
    let [one] = found else { panic!("{found:#?}") };
    assert!(one.contains(expected), "{one}");
}

#[test]
fn a_sound_site_has_nothing_to_complain_of() {
    assert_eq!(of_site(&sound_site()), [""; 0]);
}

#[test]
fn values_of_slurm_conf_are_judged() {
    let cases = [
        (
            "JobSubmitPlugins",
            "lua",
            "Error JobSubmitPlugins: fedsched is not among them",
        ),
        (
            "JobSubmitPlugins",
            "fedsched,lua",
            "Warning JobSubmitPlugins: lua comes after",
        ),
        (
            "SLURM_VERSION",
            "21.08.8",
            "Warning slurmctld: release 21.08.8",
        ),
        (
            "AccountingStorageType",
            "accounting_storage/none",
            "Error AccountingStorageType",
        ),
        ("PriorityType", "priority/basic", "Warning PriorityType"),
        (
            "PriorityCalcPeriod",
            "00:05:00",
            "Warning PriorityCalcPeriod: 5 minutes",
        ),
        ("MinJobAge", "2 sec", "Warning MinJobAge: 2 seconds"),
        (
            "SlurmUser",
            "slurmadm(7)",
            "Error SlurmUser: slurmadm may not connect",
        ),
    ];
    for (key, value, expected) in cases {
        let mut site = sound_site();
        site.config = with(&site.config, key, value);
        assert_only(&of_site(&site), expected);
    }
}

#[test]
fn slurmctld_must_have_room_for_all_jobs() {
    let status = Status {
        queue: QueueCounts {
            pending: 18_000,
            ..QueueCounts::default()
        },
        ..Status::default()
    };
    let findings = slurm(
        &config(""),
        &sound_site(),
        Some(&accounting()),
        Some(&status),
    );
    assert_only(&complaints(&findings), "MaxJobCount: 20000");
}

#[test]
fn both_mistakes_with_the_waiting_room_are_found() {
    // DOWN → UP by mistake: everything would start at once.
    let up = site_but("federation", |room| room.state = "UP".to_owned());
    assert_only(
        &of_site(&up),
        "Error waiting room: jobs can start in federation",
    );
    // UP with the right QOS, on a site that enforces nothing.
    let mut unenforced = site_but("federation", |room| {
        room.state = "UP".to_owned();
        room.qos = Some("federation".to_owned());
    });
    assert_only(
        &of_site(&unenforced),
        "AccountingStorageEnforce lacks limits,qos",
    );
    unenforced.config = with(
        &unenforced.config,
        "AccountingStorageEnforce",
        "associations,limits,qos",
    );
    assert_eq!(of_site(&unenforced), [""; 0]);
    // … and a QOS that lets jobs through.
    let gateless = Accounting::default();
    let findings = slurm(&config(""), &unenforced, Some(&gateless), None);
    assert_only(&complaints(&findings), "its QOS federation does not exist");
}

#[test]
fn a_qos_that_overrides_the_rooms_is_found() {
    let mut site = site_but("federation", |room| {
        room.state = "UP".to_owned();
        room.qos = Some("federation".to_owned());
    });
    site.config = with(&site.config, "AccountingStorageEnforce", "safe,qos");
    let mut accounting = accounting();
    accounting.qos[0].flags.push("OverPartQOS".to_owned());
    let findings = slurm(&config(""), &site, Some(&accounting), None);
    assert_only(
        &complaints(&findings),
        "jobs with the QOS normal start in it",
    );
}

#[test]
fn the_room_must_accept_what_members_accept() {
    let cases: [(Change<Partition>, &str); 8] = [
        (
            |room| room.state = "DRAIN".to_owned(),
            "Error waiting room: federation is DRAIN",
        ),
        (
            |room| room.time_max = Some("1-00:00:00".to_owned()),
            "MaxTime=1-00:00:00",
        ),
        (|room| room.nodes_max = Some("4".to_owned()), "MaxNodes=4"),
        (
            |room| room.memory_max = Some("MaxMemPerCPU=4000".to_owned()),
            "MaxMemPerCPU=4000",
        ),
        (|room| room.memory_default = None, "no default memory"),
        (
            |room| room.restrictions.push("AllowAccounts=physics".to_owned()),
            "AllowAccounts=physics",
        ),
        (|room| room.closed = true, "RootOnly or ReqResv"),
        (|room| room.hidden = true, "Hidden=YES"),
    ];
    for (change, expected) in cases {
        assert_only(&of_site(&site_but("federation", change)), expected);
    }
    let mut moved = site_but("federation", |room| room.is_default = false);
    moved.partitions.get_mut("cpu").unwrap().is_default = true;
    assert_only(&of_site(&moved), "Warning default partition: cpu");
}

#[test]
fn the_rooms_nodes_must_be_the_members() {
    let mut site = sound_site();
    site.nodes.get_mut("gpu1").unwrap().remove("federation");
    assert_only(
        &of_site(&site),
        "Error nodes of the waiting room: nodes gpu1 of members",
    );
    let mut site = sound_site();
    for node in ["big1", "big2", "cpu1", "cpu2", "cpu3", "cpu4"] {
        site.nodes.get_mut(node).unwrap().remove("big");
        site.nodes.get_mut(node).unwrap().remove("cpu");
    }
    let found = of_site(&site).join("\n");
    let text = "nodes big1, big2, cpu1, cpu2 and 2 more are in it and in no member";
    assert!(found.contains(text), "{found}");
}

#[test]
fn a_room_that_is_missing_is_the_only_complaint_about_it() {
    let mut site = sound_site();
    site.partitions.remove("federation");
    assert_only(&of_site(&site), "there is no partition federation");
}

#[test]
fn members_partitions_are_judged() {
    let cases: [(Change<Partition>, &str); 4] = [
        (
            |gpu| gpu.state = "DRAIN".to_owned(),
            "Error member gpu: its partition gpu is DRAIN",
        ),
        (
            |gpu| gpu.memory_default = None,
            "Warning member gpu: gpu has no default memory",
        ),
        (
            |gpu| gpu.closed = true,
            "Error member gpu: RootOnly or ReqResv",
        ),
        (|gpu| gpu.hidden = true, "Warning member gpu: gpu is hidden"),
    ];
    for (change, expected) in cases {
        assert_only(&of_site(&site_but("gpu", change)), expected);
    }
    let missing = config("[[member]]\nname = \"west\"\n");
    let findings = slurm(&missing, &sound_site(), Some(&accounting()), None);
    assert_only(
        &complaints(&findings),
        "Error member west: there is no partition west",
    );
}

#[test]
fn preemption_of_members_is_found() {
    let mut site = site_but("gpu", |gpu| {
        gpu.preempt_mode = Some("REQUEUE".to_owned());
        gpu.priority_tier = 5;
    });
    site.config = with(&site.config, "PreemptType", "preempt/partition_prio");
    assert_only(
        &of_site(&site),
        "Warning preemption: jobs of the federation in gpu",
    );
}

#[test]
fn the_plugin_must_be_built_for_the_running_slurmctld() {
    let site = site();
    let built = |slurm: Option<&str>| Plugin {
        path: "/usr/lib/slurm/job_submit_fedsched.so".into(),
        slurm: slurm.map(str::to_owned),
    };
    let judged = |plugin: Option<&Plugin>| complaints(&[installed(&site, plugin)]);
    assert_eq!(judged(Some(&built(Some("22.05.8")))), [""; 0]);
    assert_only(
        &judged(Some(&built(Some("22.05.9")))),
        "the next start of slurmctld will fail",
    );
    assert_only(&judged(Some(&built(None))), "is no Slurm plugin");
    assert_only(&judged(None), "there is no job_submit_fedsched.so in");
}

#[test]
fn the_plugins_file_and_the_daemons_must_agree() {
    let judged = |text: Option<&str>| {
        let path = Path::new("/etc/slurm/fedsched.conf");
        complaints(&[plugin_conf(&config(""), path, text)])
    };
    assert_eq!(judged(None), [""; 0]);
    assert_eq!(judged(Some("# none\nDEADLINEMS = 20 # short\n\n")), [""; 0]);
    assert_only(
        &judged(Some("Socket=/run/other.sock\n")),
        "says Socket=/run/other.sock",
    );
    assert_only(
        &judged(Some("\nQueuePartition=room\n")),
        "says QueuePartition=room",
    );
    assert_only(
        &judged(Some("Deadline=20\n")),
        "fedsched.conf:1: there is no key Deadline",
    );
    assert_only(
        &judged(Some("DeadlineMs\n")),
        "\"DeadlineMs\" is not Key=Value",
    );
}

#[test]
fn slurm_watch_must_speak_the_running_series() {
    let ours = env!("CARGO_PKG_VERSION");
    let judged = |printed: &str| {
        let printed = Ok(printed.to_owned());
        complaints(&[watch(Some(&site()), Some(&printed))])
    };
    assert_eq!(
        judged(&format!("slurm-watch {ours} (Slurm 22.05.8)\n")),
        [""; 0]
    );
    assert_eq!(
        judged(&format!("slurm-watch {ours} (Slurm 22.05.11)\n")),
        [""; 0]
    );
    assert_only(
        &judged(&format!("slurm-watch {ours} (Slurm 24.11.5)\n")),
        "Error slurm-watch",
    );
    assert_only(
        &judged("slurm-watch 0.0.1 (Slurm 22.05.8)\n"),
        "Warning slurm-watch",
    );
    assert_only(&judged("hello"), "\"hello\" is no release");
    assert_only(
        &complaints(&[watch(None, None)]),
        "Warning slurm-watch: not used",
    );
}

#[test]
fn rights_are_those_of_the_user_slurmctld_sees() {
    let judged = |more: &str, user: &str| complaints(&[rights(&config(more), &accounting(), user)]);
    assert_eq!(judged("", "fedsched"), [""; 0]);
    assert_only(&judged("", "nobody"), "Error rights: nobody is no Operator");
    let token = "[slurm]\nuser = \"fed\"\njwt_key = \"/k\"\n";
    assert_only(
        &judged(token, "fedsched"),
        "Error rights: fed is no Operator",
    );
}

#[test]
fn this_host_is_judged() {
    let dir = Path::new("/var/lib/fedsched");
    let judged = |owner, space| complaints(&[state_dir(dir, owner, "fedsched", space)]);
    assert_eq!(judged("fedsched", 1 << 30), [""; 0]);
    assert_only(&judged("root", 1 << 30), "belongs to root");
    assert_only(&judged("fedsched", 1 << 20), "1 MiB left");
    let plain = config("[slurm]\nrestd = \"http://c1:6820\"\njwt_key = \"/k\"\n");
    assert_only(&complaints(&[configuration(&plain)]), "plain text");
    let rehearsal = config("[daemon]\nrehearsal = true\n");
    assert_only(
        &complaints(&[configuration(&rehearsal)]),
        "it is a rehearsal",
    );
}

#[test]
fn what_the_daemon_says_of_itself_is_judged() {
    let status = Status {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        heard_ms: Some(10_000),
        ..Status::default()
    };
    assert_eq!(complaints(&answering(&status, 9_000)), [""; 0]);
    assert_only(&complaints(&answering(&status, 0)), "Warning clock");
    let old = Status {
        version: "0.0.1".to_owned(),
        ..status.clone()
    };
    assert_only(&complaints(&answering(&old, 9_000)), "release 0.0.1 runs");
    let alarmed = Status {
        alarms: vec!["the store is full".to_owned()],
        ..status
    };
    assert_only(
        &complaints(&answering(&alarmed, 9_000)),
        "the store is full",
    );
}

#[test]
fn who_may_not_look_is_told_so() {
    use fedsched_protocol::query::Refusal;
    use std::io::{Error, ErrorKind};

    let restd = config("").slurm.restd;
    let judged = |kind: ErrorKind| complaints(&[endpoint(&restd, Err(Error::from(kind)))]);
    assert_only(
        &judged(ErrorKind::PermissionDenied),
        "Warning slurmrestd socket",
    );
    assert_only(&judged(ErrorKind::NotFound), "Error slurmrestd socket");
    let judged = |refusal| complaints(&[refused(refusal)]);
    assert_only(
        &judged(Refusal::NotPermitted),
        "Warning daemon: what it knows",
    );
    assert_only(
        &judged(Refusal::NotReady),
        "Warning daemon: it has not heard",
    );
}

fn facts() -> Facts {
    Facts {
        now_ms: 1_000_000,
        poll: Duration::from_secs(1),
        heard_ms: Some(999_500),
        feed: Feed::Restd,
        restd: Ok(Restd {
            api: "v0.0.42".to_owned(),
            slurm: "24.11.5".to_owned(),
        }),
        plugin: Some(Greeting {
            plugin: env!("CARGO_PKG_VERSION").to_owned(),
            slurm: "24.11.5".to_owned(),
        }),
    }
}

#[test]
fn the_daemon_judges_its_own_connections() {
    assert_eq!(complaints(&daemon(&facts())), [""; 0]);
    let cases: [(Change<Facts>, &str); 5] = [
        (
            |facts| facts.heard_ms = None,
            "Error listings: none has come from slurmrestd yet",
        ),
        (
            |facts| facts.heard_ms = Some(0),
            "Error listings: the last one",
        ),
        (
            |facts| facts.restd = Err("401".to_owned()),
            "Error slurmrestd: 401",
        ),
        (|facts| facts.plugin = None, "Warning plugin's connection"),
        (
            |facts| facts.plugin.as_mut().unwrap().plugin = "0.0.1".to_owned(),
            "Error plugin's connection",
        ),
    ];
    for (change, expected) in cases {
        let mut facts = facts();
        change(&mut facts);
        assert_only(&complaints(&daemon(&facts)), expected);
    }
}
