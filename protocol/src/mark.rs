//! A job's identity as fedsched's own: job ids are reused and the submit time changes with every
//! requeue, so the plugin writes a mark into `admin_comment`, which slurmctld keeps for good.
//!
//! The text is `fedsched:1 MARK[ DIRECTIVES]`, for instance
//! `fedsched:1 9f86d081884c7d65 --policy=green --split=never`.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// What every `admin_comment` of ours begins with.
pub const PREFIX: &str = "fedsched:1 ";

/// Slurm's limit on the length of `admin_comment`, in bytes.
pub const COMMENT_BYTES_MAX: usize = 1024;

/// A random number that names one submission; all tasks of an array share it. Never zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(proptest_derive::Arbitrary))]
pub struct Mark(pub u64);

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// The text is not sixteen lower-case hexadecimal digits, or all of them are zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a mark is sixteen lower-case hexadecimal digits, not all zero")]
pub struct NotAMark;

impl FromStr for Mark {
    type Err = NotAMark;

    fn from_str(text: &str) -> Result<Self, NotAMark> {
        let digits = text.len() == 16
            && text
                .bytes()
                .all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
        match u64::from_str_radix(text, 16) {
            Ok(number) if digits && number != 0 => Ok(Self(number)),
            _ => Err(NotAMark),
        }
    }
}

/// The text for `admin_comment`: the mark, then the job's directives as the user wrote them.
pub fn to_comment(mark: Mark, directives: &str) -> String {
    let mut text = format!("{PREFIX}{mark}");
    if !directives.is_empty() {
        text.push(' ');
        text.push_str(directives);
    }
    text
}

/// The mark and directives in an `admin_comment`, or `None` if it is not ours.
pub fn from_comment(comment: &str) -> Option<(Mark, &str)> {
    let text = comment.strip_prefix(PREFIX)?;
    let (mark, directives) = text.split_once(' ').unwrap_or((text, ""));
    Some((mark.parse().ok()?, directives))
}

#[cfg(test)]
mod test {
    use super::*;

    #[test]
    fn a_comment_gives_back_what_made_it() {
        let mark = Mark(0x9f86_d081_884c_7d65);
        assert_eq!(to_comment(mark, ""), "fedsched:1 9f86d081884c7d65");
        assert_eq!(
            from_comment("fedsched:1 9f86d081884c7d65"),
            Some((mark, ""))
        );
        assert_eq!(
            from_comment(&to_comment(mark, "--policy=green --split=never")),
            Some((mark, "--policy=green --split=never"))
        );
    }

    #[test]
    fn a_comment_of_somebody_else_is_not_ours() {
        for comment in [
            "",
            "fedsched",
            "fedsched:1 ",
            "fedsched:2 9f86d081884c7d65",
            "fedsched:1 9F86D081884C7D65",
            "fedsched:1 0000000000000000",
            "see ticket 12",
        ] {
            assert_eq!(from_comment(comment), None, "{comment:?}");
        }
    }
}
