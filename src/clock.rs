//! The wall clock.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::model::Timestamp;

/// Now, by the wall clock: Slurm's times are wall times, and nothing else can be compared with
/// them. The engine bears a clock that is set.
pub fn now() -> Timestamp {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
