//! Offsets that were found by a C compiler in the headers of each supported release.
//!
//! bindgen's own checks compare its output with what libclang sees; these compare it with a record
//! made apart from it, so that a wrong flag or header directory cannot pass both.

use std::mem::{offset_of, size_of};

use crate::bindings::job_desc_msg_t;

#[cfg(slurm_22_05)]
const EXPECTED: [usize; 8] = [880, 448, 472, 536, 268, 680, 752, 16];
#[cfg(slurm_24_11)]
const EXPECTED: [usize; 8] = [912, 480, 504, 576, 276, 720, 792, 16];
#[cfg(slurm_26_05)]
const EXPECTED: [usize; 8] = [952, 496, 520, 592, 292, 760, 832, 16];

const FOUND: [usize; 8] = [
    size_of::<job_desc_msg_t>(),
    offset_of!(job_desc_msg_t, partition),
    offset_of!(job_desc_msg_t, priority),
    offset_of!(job_desc_msg_t, script),
    offset_of!(job_desc_msg_t, env_size),
    offset_of!(job_desc_msg_t, user_id),
    offset_of!(job_desc_msg_t, pn_min_memory),
    offset_of!(job_desc_msg_t, admin_comment),
];

#[cfg(target_pointer_width = "64")]
const _: () = {
    let mut at = 0;
    while at < FOUND.len() {
        assert!(
            FOUND[at] == EXPECTED[at],
            "job_desc_msg_t is not laid out as in the release this series was checked with"
        );
        at += 1;
    }
};
