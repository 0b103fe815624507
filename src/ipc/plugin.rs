//! The desk of the job_submit plugin: each submission becomes a question to the reactor.

use std::sync::Arc;

use fedsched_protocol::submit::{Answer, Request, Submission};
use tokio::net::UnixStream;
use tokio::sync::{mpsc, oneshot};
use tracing::{debug, info, warn};

use super::frames;
use super::peer::Peer;
use crate::model::{UserId, Verdict};

/// A submission whose answer somebody waits for.
#[derive(Debug)]
pub struct Asked {
    /// The job.
    pub submission: Box<Submission>,
    /// Where the answer goes; nobody may be there any more.
    pub answer: oneshot::Sender<Verdict>,
}

/// What every connection of the plugin needs.
#[derive(Debug)]
pub struct Desk {
    /// Who may submit: SlurmUser and root.
    pub allowed: Vec<UserId>,
    /// To the reactor.
    pub questions: mpsc::Sender<Asked>,
    /// Versions of the plugin that said hello, for `fedsched check`.
    pub greeted: std::sync::Mutex<Option<Greeting>>,
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
                if let Ok(mut greeted) = self.greeted.lock() {
                    *greeted = Some(Greeting { plugin, slurm });
                }
                Some(Answer::Hello {
                    daemon: env!("CARGO_PKG_VERSION").to_owned(),
                })
            }
            Request::Submit(submission) => {
                let (answer, verdict) = oneshot::channel();
                self.questions
                    .send(Asked { submission, answer })
                    .await
                    .ok()?;
                Some(match verdict.await.ok()? {
                    Verdict::Wait => Answer::Wait,
                    Verdict::Bind(partition) => Answer::Bind {
                        partition: partition.as_str().to_owned(),
                    },
                    Verdict::Refuse(message) => Answer::Refuse { message },
                })
            }
        }
    }
}
