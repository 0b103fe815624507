//! Replays workload traces over a federation of members, under our policies and others.
//!
//! A [study](study::Study) takes [traces](workload::Trace), one for each member, cuts
//! [windows](workload::Window) out of them, replays each window under each policy, and
//! [reports](report::Report) how the jobs fared. The same traces and seed give the same bytes on
//! any machine: time is counted in whole seconds, things that happen at once keep the order in
//! which they were added, chance comes from a seeded generator, and logarithms from a library.

pub mod bootstrap;
pub mod clock;
pub mod metrics;
pub mod reference;
pub mod report;
pub mod schedule;
pub mod study;
pub mod workload;
