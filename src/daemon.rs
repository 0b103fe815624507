//! The composition root of the daemon: builds the parts, joins them by channels, and takes them
//! apart again in the order in which nothing is lost.

mod checkup;
mod desks;
mod parts;
mod signals;

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use sd_notify::NotifyState;
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;
use tracing::{error, info, warn};

use self::desks::Desks;
use crate::bind::Binder;
use crate::config::Config;
use crate::engine::Engine;
use crate::events::slurm::{Source, Submissions, Users};
use crate::ipc::http::Health;
use crate::members::slurm::{Client, Options};
use crate::metrics::Metrics;
use crate::model::Event;
use crate::reactor::{Hands, Inputs, Ledger, Pulse, Reactor};
use crate::store::Store;

/// Time between two looks at whether slurmrestd serves the daemon.
const RESTD_LOOK: Duration = Duration::from_secs(10);

/// How long the changes that are under way may take when the daemon is told to stop. What is not
/// done by then is an intent in the store, and looked up at the next start.
const DRAIN_MAX: Duration = Duration::from_secs(10);

/// Runs the daemon until it is told to stop.
pub fn run(config: Config) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .context("cannot start the runtime")?;
    runtime.block_on(serve(config))
}

async fn serve(config: Config) -> anyhow::Result<()> {
    let mut store = Store::open(&config.daemon.state_dir)?;
    let restored = store.load()?;
    let stop = signals::listen()?;
    let metrics = Arc::new(Metrics::new());
    let users = Arc::new(Users::default());
    let client = Client::new(Options::new(
        config.slurm.restd.clone(),
        config.slurm.token.clone(),
    ))?;

    let (health, probed) = watch::channel(Health {
        beat: Instant::now(),
        unready: None,
    });
    let mut desks = Desks::new(&config, client.clone(), Arc::clone(&metrics));
    let asked = desks.open_plugin(Submissions::new(Arc::clone(&users)))?;
    let questions = desks.open_people()?;
    desks.open_http(probed).await?;
    let mut tasks = desks.into_tasks();
    let (complaint, complaints) = watch::channel(Vec::new());
    tasks.spawn(look_after_restd(
        client.clone(),
        Arc::clone(&metrics),
        complaint,
    ));

    let (commits, committed) = mpsc::unbounded_channel();
    let (outcome, outcomes) = mpsc::channel(64);
    let (batch, batches) = mpsc::channel(4);
    let (reloads, settings) = mpsc::channel(1);
    let (ledger, ledger_thread) = Ledger::open(store, commits)?;
    let binder = Binder::spawn(client.clone(), &config.settings, outcome);
    let source = Source::spawn(parts::source(&config.slurm, client, users), batch);
    let engine = Engine::new(Arc::clone(&config.settings));
    let hands = Hands::new(ledger, binder, source);
    let mut reactor = Reactor::new(engine, hands, Arc::clone(&metrics), complaints);
    let mut inputs = Inputs {
        asked,
        committed,
        outcomes,
        batches,
        settings,
        questions,
    };
    reactor.begin(Event::Restored {
        intents: restored.intents,
        memories: restored.memories,
        last_intent: restored.last_intent,
    });

    tell_systemd(&[NotifyState::Ready]);
    info!(version = env!("CARGO_PKG_VERSION"), "fedsched is up");
    let mut pulse = Pulse::new(health, metrics);
    reactor
        .run(&mut inputs, stop.obey(config, reloads), &mut pulse)
        .await;

    tell_systemd(&[NotifyState::Stopping]);
    // Nobody is let in any more; what was begun may come to its end.
    tasks.shutdown().await;
    reactor.drain(&mut inputs, DRAIN_MAX).await;
    drop(reactor);
    if ledger_thread.join().is_err() {
        error!("the store's thread had failed");
    }
    info!("fedsched is down");
    Ok(())
}

/// Complains while slurmrestd does not serve the daemon, or its token cannot be renewed.
async fn look_after_restd(
    client: Client,
    metrics: Arc<Metrics>,
    complaint: watch::Sender<Vec<String>>,
) {
    let mut look = tokio::time::interval(RESTD_LOOK);
    loop {
        look.tick().await;
        let silent = client.server().await.err();
        if let Some(error) = &silent {
            metrics.restd_failed(error.class());
        }
        let silent = silent.map(|why| format!("no job can be bound, slurmrestd fails: {why}"));
        let stale = client.token_alarm().await;
        complaint.send_replace(silent.into_iter().chain(stale).collect());
    }
}

fn tell_systemd(states: &[NotifyState<'_>]) {
    if let Err(error) = sd_notify::notify(states) {
        warn!(%error, "systemd cannot be told of the daemon's state");
    }
}
