//! slurmrestd: actions on jobs, single jobs, listings; one client for every version of its API.
//!
//! slurmrestd reports most failures inside an answer of any HTTP status, `errors[]` in a 200 included,
//! and may well have done what it reports as failed. So every answer is searched for faults, and
//! whoever changes a job reads it back.

mod change;
mod client;
mod dialect;
mod endpoint;
mod error;
mod scontrol;
mod target;
mod tasks;
mod token;
mod transport;
mod wire;

pub use change::{Change, TimeLimit};
pub use client::{Client, Listing, Options, Server};
pub use dialect::Dialect;
pub use endpoint::{Endpoint, NotAnEndpoint};
pub use error::Error;
pub use target::Target;
pub use tasks::{array_tasks, is_cut};
pub use token::{TokenError, TokenSource};
