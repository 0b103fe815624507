//! Replays workload traces over a federation of members, under our policies and others.

pub mod clock;
pub mod reference;
pub mod schedule;
pub mod workload;
