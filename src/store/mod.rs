//! What survives the daemon: intents without an outcome, and what it remembers of each job.
//!
//! Jobs themselves are slurmctld's and are not stored. One redb file, `state.redb`, holds a table
//! for each kind of record; values are JSON, so that a field can be added without a new
//! [`FORMAT`]. A batch of records is one transaction and one flush to disk: an effect that must not
//! happen before it is stored waits for [`Store::commit`].

mod error;
mod lock;
mod tables;
#[cfg(test)]
mod test;

use std::fmt;
use std::fs;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use redb::{Database, DatabaseError};

pub use error::Error;
pub use tables::FORMAT;

use crate::model::{Intent, IntentId, JobKey, JobMemory};
use lock::Lock;
use tables::Fault;

/// Name of the file in the state directory.
const FILE: &str = "state.redb";

/// Pages that redb keeps in memory, bytes. All is read once, at the start, and then only written:
/// redb's default of a gibibyte would be of no use.
const CACHE_BYTES: usize = 4 << 20;

/// One change of the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Record {
    /// An intent, before it is carried out.
    Intend(Intent),
    /// An intent has its outcome.
    Settle(IntentId),
    /// What is remembered of a job, replacing what was.
    Remember(JobMemory),
    /// A job is over.
    Forget(JobKey),
}

/// Everything that was stored.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Restored {
    /// Intents without an outcome, oldest first.
    pub intents: Vec<Intent>,
    /// Memories, by job.
    pub memories: Vec<JobMemory>,
    /// The highest intent there ever was; later ones must be above it.
    pub last_intent: Option<IntentId>,
}

/// The open store. Calls block on the disk: the caller gives it a thread of its own.
pub struct Store {
    path: PathBuf,
    open: Open,
    /// `None` after an error, until the next call opens the file anew.
    database: Option<Database>,
    commits: u64,
    _lock: Lock,
}

/// How the file is opened; tests put a faulty disk under it.
type Open = Box<dyn Fn(&Path) -> Result<Database, DatabaseError> + Send>;

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store")
            .field("path", &self.path)
            .field("commits", &self.commits)
            .finish_non_exhaustive()
    }
}

impl Store {
    /// Opens the store in `dir`, which is made if it is missing, and keeps other daemons out of it.
    pub fn open(dir: &Path) -> Result<Self, Error> {
        Self::open_with(
            dir,
            Box::new(|path| {
                let mut builder = Database::builder();
                builder.set_cache_size(CACHE_BYTES);
                builder.set_check_integrity_on_open(true);
                builder.create(path)
            }),
        )
    }

    fn open_with(dir: &Path, open: Open) -> Result<Self, Error> {
        make(dir)?;
        let mut store = Self {
            path: dir.join(FILE),
            open,
            database: None,
            commits: 0,
            _lock: Lock::take(dir)?,
        };
        store.with(|_| Ok(()))?;
        Ok(store)
    }

    /// Reads everything, or nothing.
    pub fn load(&mut self) -> Result<Restored, Error> {
        self.with(tables::read)
    }

    /// Stores a batch: all of it is on disk when this returns `Ok`.
    ///
    /// After an error none of it counts as stored. (If the very last flush failed it may be there
    /// all the same; an intent that was never carried out is harmless, it is looked up and settled.)
    pub fn commit(&mut self, records: &[Record]) -> Result<(), Error> {
        self.with(|database| tables::write(database, records))?;
        self.commits += 1;
        Ok(())
    }

    /// Batches stored since the store was opened.
    pub const fn commits(&self) -> u64 {
        self.commits
    }

    fn with<T>(&mut self, act: impl FnOnce(&Database) -> Result<T, Fault>) -> Result<T, Error> {
        let database = match self.database.take() {
            Some(database) => Ok(database),
            None => (self.open)(&self.path)
                .map_err(Fault::from)
                .and_then(|database| tables::prepare(&database).map(|()| database)),
        };
        let result = database.and_then(|database| {
            let result = act(&database)?;
            // redb takes no more calls after an I/O error, so it is kept only when all went well.
            self.database = Some(database);
            Ok(result)
        });
        result.map_err(|fault| Error::of(fault, &self.path))
    }
}

/// Only its own user has business in the directory.
fn make(dir: &Path) -> Result<(), Error> {
    match fs::DirBuilder::new().mode(0o700).create(dir) {
        Err(source) if source.kind() != io::ErrorKind::AlreadyExists => Err(Error::Directory {
            path: dir.to_owned(),
            source,
        }),
        _ => Ok(()),
    }
}
