//! What slurmctld looks up in the plugin.
#![expect(
    unsafe_code,
    reason = "an exported symbol is an unsafe attribute; every other unsafe line is in fedsched-slurm-sys"
)]
use std::ffi::{c_int, c_void};

use fedsched_slurm_sys::guard::{guard, log_panics};
use fedsched_slurm_sys::{JobDesc, ReturnCode, SLURM_VERSION_NUMBER, UserMessage, log};

use crate::refusal::Refusal;
use crate::state;

#[unsafe(no_mangle)]
static plugin_name: [u8; 35] = *b"Federation scheduler submit plugin\0";

#[unsafe(no_mangle)]
static plugin_type: [u8; 20] = *b"job_submit/fedsched\0";

#[unsafe(no_mangle)]
static plugin_version: u32 = SLURM_VERSION_NUMBER;

/// Never fails: slurmctld would not start.
#[unsafe(no_mangle)]
extern "C" fn init() -> c_int {
    log_panics();
    guard((), state::load);
    ReturnCode::Success.into()
}

#[unsafe(no_mangle)]
extern "C" fn fini() -> c_int {
    guard((), state::unload);
    ReturnCode::Success.into()
}

#[unsafe(no_mangle)]
extern "C" fn job_submit(
    job: Option<&mut JobDesc>,
    submit_uid: u32,
    message: Option<&mut UserMessage>,
) -> c_int {
    let submit = || match (job, state::current()) {
        (Some(job), Some(plugin)) => plugin.submit(job, submit_uid),
        _ => Ok(()),
    };
    // A job that a panic met is left to slurmctld as it is.
    answer(guard(Ok(()), submit), message)
}

#[cfg(slurm_22_05)]
#[unsafe(no_mangle)]
extern "C" fn job_modify(
    job: Option<&mut JobDesc>,
    _record: *mut c_void,
    submit_uid: u32,
) -> c_int {
    modify(job, submit_uid, None)
}

#[cfg(not(slurm_22_05))]
#[unsafe(no_mangle)]
extern "C" fn job_modify(
    job: Option<&mut JobDesc>,
    _record: *mut c_void,
    submit_uid: u32,
    message: Option<&mut UserMessage>,
) -> c_int {
    modify(job, submit_uid, message)
}

fn modify(job: Option<&mut JobDesc>, submit_uid: u32, message: Option<&mut UserMessage>) -> c_int {
    let modify = || match (job, state::current()) {
        (Some(job), Some(plugin)) => plugin.modify(job, submit_uid),
        _ => Ok(()),
    };
    answer(guard(Ok(()), modify), message)
}

fn answer(done: Result<(), Refusal>, message: Option<&mut UserMessage>) -> c_int {
    let Err(refusal) = done else {
        return ReturnCode::Success.into();
    };
    let code = refusal.code();
    let speak = || {
        log::debug(&format!("job_submit/fedsched: refused: {refusal}"));
        if let Some(message) = message {
            message.add(&format!("fedsched: {refusal}"));
        }
    };
    guard((), speak);
    code.into()
}
