//! What every release answers when something is wrong, and what the client makes of it.

use fedsched::members::slurm::{Change, Client, Error, Target};
use fedsched::model::JobKey;
use wiremock::MockServer;

use crate::replay::{self, RELEASES, give};

async fn asked(client: &Client, what: &str) -> Result<(), Error> {
    let change = Change::to_partition("cpu".into());
    match what {
        "list" => client.jobs(None).await.map(drop),
        "read" => client.records(JobKey::job(1)).await.map(drop),
        "update" => client.update(&Target::Record(1), &change).await,
        "cancel" => client.cancel(&Target::Record(1)).await,
        other => panic!("{other}"),
    }
}

/// What the client makes of the recorded answer `name` to `what`: `done`, or the class of its error.
async fn made_of(release: (&str, &str), what: &str, name: &str) -> &'static str {
    let server = MockServer::start().await;
    give(&server, release, "GET", "ping", "ping").await;
    let (verb, path) = match what {
        "list" => ("GET", "jobs"),
        "read" => ("GET", "job/1"),
        "update" => ("POST", "job/1"),
        _ => ("DELETE", "job/1"),
    };
    give(&server, release, verb, path, name).await;
    match asked(&replay::client(&server), what).await {
        Ok(()) => "done",
        Err(error) => error.class(),
    }
}

#[tokio::test]
async fn every_answer_is_sorted_by_what_to_do() {
    for release in RELEASES {
        for (what, name, expected) in [
            ("read", "job-missing", "not-found"),
            ("update", "update-done", "done"),
            ("update", "update-no-partition", "refused"),
            ("update", "update-running", "refused"),
            ("update", "update-missing", "not-found"),
            ("update", "update-not-permitted", "not-permitted"),
            ("cancel", "cancel-done", "done"),
            ("cancel", "cancel-missing", "not-found"),
            ("list", "no-token", "unauthorized"),
            ("list", "silent-jobs", "unreachable"),
            ("read", "silent-job", "unreachable"),
            ("update", "silent-update", "unreachable"),
        ] {
            let made = made_of(release, what, name).await;
            assert_eq!(made, expected, "{name} of {}", release.0);
        }
    }
}

#[tokio::test]
async fn a_stale_token_is_known_where_slurmrestd_says_so() {
    assert_eq!(
        made_of(RELEASES[1], "list", "token-expired").await,
        "unauthorized"
    );
    // v0.0.38 loses the number: it says the same of a slurmctld that is not there.
    assert_eq!(
        made_of(RELEASES[0], "list", "token-expired").await,
        "unreachable"
    );
}

#[tokio::test]
async fn an_array_update_without_a_number_is_done() {
    for (name, expected) in [
        ("update-tasks", "done"),
        ("update-tasks-no-partition", "refused"),
    ] {
        assert_eq!(made_of(RELEASES[0], "update", name).await, expected);
    }
}

#[tokio::test]
async fn a_silent_controller_is_seen_in_the_ping() {
    for release in RELEASES {
        let server = MockServer::start().await;
        give(&server, release, "GET", "ping", "silent-ping").await;
        let answer = replay::client(&server).server().await.unwrap();
        assert!(!answer.controller_up, "{release:?}");
    }
}
