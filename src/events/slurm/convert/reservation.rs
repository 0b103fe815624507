//! A reservation record.

use fedsched_protocol::slurm;

use super::nodes;
use crate::model::{Reservation, Timestamp};

/// A record as a reservation.
pub(in crate::events::slurm) fn reservation(record: &slurm::Reservation) -> Reservation {
    Reservation {
        name: record.name.clone(),
        start: Timestamp::from_secs(record.start_s),
        end: Timestamp::from_secs(record.end_s),
        nodes: nodes(&record.nodes),
    }
}
