//! The desk of the job_submit plugin: each submission becomes a question to the reactor.

use std::sync::{Arc, Mutex};
use std::time::Instant;

use fedsched_protocol::submit::{Answer, Request};
use tokio::net::UnixStream;
use tokio::sync::{mpsc, oneshot};
use tracing::{debug, info, warn};

use super::frames;
use super::peer::Peer;
use crate::clock::now;
use crate::events::slurm::Submissions;
use crate::metrics::{self, Metrics};
use crate::model::{Job, UserId, Verdict};

/// A submission whose answer somebody waits for.
#[derive(Debug)]
pub struct Asked {
    /// The job.
    pub job: Box<Job>,
    /// Where the answer goes; nobody may be there any more.
    pub answer: oneshot::Sender<Verdict>,
}

/// What every connection of the plugin needs.
#[derive(Debug)]
pub struct Desk {
    /// Who may submit: SlurmUser and root.
    pub allowed: Vec<UserId>,
    /// Reads submissions.
    pub submissions: Submissions,
    /// To the reactor.
    pub asked: mpsc::Sender<Asked>,
    /// The plugin that said hello last, for `fedsched check`.
    pub greeting: Arc<Mutex<Option<Greeting>>>,
    /// Counts answers.
    pub metrics: Arc<Metrics>,
}

/// What a plugin says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Greeting {
    /// Release of the plugin.
    pub plugin: String,
    /// Slurm release it was built for.
    pub slurm: String,
}

impl Desk {
    /// Serves one connection until the peer hangs up or misbehaves.
    pub async fn serve(self: Arc<Self>, mut stream: UnixStream, peer: Peer) {
        if !self.allowed.contains(&peer.user) {
            warn!(
                uid = peer.user.0,
                "refused a connection to the plugin's socket"
            );
            return;
        }
        loop {
            match frames::read(&mut stream).await {
                Ok(Some(request)) => {
                    let Some(answer) = self.answer(request).await else {
                        return;
                    };
                    if let Err(error) = frames::write(&mut stream, &answer).await {
                        debug!(%error, "the plugin did not wait for its answer");
                        return;
                    }
                }
                Ok(None) => return,
                Err(error) => {
                    warn!(%error, "dropped a connection of the plugin");
                    return;
                }
            }
        }
    }

    /// `None` while the daemon is going down: the plugin then lets the job wait by itself.
    async fn answer(&self, request: Request) -> Option<Answer> {
        match request {
            Request::Hello { plugin, slurm } => {
                info!(plugin, slurm, "the job_submit plugin is there");
                if let Ok(mut greeting) = self.greeting.lock() {
                    *greeting = Some(Greeting { plugin, slurm });
                }
                Some(Answer::Hello {
                    daemon: env!("CARGO_PKG_VERSION").to_owned(),
                })
            }
            Request::Submit(submission) => {
                let start = Instant::now();
                let job = self.submissions.job(&submission, now()).await;
                let (answer, verdict) = oneshot::channel();
                self.asked
                    .send(Asked {
                        job: Box::new(job),
                        answer,
                    })
                    .await
                    .ok()?;
                let verdict = verdict.await.ok()?;
                self.metrics
                    .submission
                    .observe(start.elapsed().as_secs_f64());
                Some(self.tell(verdict))
            }
        }
    }

    fn tell(&self, verdict: Verdict) -> Answer {
        let (counted, answer) = match verdict {
            Verdict::Wait => (metrics::Verdict::Wait, Answer::Wait),
            Verdict::Bind(partition) => (
                metrics::Verdict::Bind,
                Answer::Bind {
                    partition: partition.as_str().to_owned(),
                },
            ),
            Verdict::Refuse(message) => (metrics::Verdict::Refuse, Answer::Refuse { message }),
        };
        self.metrics.answered(counted);
        answer
    }
}
