//! Why a user's request is refused, in one line for the user.

use fedsched_protocol::directive::DirectiveError;
use fedsched_slurm_sys::ReturnCode;

/// The reason, as sbatch and scontrol print it after `fedsched: `.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Refusal {
    #[error(
        "partition {name} belongs to the federation, which sends jobs there itself: leave out the \
         partition, or name {queue}"
    )]
    Reserved { name: String, queue: String },
    #[error(
        "{queue} in a list of partitions has no meaning: name it alone, and the federation chooses \
         among all of them, or name the others without it"
    )]
    QueueInList { queue: String },
    #[error(transparent)]
    Directive(#[from] DirectiveError),
    #[error(
        "directives cannot be kept beside an --admin-comment of your own: leave out one of the two"
    )]
    NoRoomForDirectives,
    #[error("{0}")]
    Daemon(String),
}

impl Refusal {
    /// What the daemon says, as one line of bounded length.
    pub(crate) fn by_daemon(message: &str) -> Self {
        const CHARS_MAX: usize = 500;
        let line: String = message
            .chars()
            .map(|c| if c.is_control() { ' ' } else { c })
            .take(CHARS_MAX)
            .collect();
        Self::Daemon(line)
    }

    /// slurmctld's code: sbatch adds its meaning in words.
    pub(crate) fn code(&self) -> ReturnCode {
        match self {
            Self::Reserved { .. } => ReturnCode::AccessDenied,
            Self::QueueInList { .. } => ReturnCode::InvalidPartition,
            Self::Directive(_) | Self::NoRoomForDirectives => ReturnCode::InvalidFeature,
            Self::Daemon(_) => ReturnCode::NodesUnavailable,
        }
    }
}
