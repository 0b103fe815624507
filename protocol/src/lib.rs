//! Messages between fedsched's parts: the job_submit plugin, `slurm-watch`, the command line and the daemon.
//!
//! Every message travels as one [`frame`]: a length, a protocol version and a postcard body, each
//! bounded. The byte layout of every message is held by golden tests; a change of layout is a new
//! [`frame::VERSION`].
//!
//! | module | between |
//! |---|---|
//! | [`submit`] | job_submit plugin ↔ daemon |
//! | [`watch`] | `slurm-watch` ↔ daemon |
//! | [`query`] | command line ↔ daemon |
//! | [`slurm`] | what Slurm says of jobs, nodes and partitions, the same for every Slurm version |
//! | [`directive`] | the `#FED` lines of a job script |
//! | [`mark`] | the identity that a job carries in its `admin_comment` |
#![forbid(unsafe_code)]

pub mod directive;
pub mod frame;
pub mod mark;
pub mod query;
pub mod slurm;
pub mod submit;
pub mod watch;
