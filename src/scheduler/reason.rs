//! Why a member does not take a job now: typed, with numbers, put into words by `report`.

use std::time::Duration;

use super::blocks::Owner;
use crate::model::{AccountName, JobKey, PartitionState, QosName, Timestamp};
use crate::topology::{Obstacle, Shortage};

/// Why a member does not take a job.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// The user asked for other members (`--members`).
    NotAsked,
    /// The user does not want it (`--avoid`).
    Avoided,
    /// The administrator has drained it in the configuration.
    Drained,
    /// Slurm does not list its partition.
    Missing,
    /// Its partition starts no jobs.
    State(PartitionState),
    /// Its partition is open only to root or to reservations.
    Closed,
    /// Account.
    Account(AccountName),
    /// None of the owner's groups is allowed.
    Groups,
    /// QOS.
    Qos(QosName),
    /// It asks who the owner is, and slurmctld has not filled that in yet.
    OwnerUnknown,
    /// A path the job needs is not mounted there.
    Path(String),
    /// The job brings a container image and the member runs none.
    Image,
    /// Time limit.
    Time {
        /// Of the job.
        wanted: Duration,
        /// Of the partition.
        most: Duration,
    },
    /// More nodes than the partition allows.
    NodesMost {
        /// Least the job needs.
        wanted: u32,
        /// Most allowed.
        most: u32,
    },
    /// Fewer nodes than the partition demands.
    NodesLeast {
        /// Most the job may have.
        wanted: u32,
        /// Least allowed.
        least: u32,
    },
    /// More memory than the partition allows, bytes.
    MemoryMost {
        /// Of the job on a node.
        wanted: u64,
        /// Allowed.
        most: u64,
    },
    /// No set of its nodes could ever hold the job.
    Shape(Obstacle),
    /// It could not start there lately.
    Remembered {
        /// Slurm's word.
        why: String,
    },
    /// A limit of its owner, which holds everywhere, is used up; or licences are.
    Blocked {
        /// Whose.
        owner: Owner,
        /// Slurm's word for the limit.
        limit: String,
        /// When it is tried again at the latest.
        until: Timestamp,
    },
    /// Not enough is free now.
    Busy(Shortage),
    /// Enough is free, but kept for a job whose turn is before.
    Promised {
        /// That job.
        to: JobKey,
        /// Its user sent it there directly.
        direct: bool,
        /// Its expected start.
        start: Timestamp,
    },
}

impl Reason {
    /// Whether only a change of the job, the member or the configuration could lift it: no end of
    /// other jobs and no passing of time.
    pub const fn is_lasting(&self) -> bool {
        match self {
            Self::NotAsked
            | Self::Avoided
            | Self::Closed
            | Self::Account(_)
            | Self::Groups
            | Self::Qos(_)
            | Self::Path(_)
            | Self::Image
            | Self::Time { .. }
            | Self::NodesMost { .. }
            | Self::NodesLeast { .. }
            | Self::MemoryMost { .. }
            | Self::Shape(_) => true,
            Self::Drained
            | Self::Missing
            | Self::State(_)
            | Self::OwnerUnknown
            | Self::Remembered { .. }
            | Self::Blocked { .. }
            | Self::Busy(_)
            | Self::Promised { .. } => false,
        }
    }

    /// Whether the job only has to wait for others to end.
    pub const fn is_a_matter_of_time(&self) -> bool {
        matches!(self, Self::Busy(_) | Self::Promised { .. })
    }
}
