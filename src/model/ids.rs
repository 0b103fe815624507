//! Names and numbers that identify things, each with a type of its own.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

macro_rules! names {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(Arc<str>);

        impl $name {
            /// The name as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.into())
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&*self.0, f)
            }
        }
    )*};
}

names! {
    /// A member of the federation.
    MemberName;
    /// A node as Slurm names it.
    NodeName;
    /// A Slurm partition.
    PartitionName;
    /// An account in slurmdbd.
    AccountName;
    /// A QOS in slurmdbd.
    QosName;
    /// A user's login name.
    UserName;
    /// A Unix group's name.
    GroupName;
    /// A policy of the configuration.
    PolicyName;
    /// A node feature, as in `--constraint`.
    Feature;
}

/// A numeric user id, as slurmctld authenticated it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct UserId(pub u32);

/// Names a question that waits for an [`Effect::Answer`](super::Effect::Answer).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct AskId(pub u64);

/// Names an [`Intent`](super::Intent); never used twice by one store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct IntentId(pub u64);

/// One job record of Slurm: a job, the tasks of an array that are still one record (`task` is
/// `None`), or one task of an array.
///
/// Slurm reuses ids after a cold start; what stays is the job's [`Mark`](fedsched_protocol::mark::Mark).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct JobKey {
    /// Job id, the base id of an array, or the leader's id of a heterogeneous job.
    pub id: u32,
    /// Index in the array.
    pub task: Option<u32>,
}

impl JobKey {
    /// A job that is no array task.
    pub const fn job(id: u32) -> Self {
        Self { id, task: None }
    }

    /// One task of an array.
    pub const fn task(id: u32, task: u32) -> Self {
        Self {
            id,
            task: Some(task),
        }
    }
}

impl fmt::Display for JobKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.task {
            None => write!(f, "{}", self.id),
            Some(task) => write!(f, "{}_{task}", self.id),
        }
    }
}
