//! What Slurm exports without a public header, declared by hand from Slurm's sources.
//!
//! Checked with `nm -D` on slurmctld, libslurmfull and libslurm of every supported version.

use std::ffi::{CString, c_char, c_int, c_uint, c_void};

unsafe extern "C" {
    /// `xmalloc.h`: frees what `*pointer` points to, if anything, and sets it to null.
    pub(crate) fn slurm_xfree(pointer: *mut *mut c_void);
    /// `xstring.h`: a copy in Slurm's own memory; null for null.
    pub(crate) fn slurm_xstrdup(text: *const c_char) -> *mut c_char;

    /// `log.h`: a printf format, then what it asks for.
    pub(crate) fn slurm_info(format: *const c_char, ...);
    /// `log.h`, as above.
    pub(crate) fn slurm_error(format: *const c_char, ...) -> c_int;
    /// `log.h`, as above.
    pub(crate) fn slurm_debug(format: *const c_char, ...);

    /// `read_config.h`: the path of a file beside `slurm.conf`, in Slurm's own memory.
    pub(crate) fn get_extra_conf_path(name: *const c_char) -> *mut c_char;

    /// `slurmctld.h`: the partition of that name, or null. Needs a read lock on partitions.
    pub(crate) fn find_part_record(name: *const c_char) -> *mut c_void;
    /// `slurmctld.h`: root, SlurmUser, or at least Operator in the accounting database.
    pub(crate) fn validate_operator(user: c_uint) -> bool;

    /// `slurm_protocol_defs.h`: name of an `enum job_state_reason`, static.
    #[cfg_attr(not(slurm_22_05), link_name = "slurm_job_state_reason_string")]
    pub(crate) fn slurm_job_reason_string(reason: c_uint) -> *const c_char;
}

/// The text as C reads it, without the zero bytes it may hold.
pub(crate) fn c_string(text: &str) -> CString {
    CString::new(text).unwrap_or_else(|found| {
        let mut bytes = found.into_vec();
        bytes.retain(|&byte| byte != 0);
        CString::new(bytes).unwrap_or_default()
    })
}

/// Has `field` hold a copy of `text` in Slurm's own memory.
///
/// # Safety
/// `field` is null or came from Slurm's allocator, and nothing else refers to it.
pub(crate) unsafe fn replace(field: &mut *mut c_char, text: &str) {
    let text = c_string(text);
    // SAFETY: by contract; the pointer is null afterwards.
    unsafe { slurm_xfree((&raw mut *field).cast()) };
    // SAFETY: `text` is a C string.
    *field = unsafe { slurm_xstrdup(text.as_ptr()) };
}
