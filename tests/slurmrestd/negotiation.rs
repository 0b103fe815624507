//! Which version of the API is spoken.

use fedsched::members::slurm::{Dialect, Error};
use wiremock::MockServer;

use crate::replay::{self, RELEASES, client, give};

#[tokio::test]
async fn the_newest_common_version_is_spoken() {
    for (release, expected) in RELEASES
        .into_iter()
        .zip([Dialect::V38, Dialect::V42, Dialect::V42])
    {
        let server = MockServer::start().await;
        let other = if release.1 == "v0.0.42" {
            "v0.0.38"
        } else {
            "v0.0.42"
        };
        give(&server, (release.0, other), "GET", "ping", "other-version").await;
        give(&server, release, "GET", "ping", "ping").await;
        let answer = client(&server).server().await.unwrap();
        assert_eq!(answer.dialect, expected);
        assert!(answer.release.starts_with(release.0), "{answer:?}");
        assert!(answer.controller_up);
    }
}

#[tokio::test]
async fn a_server_of_neither_version_is_said_to_be_one() {
    let server = MockServer::start().await;
    let error = client(&server).jobs(None).await.unwrap_err();
    assert!(matches!(error, Error::Version), "{error}");
}

#[tokio::test]
async fn a_server_that_comes_back_as_another_is_asked_again() {
    let old = replay::server(RELEASES[0]).await;
    let client = client(&old);
    client.jobs(None).await.unwrap();
    assert_eq!(client.dialect().await.unwrap(), Dialect::V38);

    old.reset().await;
    give(&old, RELEASES[1], "GET", "ping", "ping").await;
    give(&old, RELEASES[1], "GET", "jobs", "jobs").await;
    // The old path is gone: this request still fails, and the next one speaks the new version.
    client.jobs(None).await.unwrap_err();
    client.jobs(None).await.unwrap();
    assert_eq!(client.dialect().await.unwrap(), Dialect::V42);
}

#[tokio::test]
async fn a_ping_without_a_token_tells_of_the_token() {
    let server = MockServer::start().await;
    give(&server, RELEASES[1], "GET", "ping", "no-token").await;
    let error = client(&server).server().await.unwrap_err();
    assert_eq!(error.class(), "unauthorized");
}
