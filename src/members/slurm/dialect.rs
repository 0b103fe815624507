//! The versions of slurmrestd's API that the client speaks.

use std::fmt;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// What may stand in a path as it is; brackets and commas of task ranges may not.
const KEPT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.');

/// A version of the API. No version is common to Slurm 22.05 and 24.11; v0.0.42 is common to 24.11,
/// 25.05, 25.11 and 26.05.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Dialect {
    /// v0.0.38 of Slurm 22.05 to 23.11.
    V38,
    /// v0.0.42 of Slurm 24.11 and later.
    V42,
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::V38 => "v0.0.38",
            Self::V42 => "v0.0.42",
        })
    }
}

impl Dialect {
    /// In the order in which they are tried.
    pub(super) const ALL: [Self; 2] = [Self::V42, Self::V38];

    /// Path of a collection, such as `jobs`.
    pub(super) fn collection(self, name: &str) -> String {
        // v0.0.42 answers without the slash with a redirect or not at all.
        let slash = match self {
            Self::V38 => "",
            Self::V42 => "/",
        };
        format!("/slurm/{self}/{name}{slash}")
    }

    /// Path of a user in slurmdbd.
    pub(super) fn user(self, name: &str) -> String {
        format!("/slurmdb/{self}/user/{}", utf8_percent_encode(name, KEPT))
    }

    /// Path of a job, given as Slurm's commands take it.
    pub(super) fn job(self, job: &str) -> String {
        format!("/slurm/{self}/job/{}", utf8_percent_encode(job, KEPT))
    }
}

#[cfg(test)]
mod test {
    use super::*;

    #[test]
    fn task_ranges_are_encoded() {
        assert_eq!(
            Dialect::V38.job("117_[0-4,9]"),
            "/slurm/v0.0.38/job/117_%5B0-4%2C9%5D"
        );
        assert_eq!(Dialect::V42.collection("jobs"), "/slurm/v0.0.42/jobs/");
        assert_eq!(Dialect::V38.collection("jobs"), "/slurm/v0.0.38/jobs");
    }
}
