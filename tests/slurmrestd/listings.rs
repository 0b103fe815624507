//! Every kind of record, as each release writes it.

use std::sync::Arc;
use std::time::Duration;

use fedsched::events::slurm::{Batch, Feed, Source, SourceConfig, Users};
use fedsched::members::slurm::Listing;
use fedsched::model::JobKey;
use tokio::sync::mpsc;
use wiremock::MockServer;

use crate::batch::lines;
use crate::replay::{self, RELEASES, give, recorded};

/// The first batch of a feed.
pub(crate) async fn first_batch(feed: Feed) -> Batch {
    first_batch_within(feed, Duration::from_secs(30)).await
}

/// The first batch of a feed that has this long for a poll.
pub(crate) async fn first_batch_within(feed: Feed, poll_time_max: Duration) -> Batch {
    let (events, mut batches) = mpsc::channel(1);
    let _source = Source::spawn(
        SourceConfig {
            feed,
            poll: Duration::from_secs(3600),
            hint_gap: Duration::from_secs(3600),
            poll_time_max,
            users: Arc::new(Users::default()),
        },
        events,
    );
    batches.recv().await.unwrap()
}

#[tokio::test]
async fn every_release_becomes_the_same_events() {
    for release in RELEASES {
        let server = replay::server(release).await;
        let batch = first_batch(Feed::Listing(replay::client(&server))).await;
        insta::assert_snapshot!(format!("events-{}", release.0), lines(&batch));
    }
}

#[tokio::test]
async fn nothing_changed_is_not_nothing_there() {
    for release in RELEASES {
        let server = MockServer::start().await;
        give(&server, release, "GET", "ping", "ping").await;
        give(
            &server,
            release,
            "GET",
            "partitions",
            "partitions-unchanged",
        )
        .await;
        let client = replay::client(&server);
        let partitions = client.partitions(Some(1_795_977_991)).await.unwrap();
        assert_eq!(partitions, Listing::Unchanged, "{release:?}");
        if release.1 == "v0.0.42" {
            give(&server, release, "GET", "jobs", "jobs-unchanged").await;
            let jobs = client.jobs(Some(1_795_977_991)).await.unwrap();
            assert_eq!(jobs, Listing::Unchanged, "{release:?}");
        }
    }
}

#[tokio::test]
async fn an_id_leads_to_all_records_under_it() {
    for release in RELEASES {
        let server = MockServer::start().await;
        give(&server, release, "GET", "ping", "ping").await;
        for (job, name) in [
            ("job/1", "job-plain"),
            ("job/11", "job-het"),
            ("job/27", "job-array"),
            ("job/27_1", "job-task"),
        ] {
            give(&server, release, "GET", job, name).await;
        }
        let client = replay::client(&server);
        let ids = async |key| -> Vec<(u32, Option<u32>, u32)> {
            let records = client.records(key).await.unwrap();
            let short = |job: &fedsched_protocol::slurm::Job| {
                (job.array_id, job.array_task, job.het_offset)
            };
            let mut ids: Vec<_> = records.iter().map(short).collect();
            ids.sort_unstable();
            ids
        };
        assert_eq!(ids(JobKey::job(1)).await, [(0, None, 0)]);
        assert_eq!(ids(JobKey::job(11)).await, [(0, None, 0), (0, None, 1)]);
        let array = [(27, None, 0), (27, Some(0), 0), (27, Some(1), 0)];
        assert_eq!(ids(JobKey::job(27)).await, array);
        let task = ids(JobKey::task(27, 1)).await;
        assert!(task.contains(&(27, Some(1), 0)), "{task:?}");
    }
}

#[tokio::test]
async fn a_task_without_a_record_is_looked_for_in_its_array() {
    let release = RELEASES[0];
    let server = MockServer::start().await;
    give(&server, release, "GET", "ping", "ping").await;
    give(&server, release, "GET", "job/27_4", "job-task-missing").await;
    give(&server, release, "GET", "job/27", "job-array").await;
    let client = replay::client(&server);
    let records = client.records(JobKey::task(27, 4)).await.unwrap();
    assert!(records.iter().any(|job| job.array_tasks.is_some()));
}

#[tokio::test]
async fn a_list_of_no_nodes_is_no_list() {
    for release in RELEASES {
        let server = MockServer::start().await;
        for what in ["ping", "partitions", "reservations", "jobs"] {
            give(&server, release, "GET", what, what).await;
        }
        wiremock::Mock::given(wiremock::matchers::path(replay::at(release.1, "nodes")))
            .respond_with(
                recorded(release.0, "nodes").set_body_raw(r#"{"nodes":[]}"#, "application/json"),
            )
            .mount(&server)
            .await;
        let batch = first_batch(Feed::Listing(replay::client(&server))).await;
        let text = lines(&batch);
        assert!(
            text.starts_with("Unreachable") && text.contains("the list is empty"),
            "{text}"
        );
    }
}
