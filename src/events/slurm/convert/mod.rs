//! Slurm's records, and submissions, as the nouns of the core.

mod job;
mod node;
mod partition;
mod request;
mod reservation;
mod submission;

pub(super) use job::{het_job, job, key};
pub(super) use node::node;
pub(super) use partition::partition;
pub(super) use reservation::reservation;
pub use submission::Submissions;

use std::time::Duration;

use tracing::debug;

use super::hostlist;
use crate::model::{Memory, NodeName, Timestamp};

const MIB: u64 = 1 << 20;

/// Bit 63 of Slurm's memory: the rest is per CPU, not per node.
const MEMORY_PER_CPU: u64 = 1 << 63;

/// Memory as Slurm packs it.
fn memory(packed: Option<u64>) -> Memory {
    let bytes = |packed: u64| (packed & !MEMORY_PER_CPU).saturating_mul(MIB);
    match packed {
        None => Memory::Default,
        Some(packed) if packed & MEMORY_PER_CPU != 0 => Memory::PerCpu(bytes(packed)),
        Some(packed) => Memory::PerNode(bytes(packed)),
    }
}

fn minutes(minutes: u32) -> Duration {
    Duration::from_secs(u64::from(minutes) * 60)
}

fn time(seconds: Option<i64>) -> Option<Timestamp> {
    seconds.map(Timestamp::from_secs)
}

/// The nodes of a host list; one that cannot be read counts as empty.
fn nodes(text: &str) -> Vec<NodeName> {
    hostlist::expand(text).unwrap_or_else(|error| {
        debug!(%error, "a host list of Slurm cannot be read");
        Vec::new()
    })
}

/// The words of a list separated by commas.
fn words<T: for<'a> From<&'a str>>(text: &str) -> Vec<T> {
    text.split(',')
        .map(str::trim)
        .filter(|word| !word.is_empty() && *word != "(null)" && *word != "ALL")
        .map(T::from)
        .collect()
}
