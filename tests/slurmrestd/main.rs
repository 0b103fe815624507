//! The Slurm side of the daemon against recorded answers of real slurmrestd, and against a fake one
//! that does on purpose what real ones do now and then.
#![expect(clippy::unwrap_used, reason = "a broken fixture should fail its test")]

mod batch;
mod binding;
mod bounds;
mod controller;
mod faults;
mod feeds;
mod listings;
mod negotiation;
mod replay;
mod tokens;
