//! The task that polls: at an interval, sooner after a hint, slower after failures.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use tokio::sync::{Notify, mpsc};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until, timeout};
use tracing::{debug, info, warn};

use super::Batch;
use super::listing::Listings;
use super::picture::Picture;
use super::poll::Poll;
use super::users::Users;
use super::watch::{Watch, WatchError};
use crate::members::slurm::{self, Client};
use crate::model::Event;

/// Waits after failures: the first, doubled each time up to the last.
const RETRY_FIRST: Duration = Duration::from_secs(1);
const RETRY_MAX: Duration = Duration::from_secs(15);

/// Where listings come from.
#[derive(Debug, Clone)]
pub enum Feed {
    /// `slurm-watch`, as a command line.
    Watch(Vec<String>),
    /// slurmrestd.
    Listing(Client),
}

/// How to poll.
#[derive(Debug, Clone)]
pub struct SourceConfig {
    /// Where listings come from.
    pub feed: Feed,
    /// From one poll to the next.
    pub poll: Duration,
    /// After a hint, but never sooner than this after the end of the last poll: what slurmctld has to
    /// bear is bounded however many jobs are submitted.
    pub hint_gap: Duration,
    /// A poll that takes longer has failed.
    pub poll_time_max: Duration,
    /// Who users are.
    pub users: Arc<Users>,
}

/// How the polling goes, for metrics and `fedsched status`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Polls {
    /// Polls that brought a listing.
    pub done: u64,
    /// Polls that failed.
    pub failed: u64,
    /// What the last one took.
    pub took: Duration,
    /// When slurmctld was last heard.
    pub heard: Option<SystemTime>,
}

/// Slurm as a source of events.
#[derive(Debug)]
pub struct Source;

/// The running source; it ends when this is dropped, and when nobody takes its events.
#[derive(Debug)]
pub struct SourceHandle {
    hints: Arc<Notify>,
    polls: Arc<Mutex<Polls>>,
    task: JoinHandle<()>,
}

impl Source {
    /// Starts polling. Each batch is one poll: it ends with [`Event::Synced`], or it is a single
    /// [`Event::Unreachable`], after which the next batch begins anew with [`Event::Init`].
    pub fn spawn(config: SourceConfig, events: mpsc::Sender<Batch>) -> SourceHandle {
        let hints = Arc::new(Notify::new());
        let polls = Arc::<Mutex<Polls>>::default();
        let poller = Poller {
            feed: Open::new(config.feed.clone()),
            picture: Picture::new(config.users.clone()),
            config,
            polls: polls.clone(),
            complained: None,
        };
        let task = tokio::spawn(poller.run(hints.clone(), events));
        SourceHandle { hints, polls, task }
    }
}

impl SourceHandle {
    /// Something changed in slurmctld: poll now.
    pub fn hint(&self) {
        self.hints.notify_one();
    }

    /// How the polling goes.
    pub fn polls(&self) -> Polls {
        *self.polls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for SourceHandle {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// A feed with its state.
#[derive(Debug)]
enum Open {
    Watch(Box<Watch>),
    Listing(Box<Listings>),
}

/// A poll failed.
#[derive(Debug, thiserror::Error)]
enum PollError {
    #[error(transparent)]
    Watch(#[from] WatchError),
    #[error(transparent)]
    Listing(#[from] slurm::Error),
    #[error("slurmctld did not answer within {} s", .0.as_secs())]
    TooLong(Duration),
}

impl Open {
    fn new(feed: Feed) -> Self {
        match feed {
            Feed::Watch(argv) => Self::Watch(Box::new(Watch::new(argv))),
            Feed::Listing(client) => Self::Listing(Box::new(Listings::new(client))),
        }
    }

    async fn poll(&mut self, time_max: Duration) -> Result<Poll, PollError> {
        let poll = async {
            match self {
                Self::Watch(watch) => watch.poll().await.map_err(PollError::from),
                Self::Listing(listings) => listings.poll().await.map_err(PollError::from),
            }
        };
        timeout(time_max, poll)
            .await
            .unwrap_or(Err(PollError::TooLong(time_max)))
    }

    fn start_over(&mut self) {
        match self {
            Self::Watch(watch) => watch.start_over(),
            Self::Listing(listings) => listings.start_over(),
        }
    }
}

struct Poller {
    feed: Open,
    picture: Picture,
    config: SourceConfig,
    polls: Arc<Mutex<Polls>>,
    /// What was last said of a failure, while it lasts.
    complained: Option<String>,
}

impl Poller {
    async fn run(mut self, hints: Arc<Notify>, events: mpsc::Sender<Batch>) {
        let mut retry = RETRY_FIRST;
        loop {
            let start = Instant::now();
            let batch = self.poll().await;
            let reachable = self.complained.is_none();
            if !batch.is_empty() && events.send(batch).await.is_err() {
                debug!("nobody takes the events of Slurm any more");
                return;
            }
            if reachable {
                retry = RETRY_FIRST;
                tokio::select! {
                    () = sleep_until(start + self.config.poll) => {}
                    () = hinted(&hints, self.config.hint_gap) => {}
                    () = events.closed() => return,
                }
            } else {
                tokio::select! {
                    () = sleep_until(Instant::now() + retry) => {}
                    () = events.closed() => return,
                }
                retry = (retry * 2).min(RETRY_MAX);
            }
        }
    }

    /// The batch of one poll; empty if there is nothing new to say of a failure.
    async fn poll(&mut self) -> Batch {
        let start = Instant::now();
        let poll = self.feed.poll(self.config.poll_time_max).await;
        let poll = match poll {
            Ok(poll) if self.picture.doubts(&poll) => {
                warn!(
                    jobs = poll.gone.jobs.len(),
                    nodes = poll.gone.nodes.len(),
                    "very much is gone from slurmctld's lists at once: asking for them in full"
                );
                self.feed.start_over();
                self.feed.poll(self.config.poll_time_max).await
            }
            poll => poll,
        };
        match poll {
            Ok(poll) => {
                if self.complained.take().is_some() {
                    info!("slurmctld answers again");
                }
                let batch = self.picture.apply(poll).await;
                self.count(|polls| {
                    polls.done += 1;
                    polls.took = start.elapsed();
                    polls.heard = Some(SystemTime::now());
                });
                batch
            }
            Err(error) => self.complain(&error),
        }
    }

    fn complain(&mut self, error: &PollError) -> Batch {
        self.count(|polls| polls.failed += 1);
        let reason = error.to_string();
        if self.complained.as_ref() == Some(&reason) {
            return Batch::new();
        }
        warn!(reason, "jobs and nodes cannot be listed");
        self.complained = Some(reason.clone());
        vec![Event::Unreachable { reason }]
    }

    fn count(&self, count: impl FnOnce(&mut Polls)) {
        count(&mut self.polls.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

/// A hint came, and `gap` is over.
async fn hinted(hints: &Notify, gap: Duration) {
    let earliest = Instant::now() + gap;
    hints.notified().await;
    sleep_until(earliest).await;
}
