//! Waiting jobs: pending, unschedulable, reschedule, and those parked outside the three.
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]
