//! Why Slurm says that a job waits.

use serde::{Deserialize, Serialize};

/// Slurm's reason for a pending job, sorted by what it means for the federation.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum WaitReason {
    /// Its turn will come: `Priority`, `Resources`, `None`, `PartitionDown` and the like.
    Turn(String),
    /// Held by its user or an administrator: `JobHeldUser`, `JobHeldAdmin`, `JobHoldMaxRequeue`.
    Held(String),
    /// `BeginTime`.
    BeginTime,
    /// `Dependency`.
    Dependency,
    /// `DependencyNeverSatisfied`.
    DependencyNever,
    /// `Reservation`, `ReservationDeleted`.
    Reservation,
    /// A limit of an association or QOS: nobody can start it until usage falls.
    Limit {
        /// Whose limit.
        owner: LimitOwner,
        /// Slurm's word, such as `AssocGrpCpuLimit`.
        limit: String,
    },
    /// This partition cannot or may not run it, another might: `PartitionTimeLimit`,
    /// `PartitionNodeLimit`, `PartitionConfig`, `AccountNotAllowed`, `QOSNotAllowed`, `ReqNodeNotAvail`, `NodeDown`.
    NotHere(String),
    /// No partition ever will: `BadConstraints`, `JobLaunchFailure`, `InvalidAccount`, `InvalidQOS`.
    Never(String),
    /// `Licenses`.
    Licenses,
    /// A word this release does not know: never taken to be final.
    Other(String),
}

/// Whose limit keeps a job waiting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum LimitOwner {
    /// The user's or account's association.
    Association,
    /// A QOS.
    Qos,
}
