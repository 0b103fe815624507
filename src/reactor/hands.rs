//! What carries effects out: the store, the binding cycle, the source, and whoever waits for an answer.

use std::collections::BTreeMap;
use std::time::Duration;

use tokio::sync::oneshot;
use tracing::{debug, error};

use super::{Committed, Entry, Ledger};
use crate::bind::Binder;
use crate::events::slurm::{Polls, SourceHandle};
use crate::model::{
    Action, AskId, BindError, Effect, Event, Intent, IntentId, Settings, Timestamp, Verdict,
};
use crate::store::Record;

/// The executor of effects.
#[derive(Debug)]
pub struct Hands {
    ledger: Ledger,
    binder: Binder,
    source: SourceHandle,
    /// Submissions that wait for their answer.
    asks: BTreeMap<AskId, oneshot::Sender<Verdict>>,
    asks_made: u64,
    /// Intents without an outcome.
    intents: BTreeMap<IntentId, Intent>,
    wake: Option<Timestamp>,
    /// Why the store does not take what must be stored; `None`: it does.
    store_fails: Option<String>,
}

impl Hands {
    /// Nothing is under way.
    pub fn new(ledger: Ledger, binder: Binder, source: SourceHandle) -> Self {
        Self {
            ledger,
            binder,
            source,
            asks: BTreeMap::new(),
            asks_made: 0,
            intents: BTreeMap::new(),
            wake: None,
            store_fails: None,
        }
    }

    /// Members and waiting room are these from now on.
    pub(super) fn configure(&self, settings: &Settings) {
        self.binder.configure(settings);
    }

    /// Takes up the intents that had no outcome when the last daemon ended.
    pub(super) fn resume(&mut self, intents: &[Intent]) {
        self.intents
            .extend(intents.iter().map(|intent| (intent.id, intent.clone())));
    }

    /// A name for a submission whose answer goes to `answer`.
    pub(super) fn expect_answer(&mut self, answer: oneshot::Sender<Verdict>) -> AskId {
        self.asks_made += 1;
        let ask = AskId(self.asks_made);
        self.asks.insert(ask, answer);
        ask
    }

    /// Carries effects out, in order.
    pub(super) fn carry_out(&mut self, effects: Vec<Effect>) {
        let mut entry = Entry::default();
        for effect in effects {
            match effect {
                Effect::Intend(intent) => {
                    self.intents.insert(intent.id, intent.clone());
                    entry.records.push(Record::Intend(intent));
                }
                Effect::Act(intent) => entry.then.push(intent),
                Effect::Settle(intent) => {
                    self.intents.remove(&intent);
                    entry.records.push(Record::Settle(intent));
                }
                Effect::Remember(memory) => entry.records.push(Record::Remember(memory)),
                Effect::Forget(job) => entry.records.push(Record::Forget(job)),
                Effect::Answer { ask, verdict } => self.answer(ask, verdict),
                Effect::Poll => self.source.hint(),
                Effect::WakeAt(at) => {
                    self.wake = Some(self.wake.map_or(at, |wake| wake.min(at)));
                }
            }
        }
        if !entry.records.is_empty() || !entry.then.is_empty() {
            self.ledger.enter(entry);
        }
    }

    fn answer(&mut self, ask: AskId, verdict: Verdict) {
        let Some(answer) = self.asks.remove(&ask) else {
            return;
        };
        // A plugin that gave up has let the job wait, and what was assumed for it expires.
        if let Err(verdict) = answer.send(verdict) {
            debug!(?verdict, "nobody waited for the answer to a submission");
        }
        // The job is about to appear.
        self.source.hint();
    }

    /// Begins the intents whose records are safe; those that could not be stored have failed.
    pub(super) fn committed(&mut self, committed: Committed) -> Vec<Event> {
        match committed.result {
            Ok(()) => {
                self.store_fails = None;
                for id in committed.then {
                    // Without it: settled by what the listings showed meanwhile.
                    if let Some(intent) = self.intents.get(&id) {
                        self.binder.act(intent.clone());
                    }
                }
                Vec::new()
            }
            Err(cause) => {
                error!(%cause, "nothing is bound: the store does not take what must be stored first");
                let message = cause.to_string();
                self.store_fails = Some(message.clone());
                let failed = |intent| {
                    let error = BindError::NotStored(message.clone());
                    Event::Failed { intent, error }
                };
                committed.then.into_iter().map(failed).collect()
            }
        }
    }

    /// Whether an intent takes a job back from a member.
    pub(super) fn returns(&self, intent: IntentId) -> bool {
        let intent = self.intents.get(&intent);
        intent.is_some_and(|intent| matches!(intent.action, Action::Return { .. }))
    }

    /// How the polling of the site goes.
    pub(super) fn polls(&self) -> Polls {
        self.source.polls()
    }

    /// Whether intents are without an outcome.
    pub(super) fn is_busy(&self) -> bool {
        !self.intents.is_empty()
    }

    /// What an administrator must know of.
    pub(super) fn alarm(&self) -> Option<String> {
        self.store_fails
            .as_ref()
            .map(|why| format!("nothing is bound: {why}"))
    }

    /// Time until the engine wants to be woken.
    pub(super) fn until_wake(&self, now: Timestamp) -> Option<Duration> {
        self.wake.map(|wake| wake.since(now))
    }

    /// Whether the engine is to be woken now; if so, once.
    pub(super) fn take_wake(&mut self, now: Timestamp) -> bool {
        self.wake.take_if(|wake| *wake <= now).is_some()
    }
}
