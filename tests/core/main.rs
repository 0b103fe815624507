//! The pure core, driven by events alone: scenarios, properties, determinism, texts.

mod build;
mod determinism;
mod scenarios;
mod slurm;
mod world;
