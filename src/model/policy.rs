//! Policies: how a job's members are compared.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::PolicyName;

/// A named policy of the configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// Name.
    pub name: PolicyName,
    /// Weight of each term that counts; at least one is above zero.
    pub score: BTreeMap<Term, u32>,
    /// How long a bound job may wait at its member before it is taken back.
    pub patience: Duration,
    /// Whether a job may be split over members.
    pub split: Split,
}

/// A term of a score, 0 to 100 each, 100 best.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Term {
    /// Earliest start.
    Start,
    /// Little left over on the nodes it takes.
    Fit,
    /// At home.
    Locality,
    /// Few of its kind there already.
    Spread,
    /// Few failures to start there lately.
    History,
}

/// When a job may be split over members.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Split {
    /// Never.
    Never,
    /// When no member could ever hold it.
    #[default]
    WhenNeeded,
    /// Also when no member can start it within the policy's patience.
    Nodes,
}
