//! What is replayed: each trace is a member of the federation with its own jobs, whose home it is.

mod columns;
mod error;
mod federation;
mod job;
mod pods;
mod record;
mod sacct;
mod swf;
mod trace;

pub use error::{ReadError, TraceError};
pub use federation::{Member, MemberIndex, Window, Workload};
pub use job::Job;
pub use record::LeftOut;
pub use trace::Trace;
