//! One line in slurmctld's log.

use std::ffi::CString;

use crate::internal;

/// What an administrator must know.
pub fn error(text: &str) {
    let text = line(text);
    // SAFETY: the format asks for one string and gets one that outlives the call.
    unsafe { internal::slurm_error(c"%s".as_ptr(), text.as_ptr()) };
}

/// What an administrator may want to know.
pub fn info(text: &str) {
    let text = line(text);
    // SAFETY: as above.
    unsafe { internal::slurm_info(c"%s".as_ptr(), text.as_ptr()) };
}

/// What helps to find a fault, at `SlurmctldDebug=debug` and above.
pub fn debug(text: &str) {
    let text = line(text);
    // SAFETY: as above.
    unsafe { internal::slurm_debug(c"%s".as_ptr(), text.as_ptr()) };
}

/// The text as one line that C can read.
fn line(text: &str) -> CString {
    internal::c_string(&text.replace(|c: char| c.is_control(), " "))
}
