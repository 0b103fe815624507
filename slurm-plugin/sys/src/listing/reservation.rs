//! Reservations.

use std::ffi::c_int;

use fedsched_protocol::slurm::Reservation;

use super::{Listing, LoadError, Owned, slice, state, text};
use crate::bindings::{self, reserve_info_msg_t, reserve_info_t};

/// Every reservation of this cluster.
#[derive(Debug)]
pub struct Reservations(Owned<reserve_info_msg_t>);

impl Listing for Reservations {
    type Record = Reservation;

    const WHAT: &'static str = "reservations";

    fn load(since: i64) -> Result<Option<Self>, LoadError> {
        let load = |message| -> c_int {
            // SAFETY: `message` is where a pointer can be written.
            unsafe { bindings::slurm_load_reservations(since, message) }
        };
        let free = bindings::slurm_free_reservation_info_msg;
        Ok(Owned::load(Self::WHAT, free, load)?.map(Self))
    }

    fn made(&self) -> i64 {
        self.0.get().last_update
    }

    fn records(&self) -> impl Iterator<Item = Reservation> {
        let message = self.0.get();
        // SAFETY: libslurm unpacked as many records as it says, and they live as long as `self`.
        let records = unsafe { slice(message.reservation_array, message.record_count) };
        records.iter().map(reservation)
    }
}

fn reservation(raw: &reserve_info_t) -> Reservation {
    Reservation {
        name: text(raw.name),
        start_s: raw.start_time,
        end_s: raw.end_time,
        nodes: text(raw.node_list),
        flags: state::reservation_flags(raw.flags),
    }
}
