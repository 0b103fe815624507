//! What happens to jobs when something is wrong: they wait in the queue, and nobody notices.

use std::fs;
use std::os::unix::net::{UnixListener, UnixStream};
use std::time::{Duration, Instant};

use fedsched_protocol::submit::{Answer, Submission};
use nix::fcntl::OFlag;

use crate::daemon::{Act, Daemon};
use crate::host::Host;

/// Far beyond any deadline used here, and far below what a hang would take.
const HANG_US: i64 = 20_000_000;

fn wait(_: &Submission) -> Act {
    Act::Answer(Answer::Wait)
}

#[test]
fn without_a_daemon_jobs_wait_in_the_queue_or_go_to_the_fallback() {
    let mut host = Host::start("");
    let answer = host.submit(&[("script", "#FED --policy=green\n")]);
    answer.assert_sent_to("federation");
    assert!(
        answer
            .get("admin_comment")
            .unwrap()
            .ends_with(" --policy=green"),
        "the daemon finds the job and its directives later"
    );
    let mut host = Host::start("FallbackPartition=cpu");
    host.submit(&[]).assert_sent_to("cpu");
}

#[test]
fn a_socket_that_nobody_serves_is_no_daemon() {
    let mut host = Host::start("");
    drop(UnixListener::bind(host.socket()).unwrap());
    host.submit(&[]).assert_sent_to("federation");
    fs::remove_file(host.socket()).unwrap();
    fs::write(host.socket(), "").unwrap();
    host.submit(&[]).assert_sent_to("federation");
}

#[test]
fn a_full_backlog_is_not_waited_for() {
    let mut host = Host::start("DeadlineMs=1000");
    let listener = UnixListener::bind(host.socket()).unwrap();
    let flags = nix::fcntl::fcntl(&listener, nix::fcntl::FcntlArg::F_GETFL).unwrap();
    assert!(!OFlag::from_bits_truncate(flags).contains(OFlag::O_NONBLOCK));
    let mut waiting = Vec::new();
    // A connection beyond the backlog would block, so it is tried without waiting.
    while let Some(stream) = connect_at_once(&host) {
        waiting.push(stream);
    }
    let answer = host.submit(&[]);
    answer.assert_sent_to("federation");
    assert!(
        answer.logged("debug")[0].contains("EAGAIN"),
        "{:?}",
        answer.log
    );
}

/// A connection, if the backlog has room.
fn connect_at_once(host: &Host) -> Option<UnixStream> {
    use nix::sys::socket::{AddressFamily, SockFlag, SockType, UnixAddr, connect, socket};
    use std::os::fd::AsRawFd;
    let flags = SockFlag::SOCK_NONBLOCK;
    let socket = socket(AddressFamily::Unix, SockType::Stream, flags, None).unwrap();
    let address = UnixAddr::new(&host.socket()).unwrap();
    connect(socket.as_raw_fd(), &address).ok()?;
    Some(UnixStream::from(socket))
}

#[test]
fn whatever_a_daemon_does_wrong_sends_the_job_to_the_queue() {
    let good = Act::answer(&Answer::Wait);
    let (head, tail) = good.split_at(3);
    let mut other_version = good.clone();
    other_version[4] = 0xee;
    let acts = [
        ("silence", Act::Silence),
        ("garbage", Act::Bytes(vec![0xff; 100])),
        ("zeros", Act::Bytes(vec![0; 100])),
        ("half a header", Act::Bytes(head.to_vec())),
        ("half a header and gone", Act::BytesAndClose(head.to_vec())),
        (
            "half a frame and gone",
            Act::BytesAndClose(good[..6].to_vec()),
        ),
        ("gone", Act::BytesAndClose(Vec::new())),
        ("another version", Act::Bytes(other_version)),
        (
            "two answers",
            Act::Bytes([good.clone(), good.clone()].concat()),
        ),
        ("a tail", Act::Bytes([good.as_slice(), tail].concat())),
        (
            "another answer",
            Act::Answer(Answer::Hello {
                daemon: String::new(),
            }),
        ),
        ("no such partition", Act::bind("nosuch")),
        ("no partition at all", Act::bind("")),
        ("a list of partitions", Act::bind("cpu,gpu")),
        ("not even text", Act::bind("cpu\0gpu\n")),
        ("a long name", Act::bind(&"x".repeat(100_000))),
    ];
    for (what, act) in acts {
        let mut host = Host::start("DeadlineMs=100\nBreakerFailures=1000");
        let daemon = Daemon::start(&host.socket(), move |_| act.clone());
        for _ in 0..2 {
            let answer = host.submit(&[]);
            answer.assert_sent_to("federation");
            assert!(answer.number("took_us") < HANG_US, "{what}: {answer:?}");
            assert_eq!(answer.logged("debug").len(), 1, "{what}: {:?}", answer.log);
        }
        let connections = daemon.connections();
        let named_only =
            what.contains("partition") || what.contains("name") || what.contains("text");
        assert_eq!(connections, if named_only { 1 } else { 2 }, "{what}");
    }
}

