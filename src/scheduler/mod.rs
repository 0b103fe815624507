//! The decision: filter the members, score the rest, choose.
//!
//! A filter is one function and one line in `filter`'s table, a score one function and one line in
//! `score`'s. Both see a candidate: one member and one job, with the snapshot of the topology.
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

mod blocks;
mod candidate;
mod choose;
mod decision;
mod filter;
mod profile;
mod reason;
mod score;

pub use blocks::{Block, Blocks, Owner};
pub use candidate::{MemberStanding, Site, needs, needs_of, span, span_of};
pub use choose::{Scope, decide, refusals};
pub use decision::{Choice, Decision, Judgement, Outlook, Score};
pub use profile::Profile;
pub use reason::Reason;
