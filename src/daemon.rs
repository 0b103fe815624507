//! The composition root of the daemon.
