//! Values of the flags: names, paths, images, and quantities with units.

use std::fmt;
use std::num::NonZeroU32;

use serde::{Deserialize, Serialize};

/// The text is not what the flag takes.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct NotAValue {
    /// What was probably meant.
    pub(super) nearest: Option<String>,
}

const NAME_BYTES_MAX: usize = 64;
const IMAGE_BYTES_MAX: usize = 512;

/// The candidate that `text` is probably a misspelling of.
pub(super) fn nearest<'a>(
    text: &str,
    candidates: impl Iterator<Item = &'a str>,
) -> Option<&'a str> {
    const DISTANCE_MAX: usize = 2;
    // Comparing grows with the product of the lengths, and no candidate is longer than this.
    const TEXT_BYTES_MAX: usize = 32;
    if text.len() > TEXT_BYTES_MAX {
        return None;
    }
    candidates
        .map(|candidate| (strsim::osa_distance(text, candidate), candidate))
        .filter(|(distance, candidate)| *distance <= DISTANCE_MAX && *distance < candidate.len())
        .min()
        .map(|(_, candidate)| candidate)
}

/// Name of a policy or member.
pub(super) fn name(text: &str) -> Result<String, NotAValue> {
    let begins = text.starts_with(|c: char| c.is_ascii_alphanumeric());
    let rest = text
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte));
    if begins && rest && text.len() <= NAME_BYTES_MAX {
        Ok(text.to_owned())
    } else {
        Err(NotAValue::default())
    }
}

/// An absolute path without `.` and `..`.
pub(super) fn path(text: &str) -> Result<String, NotAValue> {
    let steps = text.strip_prefix('/').ok_or_else(NotAValue::default)?;
    if steps.split('/').any(|step| step == "." || step == "..") {
        return Err(NotAValue::default());
    }
    Ok(text.to_owned())
}

/// A reference to a container image: registry, name, tag and digest are for the member to judge.
pub(super) fn image(text: &str) -> Result<String, NotAValue> {
    let begins = text.starts_with(|c: char| c.is_ascii_alphanumeric());
    let rest = text
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || b"._-/:@+".contains(&byte));
    if begins && rest && text.len() <= IMAGE_BYTES_MAX {
        Ok(text.to_owned())
    } else {
        Err(NotAValue::default())
    }
}

/// Items separated by commas, at least one, each named once.
pub(super) fn list(
    text: &str,
    item: impl Fn(&str) -> Result<String, NotAValue>,
) -> Result<Vec<String>, NotAValue> {
    let mut items = Vec::new();
    for text in text.split(',') {
        let item = item(text)?;
        if !items.contains(&item) {
            items.push(item);
        }
    }
    Ok(items)
}

/// Whether a job may be split over members.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Split {
    /// Never.
    Never,
    /// When no member could ever hold it.
    WhenNeeded,
    /// Also when no member can start it now or within its policy's patience.
    Nodes {
        /// Most members it may be split over, `None`: as many as it takes.
        parts_max: Option<NonZeroU32>,
    },
}

impl Split {
    pub(super) fn read(text: &str) -> Result<Self, NotAValue> {
        match text {
            "never" => return Ok(Self::Never),
            "when-needed" => return Ok(Self::WhenNeeded),
            "nodes" => return Ok(Self::Nodes { parts_max: None }),
            _ => {}
        }
        if let Some(max) = text.strip_prefix("nodes:max=")
            && let Ok(max) = max.parse()
        {
            return Ok(Self::Nodes {
                parts_max: Some(max),
            });
        }
        let words = ["never", "when-needed", "nodes"];
        Err(NotAValue {
            nearest: nearest(text, words.into_iter()).map(str::to_owned),
        })
    }
}

/// A bandwidth, in bits per second.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Bandwidth(u64);

/// A latency, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Latency(u64);

/// Units, smallest first, each a multiple of the one before.
type Units = [(&'static str, u64)];

const BANDWIDTHS: &Units = &[
    ("bps", 1),
    ("Kbps", 1_000),
    ("Mbps", 1_000_000),
    ("Gbps", 1_000_000_000),
    ("Tbps", 1_000_000_000_000),
];

const TIMES: &Units = &[
    ("ns", 1),
    ("us", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
];

impl Bandwidth {
    pub(super) fn read(text: &str) -> Result<Self, NotAValue> {
        quantity(text, BANDWIDTHS).map(Self)
    }

    /// In bits per second.
    pub fn bits_per_second(self) -> u64 {
        self.0
    }
}

impl Latency {
    pub(super) fn read(text: &str) -> Result<Self, NotAValue> {
        quantity(text, TIMES).map(Self)
    }

    /// In nanoseconds.
    pub fn nanoseconds(self) -> u64 {
        self.0
    }
}

impl fmt::Display for Bandwidth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        in_largest_unit(self.0, BANDWIDTHS, f)
    }
}

impl fmt::Display for Latency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        in_largest_unit(self.0, TIMES, f)
    }
}

