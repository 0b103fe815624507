//! What the configuration's words mean to the parts.

use std::sync::Arc;
use std::time::Duration;

use nix::unistd::{Uid, User};
use tracing::warn;

use crate::config::Slurm;
use crate::events::slurm::{Feed, SourceConfig, Users};
use crate::members::slurm::Client;
use crate::model::{UserId, UserName};

/// A poll that takes longer has failed.
const POLL_TIME_MAX: Duration = Duration::from_secs(60);

/// How to poll.
pub(super) fn source(slurm: &Slurm, client: Client, users: Arc<Users>) -> SourceConfig {
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
pub(super) fn user_ids(names: &[UserName]) -> Vec<UserId> {
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
