//! Everybody who talks to the daemon: opens the sockets and serves them.

use std::sync::{Arc, Mutex};

use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tracing::error;

use super::checkup::Checkup;
use super::parts;
use crate::check::Feed;
use crate::config::Config;
use crate::events::slurm::Submissions;
use crate::ipc::http::{self, Health};
use crate::ipc::operators::Operators;
use crate::ipc::people::{self, Question};
use crate::ipc::plugin::{self, Asked, Greeting};
use crate::ipc::socket::Socket;
use crate::members::slurm::Client;
use crate::metrics::Metrics;

/// Connections of the plugin at one time: slurmctld has at most 256 threads that could call it.
const PLUGIN_CONNECTIONS_MAX: usize = 256;

/// Connections of the command line at one time.
const PEOPLE_CONNECTIONS_MAX: usize = 64;

/// What the desks need, and the tasks that serve them.
pub(super) struct Desks<'a> {
    config: &'a Config,
    client: Client,
    metrics: Arc<Metrics>,
    greeting: Arc<Mutex<Option<Greeting>>>,
    tasks: JoinSet<()>,
}

impl<'a> Desks<'a> {
    pub(super) fn new(config: &'a Config, client: Client, metrics: Arc<Metrics>) -> Self {
        Self {
            config,
            client,
            metrics,
            greeting: Arc::default(),
            tasks: JoinSet::new(),
        }
    }

    /// The tasks: whoever drops them closes the desks.
    pub(super) fn into_tasks(self) -> JoinSet<()> {
        self.tasks
    }

    /// The job_submit plugin's.
    pub(super) fn open_plugin(
        &mut self,
        submissions: Submissions,
    ) -> anyhow::Result<mpsc::Receiver<Asked>> {
        let (asking, asked) = mpsc::channel(PLUGIN_CONNECTIONS_MAX);
        let desk = Arc::new(plugin::Desk {
            allowed: parts::user_ids(&self.config.daemon.plugin_users),
            submissions,
            asked: asking,
            greeting: Arc::clone(&self.greeting),
            metrics: Arc::clone(&self.metrics),
        });
        let socket = Socket::listen(&self.config.daemon.plugin_socket, 0o666)?;
        self.tasks
            .spawn(socket.serve(PLUGIN_CONNECTIONS_MAX, move |stream, peer| {
                Arc::clone(&desk).serve(stream, peer)
            }));
        Ok(asked)
    }

    /// The command line's.
    pub(super) fn open_people(&mut self) -> anyhow::Result<mpsc::Receiver<Question>> {
        let (questioning, questions) = mpsc::channel(PEOPLE_CONNECTIONS_MAX);
        let (checking, checks) = mpsc::channel(PEOPLE_CONNECTIONS_MAX);
        let named = parts::user_ids(&self.config.daemon.operators);
        let checkup = Checkup {
            client: self.client.clone(),
            feed: self
                .config
                .slurm
                .watch
                .as_ref()
                .map_or(Feed::Restd, |_| Feed::Watch),
            poll: self.config.slurm.poll,
            greeting: Arc::clone(&self.greeting),
            questions: questioning.clone(),
        };
        let desk = Arc::new(people::Desk {
            operators: Operators::new(named, self.client.clone()),
            questions: questioning,
            checks: checking,
        });
        let socket = Socket::listen(&self.config.daemon.socket, 0o666)?;
        self.tasks.spawn(checkup.serve(checks));
        self.tasks
            .spawn(socket.serve(PEOPLE_CONNECTIONS_MAX, move |stream, peer| {
                Arc::clone(&desk).serve(stream, peer)
            }));
        Ok(questions)
    }

    /// The scrapers' and probes', if the configuration wants them.
    pub(super) async fn open_http(
        &mut self,
        health: watch::Receiver<Health>,
    ) -> anyhow::Result<()> {
        let Some(address) = self.config.daemon.http else {
            return Ok(());
        };
        let listener = http::listen(address).await?;
        let desk = http::Desk {
            metrics: Arc::clone(&self.metrics),
            health,
        };
        self.tasks.spawn(async move {
            if let Err(error) = http::serve(listener, desk).await {
                error!(%error, "metrics and health are not served any more");
            }
        });
        Ok(())
    }
}
