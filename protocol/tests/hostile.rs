//! Bytes that no honest end would send: they are refused, at a cost in proportion to their number.
#![expect(clippy::unwrap_used, reason = "these are tests")]

use fedsched_protocol::frame::{self, FrameError, MAX_MESSAGE_BYTES};
use fedsched_protocol::{query, submit, watch};
use proptest::prelude::*;
use serde::de::DeserializeOwned;

/// What a reader may set aside for `bytes` received: serde sets aside up to a mebibyte for the items
/// that a list announces, and an item is larger in memory than its shortest encoding.
fn memory_max(bytes: usize) -> u64 {
    (2 << 20) + 64 * bytes as u64
}

fn read_bounded<T: DeserializeOwned>(bytes: &[u8]) -> Result<Option<T>, FrameError> {
    let mut outcome = None;
    let spent = allocation_counter::measure(|| {
        outcome = Some(frame::read(&mut &*bytes, MAX_MESSAGE_BYTES));
    });
    assert!(
        spent.bytes_max <= memory_max(bytes.len()),
        "{} bytes for {}",
        spent.bytes_max,
        bytes.len()
    );
    outcome.unwrap()
}

fn read_as_anything(bytes: &[u8]) {
    let refusals = [
        read_bounded::<submit::Request>(bytes).is_err(),
        read_bounded::<submit::Answer>(bytes).is_err(),
        read_bounded::<watch::Request>(bytes).is_err(),
        read_bounded::<watch::Answer>(bytes).is_err(),
        read_bounded::<query::Request>(bytes).is_err(),
        read_bounded::<query::Answer>(bytes).is_err(),
    ];
    if bytes.is_empty() {
        assert_eq!(refusals, [false; 6], "the end of a stream is no fault");
    }
}

/// A frame around this body, of the right length and version.
fn framed(body: &[u8]) -> Vec<u8> {
    let length = u32::try_from(body.len() + 2).unwrap();
    let version = frame::VERSION.to_le_bytes();
    [&length.to_le_bytes(), version.as_slice(), body].concat()
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes: Vec<u8>) {
        read_as_anything(&bytes);
    }

    #[test]
    fn any_body_is_read_or_refused(body in proptest::collection::vec(any::<u8>(), 0..4096)) {
        read_as_anything(&framed(&body));
    }

    #[test]
    fn a_list_of_any_announced_length_is_read_or_refused(
        variant in 0_u8..10, length: u64, rest in proptest::collection::vec(any::<u8>(), 0..512),
    ) {
        let mut body = vec![variant];
        body = postcard::to_extend(&length, body).unwrap();
        body.extend(rest);
        read_as_anything(&framed(&body));
    }
}

#[test]
fn a_frame_is_refused_for_what_is_wrong_with_it() {
    let good = frame::encode(&submit::Answer::Wait, submit::MAX_BYTES).unwrap();
    let read = |bytes: &[u8]| read_bounded::<submit::Answer>(bytes);
    assert_eq!(read(&good).unwrap(), Some(submit::Answer::Wait));
    assert_eq!(read(&[]).unwrap(), None);
    for end in 1..good.len() {
        assert!(
            matches!(read(&good[..end]), Err(FrameError::Io(_))),
            "{end}"
        );
    }
    assert!(matches!(
        read(&u32::MAX.to_le_bytes()),
        Err(FrameError::TooLarge {
            bytes: 0xffff_ffff,
            ..
        })
    ));
    assert!(matches!(
        read(&[1, 0, 0, 0, 1]),
        Err(FrameError::TooShort { bytes: 1 })
    ));
    let mut other = good.clone();
    other[4] ^= 0xff;
    assert!(matches!(read(&other), Err(FrameError::Version { .. })));
    assert!(
        matches!(read(&framed(&[0, 0])), Err(FrameError::Body(_))),
        "a byte too many"
    );
    let long = submit::Answer::Refuse {
        message: "x".repeat(1000),
    };
    assert!(matches!(
        frame::encode(&long, 1000),
        Err(FrameError::TooLarge { limit: 1000, .. })
    ));
}
