//! Any bytes as any message: read or refused, and what is read can be written and read again.
#![no_main]

use fedsched_protocol::frame::{self, MAX_WATCH_BYTES};
use fedsched_protocol::{query, submit, watch};
use libfuzzer_sys::fuzz_target;
use serde::Serialize;
use serde::de::DeserializeOwned;

fn read<T: Serialize + DeserializeOwned + PartialEq>(mut bytes: &[u8]) {
    if let Ok(Some(message)) = frame::read::<T>(&mut bytes, MAX_WATCH_BYTES) {
        let again = frame::encode(&message, MAX_WATCH_BYTES).expect("it is no longer than it was");
        let again = frame::read::<T>(&mut again.as_slice(), MAX_WATCH_BYTES);
        assert!(again.is_ok_and(|again| again == Some(message)));
    }
}

fuzz_target!(|bytes: &[u8]| {
    read::<submit::Request>(bytes);
    read::<submit::Answer>(bytes);
    read::<watch::Request>(bytes);
    read::<watch::Answer>(bytes);
    read::<query::Request>(bytes);
    read::<query::Answer>(bytes);
});
