//! What the configuration's words mean to the parts.

use std::sync::Arc;
use std::time::Duration;

use nix::unistd::{Uid, User};
use tracing::warn;

use crate::config::{Credential, Endpoint as Written, Slurm};
use crate::events::slurm::{Feed, SourceConfig, Users};
use crate::members::slurm::{Client, Endpoint, Options, TokenSource};
use crate::model::{UserId, UserName};

/// Life of a token that the daemon makes itself.
const TOKEN_LIFE: Duration = Duration::from_secs(1800);

/// A poll that takes longer has failed.
const POLL_TIME_MAX: Duration = Duration::from_secs(60);

/// How to reach slurmrestd.
pub(super) fn options(slurm: &Slurm) -> Options {
    let endpoint = match &slurm.restd {
        Written::Unix(path) => Endpoint::Unix(path.clone()),
        Written::Http(url) => Endpoint::Http(url.clone()),
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
