//! Exit codes. Scripts rely on them: they do not change.

/// Done. Also when the reader of the output went away.
pub const DONE: u8 = 0;
/// Refused, or a check failed.
pub const FAILED: u8 = 1;
/// Wrong command line or configuration.
pub const USAGE: u8 = 2;
/// The daemon does not answer, or has not heard of Slurm yet.
pub const NO_DAEMON: u8 = 3;
/// No such job, or somebody else's.
pub const NO_SUCH_JOB: u8 = 4;
