//! Real Slurm clusters in private namespaces on one machine.
//!
//! A [`Sandbox`] is munge, MariaDB, slurmdbd, slurmctld, slurmrestd, eight slurmd in three
//! partitions and the fedsched daemon, as an administrator would have installed them, but in
//! mount, process, network, IPC and host name namespaces of their own: nothing outside can see
//! or reach them, nothing on the host is changed, and when the owner ends, nothing is left.
//!
//! ```no_run
//! use fedsched_sandbox::{Options, Sandbox, Service, Signal};
//!
//! let sandbox = Sandbox::start(&Options::default())?;
//! let output = sandbox.exec("user1", ["sbatch", "--wrap", "hostname"])?;
//! assert!(output.status.success());
//! sandbox.service(Service::Slurmctld).kill(Signal::SIGKILL)?;
//! sandbox.service(Service::Slurmctld).start()?;
//! # Ok::<(), fedsched_sandbox::Error>(())
//! ```
//!
//! The same is the command `sandbox/run` for people.

#![forbid(unsafe_code)]

mod accounts;
mod artifacts;
mod cache;
mod cluster;
mod command;
mod config;
mod control;
mod dpkg;
mod error;
mod handle;
mod hex;
mod host;
mod namespaces;
mod options;
mod plan;
mod ready;
mod root;
mod sandbox;
mod seed;
mod service;
mod start;
mod supervisor;
mod tree;

pub use nix::sys::signal::Signal;

pub use crate::{
    cluster::node_names,
    control::{ServiceState, running},
    error::{Error, Result},
    handle::ServiceHandle,
    host::suite as host_suite,
    namespaces::Entry,
    options::{JobSubmit, Options, Room, Series},
    root::Development,
    sandbox::Sandbox,
    service::Service,
    supervisor::{init, supervise},
};

/// The verb of the `sandbox` command that runs a command inside; hidden from people.
const ENTER: &str = "enter";
