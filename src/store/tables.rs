//! What the file holds: a table for each kind of record, and one for the file itself.

use std::io;

use redb::{
    Database, DatabaseError, ReadableDatabase, ReadableTable, StorageError, TableDefinition,
    TableError, WriteTransaction,
};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Record, Restored};
use crate::model::{Intent, IntentId, JobMemory};

/// Layout of the tables. A store of a newer layout is refused, an older one would be converted.
pub const FORMAT: u64 = 1;

const META: TableDefinition<'_, &str, u64> = TableDefinition::new("meta");
const INTENTS: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("intents");
const MEMORIES: TableDefinition<'_, (u32, Option<u32>), &[u8]> = TableDefinition::new("memories");

/// Key of [`META`]: the file's [`FORMAT`].
const META_FORMAT: &str = "format";
/// Key of [`META`]: the highest intent ever stored, so that its id is not given out again.
const META_LAST_INTENT: &str = "last_intent";

/// What is wrong with the file, without its name.
#[derive(Debug, thiserror::Error)]
pub(super) enum Fault {
    #[error("{0}")]
    Corrupt(String),
    #[error("format {0} is newer than {FORMAT}")]
    Newer(u64),
    #[error(transparent)]
    Redb(#[from] redb::Error),
}

macro_rules! from_redb {
    ($($error:ty),*) => {$(
        impl From<$error> for Fault {
            fn from(error: $error) -> Self {
                Self::Redb(error.into())
            }
        }
    )*};
}

from_redb!(
    StorageError,
    TableError,
    redb::TransactionError,
    redb::CommitError
);

impl From<DatabaseError> for Fault {
    fn from(error: DatabaseError) -> Self {
        match error {
            DatabaseError::UpgradeRequired(version) => {
                Self::Corrupt(format!("redb file format {version}"))
            }
            // redb's word for a file that is not its own.
            DatabaseError::Storage(StorageError::Io(error))
                if error.kind() == io::ErrorKind::InvalidData =>
            {
                Self::Corrupt(error.to_string())
            }
            other => Self::Redb(other.into()),
        }
    }
}

impl From<serde_json::Error> for Fault {
    fn from(error: serde_json::Error) -> Self {
        Self::Corrupt(error.to_string())
    }
}

/// Checks the format; in a new file, makes the tables.
pub(super) fn prepare(database: &Database) -> Result<(), Fault> {
    match format(database)? {
        Some(FORMAT) => Ok(()),
        Some(found) if found > FORMAT => Err(Fault::Newer(found)),
        Some(found) => Err(Fault::Corrupt(format!("format {found} never was"))),
        None => {
            let write = database.begin_write()?;
            write.open_table(INTENTS)?;
            write.open_table(MEMORIES)?;
            raise(&write, META_FORMAT, FORMAT)?;
            Ok(write.commit()?)
        }
    }
}

/// The file's format, `None` if it is new.
fn format(database: &Database) -> Result<Option<u64>, Fault> {
    match database.begin_read()?.open_table(META) {
        Ok(meta) => match meta.get(META_FORMAT)? {
            Some(format) => Ok(Some(format.value())),
            None => Err(Fault::Corrupt("it has no format".to_owned())),
        },
        Err(TableError::TableDoesNotExist(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Reads everything.
pub(super) fn read(database: &Database) -> Result<Restored, Fault> {
    let read = database.begin_read()?;
    let last_intent = read.open_table(META)?.get(META_LAST_INTENT)?;
    let mut restored = Restored {
        last_intent: last_intent.map(|id| IntentId(id.value())),
        ..Restored::default()
    };
    for entry in read.open_table(INTENTS)?.iter()? {
        let (key, value) = entry?;
        let intent: Intent = decode(value.value())?;
        if intent.id.0 != key.value() {
            let text = format!("intent {} stands in the place of another", intent.id.0);
            return Err(Fault::Corrupt(text));
        }
        restored.intents.push(intent);
    }
    for entry in read.open_table(MEMORIES)?.iter()? {
        let (key, value) = entry?;
        let memory: JobMemory = decode(value.value())?;
        if (memory.job.id, memory.job.task) != key.value() {
            let text = format!(
                "the memory of {} stands in the place of another",
                memory.job
            );
            return Err(Fault::Corrupt(text));
        }
        restored.memories.push(memory);
    }
    Ok(restored)
}

/// Writes a batch as one transaction.
pub(super) fn write(database: &Database, records: &[Record]) -> Result<(), Fault> {
    let write = database.begin_write()?;
    apply(&write, records)?;
    let intended = records.iter().filter_map(|record| match record {
        Record::Intend(intent) => Some(intent.id.0),
        _ => None,
    });
    if let Some(last) = intended.max() {
        raise(&write, META_LAST_INTENT, last)?;
    }
    Ok(write.commit()?)
}

fn apply(write: &WriteTransaction, records: &[Record]) -> Result<(), Fault> {
    let mut intents = write.open_table(INTENTS)?;
    let mut memories = write.open_table(MEMORIES)?;
    for record in records {
        match record {
            Record::Intend(intent) => {
                intents.insert(intent.id.0, &*encode(intent)?)?;
            }
            Record::Settle(id) => {
                intents.remove(id.0)?;
            }
            Record::Remember(memory) => {
                memories.insert((memory.job.id, memory.job.task), &*encode(memory)?)?;
            }
            Record::Forget(job) => {
                memories.remove((job.id, job.task))?;
            }
        }
    }
    Ok(())
}

/// Sets a number that only grows.
fn raise(write: &WriteTransaction, key: &str, value: u64) -> Result<(), Fault> {
    let mut meta = write.open_table(META)?;
    let before = meta.get(key)?.map(|old| old.value());
    if before.is_none_or(|before| before < value) {
        meta.insert(key, value)?;
    }
    Ok(())
}

fn encode<T: Serialize>(value: &T) -> Result<Vec<u8>, Fault> {
    Ok(serde_json::to_vec(value)?)
}

fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Fault> {
    Ok(serde_json::from_slice(bytes)?)
}
