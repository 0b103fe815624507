//! Stands in for slurmctld where this crate's own tests are linked.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::ptr;
use std::sync::Mutex;

static LOG: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Every line logged so far, by whichever test.
pub(crate) fn logged() -> Vec<String> {
    LOG.lock().unwrap().clone()
}

#[unsafe(no_mangle)]
extern "C" fn slurm_xfree(pointer: &mut *mut c_void) {
    // SAFETY: the callers pass the address of a pointer that is null or from `strdup`.
    unsafe { libc::free(*pointer) };
    *pointer = ptr::null_mut();
}

#[unsafe(no_mangle)]
extern "C" fn slurm_xstrdup(text: *const c_char) -> *mut c_char {
    // SAFETY: the callers pass a C string.
    unsafe { libc::strdup(text) }
}

/// Variable arguments cannot be defined in stable Rust, but on the platforms Slurm runs on a pointer
/// arrives the same way.
#[unsafe(no_mangle)]
extern "C" fn slurm_error(format: *const c_char, text: *const c_char) -> c_int {
    // SAFETY: the callers pass C strings.
    let format = unsafe { CStr::from_ptr(format) };
    assert_eq!(format, c"%s");
    // SAFETY: and this is what the format asks for.
    let text = unsafe { CStr::from_ptr(text) };
    LOG.lock().unwrap().push(text.to_str().unwrap().to_owned());
    -1
}

#[unsafe(no_mangle)]
extern "C" fn validate_operator(user: c_uint) -> bool {
    user == 0
}
