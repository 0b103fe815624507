//! Events in, effects out: holds the queue, the topology and the order of calls.
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]
