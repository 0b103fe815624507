//! What a job_submit plugin may ask the slurmctld it is loaded into.

use std::ffi::{CStr, CString, OsStr};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use crate::internal;

/// The path of a file beside `slurm.conf`.
pub fn conf_path(name: &CStr) -> Option<PathBuf> {
    // SAFETY: `name` is a C string; slurmctld has read its configuration before it loads plugins.
    let mut path = unsafe { internal::get_extra_conf_path(name.as_ptr()) };
    if path.is_null() {
        return None;
    }
    // SAFETY: not null, and Slurm's strings end with a zero byte.
    let text = unsafe { CStr::from_ptr(path) };
    let owned = PathBuf::from(OsStr::from_bytes(text.to_bytes()));
    // SAFETY: the string came from xmalloc and nothing refers to it any more.
    unsafe { internal::slurm_xfree((&raw mut path).cast()) };
    Some(owned)
}

/// There is a partition of this name. To be called from `job_submit` only, which runs under a read
/// lock on partitions.
pub fn partition_exists(name: &str) -> bool {
    let Ok(name) = CString::new(name) else {
        return false; // No name holds a zero byte.
    };
    // SAFETY: `name` is a C string, and the lock is held.
    !unsafe { internal::find_part_record(name.as_ptr()) }.is_null()
}

/// The user is root, SlurmUser, or at least Operator in the accounting database.
pub fn is_operator(user: u32) -> bool {
    // SAFETY: it reads slurmctld's association cache under that cache's own lock.
    unsafe { internal::validate_operator(user) }
}
