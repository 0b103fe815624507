//! The JSON Web Token that slurmrestd asks for, kept fresh.
//!
//! A token is renewed at half its life, so that a source that fails once does no harm; when it
//! cannot be renewed the old one is used to its end, and [`Tokens::alarm`] says so meanwhile.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use jsonwebtoken::{Algorithm, EncodingKey, Header};
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use tokio::sync::Mutex;
use tracing::{error, info};

/// Largest token or key that is read, in bytes.
const BYTES_MAX: usize = 64 << 10;

/// How long a command that prints a token may take.
const COMMAND_TIME_MAX: Duration = Duration::from_secs(10);

/// A source that failed is not asked again before this.
const RETRY: Duration = Duration::from_secs(5);

/// Where tokens come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TokenSource {
    /// None is needed: over its Unix socket, slurmrestd asks the kernel who is there.
    None,
    /// A file that somebody else keeps fresh; read again when it changes.
    File(PathBuf),
    /// A command that prints one, as `scontrol token` does (`SLURM_JWT=` before it is taken off).
    Command(Vec<String>),
    /// Slurm's own key (`jwt_hs256.key`), with which the daemon makes its tokens.
    Key {
        /// File of the key.
        path: PathBuf,
        /// Slurm user the tokens are for: an operator.
        user: String,
        /// How long each is good for.
        lifespan: Duration,
    },
}

/// No token could be had.
#[derive(Debug, thiserror::Error)]
pub enum TokenError {
    /// The file cannot be read.
    #[error("the token file {} cannot be read: {source}", path.display())]
    ReadFile {
        /// Which.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The command failed.
    #[error("the token command `{command}` failed: {why}")]
    RunCommand {
        /// Which.
        command: String,
        /// Why.
        why: String,
    },
    /// The token cannot be signed.
    #[error("no token can be made with the key {}: {source}", path.display())]
    Sign {
        /// Which key.
        path: PathBuf,
        /// Why.
        source: jsonwebtoken::errors::Error,
    },
    /// What came is no token.
    #[error("{from} holds no JSON Web Token")]
    NotAToken {
        /// File or command.
        from: String,
    },
    /// The token's time is over.
    #[error("the token from {from} expired {seconds} s ago")]
    Expired {
        /// File or command.
        from: String,
        /// How long ago.
        seconds: u64,
    },
}

/// A token that can be sent.
#[derive(Clone)]
pub(super) struct Token {
    secret: SecretString,
    /// The Slurm user it was made for.
    pub(super) user: Option<String>,
    expires: Option<SystemTime>,
    renew: Option<SystemTime>,
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Token")
            .field("user", &self.user)
            .field("expires", &self.expires)
            .finish_non_exhaustive()
    }
}

/// What Slurm's tokens say (auth/jwt): `sun` is the user; other issuers write `username`.
#[derive(Debug, Serialize, Deserialize)]
struct Claims {
    #[serde(skip_serializing_if = "Option::is_none")]
    exp: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    iat: Option<u64>,
    #[serde(alias = "username", skip_serializing_if = "Option::is_none")]
    sun: Option<String>,
}

impl Token {
    /// The text for the header.
    pub(super) fn expose(&self) -> &str {
        self.secret.expose_secret()
    }

    fn read(text: &str, from: &str, now: SystemTime) -> Result<Self, TokenError> {
        let text = text.trim();
        let text = text.strip_prefix("SLURM_JWT=").unwrap_or(text);
        let claims =
            jsonwebtoken::dangerous::insecure_decode_claims::<Claims>(text).map_err(|_| {
                TokenError::NotAToken {
                    from: from.to_owned(),
                }
            })?;
        let at = |seconds| UNIX_EPOCH.checked_add(Duration::from_secs(seconds));
        let expires = claims.exp.and_then(at);
        if let Some(since) = expires.and_then(|expires| now.duration_since(expires).ok()) {
            return Err(TokenError::Expired {
                from: from.to_owned(),
                seconds: since.as_secs(),
            });
        }
        let left = expires.and_then(|expires| expires.duration_since(now).ok());
        Ok(Self {
            secret: SecretString::from(text),
            user: claims.sun,
            expires,
            renew: left.map(|left| now + left / 2),
        })
    }

    fn is_alive(&self, now: SystemTime) -> bool {
        self.expires.is_none_or(|expires| now < expires)
    }
}

/// Gives out tokens of one source.
#[derive(Debug)]
pub(super) struct Tokens {
    source: TokenSource,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    token: Option<Arc<Token>>,
    /// Change time of the file that `token` came from.
    stamp: Option<SystemTime>,
    /// The source failed: why, and when it is asked again.
    failed: Option<(String, SystemTime)>,
}

impl Tokens {
    pub(super) fn new(source: TokenSource) -> Self {
        Self {
            source,
            state: Mutex::default(),
        }
    }

