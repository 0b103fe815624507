//! Everything that the loop waits for.

use std::sync::Arc;

use tokio::sync::mpsc;

use super::Committed;
use crate::ipc::people::Question;
use crate::ipc::plugin::Asked;
use crate::model::{Event, Settings};

/// The receiving ends of every channel into the loop.
#[derive(Debug)]
pub struct Inputs {
    /// Submissions: first, because slurmctld waits.
    pub asked: mpsc::Receiver<Asked>,
    /// What became of stored records.
    pub committed: mpsc::UnboundedReceiver<Committed>,
    /// What became of intents.
    pub outcomes: mpsc::Receiver<Event>,
    /// Polls of the source, each whole.
    pub batches: mpsc::Receiver<Vec<Event>>,
    /// New configurations.
    pub settings: mpsc::Receiver<Arc<Settings>>,
    /// Questions of people.
    pub questions: mpsc::Receiver<Question>,
}

/// One of them.
#[expect(
    clippy::large_enum_variant,
    reason = "each is moved once, from its channel to where it is applied"
)]
#[derive(Debug)]
pub enum Input {
    /// See [`Inputs::asked`].
    Asked(Asked),
    /// See [`Inputs::committed`].
    Committed(Committed),
    /// See [`Inputs::outcomes`].
    Outcome(Event),
    /// See [`Inputs::batches`].
    Batch(Vec<Event>),
    /// See [`Inputs::settings`].
    Settings(Arc<Settings>),
    /// See [`Inputs::questions`].
    Question(Question),
}

impl Inputs {
    /// The next input, submissions first. `None` when every sender is gone.
    pub async fn next(&mut self) -> Option<Input> {
        tokio::select! {
            biased;
            Some(asked) = self.asked.recv() => Some(Input::Asked(asked)),
            Some(committed) = self.committed.recv() => Some(Input::Committed(committed)),
            Some(outcome) = self.outcomes.recv() => Some(Input::Outcome(outcome)),
            Some(batch) = self.batches.recv() => Some(Input::Batch(batch)),
            Some(settings) = self.settings.recv() => Some(Input::Settings(settings)),
            Some(question) = self.questions.recv() => Some(Input::Question(question)),
            else => None,
        }
    }

    /// An input that is there already, submissions first.
    pub fn try_next(&mut self) -> Option<Input> {
        let asked = self.asked.try_recv().map(Input::Asked).ok();
        asked
            .or_else(|| self.committed.try_recv().map(Input::Committed).ok())
            .or_else(|| self.outcomes.try_recv().map(Input::Outcome).ok())
            .or_else(|| self.batches.try_recv().map(Input::Batch).ok())
            .or_else(|| self.settings.try_recv().map(Input::Settings).ok())
            .or_else(|| self.questions.try_recv().map(Input::Question).ok())
    }
}
