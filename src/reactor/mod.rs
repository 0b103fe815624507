//! The loop: events to the engine, effects to the world. No policy here.
//!
//! What has arrived together is applied together, and then one scheduling pass is made. Effects are
//! carried out in their order, stored things durably before the intent that depends on them is
//! begun; answers to submissions and hints to the source wait for nothing.

mod hands;
mod inputs;
mod ledger;
mod pulse;

use std::iter;
use std::sync::Arc;
use std::time::{Duration, Instant};

use fedsched_protocol::query::{Answer, Refusal, Request, Status, Waiting};
use tokio::sync::watch;
use tracing::debug;

pub use self::hands::Hands;
pub use self::inputs::{Input, Inputs};
pub use self::ledger::{Committed, Entry, Ledger};
pub use self::pulse::Pulse;
use crate::clock::now;
use crate::engine::Engine;
use crate::ipc::people::Question;
use crate::ipc::plugin::Asked;
use crate::metrics::{Metrics, Outcome};
use crate::model::{BindError, Event, UserId};
use crate::report;

/// Inputs applied before a pass is made, at most: a flood of one kind must not keep the pass away.
const BATCH_MAX: usize = 256;

/// Longest sleep of the loop: how late it notices that the wall clock was set forward.
const SLEEP_MAX: Duration = Duration::from_secs(1);

/// The loop and everything it owns.
#[derive(Debug)]
pub struct Reactor {
    engine: Engine,
    hands: Hands,
    metrics: Arc<Metrics>,
    facts: report::DaemonFacts,
    /// What those around the loop complain of.
    complaints: watch::Receiver<Vec<String>>,
}

impl Reactor {
    /// A loop around `engine`.
    pub fn new(
        engine: Engine,
        hands: Hands,
        metrics: Arc<Metrics>,
        complaints: watch::Receiver<Vec<String>>,
    ) -> Self {
        let facts = report::DaemonFacts {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            started: now(),
            alarms: Vec::new(),
        };
        Self {
            engine,
            hands,
            metrics,
            facts,
            complaints,
        }
    }

    /// Applies what the store held, before anything is heard of the site.
    pub fn begin(&mut self, restored: Event) {
        if let Event::Restored { intents, .. } = &restored {
            self.hands.resume(intents);
        }
        self.apply(restored);
    }

    /// Runs until `stop` is done, and says with every turn of the loop how it is.
    pub async fn run(
        &mut self,
        inputs: &mut Inputs,
        stop: impl Future<Output = ()>,
        pulse: &mut Pulse,
    ) {
        tokio::pin!(stop);
        loop {
            let sleep = self
                .hands
                .until_wake(now())
                .map_or(SLEEP_MAX, |span| span.min(SLEEP_MAX));
            tokio::select! {
                biased;
                () = &mut stop => return,
                input = inputs.next() => {
                    let Some(input) = input else { return };
                    self.take(input);
                }
                () = tokio::time::sleep(sleep) => {}
            }
            for input in iter::from_fn(|| inputs.try_next()).take(BATCH_MAX) {
                self.take(input);
            }
            self.pass();
            pulse.beat(|| self.status());
        }
    }

    /// Lets the intents that are under way come to their end, for `patience` at most.
    pub async fn drain(&mut self, inputs: &mut Inputs, patience: Duration) {
        let deadline = tokio::time::Instant::now() + patience;
        while self.hands.is_busy() {
            match tokio::time::timeout_at(deadline, inputs.next()).await {
                Ok(Some(input)) => self.take(input),
                Ok(None) | Err(_) => return,
            }
        }
    }

    fn take(&mut self, input: Input) {
        match input {
            Input::Asked(asked) => self.ask(asked),
            Input::Committed(committed) => {
                self.metrics.commit.observe(committed.took.as_secs_f64());
                if committed.result.is_err() {
                    self.metrics.commit_failures.inc();
                }
                for failed in self.hands.committed(committed) {
                    self.apply(failed);
                }
            }
            Input::Outcome(event) => {
                self.count(&event);
                self.apply(event);
            }
            Input::Batch(events) => {
                let polls = self.hands.polls();
                self.metrics.poll.observe(polls.took.as_secs_f64());
                for event in events {
                    self.apply(event);
                }
            }
            Input::Settings(settings) => {
                self.hands.configure(&settings);
                self.apply(Event::Configured(settings));
            }
            Input::Question(question) => self.reply(question),
        }
    }

    fn count(&self, outcome: &Event) {
        match outcome {
            Event::Done(intent) => {
                self.metrics.settled(Outcome::Done);
                if self.hands.returns(*intent) {
                    self.metrics.returned.inc();
                }
            }
            Event::Failed { error, .. } => self.metrics.settled(match error {
                BindError::Unreachable(_) | BindError::NotStored(_) => Outcome::Unreachable,
                BindError::Refused(_) => Outcome::Refused,
                BindError::Overtaken(_) => Outcome::Overtaken,
            }),
            _ => {}
        }
    }

    fn ask(&mut self, Asked { job, answer }: Asked) {
        let ask = self.hands.expect_answer(answer);
        self.apply(Event::Submitted { ask, job });
    }

    fn apply(&mut self, event: Event) {
        let effects = self.engine.handle(event, now());
        self.hands.carry_out(effects);
    }

    /// One scheduling pass, and the timers that are due.
    fn pass(&mut self) {
        if self.hands.take_wake(now()) {
            self.apply(Event::Tick);
        }
        let start = Instant::now();
        let effects = self.engine.schedule(now());
        if !effects.is_empty() {
            self.metrics.pass.observe(start.elapsed().as_secs_f64());
        }
        self.hands.carry_out(effects);
    }

    fn status(&self) -> Status {
        let mut facts = self.facts.clone();
        facts.alarms.extend(self.hands.alarm());
        facts
            .alarms
            .extend(self.complaints.borrow().iter().cloned());
        report::status(&self.engine, &facts)
    }

    fn reply(&self, question: Question) {
        let answer = self.answer(&question);
        if question.answer.send(answer).is_err() {
            debug!("nobody waited for the answer to a question");
        }
    }

    fn answer(&self, question: &Question) -> Answer {
        let sees = |owner| question.operator || question.peer.user == owner;
        match question.request {
            Request::Status => Answer::Status(self.status()),
            Request::Members => Answer::Members(report::members(&self.engine)),
            Request::Queue => Answer::Queue(self.queue(sees)),
            Request::Explain { job, task } => match report::explain(&self.engine, job, task) {
                Some((owner, told)) if sees(owner) => Answer::Explain(told),
                _ => Answer::Refused(Refusal::NoSuchJob),
            },
            // Has a desk of its own.
            Request::Check => Answer::Refused(Refusal::NotReady),
        }
    }

    fn queue(&self, sees: impl Fn(UserId) -> bool) -> Vec<Waiting> {
        let all = report::queue(&self.engine);
        all.into_iter()
            .filter(|(owner, _)| sees(*owner))
            .map(|(_, waiting)| waiting)
            .collect()
    }
}
