//! Bindings to one Slurm version, and all unsafe code that fedsched's Slurm plugins need.
//!
//! Which version is decided by the headers at build time (`SLURM_INCLUDE_DIR`); `build.rs` refuses
//! a series whose structures were not checked. What a dependent sees is safe Rust:
//!
//! | module | for |
//! |---|---|
//! | [`JobDesc`], [`UserMessage`] | what slurmctld hands to a job_submit plugin |
//! | [`controller`] | what such a plugin may ask slurmctld |
//! | [`guard`], [`log`] | the ways out of a plugin: no panic, one line in slurmctld's log |
//! | [`listing`] | jobs, nodes, partitions and reservations through libslurm |
//!
//! Nothing is linked here. The symbols of a plugin are those of the slurmctld that loads it, which a
//! second copy of libslurm would break; only `slurm-watch` links libslurm.
#![expect(
    unsafe_code,
    reason = "this crate is where all of it belongs, behind safe interfaces"
)]

use std::ffi::c_int;

mod bindings;
pub mod controller;
pub mod guard;
mod internal;
mod job_desc;
mod layout;
pub mod listing;
pub mod log;
#[cfg(test)]
mod stub;
mod unset;
mod user_message;

pub use bindings::SLURM_VERSION_NUMBER;
pub use job_desc::JobDesc;
pub use user_message::UserMessage;

/// The Slurm release this is built for, such as `22.05.8`.
pub const SLURM_VERSION: &str = env!("SLURM_VERSION");

/// What a job_submit plugin returns to slurmctld, and what sbatch makes of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum ReturnCode {
    /// Go on.
    Success = bindings::SLURM_SUCCESS,
    /// "Invalid partition name specified"
    InvalidPartition = bindings::ESLURM_INVALID_PARTITION_NAME,
    /// "Access/permission denied"
    AccessDenied = bindings::ESLURM_ACCESS_DENIED,
    /// "Requested node configuration is not available"
    NodesUnavailable = bindings::ESLURM_REQUESTED_NODE_CONFIG_UNAVAILABLE,
    /// "Invalid feature specification"
    InvalidFeature = bindings::ESLURM_INVALID_FEATURE,
}

impl From<ReturnCode> for c_int {
    fn from(code: ReturnCode) -> Self {
        (code as u32).cast_signed()
    }
}
