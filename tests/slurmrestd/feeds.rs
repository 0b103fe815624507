//! The two feeds tell the same, and begin anew after every failure.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use fedsched::events::slurm::{Batch, Feed, Source, SourceConfig, SourceHandle, Users};
use fedsched::members::slurm::{Client, Listing};
use fedsched_protocol::frame::{self, MAX_WATCH_BYTES};
use fedsched_protocol::slurm::{Job, Node, Partition};
use fedsched_protocol::watch::{Answer, Gone};
use tokio::sync::mpsc;
use wiremock::matchers::path as at_path;
use wiremock::{Mock, MockServer, ResponseTemplate};

use crate::batch::lines;
use crate::listings::{first_batch, first_batch_within};
use crate::replay::{self, RELEASES, at, give};

/// A stand-in for `slurm-watch` that has its answers in a file and does not wait to be asked.
fn watcher(file: &Path) -> Feed {
    let script = r#"cat "$0"; cat > /dev/null"#;
    let argv = ["sh", "-c", script, file.to_str().unwrap()];
    Feed::Watch(argv.map(str::to_owned).to_vec())
}

fn write(dir: &Path, name: &str, answers: &[Answer]) -> PathBuf {
    let hello = Answer::Hello {
        watch: "0.1.0".to_owned(),
        slurm: "24.11.5".to_owned(),
    };
    let bytes: Vec<u8> = std::iter::once(&hello)
        .chain(answers)
        .flat_map(|answer| frame::encode(answer, MAX_WATCH_BYTES).unwrap())
        .collect();
    let file = dir.join(name);
    fs::write(&file, bytes).unwrap();
    file
}

fn start(feed: Feed) -> (SourceHandle, mpsc::Receiver<Batch>) {
    let (events, batches) = mpsc::channel(1);
    let source = Source::spawn(
        SourceConfig {
            feed,
            poll: Duration::from_millis(20),
            hint_gap: Duration::from_millis(1),
            poll_time_max: Duration::from_secs(30),
            users: Arc::new(Users::default()),
        },
        events,
    );
    (source, batches)
}

async fn next(batches: &mut mpsc::Receiver<Batch>) -> String {
    lines(&batches.recv().await.unwrap())
}

fn all<T>(listing: Listing<T>) -> Vec<T> {
    match listing {
        Listing::Full { records, .. } => records,
        Listing::Unchanged => panic!("a first listing is full"),
    }
}

async fn as_watched(client: &Client) -> Vec<Answer> {
    vec![
        Answer::Init,
        Answer::Partitions(all(client.partitions(None).await.unwrap())),
        Answer::Reservations(all(client.reservations(None).await.unwrap())),
        Answer::Jobs(all(client.jobs(None).await.unwrap())),
        Answer::Nodes(all(client.nodes(None).await.unwrap())),
        Answer::Done,
    ]
}

#[tokio::test]
async fn both_feeds_tell_the_same() {
    let dir = tempfile::tempdir().unwrap();
    for release in RELEASES {
        let server = replay::server(release).await;
        let client = replay::client(&server);
        let file = write(dir.path(), release.0, &as_watched(&client).await);
        let listed = first_batch(Feed::Listing(client)).await;
        let watched = first_batch(watcher(&file)).await;
        assert_eq!(lines(&listed), lines(&watched));
    }
}

fn node(name: &str) -> Node {
    Node {
        name: name.to_owned(),
        state: "IDLE".to_owned(),
        ..Node::default()
    }
}

fn partition(name: &str, nodes: &str) -> Partition {
    Partition {
        name: name.to_owned(),
        state: "UP".to_owned(),
        nodes: nodes.to_owned(),
        ..Partition::default()
    }
}

fn job(id: u32) -> Job {
    Job {
        id,
        partition: "cpu".to_owned(),
        state: "PENDING".to_owned(),
        ..Job::default()
    }
}

/// The batch that follows a first poll of `known` when `changed` is told.
async fn after(known: Vec<Answer>, changed: Vec<Answer>) -> String {
    let dir = tempfile::tempdir().unwrap();
    let mut answers = vec![Answer::Init];
    answers.extend(known);
    answers.push(Answer::Done);
    answers.extend(changed);
    answers.push(Answer::Done);
    let (_source, mut batches) = start(watcher(&write(dir.path(), "frames", &answers)));
    next(&mut batches).await;
    next(&mut batches).await
}

