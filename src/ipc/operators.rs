//! Who sees everybody's jobs: root, those whom the configuration names, and those whom Slurm itself
//! makes operators.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use nix::unistd::{Uid, User};
use tracing::debug;

use super::peer::Peer;
use crate::members::slurm::Client;
use crate::model::UserId;

/// How long Slurm's word on a user is good for.
const FRESH_MAX: Duration = Duration::from_secs(60);

/// How long a question may wait for Slurm's word; without it the user sees her own jobs.
const WAIT_MAX: Duration = Duration::from_secs(2);

/// Answers who is an operator.
#[derive(Debug)]
pub struct Operators {
    named: Vec<UserId>,
    client: Client,
    known: Mutex<BTreeMap<UserId, (Instant, bool)>>,
}

impl Operators {
    /// Those in `named`, and whom slurmdbd says.
    pub fn new(named: Vec<UserId>, client: Client) -> Self {
        Self {
            named,
            client,
            known: Mutex::default(),
        }
    }

    /// Whether the peer sees everybody's jobs.
    pub async fn include(&self, peer: Peer) -> bool {
        if peer.is_root() || self.named.contains(&peer.user) {
            return true;
        }
        let known = self.known().get(&peer.user).copied();
        if let Some((since, operator)) = known
            && since.elapsed() < FRESH_MAX
        {
            return operator;
        }
        let answer = tokio::time::timeout(WAIT_MAX, self.ask(peer.user)).await;
        let Ok(Some(operator)) = answer else {
            return false;
        };
        self.known().insert(peer.user, (Instant::now(), operator));
        operator
    }

    /// `None` where Slurm does not say.
    async fn ask(&self, user: UserId) -> Option<bool> {
        let look_up = move || User::from_uid(Uid::from_raw(user.0));
        let name = tokio::task::spawn_blocking(look_up).await.ok()?.ok()??.name;
        match self.client.is_operator(&name).await {
            Ok(operator) => Some(operator),
            Err(error) => {
                debug!(%error, name, "slurmdbd does not say whether a user is an operator");
                None
            }
        }
    }

    fn known(&self) -> std::sync::MutexGuard<'_, BTreeMap<UserId, (Instant, bool)>> {
        // An entry is inserted whole: a panic elsewhere left the map sound.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
