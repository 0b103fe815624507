//! The pure core, driven by events alone: scenarios, properties, determinism, texts.
#![expect(
    clippy::unwrap_used,
    reason = "a test whose own set-up fails should fail"
)]

mod arrays;
mod bind;
mod build;
mod determinism;
mod explain;
mod listing;
mod properties;
mod scenarios;
mod slurm;
mod submit;
mod world;