    /// A token that is good now; `None` where none is needed.
    pub(super) async fn get(&self) -> Result<Option<Arc<Token>>, TokenError> {
        if self.source == TokenSource::None {
            return Ok(None);
        }
        let now = SystemTime::now();
        let mut state = self.state.lock().await;
        let stamp = self.stamp().await;
        if let Some(token) = state.token.clone()
            && token.is_alive(now)
            && (state.wait_before_renewal(now) || !state.is_due(stamp, now))
        {
            return Ok(Some(token));
        }
        match self.source.fetch(now).await {
            Ok(token) => {
                if state.failed.take().is_some() {
                    info!("the token for slurmrestd is fresh again");
                }
                let token = Arc::new(token);
                state.token = Some(token.clone());
                state.stamp = stamp;
                Ok(Some(token))
            }
            Err(error) => {
                if state.failed.is_none() {
                    error!(%error, "the token for slurmrestd cannot be renewed");
                }
                state.failed = Some((error.to_string(), now + RETRY));
                match state.token.clone().filter(|token| token.is_alive(now)) {
                    Some(token) => Ok(Some(token)),
                    None => Err(error),
                }
            }
        }
    }

    /// slurmrestd refused the token: the next one is a new one.
    pub(super) async fn distrust(&self) {
        self.state.lock().await.token = None;
    }

    /// Why the token could not be renewed, while that is so.
    pub(super) async fn alarm(&self) -> Option<String> {
        let state = self.state.lock().await;
        state.failed.as_ref().map(|(why, _)| why.clone())
    }

    async fn stamp(&self) -> Option<SystemTime> {
        let TokenSource::File(path) = &self.source else {
            return None;
        };
        tokio::fs::metadata(path).await.ok()?.modified().ok()
    }
}

impl State {
    fn is_due(&self, stamp: Option<SystemTime>, now: SystemTime) -> bool {
        let half_over = self.token.as_ref().and_then(|token| token.renew);
        half_over.is_some_and(|renew| now >= renew) || stamp != self.stamp
    }

    fn wait_before_renewal(&self, now: SystemTime) -> bool {
        self.failed.as_ref().is_some_and(|(_, again)| now < *again)
    }
}

impl TokenSource {
    async fn fetch(&self, now: SystemTime) -> Result<Token, TokenError> {
        match self {
            Self::None => Err(TokenError::NotAToken {
                from: "no source".to_owned(),
            }),
            Self::File(path) => {
                let text = read(path).await?;
                let text = String::from_utf8_lossy(&text);
                Token::read(&text, &format!("the file {}", path.display()), now)
            }
            Self::Command(argv) => {
                let text = run(argv).await?;
                Token::read(&text, &format!("the command `{}`", argv.join(" ")), now)
            }
            Self::Key {
                path,
                user,
                lifespan,
            } => {
                let key = read(path).await?;
                let text = sign(&key, user, *lifespan, now).map_err(|source| TokenError::Sign {
                    path: path.clone(),
                    source,
                })?;
                Token::read(&text, &format!("the key {}", path.display()), now)
            }
        }
    }
}

async fn read(path: &Path) -> Result<Vec<u8>, TokenError> {
    let failed = |source| TokenError::ReadFile {
        path: path.to_owned(),
        source,
    };
    let bytes = tokio::fs::read(path).await.map_err(failed)?;
    if bytes.len() > BYTES_MAX {
        return Err(failed(std::io::ErrorKind::FileTooLarge.into()));
    }
    Ok(bytes)
}

async fn run(argv: &[String]) -> Result<String, TokenError> {
    let failed = |why: String| TokenError::RunCommand {
        command: argv.join(" "),
        why,
    };
    let Some((program, arguments)) = argv.split_first() else {
        return Err(failed("it is empty".to_owned()));
    };
    let output = tokio::process::Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output();
    let output = tokio::time::timeout(COMMAND_TIME_MAX, output)
        .await
        .map_err(|_| failed(format!("no answer in {} s", COMMAND_TIME_MAX.as_secs())))?
        .map_err(|error| failed(error.to_string()))?;
    if !output.status.success() {
        let words = String::from_utf8_lossy(&output.stderr);
        return Err(failed(format!("{}: {}", output.status, words.trim())));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Makes a token as `scontrol token` would.
fn sign(
    key: &[u8],
    user: &str,
    lifespan: Duration,
    now: SystemTime,
) -> Result<String, jsonwebtoken::errors::Error> {
    let iat = now
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs());
    let claims = Claims {
        exp: Some(iat.saturating_add(lifespan.as_secs())),
        iat: Some(iat),
        sun: Some(user.to_owned()),
    };
    jsonwebtoken::encode(
        &Header::new(Algorithm::HS256),
        &claims,
        &EncodingKey::from_secret(key)?,
    )
}