fn in_largest_unit(amount: u64, units: &Units, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let whole = units
        .iter()
        .rev()
        .find(|(_, size)| amount.is_multiple_of(*size));
    let (unit, size) = whole.unwrap_or(&units[0]);
    write!(f, "{}{unit}", amount / size)
}

/// A decimal number above zero and its unit, whatever the unit's case, as a whole number of the
/// smallest unit.
fn quantity(text: &str, units: &Units) -> Result<u64, NotAValue> {
    let end = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let unit = unit.trim_ascii();
    match units
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case(unit))
    {
        Some((_, size)) => scaled(number, *size).ok_or_else(NotAValue::default),
        None if number.is_empty() || unit.is_empty() => Err(NotAValue::default()),
        None => Err(NotAValue {
            nearest: nearest(unit, units.iter().map(|(name, _)| *name))
                .map(|unit| format!("{number}{unit}")),
        }),
    }
}

/// `number` × `size`, if that is a whole number above zero.
fn scaled(number: &str, size: u64) -> Option<u64> {
    const FRACTION_DIGITS_MAX: usize = 9;
    let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
    if fraction.is_empty() || fraction.len() > FRACTION_DIGITS_MAX {
        return None;
    }
    let parts = 10_u64.pow(u32::try_from(fraction.len()).ok()?);
    let tail = fraction.parse::<u64>().ok()?.checked_mul(size)?;
    let whole = whole.parse::<u64>().ok()?.checked_mul(size)?;
    let amount = whole.checked_add(tail / parts)?;
    (tail % parts == 0 && amount > 0).then_some(amount)
}

#[cfg(test)]
mod test {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn quantities_are_exact() {
        for (text, bits) in [
            ("1bps", 1),
            ("25Gbps", 25_000_000_000),
            ("2.5gbps", 2_500_000_000),
            ("100 Mbps", 100_000_000),
        ] {
            assert_eq!(Bandwidth::read(text).unwrap().bits_per_second(), bits);
        }
        for text in [
            "",
            "Gbps",
            "25",
            "0Gbps",
            "-1Gbps",
            "1.5bps",
            "1.Gbps",
            ".5Gbps",
            "1.2.3Gbps",
            "99999999999Gbps",
            "0x10Gbps",
            "1e3Gbps",
        ] {
            assert!(Bandwidth::read(text).is_err(), "{text:?}");
        }
        assert_eq!(Latency::read("200us").unwrap().nanoseconds(), 200_000);
        assert_eq!(Bandwidth::read("2500Mbps").unwrap().to_string(), "2500Mbps");
        assert_eq!(Latency::read("0.2ms").unwrap().to_string(), "200us");
    }

    #[test]
    fn splits_are_read() {
        assert_eq!(Split::read("never"), Ok(Split::Never));
        assert_eq!(Split::read("when-needed"), Ok(Split::WhenNeeded));
        assert_eq!(Split::read("nodes"), Ok(Split::Nodes { parts_max: None }));
        assert_eq!(
            Split::read("nodes:max=3"),
            Ok(Split::Nodes {
                parts_max: NonZeroU32::new(3)
            })
        );
        for text in ["nodes:max=0", "nodes:max=", "nodes:min=3", "Never", "yes"] {
            assert!(Split::read(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn names_and_paths_stay_within_their_alphabets() {
        assert!(name("k8s-east.2_b").is_ok());
        for text in ["", "-a", "a b", "a/b", "ä", &"x".repeat(65)] {
            assert!(name(text).is_err(), "{text:?}");
        }
        assert!(path("/").is_ok());
        for text in ["", "scratch", "/a/../b", "/."] {
            assert!(path(text).is_err(), "{text:?}");
        }
        assert!(image("registry.example.org:5000/a/b:1.2@sha256:00ff").is_ok());
        assert!(image("$(reboot)").is_err());
        assert_eq!(list("a,b,a", name).unwrap(), ["a", "b"]);
        assert!(list("a,,b", name).is_err());
    }

    proptest! {
        #[test]
        fn what_is_shown_reads_back_the_same(amount in 1..=u64::MAX) {
            prop_assert_eq!(Bandwidth::read(&Bandwidth(amount).to_string()), Ok(Bandwidth(amount)));
            prop_assert_eq!(Latency::read(&Latency(amount).to_string()), Ok(Latency(amount)));
        }
    }
}
