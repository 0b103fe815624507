//! Who talks to the daemon: plugin and command line over Unix sockets, scrapers over HTTP.

pub mod frames;
pub mod http;
pub mod operators;
pub mod peer;
pub mod people;
pub mod plugin;
pub mod socket;
