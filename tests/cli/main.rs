//! The real binary against a daemon that says what it is told to: output, exit codes, widths.
#![expect(
    clippy::unwrap_used,
    reason = "a test whose own set-up fails should fail"
)]

mod answers;
mod fake;
mod site;

use std::fs;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use fedsched_protocol::frame;
use fedsched_protocol::query::{Answer, Refusal, Request};

use fake::Daemon;

/// The binary, with nothing in its environment that changes what it prints.
fn fedsched(socket: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fedsched"));
    command
        .env_clear()
        .env("TZ", "UTC")
        .arg("--socket")
        .arg(socket);
    command
}

/// Runs a command against a daemon that gives `answer`, on a screen of `columns`.
fn run(words: &[&str], columns: Option<u16>, answer: &Answer) -> (Request, Output) {
    let daemon = Daemon::answering(answer);
    let mut command = fedsched(daemon.socket());
    if let Some(columns) = columns {
        command.env("COLUMNS", columns.to_string());
    }
    let output = command.args(words).output().unwrap();
    (daemon.asked().remove(0), output)
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

#[test]
fn every_answer_is_shown_as_text() {
    let commands: [(&[&str], Answer); 4] = [
        (&["status"], Answer::Status(answers::status())),
        (&["members"], Answer::Members(answers::members())),
        (&["queue"], Answer::Queue(answers::queue())),
        (
            &["explain", "117_3"],
            Answer::Explain(answers::explanation()),
        ),
    ];
    for (words, answer) in commands {
        for columns in [None, Some(80), Some(120)] {
            let (_, output) = run(words, columns, &answer);
            assert!(output.status.success(), "{words:?}: {output:?}");
            let width = columns.map_or_else(|| "pipe".to_owned(), |columns| columns.to_string());
            let name = format!("{}-{width}", words[0]);
            insta::assert_snapshot!(name, text(&output.stdout));
        }
    }
}

#[test]
fn no_line_is_wider_than_the_screen() {
    for columns in [80, 100, 132] {
        for (words, answer) in [
            (["status"].as_slice(), Answer::Status(answers::status())),
            (&["members"], Answer::Members(answers::members())),
            (&["queue"], Answer::Queue(answers::queue())),
            (&["explain", "1"], Answer::Explain(answers::explanation())),
        ] {
            let (_, output) = run(words, Some(columns), &answer);
            for line in text(&output.stdout).lines() {
                let length = line.chars().count();
                assert!(length <= columns.into(), "{words:?} {length}: {line}");
            }
        }
    }
}

/// A job is one line for `grep` and `awk`, however long its reason is.
#[test]
fn a_pipe_gets_one_line_for_each_job() {
    let jobs = answers::queue();
    let (_, output) = run(&["queue"], None, &Answer::Queue(jobs.clone()));
    assert_eq!(text(&output.stdout).lines().count(), jobs.len() + 1);
}

#[test]
fn json_is_the_protocols_own() {
    let status = answers::status();
    let (_, output) = run(&["--json", "status"], None, &Answer::Status(status.clone()));
    assert_eq!(serde_json::from_slice(&output.stdout).ok(), Some(status));
    let explanation = answers::explanation();
    let (_, output) = run(
        &["explain", "117", "--json"],
        Some(20),
        &Answer::Explain(explanation.clone()),
    );
    assert_eq!(
        serde_json::from_slice(&output.stdout).ok(),
        Some(explanation)
    );
}

/// Scripts read these names: a change is a breaking one.
#[test]
fn the_names_in_json_stay() {
    let (_, output) = run(
        &["--json", "members"],
        None,
        &Answer::Members(answers::members()),
    );
    insta::assert_snapshot!("members-json", text(&output.stdout));
    let mut jobs = answers::queue();
    for job in &mut jobs {
        job.submitted_ms = 1;
    }
    let (_, output) = run(&["--json", "queue"], None, &Answer::Queue(jobs));
    insta::assert_snapshot!("queue-json", text(&output.stdout));
}

#[test]
fn the_question_is_the_one_that_was_typed() {
    let (asked, _) = run(
        &["explain", "117_3"],
        None,
        &Answer::Refused(Refusal::NotReady),
    );
    let task = Some(3);
    assert_eq!(asked, Request::Explain { job: 117, task });
    let (asked, _) = run(&["queue"], None, &Answer::Queue(Vec::new()));
    assert_eq!(asked, Request::Queue);
}

#[test]
fn a_queue_can_be_one_users() {
    let answer = Answer::Queue(answers::queue());
    let (_, output) = run(&["queue", "--user", "user2"], None, &answer);
    let text = text(&output.stdout);
    assert!(text.contains("user2") && !text.contains("user1"), "{text}");
}

#[test]
fn each_failure_has_its_exit_code_and_one_line() {
    let cases: [(&[&str], Answer, i32, &str); 4] = [
        (
            &["explain", "99_1"],
            Answer::Refused(Refusal::NoSuchJob),
            4,
            "job 99_1 is not known",
        ),
        (
            &["status"],
            Answer::Refused(Refusal::NotReady),
            3,
            "has not heard of Slurm yet",
        ),
        (
            &["queue"],
            Answer::Refused(Refusal::NotPermitted),
            1,
            "only operators may ask this",
        ),
        (
            &["status"],
            Answer::Members(Vec::new()),
            3,
            "install the same fedsched release",
        ),
    ];
    for (words, answer, code, message) in cases {
        let (_, output) = run(words, None, &answer);
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{words:?}: {error}");
        assert!(
            error.starts_with("fedsched: ") && error.contains(message),
            "{error}"
        );
        assert_eq!(error.lines().count(), 1, "{error}");
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn an_absent_daemon_is_told_from_a_dead_socket() {
    let dir = tempfile::tempdir().unwrap();
    let socket = dir.path().join("fedsched.sock");
    let absent = fedsched(&socket).arg("status").output().unwrap();
    assert_eq!(absent.status.code(), Some(3));
    assert!(text(&absent.stderr).contains("No such file or directory"));
    drop(UnixListener::bind(&socket).unwrap());
    let dead = fedsched(&socket).arg("status").output().unwrap();
    assert_eq!(dead.status.code(), Some(3));
    assert!(text(&dead.stderr).contains("Connection refused"));
}

#[test]
fn another_protocol_version_is_told() {
    let mut bytes = frame::encode(&Request::Status, 100).unwrap();
    bytes[4] = 99;
    let daemon = Daemon::sending(vec![bytes]);
    let output = fedsched(daemon.socket()).arg("status").output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    let error = text(&output.stderr);
    assert!(error.contains("speaks protocol version 99"), "{error}");
}

#[test]
fn a_daemon_that_hangs_up_is_told() {
    let daemon = Daemon::sending(vec![Vec::new()]);
    let output = fedsched(daemon.socket()).arg("status").output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    let error = text(&output.stderr);
    assert!(error.contains("gave no answer"), "{error}");
}

/// `fedsched queue | head`.
#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let jobs: Vec<_> = answers::queue().into_iter().cycle().take(5000).collect();
    let daemon = Daemon::answering(&Answer::Queue(jobs));
    let mut child = fedsched(daemon.socket())
        .arg("queue")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(text(&output.stderr), "");
}

#[test]
fn colours_are_for_terminals_only() {
    let answer = Answer::Explain(answers::explanation());
    let (_, output) = run(&["explain", "117"], None, &answer);
    assert!(!output.stdout.contains(&0x1b));
}

#[test]
fn a_wrong_command_line_is_a_usage_error() {
    let dir = tempfile::tempdir().unwrap();
    for words in [
        ["explain", "x"].as_slice(),
        &["explain", "0"],
        &["nothing"],
        &[],
    ] {
        let output = fedsched(dir.path()).args(words).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{words:?}");
    }
}

#[test]
fn a_configuration_can_be_tried() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("fedsched.toml");
    let check = || {
        let mut command = fedsched(dir.path());
        command
            .args(["config", "check"])
            .arg(&path)
            .output()
            .unwrap()
    };
    fs::write(&path, "[[member]]\nname = \"cpu\"\n").unwrap();
    let valid = check();
    assert_eq!(valid.status.code(), Some(0));
    assert!(text(&valid.stdout).ends_with("fedsched.toml: valid, 1 member\n"));
    fs::write(&path, "[[member]]\nnam = \"cpu\"\npartition = 7\n").unwrap();
    let wrong = check();
    assert_eq!(wrong.status.code(), Some(2));
    let error = text(&wrong.stderr);
    assert!(
        error.contains("fedsched.toml:2: member.nam: unknown key"),
        "{error}"
    );
    assert!(
        error.contains("fedsched.toml:3: member.partition: is an integer"),
        "{error}"
    );
}

#[test]
fn the_defaults_can_be_printed_and_used() {
    let dir = tempfile::tempdir().unwrap();
    let defaults = fedsched(dir.path())
        .args(["config", "defaults"])
        .output()
        .unwrap();
    let path = dir.path().join("fedsched.toml");
    let text = format!("{}\n[[member]]\nname = \"cpu\"\n", text(&defaults.stdout));
    fs::write(&path, text).unwrap();
    let output = fedsched(dir.path())
        .args(["config", "check"])
        .arg(&path)
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
}

/// The command line does not read the daemon's configuration, so it must know where the socket is.
#[test]
fn the_default_socket_is_the_daemons() {
    let output = Command::new(env!("CARGO_BIN_EXE_fedsched"))
        .args(["config", "defaults"])
        .output()
        .unwrap();
    let help = Command::new(env!("CARGO_BIN_EXE_fedsched"))
        .arg("--help")
        .output()
        .unwrap();
    let socket = "/run/fedsched/fedsched.sock";
    assert!(text(&output.stdout).contains(&format!("socket = \"{socket}\"")));
    assert!(text(&help.stdout).contains(&format!("[default: {socket}]")));
}
