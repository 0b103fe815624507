//! Why a command did not do what it was asked, and which exit code says so.

use std::io;

use fedsched_protocol::query::Refusal;

use super::args::JobArg;
use super::client;
use super::exit;
use super::simulate;
use crate::config;

/// Why a command ends without success.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failure {
    /// The configuration is wrong; the message is one line for each fault.
    #[error("{0}")]
    Config(#[from] config::Error),
    /// The daemon did not answer.
    #[error("{0}; {remedy}", remedy = .0.remedy())]
    Daemon(#[from] client::Error),
    /// The daemon is there but has nothing to say yet.
    #[error(
        "the daemon has not heard of Slurm yet: try again in a few seconds; if it stays so, \
         `fedsched check` says why"
    )]
    NotReady,
    /// The daemon knows no such job, or may not speak of it.
    #[error(
        "job {} is not known: it has ended, was never the federation's, or is somebody else's \
         (sacct -j {} knows more)", shown(*.0), .0.id
    )]
    NoSuchJob(JobArg),
    /// Only operators may ask this.
    #[error(
        "only operators may ask this: run it as root, or have your name added to daemon.operators"
    )]
    NotPermitted,
    /// Traces or policies cannot be replayed.
    #[error("{0}")]
    Simulate(#[from] simulate::Error),
    /// The daemon could not be started or ended with an error.
    #[error("{0:#}")]
    Run(anyhow::Error),
    /// A check failed; it has been told.
    #[error("a check failed")]
    Checked,
    /// Standard output cannot be written.
    #[error("cannot write the output: {0}")]
    Output(#[from] io::Error),
}

fn shown(job: JobArg) -> String {
    match job.task {
        Some(task) => format!("{}_{task}", job.id),
        None => job.id.to_string(),
    }
}

impl Failure {
    /// Of a question that was not about a job.
    pub(super) const fn of(refusal: Refusal) -> Self {
        match refusal {
            Refusal::NotReady => Self::NotReady,
            Refusal::NotPermitted | Refusal::NoSuchJob => Self::NotPermitted,
        }
    }

    pub(super) const fn code(&self) -> u8 {
        match self {
            Self::Config(_) | Self::Simulate(_) => exit::USAGE,
            Self::Daemon(_) | Self::NotReady => exit::NO_DAEMON,
            Self::NoSuchJob(_) => exit::NO_SUCH_JOB,
            Self::NotPermitted | Self::Checked | Self::Run(_) | Self::Output(_) => exit::FAILED,
        }
    }

    pub(super) fn is_broken_pipe(&self) -> bool {
        matches!(self, Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }

    /// Tells it on standard error. If that is closed there is nobody to tell.
    pub(super) fn tell(&self) {
        match self {
            Self::Checked => {}
            // Each line begins with its file already.
            Self::Config(_) => eprintln!("{self}"),
            _ => eprintln!("fedsched: {self}"),
        }
    }
}
