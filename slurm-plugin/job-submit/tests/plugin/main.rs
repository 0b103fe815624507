#![expect(clippy::unwrap_used, clippy::expect_used, reason = "these are tests")]
//! The plugin in a process that stands in for slurmctld, with a daemon that stands in for fedsched.

mod bad_days;
mod cost;
mod daemon;
mod host;
mod submissions;
