use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use fedsched_protocol::mark::Mark;
use redb::StorageBackend;
use redb::backends::FileBackend;
use tempfile::TempDir;

use super::*;
use crate::model::{
    Action, Chapter, MemberName, Original, PartitionName, Remembered, TaskSet, Timestamp,
};

fn intent(id: u64) -> Intent {
    Intent {
        id: IntentId(id),
        job: JobKey::job(117),
        mark: Some(Mark(7)),
        tasks: Some(TaskSet::from_iter([0, 1, 2])),
        action: Action::Bind {
            member: MemberName::from("cpu"),
            partition: PartitionName::from("cpu"),
        },
        decided: Timestamp::from_secs(1_000),
        original: Original {
            time_limit_min: Some(60),
        },
    }
}

fn memory(job: JobKey) -> JobMemory {
    JobMemory {
        job,
        mark: Some(Mark(7)),
        first_submitted: Timestamp::from_secs(900),
        priority: 4111,
        time_limit_min: Some(60),
        remembered: vec![Remembered {
            member: MemberName::from("gpu"),
            until: Timestamp::from_secs(2_000),
            why: "PartitionDown".to_owned(),
        }],
        story: vec![Chapter::Queued {
            at: Timestamp::from_secs(900),
        }],
    }
}

fn dir() -> TempDir {
    tempfile::tempdir().unwrap()
}

#[test]
fn what_was_stored_is_there_after_a_restart() {
    let dir = dir();
    let mut store = Store::open(dir.path()).unwrap();
    assert_eq!(store.load().unwrap(), Restored::default());
    let tasks = [JobKey::job(117), JobKey::task(117, 0), JobKey::task(117, 3)];
    store
        .commit(&[
            Record::Intend(intent(1)),
            Record::Intend(intent(2)),
            Record::Remember(memory(tasks[2])),
            Record::Remember(memory(tasks[0])),
            Record::Remember(memory(tasks[1])),
        ])
        .unwrap();
    store
        .commit(&[
            Record::Settle(IntentId(2)),
            Record::Settle(IntentId(99)),
            Record::Forget(tasks[1]),
            Record::Forget(JobKey::job(99)),
        ])
        .unwrap();
    drop(store);
    let restored = Store::open(dir.path()).unwrap().load().unwrap();
    assert_eq!(restored.intents, [intent(1)]);
    assert_eq!(restored.memories, [memory(tasks[0]), memory(tasks[2])]);
    assert_eq!(restored.last_intent, Some(IntentId(2)));
}

/// Values of format 1 as this release wrote them: a later one must still read them.
#[test]
fn values_of_format_1_are_read() {
    let old = include_str!("test/format-1.json");
    let (intents, memories): (Vec<Intent>, Vec<JobMemory>) = serde_json::from_str(old).unwrap();
    assert_eq!(intents, [intent(1)]);
    assert_eq!(memories, [memory(JobKey::task(117, 3))]);
}

#[test]
fn a_newer_store_is_refused() {
    let dir = dir();
    drop(Store::open(dir.path()).unwrap());
    let database = Database::open(dir.path().join(FILE)).unwrap();
    let meta = redb::TableDefinition::<&str, u64>::new("meta");
    let write = database.begin_write().unwrap();
    write
        .open_table(meta)
        .unwrap()
        .insert("format", FORMAT + 1)
        .unwrap();
    write.commit().unwrap();
    drop(database);
    let error = Store::open(dir.path()).unwrap_err();
    assert!(matches!(error, Error::Newer { found, .. } if found == FORMAT + 1));
    assert!(!error.is_retryable());
    assert!(
        error.to_string().contains("newer fedsched (format 2"),
        "{error}"
    );
}

#[test]
fn a_file_that_is_no_store_is_refused_and_left_alone() {
    let dir = dir();
    let path = dir.path().join(FILE);
    let text = "this was never a store\n".repeat(1000);
    fs::write(&path, &text).unwrap();
    let error = Store::open(dir.path()).unwrap_err();
    assert!(matches!(error, Error::Corrupt { .. }), "{error:?}");
    assert_eq!(fs::read_to_string(&path).unwrap(), text);
}

