//! Jobs, nodes, partitions and reservations, as libslurm loads them from slurmctld.
//!
//! The program that uses this links libslurm. Each kind has a `load` that takes the time of the last
//! listing and answers `None` if nothing changed since: slurmctld then packs nothing.

mod job;
mod node;
mod partition;
mod reservation;
mod state;

use std::ffi::{CStr, c_char, c_int};
use std::ptr::{self, NonNull};
use std::{fmt, io};

use crate::bindings;

pub use job::Jobs;
pub use node::Nodes;
pub use partition::Partitions;
pub use reservation::Reservations;

/// slurmctld did not answer with a listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoadError {
    /// What was loaded, such as `jobs`.
    pub what: &'static str,
    /// Slurm's own words.
    pub why: String,
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} cannot be loaded from slurmctld: {}",
            self.what, self.why
        )
    }
}

impl std::error::Error for LoadError {}

/// Reads Slurm's configuration (`SLURM_CONF`, or the default place). To be called once, before any
/// listing and before the program starts a thread. libslurm ends the process if it finds none.
pub fn init() {
    // SAFETY: no other thread reads the environment yet. Without it libslurm cuts the list of an
    // array's task ids after 64 bytes.
    unsafe { std::env::set_var("SLURM_BITSTR_LEN", "0") };
    // SAFETY: null asks for the default configuration.
    unsafe { bindings::slurm_init(ptr::null()) };
}

/// A listing of one kind.
pub trait Listing: Sized {
    /// What it lists.
    type Record;

    /// What is listed, for messages.
    const WHAT: &'static str;

    /// Loads it if anything changed since `since` (seconds since 1970, 0 for the first time).
    fn load(since: i64) -> Result<Option<Self>, LoadError>;

    /// When slurmctld made it: the next `since`.
    fn made(&self) -> i64;

    /// Every record.
    fn records(&self) -> impl Iterator<Item = Self::Record>;
}

/// A message of libslurm, freed when it is dropped.
struct Owned<M> {
    message: NonNull<M>,
    free: unsafe extern "C" fn(*mut M),
}

impl<M> Owned<M> {
    /// What a load function answered: `load` fills in the pointer and returns 0, or fails with errno.
    fn load(
        what: &'static str,
        free: unsafe extern "C" fn(*mut M),
        load: impl FnOnce(*mut *mut M) -> c_int,
    ) -> Result<Option<Self>, LoadError> {
        let mut message = ptr::null_mut();
        if load(&raw mut message) == 0
            && let Some(message) = NonNull::new(message)
        {
            return Ok(Some(Self { message, free }));
        }
        let errno = io::Error::last_os_error().raw_os_error().unwrap_or(0);
        if errno.cast_unsigned() == bindings::SLURM_NO_CHANGE_IN_DATA {
            return Ok(None);
        }
        // SAFETY: it takes any number and answers with a string that stays.
        let why = unsafe { bindings::slurm_strerror(errno) };
        let why = text(why);
        Err(LoadError { what, why })
    }

    fn get(&self) -> &M {
        // SAFETY: libslurm made it, and it is freed only with `self`.
        unsafe { self.message.as_ref() }
    }
}

impl<M> fmt::Debug for Owned<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Owned").finish_non_exhaustive()
    }
}

impl<M> Drop for Owned<M> {
    fn drop(&mut self) {
        // SAFETY: the pointer came from the load function this one belongs to, and is not used again.
        unsafe { (self.free)(self.message.as_ptr()) };
    }
}

/// The records of a message.
///
/// # Safety
/// `records` points to `count` of them, or `count` is 0.
unsafe fn slice<'a, R>(records: *const R, count: u32) -> &'a [R] {
    if records.is_null() || count == 0 {
        return &[];
    }
    // SAFETY: by contract.
    unsafe { std::slice::from_raw_parts(records, count as usize) }
}

/// One of libslurm's strings, empty for null.
fn text(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: strings in libslurm's records end with a zero byte and live as long as the record.
    let text = unsafe { CStr::from_ptr(text) };
    text.to_string_lossy().into_owned()
}

/// A time, `None` where Slurm has none.
fn time(seconds: i64) -> Option<i64> {
    (seconds > 0).then_some(seconds)
}
