//! slurm-watch and slurmrestd's listings, beside each other.

use std::sync::Arc;
use std::time::Duration;

use fedsched::events::slurm::{Feed, Source, SourceConfig, Users};
use fedsched::model::{Change, Event};
use tokio::sync::mpsc;

use crate::site::Site;

/// Jobs of many kinds, told by both feeds in the same words.
pub(crate) async fn both_tell_the_same(site: &Site) {
    for options in [
        &["--ntasks=4", "--cpus-per-task=2", "--time=10"][..],
        &["--nodes=2-3", "--exclusive", "--contiguous"],
        &["--array=0-18:2%3", "--mem-per-cpu=200"],
        &["--gpus-per-node=a100:2", "--nodes=1", "--mem=0"],
        &["--gpus-per-task=1", "--ntasks=2"],
        &["--gpus=2", "--cpus-per-gpu=2"],
        &["--mincpus=4", "--begin=now+1hour"],
        &["--hold", "--nodelist=cpu1", "--exclude=cpu2"],
        &[
            "--partition=cpu",
            "--ntasks=2",
            "--deadline=now+2hours",
            "--time=5",
        ],
        &["--ntasks=1", ":", "--ntasks=2", "--mem=100"],
    ] {
        site.submit(options);
    }
    // slurmctld goes on meanwhile: a job becomes eligible between one listing and the other.
    let deadline = tokio::time::Instant::now() + Duration::from_secs(30);
    loop {
        let listed = told(Feed::Listing(site.client.clone())).await;
        let watched = told(site.watch()).await;
        assert!(listed.len() > 20, "{listed:#?}");
        if listed == watched {
            break;
        }
        if tokio::time::Instant::now() > deadline {
            assert_eq!(listed.join("\n"), watched.join("\n"));
        }
    }
    site.clear();
}

/// The first batch as text, in an order of its own; without priorities, which grow meanwhile.
async fn told(feed: Feed) -> Vec<String> {
    let (events, mut batches) = mpsc::channel(1);
    let _source = Source::spawn(
        SourceConfig {
            feed,
            poll: Duration::from_secs(3600),
            hint_gap: Duration::from_secs(3600),
            poll_time_max: Duration::from_secs(60),
            users: Arc::new(Users::default()),
        },
        events,
    );
    let batch = batches.recv().await.unwrap();
    let mut lines: Vec<String> = batch.into_iter().map(line).collect();
    lines.sort();
    lines
}

/// Jobs that run, and the nodes that they run on, are not the same a moment later.
fn line(event: Event) -> String {
    match event {
        Event::Job(Change::Applied(mut job)) => {
            job.priority = 0;
            job.phase = fedsched::model::Phase::Running;
            job.allocation = None;
            format!("{job:#?}")
        }
        Event::Node(Change::Applied(mut node)) => {
            node.used = fedsched::model::Tres::default();
            format!("{node:#?}")
        }
        other => format!("{other:#?}"),
    }
}
