//! Signs of life: what probes, scrapers and systemd's watchdog see of the loop.

use std::sync::Arc;
use std::time::Duration;

use fedsched_protocol::query::Status;
use sd_notify::NotifyState;
use tokio::sync::watch;
use tokio::time::Instant;
use tracing::debug;

use crate::ipc::http::Health;
use crate::metrics::Metrics;

/// Time between two looks at the whole state.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Tells the world that the loop turns.
#[derive(Debug)]
pub struct Pulse {
    health: watch::Sender<Health>,
    metrics: Arc<Metrics>,
    /// systemd wants to hear of us.
    watchdog: bool,
    looked: Option<Instant>,
}

impl Pulse {
    /// Tells `health`, `metrics` and, if it asked for that, systemd's watchdog.
    pub fn new(health: watch::Sender<Health>, metrics: Arc<Metrics>) -> Self {
        let watchdog = sd_notify::watchdog_enabled().is_some();
        Self {
            health,
            metrics,
            watchdog,
            looked: None,
        }
    }

    /// The loop has turned; `status` is asked for at most once a second.
    pub(super) fn beat(&mut self, status: impl FnOnce() -> Status) {
        let now = Instant::now();
        if self
            .looked
            .is_some_and(|looked| now.duration_since(looked) < LOOK_EVERY)
        {
            return;
        }
        self.looked = Some(now);
        let status = status();
        self.metrics.show(&status);
        let unready = match status.heard_ms {
            None => Some("Slurm has not been heard of yet".to_owned()),
            Some(_) => status.alarms.first().cloned(),
        };
        self.health.send_replace(Health { beat: now, unready });
        if self.watchdog
            && let Err(error) = sd_notify::notify(&[NotifyState::Watchdog])
        {
            debug!(%error, "systemd did not take a sign of life");
        }
    }
}
