//! Slurm as a source: polls, compares, and tells what changed.
//!
//! ```text
//!  slurm-watch ────────► watch ──┐
//!                                ├─► Poll ─► picture ─► batch of events
//!  slurmrestd listings ► listing ┘           (convert)
//! ```
//!
//! Both feeds tell the same: records that are new or changed, and what went. What Slurm writes as
//! text (host lists, TRES, features, reasons) is parsed here and nowhere else.

mod constraint;
mod convert;
mod hostlist;
mod listing;
mod picture;
mod poll;
mod reason;
mod shared;
mod source;
mod tres;
mod users;
mod watch;

pub use convert::Submissions;
pub use hostlist::{HostlistError, expand};
pub use source::{Feed, Polls, Source, SourceConfig, SourceHandle};
pub use users::{Identity, Users};

/// The events of one poll, which belong together.
pub type Batch = Vec<crate::model::Event>;
