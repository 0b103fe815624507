//! The pure core, driven by events alone: scenarios, properties, determinism, texts.

mod arrays;
mod bind;
mod build;
mod determinism;
mod listing;
mod scenarios;
mod slurm;
mod submit;
mod world;
