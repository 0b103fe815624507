//! What is wrong with a configuration: every fault at once, each with its place.

use std::fmt;
use std::io;
use std::path::PathBuf;

/// One thing that is wrong in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Line, from 1.
    pub line: usize,
    /// Key, such as `slurm.poll` or `member "cpu".paths`; empty where the text is no TOML at all.
    pub key: String,
    /// What is wrong, what is allowed.
    pub text: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.key.is_empty() {
            write!(f, "{}: {}", self.line, self.text)
        } else {
            write!(f, "{}: {}: {}", self.line, self.key, self.text)
        }
    }
}

/// Why a configuration was not taken.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file could not be read.
    #[error("{}: cannot be read: {source}", path.display())]
    Read {
        /// Its path.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file was read and says what cannot be.
    #[error("{}", listed(path, faults))]
    Invalid {
        /// Its path.
        path: PathBuf,
        /// Every fault, in the order of the file; at least one.
        faults: Vec<Fault>,
    },
    /// A reload would change what only a start can.
    #[error(
        "{}: a reload cannot change {}: restart the daemon instead (running jobs do not notice); \
         until then everything stays as it was",
        path.display(), keys.join(", ")
    )]
    Restart {
        /// The file's path.
        path: PathBuf,
        /// Keys that differ.
        keys: Vec<&'static str>,
    },
}

fn listed(path: &std::path::Path, faults: &[Fault]) -> String {
    let lines: Vec<String> = faults
        .iter()
        .map(|fault| format!("{}:{fault}", path.display()))
        .collect();
    lines.join("\n")
}

/// Collects the faults of one text.
#[derive(Debug)]
pub(super) struct Faults<'a> {
    text: &'a str,
    list: Vec<Fault>,
}

impl<'a> Faults<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        Self {
            text,
            list: Vec::new(),
        }
    }

    /// `at` is an offset into the text, in bytes.
    pub(super) fn add(&mut self, at: usize, key: impl Into<String>, text: impl Into<String>) {
        self.list.push(Fault {
            line: self.line(at),
            key: key.into(),
            text: text.into(),
        });
    }

    /// The line that the byte at `at` stands in, from 1.
    pub(super) fn line(&self, at: usize) -> usize {
        let before = self.text.as_bytes().iter().take(at);
        1 + before.filter(|&&byte| byte == b'\n').count()
    }

    pub(super) fn into_list(mut self) -> Vec<Fault> {
        self.list.sort_by_key(|fault| fault.line);
        self.list
    }
}
