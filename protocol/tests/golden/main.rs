//! The bytes of every message, as committed under `tests/golden/bytes`.
//!
//! A difference means that plugins, watchers and daemons of two releases would misunderstand each
//! other: raise `frame::VERSION`, and write the new bytes with `FEDSCHED_GOLDEN=write cargo test
//! --package fedsched-protocol --test golden`.
#![expect(clippy::unwrap_used, reason = "these are tests")]

mod samples;

use std::collections::BTreeSet;
use std::fmt::{Debug, Write};
use std::path::{Path, PathBuf};
use std::{env, fs};

use fedsched_protocol::frame::{self, MAX_WATCH_BYTES};
use fedsched_protocol::{query, submit, watch};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Holds one message against its file, named after the message.
fn check<T: Serialize + DeserializeOwned + PartialEq + Debug>(
    message: &T,
    name: &str,
    seen: &mut BTreeSet<String>,
) {
    let bytes = frame::encode(message, MAX_WATCH_BYTES).unwrap();
    let mut hex = String::new();
    for line in bytes.chunks(32) {
        for byte in line {
            write!(hex, "{byte:02x}").unwrap();
        }
        hex.push('\n');
    }
    let file = directory().join(format!("{name}.hex"));
    if env::var_os("FEDSCHED_GOLDEN").is_some_and(|what| what == "write") {
        fs::write(&file, &hex).unwrap();
    }
    let golden = fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(hex, golden, "{name}: see the head of this file");
    let read: T = frame::read(&mut bytes.as_slice(), MAX_WATCH_BYTES)
        .unwrap()
        .unwrap();
    assert_eq!(&read, message);
    assert!(seen.insert(format!("{name}.hex")), "{name} twice");
}

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/bytes")
}

#[test]
fn every_message_has_the_bytes_it_had() {
    let mut seen = BTreeSet::new();
    for request in submit_requests() {
        let name = match request {
            submit::Request::Submit(_) => "submit-request-submit",
            submit::Request::Hello { .. } => "submit-request-hello",
        };
        check(&request, name, &mut seen);
    }
    for answer in submit_answers() {
        let name = match answer {
            submit::Answer::Wait => "submit-answer-wait",
            submit::Answer::Bind { .. } => "submit-answer-bind",
            submit::Answer::Refuse { .. } => "submit-answer-refuse",
            submit::Answer::Hello { .. } => "submit-answer-hello",
        };
        check(&answer, name, &mut seen);
    }
    let watch::Request::Poll = watch::Request::Poll;
    check(&watch::Request::Poll, "watch-request-poll", &mut seen);
    for answer in watch_answers() {
        let name = match answer {
            watch::Answer::Hello { .. } => "watch-answer-hello",
            watch::Answer::Init => "watch-answer-init",
            watch::Answer::Partitions(_) => "watch-answer-partitions",
            watch::Answer::Nodes(_) => "watch-answer-nodes",
            watch::Answer::Reservations(_) => "watch-answer-reservations",
            watch::Answer::Jobs(_) => "watch-answer-jobs",
            watch::Answer::Gone(_) => "watch-answer-gone",
            watch::Answer::Done => "watch-answer-done",
            watch::Answer::Failed { .. } => "watch-answer-failed",
        };
        check(&answer, name, &mut seen);
    }
    for request in query_requests() {
        let name = match request {
            query::Request::Status => "query-request-status",
            query::Request::Members => "query-request-members",
            query::Request::Queue => "query-request-queue",
            query::Request::Explain { .. } => "query-request-explain",
            query::Request::Check => "query-request-check",
        };
        check(&request, name, &mut seen);
    }
    for answer in query_answers() {
        let name = match answer {
            query::Answer::Status(_) => "query-answer-status",
            query::Answer::Members(_) => "query-answer-members",
            query::Answer::Queue(_) => "query-answer-queue",
            query::Answer::Explain(_) => "query-answer-explain",
            query::Answer::Check(_) => "query-answer-check",
            query::Answer::Refused(_) => "query-answer-refused",
        };
        check(&answer, name, &mut seen);
    }
    let files: BTreeSet<String> = fs::read_dir(directory())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(files, seen, "every file is some message's");
}

fn submit_requests() -> [submit::Request; 2] {
    [
        submit::Request::Submit(Box::new(samples::submission())),
        submit::Request::Hello {
            plugin: "0.1.0".into(),
            slurm: "22.05.8".into(),
        },
    ]
}

fn submit_answers() -> [submit::Answer; 4] {
    [
        submit::Answer::Wait,
        submit::Answer::Bind {
            partition: "cpu".into(),
        },
        submit::Answer::Refuse {
            message: "no".into(),
        },
        submit::Answer::Hello {
            daemon: "0.1.0".into(),
        },
    ]
}

fn watch_answers() -> [watch::Answer; 9] {
    [
        watch::Answer::Hello {
            watch: "0.1.0".into(),
            slurm: "22.05.8".into(),
        },
        watch::Answer::Init,
        watch::Answer::Partitions(vec![samples::partition()]),
        watch::Answer::Nodes(vec![samples::node()]),
        watch::Answer::Reservations(vec![samples::reservation()]),
        watch::Answer::Jobs(vec![samples::job()]),
        watch::Answer::Gone(samples::gone()),
        watch::Answer::Done,
        watch::Answer::Failed {
            message: "no".into(),
        },
    ]
}

fn query_requests() -> [query::Request; 5] {
    [
        query::Request::Status,
        query::Request::Members,
        query::Request::Queue,
        query::Request::Explain {
            job: 117,
            task: Some(3),
        },
        query::Request::Check,
    ]
}

fn query_answers() -> [query::Answer; 6] {
    [
        query::Answer::Status(samples::status()),
        query::Answer::Members(vec![samples::member()]),
        query::Answer::Queue(vec![samples::waiting()]),
        query::Answer::Explain(samples::explanation()),
        query::Answer::Check(vec![samples::finding()]),
        query::Answer::Refused(query::Refusal::NotPermitted),
    ]
}
