//! `[limits]`: bounds of the queue and the topology.

use std::time::Duration;

use super::section::Section;
use super::value::{count, duration};
use crate::model::Limits;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

pub(super) fn read(mut section: Section<'_, '_>) -> Limits {
    let wait = || duration(Duration::from_millis(100)..=DAY);
    let limits = Limits {
        backoff_first: section.value("backoff_first", wait()),
        backoff_max: section.value("backoff_max", wait()),
        remember: section.value("remember", wait()),
        assume_max: section.value(
            "assume_max",
            // Shorter than a few listings, every bound job would be given up before it is seen.
            duration(Duration::from_secs(5)..=DAY),
        ),
        pass_jobs_max: section.value("pass_jobs_max", count(1..=1_000_000)) as usize,
        vanish_percent_max: section
            .value("vanish_percent_max", count(1..=100))
            .try_into()
            .unwrap_or(100),
        vanish_jobs_min: section.value("vanish_jobs_min", count(1..=1_000_000)) as usize,
    };
    if limits.backoff_first > limits.backoff_max {
        section.fault("backoff_max", "must not be shorter than backoff_first");
    }
    section.finish();
    limits
}
