//! The decision: filter the members, score the rest, choose.
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]
