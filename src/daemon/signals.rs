//! What the daemon is told by signals: SIGTERM and SIGINT end it, SIGHUP has it read its
//! configuration again.

use std::future::pending;
use std::sync::Arc;

use anyhow::Context;
use sd_notify::NotifyState;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc;
use tracing::{error, info, warn};

use super::tell_systemd;
use crate::config::Config;
use crate::model::Settings;

/// The signals, caught from the moment this exists.
#[derive(Debug)]
pub(super) struct Signals {
    hangup: Signal,
    terminate: Signal,
    interrupt: Signal,
}

/// Catches the signals.
pub(super) fn listen() -> anyhow::Result<Signals> {
    let catch = |kind| signal(kind).context("cannot listen to signals");
    Ok(Signals {
        hangup: catch(SignalKind::hangup())?,
        terminate: catch(SignalKind::terminate())?,
        interrupt: catch(SignalKind::interrupt())?,
    })
}

impl Signals {
    /// Reads the configuration again whenever told to; done when told to stop.
    pub(super) async fn obey(mut self, mut config: Config, reloads: mpsc::Sender<Arc<Settings>>) {
        loop {
            tokio::select! {
                () = told(&mut self.terminate) => return,
                () = told(&mut self.interrupt) => return,
                () = told(&mut self.hangup) => config = reload(config, &reloads).await,
            }
        }
    }
}

async fn told(signal: &mut Signal) {
    // `None`: no more of this kind can come, so wait for the others.
    if signal.recv().await.is_none() {
        pending::<()>().await;
    }
}

/// The new configuration, or the old one where the new one cannot be taken over as a whole.
async fn reload(config: Config, reloads: &mpsc::Sender<Arc<Settings>>) -> Config {
    tell_systemd(&[NotifyState::Reloading]);
    let config = match config.reload() {
        Ok(new) => {
            info!("the configuration was read again");
            if reloads.send(Arc::clone(&new.settings)).await.is_err() {
                warn!("the daemon is going down and takes no new configuration");
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
