//! The line that a user sees.

use std::ffi::{CStr, c_char};

use crate::internal;

/// The `err_msg` of a plugin call: sbatch, srun, salloc and scontrol print it.
#[derive(Debug)]
#[repr(transparent)]
pub struct UserMessage(*mut c_char);

impl UserMessage {
    /// Adds a line to what plugins before this one said.
    pub fn add(&mut self, line: &str) {
        let mut text = String::new();
        if !self.0.is_null() {
            // SAFETY: not null, and Slurm's strings end with a zero byte.
            text.push_str(&unsafe { CStr::from_ptr(self.0) }.to_string_lossy());
            text.push('\n');
        }
        text.push_str(line);
        // SAFETY: the pointer is null or came from xmalloc, by slurmctld, another plugin or this.
        unsafe { internal::replace(&mut self.0, &text) };
    }
}

#[cfg(test)]
mod test {
    use super::*;

    #[test]
    fn lines_add_up() {
        let mut message = UserMessage(std::ptr::null_mut());
        message.add("one");
        message.add("two\0");
        // SAFETY: just set.
        let text = unsafe { CStr::from_ptr(message.0) };
        assert_eq!(text, c"one\ntwo");
        // SAFETY: as in `add`.
        unsafe { internal::slurm_xfree((&raw mut message.0).cast()) };
    }
}
