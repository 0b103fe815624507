//! A user of slurmdbd: the same in both versions.

use serde::Deserialize;

use super::lenient::Words;

/// A user as slurmrestd writes it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in super::super) struct User {
    administrator_level: Words,
}

impl User {
    /// Operators, and administrators, who may do even more.
    pub(in super::super) fn is_operator(&self) -> bool {
        self.administrator_level.has("OPERATOR") || self.administrator_level.has("ADMINISTRATOR")
    }
}
