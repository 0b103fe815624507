//! What every member has, holds and will have free when.
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]
