//! Where slurmrestd listens.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use reqwest::Url;

/// Address of slurmrestd.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Endpoint {
    /// A Unix socket: `unix:/run/fedsched/slurmrestd.sock`.
    Unix(PathBuf),
    /// TCP: `http://127.0.0.1:6820`, or `https://…` behind a proxy.
    Http(Url),
}

/// The text is no address of a slurmrestd.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotAnEndpoint {
    /// It is something else.
    #[error("must be \"unix:/path\", \"http://host:port\" or \"https://host:port\", not \"{0}\"")]
    Other(String),
    /// It holds a user or password, which is not repeated here.
    #[error("must not hold a user or password: slurmrestd takes a token, which stands beside it")]
    Secret,
}

impl FromStr for Endpoint {
    type Err = NotAnEndpoint;

    fn from_str(text: &str) -> Result<Self, NotAnEndpoint> {
        let wrong = || NotAnEndpoint::Other(text.to_owned());
        if let Some(path) = text.strip_prefix("unix:") {
            let path = PathBuf::from(path);
            return if path.is_absolute() {
                Ok(Self::Unix(path))
            } else {
                Err(wrong())
            };
        }
        let url = Url::parse(text).map_err(|_| wrong())?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err(NotAnEndpoint::Secret);
        }
        let plain = url.path() == "/" && url.query().is_none() && url.fragment().is_none();
        match url.scheme() {
            "http" | "https" if plain && url.has_host() => Ok(Self::Http(url)),
            _ => Err(wrong()),
        }
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unix(path) => write!(f, "unix:{}", path.display()),
            Self::Http(url) => f.write_str(url.as_str().trim_end_matches('/')),
        }
    }
}

impl Endpoint {
    /// What every path is appended to. Over a Unix socket the host is a formality.
    pub(super) fn base(&self) -> String {
        match self {
            Self::Unix(_) => "http://localhost".to_owned(),
            Self::Http(_) => self.to_string(),
        }
    }
}

#[cfg(test)]
mod test {
    use super::*;

    #[test]
    fn addresses_are_read_and_written() {
        for text in [
            "unix:/run/fedsched/slurmrestd.sock",
            "http://127.0.0.1:6820",
            "https://head.example.org",
        ] {
            assert_eq!(text.parse::<Endpoint>().unwrap().to_string(), text);
        }
        for text in [
            "",
            "unix:",
            "unix:relative.sock",
            "/run/slurmrestd.sock",
            "127.0.0.1:6820",
            "http://",
            "http://user@host/",
            "http://host/slurm",
            "ftp://host",
        ] {
            assert!(text.parse::<Endpoint>().is_err(), "{text:?}");
        }
    }
}
