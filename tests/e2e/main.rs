//! End to end, on real Slurm: what users and administrators do, and what goes wrong on bad days.
//!
//! `FEDSCHED_TEST_SLURM` names the Slurm series of the sandboxes: 22.05 (the default), 24.11 or
//! 26.05. Sandboxes need root.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "what a test cannot do is how it fails"
)]

mod arrays;
mod bad_days;
mod cancel;
mod directives;
mod interactive;
mod left_alone;
mod limits;
mod listing;
mod parked;
mod people;
mod placement;
mod queueing;
mod rehearsal;
mod reload;
mod requeue;
mod room;
mod site;
mod times;
mod volume;
