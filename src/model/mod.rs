//! The nouns of the federation: plain data with its invariants, and nothing that acts.
//!
//! Everything Slurm spells as text is parsed before it gets here (`events`), and everything is put
//! into words after it left (`report`). Between the two there are only types.
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

mod effect;
mod event;
mod gres;
mod ids;
mod intent;
mod job;
mod member;
mod memory;
mod node;
mod partition;
mod policy;
mod request;
mod reservation;
mod settings;
mod tasks;
mod time;
mod tres;
mod waiting;

pub use effect::{Effect, Verdict};
pub use event::{BindError, Change, Event};
pub use gres::{Gres, GresKind};
pub use ids::{
    AccountName, AskId, Feature, GroupName, IntentId, JobKey, MemberName, NodeName, PartitionName,
    PolicyName, QosName, UserId, UserName,
};
pub use intent::{Action, Intent, Original};
pub use job::{Allocation, Job, Outcome, Phase};
pub use member::{Declaration, MemberKind};
pub use memory::{Chapter, JobMemory, Remembered};
pub use node::{Node, NodeState};
pub use partition::{Access, Partition, PartitionState};
pub use policy::{Policy, Split, Term};
pub use request::{Constraint, Geometry, Memory, Request};
pub use reservation::Reservation;
pub use settings::{Limits, Settings};
pub use tasks::TaskSet;
pub use time::Timestamp;
pub use tres::Tres;
pub use waiting::{LimitOwner, WaitReason};
