//! A reservation: the same in both versions.

use fedsched_protocol::slurm;
use serde::Deserialize;

use super::lenient::{Number, Text, Words};

/// A reservation as slurmrestd writes it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in super::super) struct Reservation {
    name: Text,
    start_time: Number,
    end_time: Number,
    node_list: Text,
    flags: Words,
}

impl Reservation {
    /// The record, `None` if it has no name.
    pub(in super::super) fn into_record(self) -> Option<slurm::Reservation> {
        if self.name.0.is_empty() {
            return None;
        }
        Some(slurm::Reservation {
            name: self.name.0,
            start_s: self.start_time.or_zero(),
            end_s: self.end_time.narrow().unwrap_or(i64::MAX),
            nodes: self.node_list.0,
            flags: self.flags.0,
        })
    }
}