/// Any byte may be wrong: the store says so or gives back what was stored, and never anything else.
#[test]
fn a_damaged_store_is_never_half_read() {
    let dir = dir();
    let mut store = Store::open(dir.path()).unwrap();
    let jobs: Vec<Record> = (1..200)
        .map(|id| Record::Remember(memory(JobKey::job(id))))
        .collect();
    store.commit(&jobs).unwrap();
    let stored = store.load().unwrap();
    drop(store);
    let path = dir.path().join(FILE);
    let sound = fs::read(&path).unwrap();
    let mut refused = 0;
    for at in (0..sound.len()).step_by(sound.len() / 97) {
        let mut bytes = sound.clone();
        bytes[at] ^= 0x5a;
        fs::write(&path, &bytes).unwrap();
        match Store::open(dir.path()).and_then(|mut store| store.load()) {
            Ok(restored) => assert_eq!(restored, stored, "byte {at}"),
            Err(Error::Corrupt { .. } | Error::Io { .. }) => refused += 1,
            Err(other) => panic!("byte {at}: {other:?}"),
        }
    }
    assert!(refused > 0, "no damage was noticed");
}

#[test]
fn a_second_daemon_is_refused_with_the_first_ones_pid() {
    let dir = dir();
    let first = Store::open(dir.path()).unwrap();
    let error = Store::open(dir.path()).unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains(&format!("pid {}", std::process::id())),
        "{text}"
    );
    drop(first);
    Store::open(dir.path()).unwrap();
}

#[test]
fn a_directory_that_cannot_be_made_is_told() {
    let error = Store::open(Path::new("/nonexistent/state")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "/nonexistent/state: No such file or directory (os error 2)"
    );
}

/// A file whose flushes are counted, and that can run out of space.
#[derive(Debug)]
struct Disk {
    file: FileBackend,
    state: Arc<DiskState>,
}

#[derive(Debug, Default)]
struct DiskState {
    flushes: AtomicU64,
    full: AtomicBool,
}

impl Disk {
    fn check(&self) -> io::Result<()> {
        if self.state.full.load(Ordering::SeqCst) {
            return Err(io::ErrorKind::StorageFull.into());
        }
        Ok(())
    }
}

impl StorageBackend for Disk {
    fn len(&self) -> io::Result<u64> {
        self.file.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.file.read(offset, out)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.check()?;
        self.file.set_len(len)
    }

    fn sync_data(&self) -> io::Result<()> {
        self.state.flushes.fetch_add(1, Ordering::SeqCst);
        self.file.sync_data()
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.check()?;
        self.file.write(offset, data)
    }

    fn close(&self) -> io::Result<()> {
        self.file.close()
    }
}

fn on_disk(dir: &Path) -> (Store, Arc<DiskState>) {
    let state = Arc::new(DiskState::default());
    let disk = Arc::clone(&state);
    let open = move |path: &Path| {
        let file = fs::OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)?;
        Database::builder().create_with_backend(Disk {
            file: FileBackend::new(file)?,
            state: Arc::clone(&disk),
        })
    };
    (Store::open_with(dir, Box::new(open)).unwrap(), state)
}

#[test]
fn a_batch_costs_one_flush_however_large() {
    let dir = dir();
    let (mut store, disk) = on_disk(dir.path());
    let batch: Vec<Record> = (1..1000).map(|id| Record::Intend(intent(id))).collect();
    // The first commits make the file grow, which costs flushes of its own.
    for _ in 0..3 {
        store.commit(&batch).unwrap();
    }
    let flushes = disk.flushes.load(Ordering::SeqCst);
    store.commit(&batch[..1]).unwrap();
    assert_eq!(disk.flushes.load(Ordering::SeqCst) - flushes, 1);
    store.commit(&batch).unwrap();
    assert_eq!(disk.flushes.load(Ordering::SeqCst) - flushes, 2);
    assert_eq!(store.commits(), 5);
}

#[test]
fn a_full_disk_is_told_and_the_store_works_again_once_there_is_space() {
    let dir = dir();
    let (mut store, disk) = on_disk(dir.path());
    store.commit(&[Record::Intend(intent(1))]).unwrap();
    disk.full.store(true, Ordering::SeqCst);
    for _ in 0..3 {
        let error = store.commit(&[Record::Intend(intent(2))]).unwrap_err();
        assert!(matches!(error, Error::Full { .. }), "{error:?}");
        assert!(error.is_retryable());
    }
    disk.full.store(false, Ordering::SeqCst);
    assert_eq!(store.load().unwrap().intents, [intent(1)]);
    store.commit(&[Record::Intend(intent(3))]).unwrap();
    drop(store);
    let restored = Store::open(dir.path()).unwrap().load().unwrap();
    assert_eq!(restored.intents, [intent(1), intent(3)]);
}
