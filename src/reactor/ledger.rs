//! Commits to the store in a thread of its own, in order, all that waits at once: while one commit
//! waits for the disk, the reactor goes on answering.

use std::sync::mpsc as blocking;
use std::thread;
use std::time::{Duration, Instant};

use tokio::sync::mpsc;

use crate::model::IntentId;
use crate::store::{self, Record, Store};

/// Records, and the intents that may be carried out once they are safe.
#[derive(Debug, Default)]
pub struct Entry {
    /// What to store.
    pub records: Vec<Record>,
    /// What waits for it.
    pub then: Vec<IntentId>,
}

/// What became of some entries.
#[derive(Debug)]
pub struct Committed {
    /// The intents that waited.
    pub then: Vec<IntentId>,
    /// Whether their records are safe now.
    pub result: Result<(), store::Error>,
    /// How long the disk took.
    pub took: Duration,
}

/// The way to the store's thread, which ends when this is dropped and everything is committed.
#[derive(Debug)]
pub struct Ledger {
    entries: blocking::Sender<Entry>,
}

impl Ledger {
    /// Starts the thread; `committed` hears of every entry.
    pub fn open(
        store: Store,
        committed: mpsc::UnboundedSender<Committed>,
    ) -> std::io::Result<(Self, thread::JoinHandle<()>)> {
        let (entries, waiting) = blocking::channel();
        let thread = thread::Builder::new()
            .name("store".to_owned())
            .spawn(move || write(store, &waiting, &committed))?;
        Ok((Self { entries }, thread))
    }

    /// Hands an entry over; it is committed after all entries before it.
    pub fn enter(&self, entry: Entry) {
        // The thread outlives this sender unless it panicked, and then the daemon is going down.
        drop(self.entries.send(entry));
    }
}

fn write(
    mut store: Store,
    waiting: &blocking::Receiver<Entry>,
    committed: &mpsc::UnboundedSender<Committed>,
) {
    while let Ok(mut batch) = waiting.recv() {
        for more in waiting.try_iter() {
            batch.records.extend(more.records);
            batch.then.extend(more.then);
        }
        let start = Instant::now();
        let result = store.commit(&batch.records);
        let told = Committed {
            then: batch.then,
            result,
            took: start.elapsed(),
        };
        if committed.send(told).is_err() {
            return;
        }
    }
}
