//! The binding cycle: carries an intent out in slurmctld, step by step, and looks after each.
//!
//! Slurm reports errors for changes that it made, and successes that a reason takes back a moment
//! later. So nothing is believed but what reading the job shows: a look, a change, a look. A plain
//! bind costs three requests.

mod cycle;
mod defaults;
mod look;
mod places;
mod retry;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{Semaphore, mpsc};
use tracing::{debug, info};

use self::cycle::Cycle;
use self::defaults::Defaults;
use self::places::Places;
use crate::members::slurm::Client;
use crate::model::{BindError, Event, Intent, Settings};

/// Intents carried out at once. slurmctld serves changes one after the other anyway.
const AT_ONCE: u32 = 8;

/// Carries out intents.
#[derive(Debug)]
pub struct Binder {
    cycle: Arc<Cycle>,
    slots: Arc<Semaphore>,
    results: mpsc::Sender<Event>,
}

impl Binder {
    /// A binder that acts through `client` and reports to `results`.
    pub fn spawn(client: Client, settings: &Settings, results: mpsc::Sender<Event>) -> Self {
        Self {
            cycle: Arc::new(Cycle {
                defaults: Defaults::new(client.clone()),
                client,
                places: Mutex::new(Places::of(settings)),
            }),
            slots: Arc::new(Semaphore::new(AT_ONCE as usize)),
            results,
        }
    }

    /// Where jobs come from and go to from now on.
    pub fn configure(&self, settings: &Settings) {
        let mut places = self
            .cycle
            .places
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        *places = Places::of(settings);
    }

    /// Carries out a stored intent, now or as soon as there is a slot, and reports [`Event::Done`] or
    /// [`Event::Failed`].
    pub fn act(&self, intent: Intent) {
        let (cycle, slots, results) =
            (self.cycle.clone(), self.slots.clone(), self.results.clone());
        tokio::spawn(async move {
            let Ok(_slot) = slots.acquire().await else {
                return;
            };
            let event = outcome(&intent, cycle.carry_out(&intent).await);
            if results.send(event).await.is_err() {
                debug!(job = %intent.job, "nobody waits for the outcome of an intent any more");
            }
        });
    }

    /// Waits until everything that was begun has its outcome, but no longer than `time_max`.
    pub async fn drain(&self, time_max: Duration) {
        let all = self.slots.acquire_many(AT_ONCE);
        if tokio::time::timeout(time_max, all).await.is_err() {
            debug!("intents are still being carried out: they are looked up after the next start");
        }
    }
}

fn outcome(intent: &Intent, result: Result<(), BindError>) -> Event {
    match result {
        Ok(()) => {
            debug!(job = %intent.job, action = ?intent.action, "done");
            Event::Done(intent.id)
        }
        Err(error) => {
            info!(job = %intent.job, action = ?intent.action, %error, "not done");
            Event::Failed {
                intent: intent.id,
                error,
            }
        }
    }
}
