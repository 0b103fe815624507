//! The composition root of the daemon: builds the parts, joins them by channels, and takes them
//! apart again in the order in which nothing is lost.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhow::Context;
use nix::unistd::{Uid, User};
use sd_notify::NotifyState;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::Instant;
use tracing::{error, info, warn};

use crate::bind::Binder;
use crate::config::{self, Config, Credential};
use crate::engine::Engine;
use crate::events::slurm::{Feed, Source, SourceConfig, Submissions, Users};
use crate::ipc::http::{self, Health};
use crate::ipc::operators::Operators;
use crate::ipc::people;
use crate::ipc::plugin;
use crate::ipc::socket::Socket;
use crate::members::slurm::{Client, Endpoint, Options, TokenSource};
use crate::metrics::Metrics;
use crate::model::{Event, Settings, UserId, UserName};
use crate::reactor::{Hands, Inputs, Ledger, Pulse, Reactor};
use crate::store::Store;

/// Connections of the plugin at one time: slurmctld has at most 256 threads that could call it.
const PLUGIN_CONNECTIONS_MAX: usize = 256;

/// Connections of the command line at one time.
const PEOPLE_CONNECTIONS_MAX: usize = 64;

/// Life of a token that the daemon makes itself.
const TOKEN_LIFE: Duration = Duration::from_secs(1800);

/// A poll that takes longer has failed.
const POLL_TIME_MAX: Duration = Duration::from_secs(60);

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
    let metrics = Arc::new(Metrics::new());
    let users = Arc::new(Users::default());
    let client = Client::new(options(&config.slurm))?;

    let (commits, committed) = mpsc::unbounded_channel();
    let (outcome, outcomes) = mpsc::channel(64);
    let (batch, batches) = mpsc::channel(4);
    let (asking, asked) = mpsc::channel(256);
    let (asks, questions) = mpsc::channel(64);
    let (reloads, settings) = mpsc::channel(1);
    let mut inputs = Inputs {
        asked,
        committed,
        outcomes,
        batches,
        settings,
        questions,
    };

    let mut tasks = JoinSet::new();
    let desk = plugin::Desk {
        allowed: ids(&config.daemon.plugin_users),
        submissions: Submissions::new(Arc::clone(&users)),
        asked: asking,
        greeting: Arc::new(Mutex::new(None)),
        metrics: Arc::clone(&metrics),
    };
    let desk = Arc::new(desk);
    let socket = Socket::listen(&config.daemon.plugin_socket, 0o666)?;
    tasks.spawn(socket.serve(PLUGIN_CONNECTIONS_MAX, move |stream, peer| {
        Arc::clone(&desk).serve(stream, peer)
    }));
    let desk = people::Desk {
        operators: Operators::new(ids(&config.daemon.operators), client.clone()),
        questions: asks,
    };
    let desk = Arc::new(desk);
    let socket = Socket::listen(&config.daemon.socket, 0o666)?;
    tasks.spawn(socket.serve(PEOPLE_CONNECTIONS_MAX, move |stream, peer| {
        Arc::clone(&desk).serve(stream, peer)
    }));
    let (health, probed) = watch::channel(Health {
        beat: Instant::now(),
        unready: None,
    });
    if let Some(address) = config.daemon.http {
        let listener = http::listen(address).await?;
        let desk = http::Desk {
            metrics: Arc::clone(&metrics),
            health: probed,
        };
        tasks.spawn(async move {
            if let Err(error) = http::serve(listener, desk).await {
                error!(%error, "metrics and health are not served any more");
            }
        });
    }

    let (ledger, ledger_thread) = Ledger::open(store, commits)?;
    let binder = Binder::spawn(client.clone(), &config.settings, outcome);
    let source = Source::spawn(source(&config.slurm, client, users), batch);
    let mut reactor = Reactor::new(
        Engine::new(Arc::clone(&config.settings)),
        Hands::new(ledger, binder, source),
        Arc::clone(&metrics),
    );
    reactor.begin(Event::Restored {
        intents: restored.intents,
        memories: restored.memories,
    });

    tell_systemd(&[NotifyState::Ready]);
    info!(version = env!("CARGO_PKG_VERSION"), "fedsched is up");
    let mut pulse = Pulse::new(health, metrics);
    reactor
        .run(&mut inputs, until_stopped(config, reloads)?, &mut pulse)
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

