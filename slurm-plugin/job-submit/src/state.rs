//! The plugin in force, and the file it was made from: a change of `fedsched.conf` takes effect
//! without a restart of slurmctld.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};
use std::{fs, io};

use fedsched_slurm_sys::{SLURM_VERSION, controller, log};

use crate::conf::{self, Conf, ConfError};
use crate::plugin::Plugin;

/// How long a change of the file may go unnoticed.
const LOOK_EVERY: Duration = Duration::from_secs(1);

static STATE: RwLock<Option<Arc<State>>> = RwLock::new(None);

/// What was made of the file when it was last read.
struct State {
    path: Option<PathBuf>,
    stamp: Stamp,
    /// `None`: no usable configuration yet, so every job is left as it is.
    plugin: Option<Arc<Plugin>>,
    read: Instant,
    /// Milliseconds after `read` when the file was last looked at.
    looked_ms: AtomicU64,
}

/// Tells a changed file from an unchanged one; zeros for none.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct Stamp {
    inode: u64,
    bytes: u64,
    changed_s: i64,
    changed_ns: i64,
}

#[derive(Debug, thiserror::Error)]
enum ReadError {
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error(transparent)]
    Conf(#[from] ConfError),
}

/// Reads the file for the first time.
pub(crate) fn load() {
    let path = controller::conf_path(c"fedsched.conf");
    replace(Some(State::read(path, None)));
}

/// Closes every connection.
pub(crate) fn unload() {
    replace(None);
}

/// The plugin in force.
pub(crate) fn current() -> Option<Arc<Plugin>> {
    let state = STATE
        .read()
        .unwrap_or_else(PoisonError::into_inner)
        .clone()?;
    if !state.is_due() || Stamp::of(state.path.as_deref()) == state.stamp {
        return state.plugin.clone();
    }
    let state = State::read(state.path.clone(), state.plugin.clone());
    let plugin = state.plugin.clone();
    replace(Some(state));
    plugin
}

fn replace(state: Option<State>) {
    let mut current = STATE.write().unwrap_or_else(PoisonError::into_inner);
    let before = std::mem::replace(&mut *current, state.map(Arc::new));
    drop(current);
    // Closing connections needs no lock.
    drop(before);
}

impl State {
    /// What the file says now; what was in force stays so if the file is bad.
    fn read(path: Option<PathBuf>, in_force: Option<Arc<Plugin>>) -> Self {
        // Before the text, so that a change in between is noticed next time.
        let stamp = Stamp::of(path.as_deref());
        let plugin = match conf(path.as_deref()) {
            Ok(conf) => {
                let plugin = Plugin::new(conf);
                log::info(&format!(
                    "job_submit/fedsched {} for Slurm {SLURM_VERSION}: {}",
                    env!("CARGO_PKG_VERSION"),
                    plugin.summary()
                ));
                Some(Arc::new(plugin))
            }
            Err(error) => {
                let path = path.as_deref().unwrap_or_else(|| Path::new(conf::FILE));
                let stays = match in_force {
                    Some(_) => "the configuration before it stays in force",
                    None => "jobs are not sent to the federation until it is put right",
                };
                log::error(&format!(
                    "job_submit/fedsched: {}: {error}: {stays}",
                    path.display()
                ));
                in_force
            }
        };
        Self {
            path,
            stamp,
            plugin,
            read: Instant::now(),
            looked_ms: AtomicU64::new(0),
        }
    }

    /// It is this call's turn to look at the file.
    fn is_due(&self) -> bool {
        let now_ms = u64::try_from(self.read.elapsed().as_millis()).unwrap_or(u64::MAX);
        let looked_ms = self.looked_ms.load(Ordering::Relaxed);
        let every_ms = LOOK_EVERY.as_secs() * 1000;
        now_ms.saturating_sub(looked_ms) >= every_ms
            && self
                .looked_ms
                .compare_exchange(looked_ms, now_ms, Ordering::Relaxed, Ordering::Relaxed)
                .is_ok()
    }
}

impl Stamp {
    fn of(path: Option<&Path>) -> Self {
        let Some(file) = path.and_then(|path| fs::metadata(path).ok()) else {
            return Self::default();
        };
        Self {
            inode: file.ino(),
            bytes: file.len(),
            changed_s: file.mtime(),
            changed_ns: file.mtime_nsec(),
        }
    }
}

/// No file is an empty file.
fn conf(path: Option<&Path>) -> Result<Conf, ReadError> {
    let text = match path.map(fs::read_to_string) {
        None => String::new(),
        Some(Err(error)) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Some(text) => text?,
    };
    Ok(Conf::parse(&text)?)
}
