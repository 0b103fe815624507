//! What can go wrong with the store.

use std::io;
use std::path::{Path, PathBuf};

use super::FORMAT;
use super::tables::Fault;

/// Why the store could not be opened, read or written. Whatever it is, nothing is half-written and
/// nothing half-read.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The directory or a file in it could not be used.
    #[error("{}: {source}", path.display())]
    Directory {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Another daemon has it.
    #[error(
        "{} is in use by another fedsched daemon ({}): stop that one first, or give this one a \
         state_dir of its own",
        dir.display(), owner.map_or_else(|| "its pid is unknown".to_owned(), |pid| format!("pid {pid}"))
    )]
    InUse {
        /// The directory.
        dir: PathBuf,
        /// The other daemon's process id.
        owner: Option<u32>,
    },
    /// The file's content is not what was written there.
    #[error(
        "{} is damaged ({detail}): move it away and start again; waiting jobs are found again in \
         slurmctld, only their history is lost", path.display()
    )]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// What was found.
        detail: String,
    },
    /// A newer release wrote it.
    #[error(
        "{} was written by a newer fedsched (format {found}, this one knows up to {FORMAT}): install \
         that release again, or move the file away and lose the jobs' history", path.display()
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: u64,
    },
    /// No space, or the quota is used up. The store works again as soon as there is space.
    #[error("{} cannot grow, the file system is full: {source}", path.display())]
    Full {
        /// The file.
        path: PathBuf,
        /// The system's word for it.
        source: io::Error,
    },
    /// Reading or writing failed for another reason. The next commit opens the file anew.
    #[error("{}: {detail}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        detail: String,
    },
}

impl Error {
    pub(super) fn of(fault: Fault, path: &Path) -> Self {
        let path = path.to_owned();
        match fault {
            Fault::Newer(found) => Self::Newer { path, found },
            Fault::Corrupt(detail) | Fault::Redb(redb::Error::Corrupted(detail)) => {
                Self::Corrupt { path, detail }
            }
            Fault::Redb(redb::Error::Io(source)) if is_full(&source) => Self::Full { path, source },
            Fault::Redb(other) => Self::Io {
                path,
                detail: other.to_string(),
            },
        }
    }

    /// Whether the same call may succeed later, without anybody changing the file.
    pub const fn is_retryable(&self) -> bool {
        matches!(self, Self::Full { .. } | Self::Io { .. })
    }
}

fn is_full(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge
    )
}
