//! The log: the journal under systemd, else text or JSON on standard error.

use std::io;
use std::os::fd::AsFd;

use nix::sys::stat::fstat;
use tracing::Level;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::{SubscriberInitExt, TryInitError};
use tracing_subscriber::{EnvFilter, Registry, fmt};

/// Sets what is logged, over the configuration: a level, or one for each module, such as
/// `info,fedsched::bind=debug`.
pub const VARIABLE: &str = "FEDSCHED_LOG";

/// Where the log goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sink {
    /// The journal if standard error is connected to it, else text.
    Auto,
    /// Text on standard error, with colours on a terminal.
    Text,
    /// One JSON object for each line on standard error.
    Json,
}

/// Why there is no log.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The environment asks for what does not exist.
    #[error("{VARIABLE}={value}: {source}; use a level or `info,fedsched::bind=debug`")]
    Filter {
        /// What it says.
        value: String,
        /// What is wrong with it.
        source: tracing_subscriber::filter::ParseError,
    },
    /// The journal cannot be reached.
    #[error("the journal cannot be reached: {0}")]
    Journal(#[source] io::Error),
    /// Something logs already.
    #[error("the log was started twice: {0}")]
    Twice(#[from] TryInitError),
}

/// Starts the log of this process.
pub fn start(sink: Sink, level: Level) -> Result<(), Error> {
    let filter = filter(level)?;
    let registry = Registry::default().with(filter);
    match sink {
        Sink::Auto if is_journal() => {
            let journal = tracing_journald::layer().map_err(Error::Journal)?;
            registry.with(journal).try_init()?;
        }
        Sink::Auto | Sink::Text => {
            let colours = io::IsTerminal::is_terminal(&io::stderr());
            let text = fmt::layer().with_writer(io::stderr).with_ansi(colours);
            registry.with(text).try_init()?;
        }
        Sink::Json => {
            let json = fmt::layer().json().with_writer(io::stderr);
            registry.with(json).try_init()?;
        }
    }
    Ok(())
}

fn filter(level: Level) -> Result<EnvFilter, Error> {
    match std::env::var(VARIABLE) {
        Ok(value) if !value.is_empty() => {
            EnvFilter::try_new(&value).map_err(|source| Error::Filter { value, source })
        }
        _ => Ok(EnvFilter::default().add_directive(level.into())),
    }
}

/// systemd gives the device and inode of the stream it connected to the journal: a child that
/// redirected its standard error has the variable too, but not the stream.
fn is_journal() -> bool {
    let Ok(stream) = std::env::var("JOURNAL_STREAM") else {
        return false;
    };
    let Ok(stat) = fstat(io::stderr().as_fd()) else {
        return false;
    };
    stream == format!("{}:{}", stat.st_dev, stat.st_ino)
}
