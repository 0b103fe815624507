//! fedsched: one `sbatch` for every cluster a site has.
//!
//! Sources turn the outside world into [events](model::Event); one loop owns the state, feeds each
//! event to a pure engine and carries out the [effects](model::Effect) that the engine returns;
//! what those cause comes back as events.
//!
//! ```text
//!  slurm-watch, slurmrestd ┐                      ┌── store ────────┐
//!  job_submit plugin ──────┤   Event              ├── bind ─────────┤──► Event (Done, Failed)
//!  command line ───────────┼──────────► engine ───┤   (members)     │
//!  timer ──────────────────┘   (pure)   Effect    └── answers (ipc) ┘
//! ```
//!
//! `ARCHITECTURE.md` says who may import whom; a test holds it.
#![forbid(unsafe_code)]

pub mod bind;
pub mod check;
pub mod cli;
pub mod clock;
pub mod config;
pub mod daemon;
pub mod engine;
pub mod events;
pub mod ipc;
pub mod members;
pub mod metrics;
pub mod model;
pub mod queue;
pub mod reactor;
pub mod report;
pub mod scheduler;
pub mod simulator;
pub mod site;
pub mod store;
pub mod telemetry;
pub mod topology;