/// Ends at SIGTERM or SIGINT; reads the configuration again at SIGHUP.
fn until_stopped(
    config: Config,
    reloads: mpsc::Sender<Arc<Settings>>,
) -> anyhow::Result<impl Future<Output = ()>> {
    let listen = |kind| signal(kind).context("cannot listen to signals");
    let mut hangup = listen(SignalKind::hangup())?;
    let mut terminate = listen(SignalKind::terminate())?;
    let mut interrupt = listen(SignalKind::interrupt())?;
    Ok(async move {
        let mut config = config;
        loop {
            tokio::select! {
                () = told(&mut terminate) => return,
                () = told(&mut interrupt) => return,
                () = told(&mut hangup) => config = reload(config, &reloads).await,
            }
        }
    })
}

async fn told(signal: &mut Signal) {
    // `None` would mean that no more signals can come: then wait for another kind.
    if signal.recv().await.is_none() {
        std::future::pending().await
    }
}

/// The new configuration, or the old one where the new one cannot be taken over as a whole.
async fn reload(config: Config, reloads: &mpsc::Sender<Arc<Settings>>) -> Config {
    tell_systemd(&[NotifyState::Reloading]);
    let config = match config.reload() {
        Ok(new) => {
            info!("the configuration was read again");
            if reloads.send(Arc::clone(&new.settings)).await.is_err() {
                warn!("the daemon is going down");
            }
            new
        }
        Err(error) => {
            error!(%error, "the old configuration stays in force");
            config
        }
    };
    tell_systemd(&[NotifyState::Ready]);
    config
}

fn tell_systemd(states: &[NotifyState<'_>]) {
    if let Err(error) = sd_notify::notify(states) {
        warn!(%error, "systemd cannot be told of the daemon's state");
    }
}

/// How to reach slurmrestd.
fn options(slurm: &config::Slurm) -> Options {
    let endpoint = match &slurm.restd {
        config::Endpoint::Unix(path) => Endpoint::Unix(path.clone()),
        config::Endpoint::Http(url) => Endpoint::Http(url.clone()),
    };
    let token = match &slurm.credential {
        Credential::Peer => TokenSource::None,
        Credential::TokenFile(path) => TokenSource::File(path.clone()),
        Credential::TokenCommand(words) => TokenSource::Command(words.clone()),
        Credential::SigningKey(path) => TokenSource::Key {
            path: path.clone(),
            user: slurm.user.clone(),
            lifespan: TOKEN_LIFE,
        },
    };
    Options::new(endpoint, token)
}

/// How to poll.
fn source(slurm: &config::Slurm, client: Client, users: Arc<Users>) -> SourceConfig {
    SourceConfig {
        feed: slurm
            .watch
            .clone()
            .map_or(Feed::Listing(client), Feed::Watch),
        poll: slurm.poll,
        hint_gap: slurm.hint_gap,
        poll_time_max: POLL_TIME_MAX,
        users,
    }
}

/// The numbers of those users that exist, and always root's and the daemon's own.
fn ids(names: &[UserName]) -> Vec<UserId> {
    let mut ids = vec![UserId(0), UserId(Uid::effective().as_raw())];
    for name in names {
        match User::from_name(name.as_str()) {
            Ok(Some(user)) => ids.push(UserId(user.uid.as_raw())),
            Ok(None) => warn!(user = %name, "there is no such user"),
            Err(error) => warn!(user = %name, %error, "a user cannot be looked up"),
        }
    }
    ids
}
