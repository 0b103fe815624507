//! The daemon's part of `fedsched check`: it asks those it depends on how they are.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use fedsched_protocol::query::{Answer, Refusal, Request};
use tokio::sync::{mpsc, oneshot};

use crate::check::{self, Facts, Feed, Restd};
use crate::clock::now;
use crate::ipc::people::Question;
use crate::ipc::plugin::Greeting;
use crate::members::slurm::Client;

/// Looks the daemon over when somebody asks.
#[derive(Debug)]
pub(super) struct Checkup {
    pub(super) client: Client,
    pub(super) feed: Feed,
    pub(super) poll: Duration,
    /// The plugin that said hello last.
    pub(super) greeting: Arc<Mutex<Option<Greeting>>>,
    /// To the reactor.
    pub(super) questions: mpsc::Sender<Question>,
}

impl Checkup {
    /// Answers one question after the other, until nobody can ask any more.
    pub(super) async fn serve(self, mut asked: mpsc::Receiver<Question>) {
        while let Some(question) = asked.recv().await {
            let answer = if question.operator {
                self.look(&question).await
            } else {
                Answer::Refused(Refusal::NotPermitted)
            };
            // Nobody there: they did not wait.
            drop(question.answer.send(answer));
        }
    }

    async fn look(&self, question: &Question) -> Answer {
        let greeting = self
            .greeting
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        let server = self.client.server().await;
        Answer::Check(check::daemon(&Facts {
            now_ms: now().0,
            poll: self.poll,
            heard_ms: self.heard_ms(question).await,
            feed: self.feed,
            restd: match server {
                Ok(server) => Ok(Restd {
                    api: server.dialect.to_string(),
                    slurm: server.release,
                }),
                Err(error) => Err(error.to_string()),
            },
            plugin: greeting.map(|Greeting { plugin, slurm }| check::Greeting { plugin, slurm }),
        }))
    }

    async fn heard_ms(&self, question: &Question) -> Option<i64> {
        let (answer, answered) = oneshot::channel();
        let status = Question {
            request: Request::Status,
            peer: question.peer,
            operator: true,
            answer,
        };
        self.questions.send(status).await.ok()?;
        match answered.await.ok()? {
            Answer::Status(status) => status.heard_ms,
            _ => None,
        }
    }
}
