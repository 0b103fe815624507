//! Bytes as text.

use std::fmt::Write as _;

/// Two hexadecimal digits for each byte.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _infallible = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod test {
    use super::*;

    #[test]
    fn small_bytes_keep_their_zero() {
        assert_eq!(hex(&[0, 10, 255]), "000aff");
    }
}