#[tokio::test]
async fn the_last_task_takes_over_the_record_of_the_array() {
    let record = |task, rest: Option<&str>| Job {
        array_id: 5,
        array_task: task,
        array_tasks: rest.map(str::to_owned),
        ..job(5)
    };
    let known = vec![Answer::Jobs(vec![record(None, Some("9"))])];
    let changed = vec![Answer::Jobs(vec![record(Some(9), None)])];
    let text = after(known, changed).await;
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        lines[0], "Job(Deleted(JobKey { id: 5, task: None }))",
        "{text}"
    );
    assert!(lines[1].starts_with("job 5_9 "), "{text}");
}

#[tokio::test]
async fn a_node_hears_of_a_partition_that_takes_it_in() {
    let known = vec![
        Answer::Partitions(vec![partition("cpu", "n1")]),
        Answer::Nodes(vec![node("n1"), node("n2")]),
    ];
    let changed = vec![Answer::Partitions(vec![partition("cpu", "n[1-2]")])];
    let text = after(known, changed).await;
    assert!(text.contains("node n2 in cpu"), "{text}");
    assert!(!text.contains("node n1"), "{text}");
}

#[tokio::test]
async fn components_come_and_go_as_one_job() {
    let component = |id, offset| Job {
        het_id: 11,
        het_offset: offset,
        cpus_min: id,
        tasks: 1,
        ..job(id)
    };
    let known = vec![Answer::Jobs(vec![component(12, 1), component(11, 0)])];
    let changed = vec![Answer::Jobs(vec![Job {
        state: "RUNNING".to_owned(),
        nodes: "n1".to_owned(),
        ..component(12, 1)
    }])];
    let text = after(known.clone(), changed).await;
    let job = text.lines().next().unwrap();
    assert!(
        job.starts_with("job 11 ") && job.contains("Running"),
        "{text}"
    );
    assert!(
        job.contains("of 11 cpu") && job.contains("of 12 cpu"),
        "{text}"
    );
    assert!(job.contains("holds n1"), "{text}");

    let gone = |jobs: &[u32]| {
        vec![Answer::Gone(Gone {
            jobs: jobs.to_vec(),
            ..Gone::default()
        })]
    };
    let text = after(known.clone(), gone(&[12])).await;
    assert!(
        text.starts_with("job 11 ") && !text.contains("12 cpu"),
        "{text}"
    );
    let text = after(known, gone(&[11, 12])).await;
    assert_eq!(
        text,
        "Job(Deleted(JobKey { id: 11, task: None }))\nSynced\n"
    );
}

#[tokio::test]
async fn what_goes_is_told_before_what_comes() {
    let known = vec![Answer::Jobs(vec![job(1)])];
    let changed = vec![
        Answer::Jobs(vec![job(2)]),
        Answer::Gone(Gone {
            jobs: vec![1, 99],
            nodes: vec!["nobody".to_owned()],
            ..Gone::default()
        }),
    ];
    let text = after(known, changed).await;
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "Job(Deleted(JobKey { id: 1, task: None }))");
    assert!(lines[1].starts_with("job 2 "));
    assert_eq!(lines[2..], ["Synced"]);
}

#[tokio::test]
async fn a_watcher_that_dies_in_a_poll_is_replaced_and_begins_anew() {
    let dir = tempfile::tempdir().unwrap();
    let jobs = Answer::Jobs(vec![job(1)]);
    let whole = write(
        dir.path(),
        "whole",
        &[Answer::Init, jobs.clone(), Answer::Done],
    );
    let half = write(dir.path(), "half", &[Answer::Init, jobs]);
    let seen = dir.path().join("seen");
    let script = r#"if [ -e "$2" ]; then cat "$0"; cat > /dev/null; else touch "$2"; cat "$1"; fi"#;
    let files = [&whole, &half, &seen].map(|file| file.to_str().unwrap().to_owned());
    let argv = ["sh", "-c", script].map(str::to_owned);
    let (source, mut batches) = start(Feed::Watch(argv.into_iter().chain(files).collect()));
    let first = next(&mut batches).await;
    assert!(
        first.starts_with("Unreachable") && first.lines().count() == 1,
        "half a poll tells nothing: {first}"
    );
    let second = next(&mut batches).await;
    assert!(second.starts_with("Init\njob 1 "), "{second}");
    assert!(second.ends_with("InitDone\nSynced\n"), "{second}");
    let polls = source.polls();
    assert!(polls.failed >= 1 && polls.done >= 1, "{polls:?}");
}

