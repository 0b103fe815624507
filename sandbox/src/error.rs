//! What can go wrong with a sandbox.

use std::{
    error::Error as _,
    fmt, io,
    path::{Path, PathBuf},
    process::ExitStatus,
};

use crate::service::Service;

/// Result of the operations of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why an operation on a sandbox failed.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The caller is not root.
    #[error("a sandbox needs root for its namespaces and mounts: run the command with sudo")]
    NotRoot,
    /// The machine does not run a supported system.
    #[error(
        "the sandbox takes Slurm from Debian packages and needs Debian 12 or later, but this is \
         {found}: use a Debian 12 machine, virtual machine or privileged container"
    )]
    UnsupportedSystem {
        /// What `/etc/os-release` says.
        found: String,
    },
    /// A package is missing that could not be installed.
    #[error("packages are missing: run `apt-get install {packages}` as root and try again")]
    MissingPackages {
        /// The packages, separated by spaces.
        packages: String,
        /// Why this program could not do so.
        source: Box<Error>,
    },
    /// The host's own apt sources do not say where Debian packages are.
    #[error(
        "no line for `{suite}` in /etc/apt/sources.list or sources.list.d: add the one your site uses"
    )]
    NoMirror {
        /// The code name of the host's release.
        suite: String,
    },
    /// Cargo succeeded but did not make what was asked for.
    #[error("cargo made no `{target}`: is it still a target of the workspace?")]
    NotBuilt {
        /// Name of the target.
        target: String,
    },
    /// Reading or writing a file or directory failed.
    #[error("cannot {action} {}", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// A program could not be started.
    #[error("cannot run `{command}`")]
    Run {
        /// The program and its arguments.
        command: String,
        /// Why not.
        source: io::Error,
    },
    /// A program ended with an error.
    #[error("`{command}` ended with {status}: {output}")]
    Failed {
        /// The program and its arguments.
        command: String,
        /// How it ended.
        status: ExitStatus,
        /// What it printed last.
        output: String,
    },
    /// A directory that should hold a Debian system with Slurm does not.
    #[error("{} has no {what}: remove it, it is made again", root.display())]
    NotARoot {
        /// The directory.
        root: PathBuf,
        /// What is missing in it.
        what: &'static str,
    },
    /// A user is not known inside the sandbox.
    #[error("there is no user `{name}` in the sandbox: use one of {known}")]
    UnknownUser {
        /// The name asked for.
        name: String,
        /// The names there are.
        known: String,
    },
    /// The configuration given for the daemon is no TOML.
    #[error("the extra configuration for the daemon is no TOML")]
    DaemonConfig(#[from] toml::de::Error),
    /// A name cannot be a sandbox's name.
    #[error("`{name}` cannot name a sandbox: use at most 40 letters, digits, `-`, `_` and `.`")]
    BadName {
        /// The name asked for.
        name: String,
    },
    /// No sandbox of this name runs.
    #[error("no sandbox `{name}` is running: start it with `sandbox/run up --name {name}`")]
    NotRunning {
        /// The name asked for.
        name: String,
    },
    /// A sandbox of this name runs already.
    #[error(
        "a sandbox `{name}` is running already: end it with `sandbox/run down --name {name}`, or choose another name"
    )]
    NameTaken {
        /// The name asked for.
        name: String,
    },
    /// The supervisor ended or speaks another language.
    #[error("the supervisor of sandbox `{name}` does not answer")]
    Supervisor {
        /// The sandbox.
        name: String,
        /// What came instead of an answer.
        source: io::Error,
    },
    /// The supervisor could not do what it was asked for.
    #[error("the supervisor of sandbox `{name}` refused: {message}")]
    Refused {
        /// The sandbox.
        name: String,
        /// Its words.
        message: String,
    },
    /// A service ended although it should run.
    #[error("{service} ended with {ending} while starting; its log ends with:\n{log}")]
    ServiceEnded {
        /// The service.
        service: Service,
        /// How it ended.
        ending: String,
        /// The end of its log.
        log: String,
    },
    /// A condition was not met in time.
    #[error("waited {waited_s} s for {what}; last seen: {state}\n{logs}")]
    Deadline {
        /// What was awaited.
        what: String,
        /// For how long, in seconds.
        waited_s: u64,
        /// What the condition said last.
        state: String,
        /// Ends of the logs of the services concerned.
        logs: String,
    },
}

/// What a test that fails shows: the message with its causes, lines of logs as lines.
impl fmt::Debug for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{self}")?;
        let mut cause = self.source();
        while let Some(error) = cause {
            write!(formatter, ": {error}")?;
            cause = error.source();
        }
        Ok(())
    }
}

impl Error {
    /// For `map_err`: an input or output error while doing `action` to `path`.
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io {
            action,
            path,
            source,
        }
    }
}
