//! End to end, on real Slurm: what users and administrators do, and what goes wrong on bad days.
//!
//! `FEDSCHED_TEST_SLURM` names the Slurm series of the sandboxes: 22.05 (the default), 24.11 or
//! 26.05. Sandboxes need root.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::missing_panics_doc,
    reason = "what a test cannot do is how it fails"
)]

mod bad_days;
mod placement;
mod site;
