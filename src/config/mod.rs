//! The configuration file: TOML in, a validated [`Config`] out, or every fault at once.
//!
//! `default-config.toml` is the one source of defaults and their documentation; a site's file lies
//! over it. Values are read from the parsed document and not through `serde`, because serde stops
//! at the first fault and does not know where it stood.

mod daemon;
mod fault;
mod limits;
mod members;
mod policies;
mod reload;
mod section;
mod slurm;
#[cfg(test)]
mod test;
mod value;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use toml::de::DeTable;

pub use daemon::Daemon;
pub use fault::{Error, Fault};
pub use slurm::Slurm;

use crate::model::Settings;
use fault::Faults;
use section::Section;

/// Every key with its default and what it means.
pub const DEFAULTS: &str = include_str!("default-config.toml");

/// Where a site's file is unless the command line says otherwise.
pub const DEFAULT_PATH: &str = "/etc/fedsched/fedsched.toml";

/// A validated configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// File it was read from.
    pub path: PathBuf,
    /// What decisions depend on. All of it but `queue_partition` may change while the daemon runs.
    pub settings: Arc<Settings>,
    /// How to reach the cluster; read at the start only.
    pub slurm: Slurm,
    /// The daemon's own places; read at the start only.
    pub daemon: Daemon,
}

impl Config {
    /// Reads a file.
    pub fn load(path: &Path) -> Result<Self, Error> {
        let text = fs::read_to_string(path).map_err(|source| Error::Read {
            path: path.to_owned(),
            source,
        })?;
        Self::parse(path, &text)
    }

    /// Reads the text of a file; `path` is for messages.
    pub fn parse(path: &Path, text: &str) -> Result<Self, Error> {
        let mut faults = Faults::of(text);
        let (document, errors) = DeTable::parse_recoverable(text);
        for error in &errors {
            let at = error.span().map_or(0, |span| span.start);
            let message = error.message().replace('\n', ", ");
            faults.add(at, "", format!("is no TOML: {message}"));
        }
        let (defaults, _) = DeTable::parse_recoverable(DEFAULTS);
        // What recovery made of a broken document would only bring faults that are none.
        if errors.is_empty() {
            let root = Section::root(&mut faults, document.get_ref(), defaults.get_ref());
            let config = read(path, root);
            let faults = faults.into_list();
            if faults.is_empty() {
                return Ok(config);
            }
            return Err(Error::Invalid {
                path: path.to_owned(),
                faults,
            });
        }
        Err(Error::Invalid {
            path: path.to_owned(),
            faults: faults.into_list(),
        })
    }

    /// Reads the file again for a running daemon: all of it is taken over, or, if anything is wrong
    /// or needs a restart, nothing.
    pub fn reload(&self) -> Result<Self, Error> {
        let new = Self::load(&self.path)?;
        let keys = reload::fixed_keys(self, &new);
        if keys.is_empty() {
            Ok(new)
        } else {
            Err(Error::Restart {
                path: self.path.clone(),
                keys,
            })
        }
    }
}

fn read(path: &Path, mut root: Section<'_, '_>) -> Config {
    let (slurm, queue_partition) = slurm::read(root.child("slurm"));
    let (daemon, rehearsal) = daemon::read(root.child("daemon"));
    let limits = limits::read(root.child("limits"));
    let (policies, default_policy) = policies::read(&mut root);
    let members = members::read(&mut root, &queue_partition);
    root.finish();
    Config {
        path: path.to_owned(),
        settings: Arc::new(Settings {
            queue_partition,
            rehearsal,
            members,
            policies,
            default_policy,
            limits,
        }),
        slurm,
        daemon,
    }
}