#[tokio::test]
async fn a_failed_poll_tells_nothing_of_what_it_had() {
    let dir = tempfile::tempdir().unwrap();
    let failed = Answer::Failed {
        message: "Unable to contact slurm controller".to_owned(),
    };
    let answers = [
        Answer::Init,
        Answer::Jobs(vec![job(1)]),
        failed,
        Answer::Init,
        Answer::Done,
    ];
    let (_source, mut batches) = start(watcher(&write(dir.path(), "frames", &answers)));
    let first = next(&mut batches).await;
    assert!(
        first.contains("Unable to contact slurm controller"),
        "{first}"
    );
    assert_eq!(next(&mut batches).await, "Init\nInitDone\nSynced\n");
}

#[tokio::test]
async fn a_watcher_out_of_turn_is_not_believed() {
    let dir = tempfile::tempdir().unwrap();
    let answers = [Answer::Jobs(vec![job(1)]), Answer::Done];
    let batch = first_batch(watcher(&write(dir.path(), "not-full", &answers))).await;
    assert!(lines(&batch).contains("its first poll is not full"));
    for argv in [vec!["/nonexistent/slurm-watch".to_owned()], vec![]] {
        let batch = first_batch(Feed::Watch(argv)).await;
        assert!(lines(&batch).starts_with("Unreachable"));
    }
    let noise = dir.path().join("noise");
    fs::write(&noise, [0xff; 64]).unwrap();
    let batch = first_batch(watcher(&noise)).await;
    assert!(lines(&batch).starts_with("Unreachable"));
}

#[tokio::test]
async fn a_watcher_that_hangs_is_not_waited_for() {
    let dir = tempfile::tempdir().unwrap();
    let feed = watcher(&write(dir.path(), "hello", &[]));
    let batch = first_batch_within(feed, Duration::from_millis(200)).await;
    assert!(lines(&batch).contains("did not answer"));
}

#[tokio::test]
async fn much_that_goes_at_once_is_asked_for_in_full() {
    let release = RELEASES[0];
    let server = replay::server(release).await;
    let (_source, mut batches) = start(Feed::Listing(replay::client(&server)));
    next(&mut batches).await;
    server.reset().await;
    for what in ["ping", "partitions", "reservations", "nodes"] {
        give(&server, release, "GET", what, what).await;
    }
    Mock::given(at_path(at(release.1, "jobs")))
        .respond_with(ResponseTemplate::new(200).set_body_string(r#"{"jobs":[]}"#))
        .mount(&server)
        .await;
    // A poll may have failed while the server was another; then the next one is full anyway.
    let mut text = next(&mut batches).await;
    while text == "Synced\n" || text.starts_with("Unreachable") {
        text = next(&mut batches).await;
    }
    assert!(text.starts_with("Init\n"), "{text}");
    assert!(!text.contains("Deleted"), "{text}");
}

#[tokio::test]
async fn hints_are_answered_at_once_and_together() {
    let server = replay::server(RELEASES[0]).await;
    let (events, mut batches) = mpsc::channel(1);
    let source = Source::spawn(
        SourceConfig {
            feed: Feed::Listing(replay::client(&server)),
            poll: Duration::from_secs(3600),
            hint_gap: Duration::from_millis(100),
            poll_time_max: Duration::from_secs(30),
            users: Arc::new(Users::default()),
        },
        events,
    );
    batches.recv().await.unwrap();
    for _ in 0..1000 {
        source.hint();
    }
    assert_eq!(next(&mut batches).await, "Synced\n");
    source.hint();
    assert_eq!(next(&mut batches).await, "Synced\n");
    assert_eq!(source.polls().done, 3, "a thousand hints are one");
}

#[tokio::test]
async fn a_failure_is_told_once() {
    let server = MockServer::start().await;
    let (source, mut batches) = start(Feed::Listing(replay::client(&server)));
    assert!(next(&mut batches).await.starts_with("Unreachable"));
    // The second failure is silent; the first listing afterwards begins with everything.
    while source.polls().failed < 2 {
        tokio::task::yield_now().await;
    }
    for what in ["ping", "partitions", "reservations", "jobs", "nodes"] {
        give(&server, RELEASES[0], "GET", what, what).await;
    }
    assert!(next(&mut batches).await.starts_with("Init\n"));
}