#[test]
fn a_late_answer_is_never_the_next_jobs() {
    let mut host = Host::start("DeadlineMs=100\nBreakerFailures=1000");
    let (release, released) = std::sync::mpsc::channel::<()>();
    let released = std::sync::Mutex::new(released);
    let _daemon = Daemon::start(&host.socket(), move |submission| {
        if submission.name.as_deref() == Some("slow") {
            released.lock().unwrap().recv().unwrap();
            return Act::bind("gpu");
        }
        Act::bind("cpu")
    });
    host.submit(&[]).assert_sent_to("cpu");
    host.submit(&[("name", "slow")])
        .assert_sent_to("federation");
    release.send(()).unwrap();
    for _ in 0..20 {
        host.submit(&[]).assert_sent_to("cpu");
    }
}

#[test]
fn a_restart_of_the_daemon_between_two_jobs_costs_nothing() {
    let mut host = Host::start("");
    let daemon = Daemon::start(&host.socket(), |_| Act::bind("cpu"));
    host.submit(&[]).assert_sent_to("cpu");
    drop(daemon);
    let daemon = Daemon::start(&host.socket(), |_| Act::bind("gpu"));
    let answer = host.submit(&[]);
    answer.assert_sent_to("gpu");
    assert_eq!(answer.log, Vec::<String>::new());
    assert_eq!(daemon.connections(), 1);
}

#[test]
fn the_breaker_spares_the_deadline_and_says_so_once() {
    let mut host = Host::start("DeadlineMs=20\nBreakerCooldownMs=300");
    let silent = Daemon::start(&host.socket(), |_| Act::Silence);
    let log: Vec<String> = (0..40)
        .flat_map(|_| {
            let answer = host.submit(&[]);
            answer.assert_sent_to("federation");
            answer.log
        })
        .collect();
    let said: Vec<_> = log
        .iter()
        .filter(|line| line.starts_with("error"))
        .collect();
    assert_eq!(said.len(), 1, "{log:?}");
    assert!(said[0].contains("no answer in time"), "{said:?}");
    assert!(said[0].contains("next attempt in 300 ms"), "{said:?}");
    assert!(silent.connections() < 10, "{}", silent.connections());
    drop(silent);

    let _daemon = Daemon::start(&host.socket(), |_| Act::bind("cpu"));
    let start = Instant::now();
    loop {
        let answer = host.submit(&[]);
        if answer.get("partition") == Some("cpu") {
            assert_eq!(
                answer.logged("info"),
                ["job_submit/fedsched: the daemon answers again"]
            );
            break;
        }
        assert!(start.elapsed() < Duration::from_secs(20));
    }
    host.submit(&[]).assert_sent_to("cpu");
}

#[test]
fn a_job_with_endless_strings_is_slurmctlds_to_judge() {
    let mut host = Host::start("BreakerFailures=1");
    let daemon = Daemon::start(&host.socket(), wait);
    let long = "1,".repeat(200_000);
    for _ in 0..3 {
        host.submit(&[("array_inx", &long)])
            .assert_sent_to("federation");
    }
    assert_eq!(daemon.connections(), 0);
    host.submit(&[]).assert_sent_to("federation");
    assert_eq!(daemon.submissions().len(), 1, "the breaker stayed closed");
}

#[test]
fn a_bad_fedsched_conf_leaves_every_job_alone() {
    let mut host = Host::start("DeadlineMs=0");
    assert_eq!(host.started.get("rc"), Some("0"), "slurmctld starts");
    let said = host.started.logged("error");
    assert_eq!(said.len(), 1);
    assert!(
        said[0].contains(
            "fedsched.conf: line 2: DeadlineMs=0 is not possible; it must be a number of \
             milliseconds from 1 to 1000: jobs are not sent to the federation until it is put right"
        ),
        "{said:?}"
    );
    let answer = host.submit(&[]);
    assert_eq!(answer.get("rc"), Some("0"));
    assert_eq!(answer.get("partition"), None);
    assert_eq!(answer.get("admin_comment"), None);
}

#[test]
fn a_changed_fedsched_conf_takes_effect_and_a_bad_change_does_not() {
    let mut host = Host::start("");
    let file = host.directory().join("fedsched.conf");
    let before = fs::read_to_string(&file).unwrap();
    host.submit(&[]).assert_sent_to("federation");

    fs::write(&file, format!("{before}QueuePartition=room\n")).unwrap();
    submit_until(&mut host, |log| log.contains("queue partition room"));
    host.submit(&[]).assert_sent_to("room");

    fs::write(&file, format!("{before}QueuePartition=a,b\n")).unwrap();
    submit_until(&mut host, |log| {
        log.contains("the configuration before it stays in force")
    });
    host.submit(&[]).assert_sent_to("room");
}

fn submit_until(host: &mut Host, logged: impl Fn(&str) -> bool) {
    let start = Instant::now();
    while !host.submit(&[]).log.iter().any(|line| logged(line)) {
        assert!(start.elapsed() < Duration::from_secs(20));
    }
}

#[test]
fn unloading_closes_what_it_opened_and_loading_again_works() {
    let mut host = Host::start("");
    let daemon = Daemon::start(&host.socket(), |_| Act::bind("cpu"));
    let before = host.descriptors().len();
    host.submit(&[]).assert_sent_to("cpu");
    assert_eq!(
        host.descriptors().len(),
        before + 1,
        "one connection is kept"
    );
    for _ in 0..5 {
        assert_eq!(host.run("reload", &[]).get("rc"), Some("0"));
        assert_eq!(host.descriptors().len(), before);
        host.submit(&[]).assert_sent_to("cpu");
    }
    assert_eq!(daemon.connections(), 6);
}
