//! The desk of the command line: each question goes to the reactor with who asks.

use std::sync::Arc;
use std::time::Duration;

use fedsched_protocol::query::{Answer, Request};
use tokio::net::UnixStream;
use tokio::sync::{mpsc, oneshot};
use tracing::debug;

use super::frames;
use super::operators::Operators;
use super::peer::Peer;

/// A connection that asks nothing for so long gives its place to others.
const IDLE_MAX: Duration = Duration::from_secs(10);

/// A question whose answer somebody waits for.
#[derive(Debug)]
pub struct Question {
    /// What is asked.
    pub request: Request,
    /// By whom.
    pub peer: Peer,
    /// Sees everybody's jobs.
    pub operator: bool,
    /// Where the answer goes; nobody may be there any more.
    pub answer: oneshot::Sender<Answer>,
}

/// What every connection of the command line needs.
#[derive(Debug)]
pub struct Desk {
    /// Who sees everybody's jobs.
    pub operators: Operators,
    /// To the reactor.
    pub questions: mpsc::Sender<Question>,
    /// To who looks the daemon over, which takes its time.
    pub checks: mpsc::Sender<Question>,
}

impl Desk {
    /// Serves one connection until the peer hangs up or misbehaves.
    pub async fn serve(self: Arc<Self>, mut stream: UnixStream, peer: Peer) {
        while let Some(request) = next(&mut stream, peer).await {
            let Some(answer) = self.ask(request, peer).await else {
                return;
            };
            if let Err(error) = frames::write(&mut stream, &answer).await {
                debug!(%error, uid = peer.user.0, "nobody waited for the answer");
                return;
            }
        }
    }

    /// `None` while the daemon is going down.
    async fn ask(&self, request: Request, peer: Peer) -> Option<Answer> {
        let operator = self.operators.include(peer).await;
        let desk = match request {
            Request::Check => &self.checks,
            _ => &self.questions,
        };
        let (answer, answered) = oneshot::channel();
        let question = Question {
            request,
            peer,
            operator,
            answer,
        };
        desk.send(question).await.ok()?;
        answered.await.ok()
    }
}

/// The next question, `None` when there will be none.
async fn next(stream: &mut UnixStream, peer: Peer) -> Option<Request> {
    match tokio::time::timeout(IDLE_MAX, frames::read(stream)).await {
        Ok(Ok(request)) => request,
        Ok(Err(error)) => {
            debug!(%error, uid = peer.user.0, "dropped a connection of the command line");
            None
        }
        Err(_) => None,
    }
}
