//! `[slurm]`: how the daemon hears of and speaks to the Slurm cluster it serves.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use reqwest::Url;
use toml::de::DeValue;

use super::section::Section;
use super::value::{command, duration, foreign_name, name, path, text, unless_off};
use crate::model::PartitionName;

/// How to reach the cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slurm {
    /// Where slurmrestd listens.
    pub restd: Endpoint,
    /// User that tokens are for.
    pub user: String,
    /// How the daemon shows slurmrestd who it is.
    pub credential: Credential,
    /// Command that lists through libslurm, as words; `None` lists through slurmrestd.
    pub watch: Option<Vec<String>>,
    /// Time between two listings.
    pub poll: Duration,
    /// Least time between two listings.
    pub hint_gap: Duration,
}

/// Where slurmrestd listens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Endpoint {
    /// A Unix socket on this host.
    Unix(PathBuf),
    /// Over TCP, with or without TLS. No path, query or fragment.
    Http(Url),
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unix(path) => write!(f, "unix:{}", path.display()),
            Self::Http(url) => f.write_str(url.as_str().trim_end_matches('/')),
        }
    }
}

/// How the daemon shows slurmrestd who it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Credential {
    /// By the Unix socket's peer credentials.
    Peer,
    /// With the token in a file, read again when it changes.
    TokenFile(PathBuf),
    /// With the token that a command prints.
    TokenCommand(Vec<String>),
    /// With tokens of its own, signed with the cluster's key (HS256).
    SigningKey(PathBuf),
}

/// Reads `[slurm]`; the waiting room goes to the settings of the core.
pub(super) fn read(mut section: Section<'_, '_>) -> (Slurm, PartitionName) {
    let queue_partition = section.value("queue_partition", name);
    let restd = section.value("restd", endpoint);
    let credential = credential(&mut section, &restd);
    let slurm = Slurm {
        restd,
        user: section.value("user", foreign_name::<UserText>).0,
        credential,
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
    let written = text(value)?;
    let allowed = "must be \"unix:/path\", \"http://host:port\" or \"https://host:port\"";
    if let Some(path) = written.strip_prefix("unix:") {
        let path = PathBuf::from(path);
        return if path.is_absolute() {
            Ok(Endpoint::Unix(path))
        } else {
            Err(format!("\"{written}\" has no absolute path: {allowed}"))
        };
    }
    let url = Url::parse(written).map_err(|error| format!("\"{written}\": {error}; {allowed}"))?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(format!(
            "must not hold a password: {allowed}, and a token beside it"
        ));
    }
    let plain = url.path() == "/" && url.query().is_none() && url.fragment().is_none();
    match url.scheme() {
        "http" | "https" if plain && url.has_host() => Ok(Endpoint::Http(url)),
        _ => Err(format!("\"{written}\": {allowed}")),
    }
}

/// At most one source of tokens; over TCP exactly one, because slurmrestd takes nobody there without.
fn credential(section: &mut Section<'_, '_>, restd: &Endpoint) -> Credential {
    let found: Vec<(&str, Credential)> = [
        section
            .optional("token_file", path)
            .map(|path| ("token_file", Credential::TokenFile(path))),
        section
            .optional("token_command", command)
            .map(|words| ("token_command", Credential::TokenCommand(words))),
        section
            .optional("jwt_key", path)
            .map(|path| ("jwt_key", Credential::SigningKey(path))),
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
    let found = found.into_iter().next().map(|(_, credential)| credential);
    if found.is_none() && matches!(restd, Endpoint::Http(_)) {
        section.fault(
            "restd",
            "over TCP slurmrestd asks for a token: add token_file, token_command or jwt_key",
        );
    }
    found.unwrap_or(Credential::Peer)
}
