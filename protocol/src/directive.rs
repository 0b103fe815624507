//! The `#FED` lines of a job script.

use serde::{Deserialize, Serialize};

/// What a user asks of the federation. `Default` is a user who asks nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Directives {
    /// `--policy`: name of a policy.
    pub policy: Option<String>,
    /// `--members`: only these; empty: any.
    pub members: Vec<String>,
    /// `--avoid`: none of these.
    pub avoid: Vec<String>,
    /// `--needs`: path prefixes that must be visible where the job runs.
    pub needs: Vec<String>,
    /// `--image`: the job brings a container image.
    pub image: Option<String>,
}
