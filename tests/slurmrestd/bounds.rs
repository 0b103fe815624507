//! Servers that are slow, endless, or something else altogether.

use std::time::Duration;

use fedsched::members::slurm::{Client, Endpoint, Error, Options, TokenSource};
use fedsched::model::JobKey;
use proptest::prelude::*;
use wiremock::matchers::any;
use wiremock::{Mock, MockServer, ResponseTemplate};

use crate::replay::{self, RELEASES, give, options, recorded};

#[tokio::test]
async fn an_answer_longer_than_the_bound_is_not_read() {
    let server = replay::server(RELEASES[1]).await;
    let bounded = Options {
        body_bytes_max: 10_000,
        ..options(&server)
    };
    let error = Client::new(bounded).unwrap().jobs(None).await.unwrap_err();
    assert!(matches!(&error, Error::BadAnswer { why, .. } if why.contains("10000 bytes")));
}

#[tokio::test]
async fn an_answer_that_does_not_come_is_not_waited_for() {
    let server = MockServer::start().await;
    give(&server, RELEASES[1], "GET", "ping", "ping").await;
    Mock::given(any())
        .respond_with(recorded("24.11", "jobs").set_delay(Duration::from_secs(600)))
        .mount(&server)
        .await;
    let hasty = Options {
        listing_time_max: Duration::from_millis(50),
        action_time_max: Duration::from_millis(500),
        ..options(&server)
    };
    let client = Client::new(hasty).unwrap();
    client.server().await.unwrap();
    let error = client.jobs(None).await.unwrap_err();
    assert_eq!(error.class(), "unreachable");
}

#[tokio::test]
async fn nobody_at_the_address_is_unreachable() {
    let dir = tempfile::tempdir().unwrap();
    for endpoint in [
        Endpoint::Unix(dir.path().join("absent.sock")),
        "http://127.0.0.1:1".parse().unwrap(),
    ] {
        let client = Client::new(Options::new(endpoint, TokenSource::None)).unwrap();
        let error = client.jobs(None).await.unwrap_err();
        assert_eq!(error.class(), "unreachable", "{error}");
    }
}

#[tokio::test]
async fn a_unix_socket_serves_as_well() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("slurmrestd.sock");
    let listener = tokio::net::UnixListener::bind(&path).unwrap();
    let ping = axum::routing::get(|| async { r#"{"meta":{"slurm":{"release":"24.11.5"}}}"# });
    let router = axum::Router::new().route("/slurm/v0.0.42/ping/", ping);
    let serving = tokio::spawn(async move { axum::serve(listener, router).await });
    let client = Client::new(Options::new(Endpoint::Unix(path), TokenSource::None)).unwrap();
    assert_eq!(client.server().await.unwrap().release, "24.11.5");
    serving.abort();
}

#[tokio::test]
async fn halves_and_other_texts_are_bad_answers() {
    let whole = replay::server(RELEASES[1]).await;
    replay::client(&whole).jobs(None).await.unwrap();
    for body in [
        r#"{"jobs": [{"job_id": 1}, {"job_"#,
        r#"{"errors": []}"#,
        "<html>a proxy</html>",
        "",
        "[]",
        "null",
    ] {
        let server = MockServer::start().await;
        give(&server, RELEASES[1], "GET", "ping", "ping").await;
        Mock::given(any())
            .respond_with(ResponseTemplate::new(200).set_body_string(body))
            .mount(&server)
            .await;
        let error = replay::client(&server).jobs(None).await.unwrap_err();
        assert_eq!(error.class(), "bad-answer", "{body:?}: {error}");
    }
}

#[tokio::test]
async fn unknown_shapes_of_known_fields_blind_nobody() {
    let server = MockServer::start().await;
    give(&server, RELEASES[1], "GET", "ping", "ping").await;
    let body = r#"{"jobs": [{"job_id": {"set": true, "number": 7}, "job_state": {"new": "shape"},
        "name": ["a", "b"], "partition": null, "priority": "12", "tasks": [], "flags": 3}]}"#;
    Mock::given(any())
        .respond_with(ResponseTemplate::new(200).set_body_string(body))
        .mount(&server)
        .await;
    let records = replay::client(&server)
        .records(JobKey::job(7))
        .await
        .unwrap();
    assert_eq!((records[0].id, records[0].priority), (7, 12));
}

fn json() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any_bool(),
        proptest::num::i64::ANY.prop_map(Into::into),
        proptest::num::f64::NORMAL.prop_map(Into::into),
        "[a-zA-Z0-9=:/,\\[\\]%-]{0,12}".prop_map(Into::into),
    ];
    let key = prop_oneof![
        Just("job_id"),
        Just("jobs"),
        Just("job_state"),
        Just("priority"),
        Just("set"),
        Just("infinite"),
        Just("number"),
        Just("errors"),
        Just("warnings"),
        Just("error_number"),
        Just("array_task_string"),
    ];
    leaf.prop_recursive(4, 40, 6, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..6).prop_map(Into::into),
            proptest::collection::btree_map(key.clone().prop_map(str::to_owned), inner, 0..6)
                .prop_map(|map| serde_json::Value::Object(map.into_iter().collect())),
        ]
    })
}

fn any_bool() -> impl Strategy<Value = serde_json::Value> {
    proptest::bool::ANY.prop_map(Into::into)
}

/// A server that answers with whatever it was last given.
#[test]
fn any_json_is_survived() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let (server, client) = runtime.block_on(async {
        let server = MockServer::start().await;
        give(&server, RELEASES[1], "GET", "ping", "ping").await;
        let client = replay::client(&server);
        client.server().await.unwrap();
        (server, client)
    });
    proptest!(ProptestConfig::with_cases(64), |(body in json())| {
        runtime.block_on(async {
            server.reset().await;
            Mock::given(any())
                .respond_with(ResponseTemplate::new(200).set_body_json(body))
                .mount(&server)
                .await;
            // Whether it is an answer is not the question here; only that it comes to an end.
            client.jobs(None).await.ok();
        });
    });
}
