//! One daemon for each state directory.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use super::Error;

/// Holds the daemon's process id. The lock on it counts, not that it is there: it stays behind
/// when the daemon ends, and the kernel lets the lock go however that happened.
const FILE: &str = "daemon.pid";

/// The directory is this process's own for as long as this lives.
#[derive(Debug)]
pub(super) struct Lock {
    _file: File,
}

impl Lock {
    pub(super) fn take(dir: &Path) -> Result<Self, Error> {
        let path = dir.join(FILE);
        let broken = |source| Error::Directory {
            path: path.clone(),
            source,
        };
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o644)
            .open(&path)
            .map_err(broken)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(Error::InUse {
                    dir: dir.to_owned(),
                    owner: owner(&mut file),
                });
            }
            Err(TryLockError::Error(source)) => return Err(broken(source)),
        }
        write_pid(&mut file).map_err(broken)?;
        Ok(Self { _file: file })
    }
}

fn owner(file: &mut File) -> Option<u32> {
    let mut text = String::new();
    file.read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}

fn write_pid(file: &mut File) -> io::Result<()> {
    file.set_len(0)?;
    file.rewind()?;
    writeln!(file, "{}", std::process::id())
}
