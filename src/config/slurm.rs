//! `[slurm]`: how the daemon hears of and speaks to the Slurm cluster it serves.

use std::time::Duration;

use toml::de::DeValue;

use super::section::Section;
use super::value::{command, duration, foreign_name, name, path, text, unless_off};
use crate::members::slurm::{Endpoint, NotAnEndpoint, TokenSource};
use crate::model::PartitionName;

/// How to reach the cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slurm {
    /// Where slurmrestd listens.
    pub restd: Endpoint,
    /// User that tokens are for.
    pub user: String,
    /// How the daemon shows slurmrestd who it is.
    pub token: TokenSource,
    /// Command that lists through libslurm, as words; `None` lists through slurmrestd.
    pub watch: Option<Vec<String>>,
    /// Time between two listings.
    pub poll: Duration,
    /// Least time between two listings.
    pub hint_gap: Duration,
}

/// Life of a token that the daemon makes itself.
const TOKEN_LIFE: Duration = Duration::from_secs(1800);

/// Reads `[slurm]`; the waiting room goes to the settings of the core.
pub(super) fn read(mut section: Section<'_, '_>) -> (Slurm, PartitionName) {
    let queue_partition = section.value("queue_partition", name);
    let restd = section.value("restd", endpoint);
    let user = section.value("user", foreign_name::<UserText>).0;
    let token = token(&mut section, &restd, &user);
    let slurm = Slurm {
        restd,
        user,
        token,
        watch: section.value("watch", unless_off(command)),
        poll: section.value(
            "poll",
            duration(Duration::from_millis(100)..=Duration::from_secs(300)),
        ),
        hint_gap: section.value(
            "hint_gap",
            duration(Duration::from_millis(10)..=Duration::from_secs(60)),
        ),
    };
    if slurm.hint_gap > slurm.poll {
        section.fault("hint_gap", "must not be longer than poll");
    }
    section.finish();
    (slurm, queue_partition)
}

/// A name as plain text.
struct UserText(String);

impl From<&str> for UserText {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

fn endpoint(value: &DeValue<'_>) -> Result<Endpoint, String> {
    text(value)?
        .parse()
        .map_err(|error: NotAnEndpoint| error.to_string())
}

/// At most one source of tokens; over TCP exactly one, because slurmrestd takes nobody there without.
fn token(section: &mut Section<'_, '_>, restd: &Endpoint, user: &str) -> TokenSource {
    let key = |path| TokenSource::Key {
        path,
        user: user.to_owned(),
        lifespan: TOKEN_LIFE,
    };
    let found: Vec<(&str, TokenSource)> = [
        section
            .optional("token_file", path)
            .map(|path| ("token_file", TokenSource::File(path))),
        section
            .optional("token_command", command)
            .map(|words| ("token_command", TokenSource::Command(words))),
        section
            .optional("jwt_key", path)
            .map(|path| ("jwt_key", key(path))),
    ]
    .into_iter()
    .flatten()
    .collect();
    for (key, _) in found.iter().skip(1) {
        let first = found.first().map_or("", |(key, _)| key);
        section.fault(
            key,
            format!("only one of token_file, token_command and jwt_key; {first} is there already"),
        );
    }
    let found = found.into_iter().next().map(|(_, source)| source);
    if found.is_none() && matches!(restd, Endpoint::Http(_)) {
        section.fault(
            "restd",
            "over TCP slurmrestd asks for a token: add token_file, token_command or jwt_key",
        );
    }
    found.unwrap_or(TokenSource::None)
}
