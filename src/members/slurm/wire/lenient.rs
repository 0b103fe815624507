//! JSON values whose shape differs between versions of slurmrestd: read whichever way they come.
//!
//! A number is plain, or `{"set": …, "infinite": …, "number": …}`, or null. A word list is a string, or
//! a list, or null. A value of an unexpected shape reads as "not set", never as a failure of the
//! whole listing: one new flag must not blind the daemon.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// Slurm's `NO_VAL` and `INFINITE`, in the widths that v0.0.38 lets through.
const UNSET: [u64; 2] = [0xffff_fffe, u64::MAX - 1];
const INFINITE: [u64; 2] = [0xffff_ffff, u64::MAX];

/// A number that may be missing or unlimited.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Number {
    /// Slurm has none.
    #[default]
    Unset,
    /// Unlimited.
    Infinite,
    /// This many.
    Value(u64),
}

impl Number {
    /// The value; nothing where it is missing or unlimited.
    pub(super) fn value(self) -> Option<u64> {
        match self {
            Self::Value(value) => Some(value),
            Self::Unset | Self::Infinite => None,
        }
    }

    /// The value as another width; nothing where it does not fit.
    pub(super) fn narrow<T: TryFrom<u64>>(self) -> Option<T> {
        T::try_from(self.value()?).ok()
    }

    /// The value as another width, zero where there is none.
    pub(super) fn or_zero<T: TryFrom<u64> + Default>(self) -> T {
        self.narrow().unwrap_or_default()
    }

    /// A 16-bit count, in which 0xfffe and 0xffff mean "none".
    pub(super) fn short(self) -> u16 {
        self.narrow::<u16>().filter(|&n| n < 0xfffe).unwrap_or(0)
    }

    /// A time in seconds; zero is none.
    pub(super) fn time(self) -> Option<i64> {
        self.narrow().filter(|&seconds| seconds > 0)
    }

    fn from_u64(value: u64) -> Self {
        if UNSET.contains(&value) {
            Self::Unset
        } else if INFINITE.contains(&value) {
            Self::Infinite
        } else {
            Self::Value(value)
        }
    }

    fn from_i64(value: i64) -> Self {
        match u64::try_from(value) {
            Ok(value) => Self::from_u64(value),
            Err(_) if value == -1 => Self::Infinite,
            Err(_) => Self::Unset,
        }
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NumberVisitor)
    }
}

struct NumberVisitor;

impl<'de> Visitor<'de> for NumberVisitor {
    type Value = Number;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number, or an object with `set`, `infinite` and `number`")
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Number, E> {
        Ok(Number::Value(value.into()))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Number, E> {
        Ok(Number::from_u64(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Number, E> {
        Ok(Number::from_i64(value))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Number, E> {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "Slurm's counts are whole; `as` saturates"
        )]
        Ok(Number::from_i64(value as i64))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Number, E> {
        Ok(value.parse().map_or(Number::Unset, Number::from_i64))
    }

    fn visit_unit<E: Error>(self) -> Result<Number, E> {
        Ok(Number::Unset)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Number, A::Error> {
        drain(seq)?;
        Ok(Number::Unset)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Number, A::Error> {
        let (mut set, mut infinite, mut number) = (false, false, Number::Unset);
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "set" => set = map.next_value()?,
                "infinite" => infinite = map.next_value()?,
                "number" => number = map.next_value()?,
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(match (infinite, set) {
            (true, _) => Number::Infinite,
            (false, true) => number,
            (false, false) => Number::Unset,
        })
    }
}

/// Text: a string, or several in a list, joined by commas.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Text(pub(super) String);

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Strings(mut strings) = Strings::deserialize(deserializer)?;
        Ok(Self(match strings.len() {
            1 => strings.swap_remove(0),
            _ => strings.join(","),
        }))
    }
}

/// Words such as states and flags, in upper case.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Words(pub(super) Vec<String>);

impl Words {
    /// Whether it holds `word`, which is in upper case.
    pub(super) fn has(&self, word: &str) -> bool {
        self.0.iter().any(|own| own == word)
    }

    /// The first word, and those after it.
    pub(super) fn split_first(mut self) -> (String, Vec<String>) {
        if self.0.is_empty() {
            return (String::new(), Vec::new());
        }
        (self.0.remove(0), self.0)
    }
}

impl<'de> Deserialize<'de> for Words {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Strings(mut strings) = Strings::deserialize(deserializer)?;
        for string in &mut strings {
            string.make_ascii_uppercase();
        }
        Ok(Self(strings))
    }
}

/// A string or a list of strings; empty strings are left out.
struct Strings(Vec<String>);

impl<'de> Deserialize<'de> for Strings {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(StringsVisitor)
    }
}

struct StringsVisitor;

impl<'de> Visitor<'de> for StringsVisitor {
    type Value = Strings;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string or a list of strings")
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Strings, E> {
        self.visit_string(value.to_owned())
    }

    fn visit_string<E: Error>(self, value: String) -> Result<Strings, E> {
        Ok(Strings(if value.is_empty() {
            Vec::new()
        } else {
            vec![value]
        }))
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Strings, E> {
        Ok(Strings(Vec::new()))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Strings, E> {
        self.visit_string(value.to_string())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Strings, E> {
        self.visit_string(value.to_string())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Strings, E> {
        self.visit_string(value.to_string())
    }

    fn visit_unit<E: Error>(self) -> Result<Strings, E> {
        Ok(Strings(Vec::new()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Strings, A::Error> {
        let mut strings = Vec::new();
        while let Some(Strings(mut more)) = seq.next_element()? {
            strings.append(&mut more);
        }
        Ok(Strings(strings))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Strings, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Strings(Vec::new()))
    }
}

fn drain<'de, A: SeqAccess<'de>>(mut seq: A) -> Result<(), A::Error> {
    while seq.next_element::<IgnoredAny>()?.is_some() {}
    Ok(())
}

#[cfg(test)]
mod test {
    use super::*;

    fn number(json: &str) -> Number {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn numbers_come_in_every_shape() {
        assert_eq!(number("7"), Number::Value(7));
        assert_eq!(number("7.0"), Number::Value(7));
        assert_eq!(number("\"7\""), Number::Value(7));
        assert_eq!(number("null"), Number::Unset);
        assert_eq!(number("4294967294"), Number::Unset);
        assert_eq!(number("4294967295"), Number::Infinite);
        assert_eq!(number("-1"), Number::Infinite);
        assert_eq!(number("-9223372036854775708"), Number::Unset);
        assert_eq!(
            number(r#"{"set":true,"infinite":false,"number":7}"#),
            Number::Value(7)
        );
        assert_eq!(
            number(r#"{"set":false,"infinite":true,"number":0}"#),
            Number::Infinite
        );
        assert_eq!(
            number(r#"{"set":false,"infinite":false,"number":0,"new":[1]}"#),
            Number::Unset
        );
        assert_eq!(number("[1, 2]"), Number::Unset);
    }

    #[test]
    fn short_counts_know_their_own_none() {
        assert_eq!(Number::Value(0xfffe).short(), 0);
        assert_eq!(Number::Value(64).short(), 64);
        assert_eq!(Number::Value(1 << 20).short(), 0);
    }

    #[test]
    fn words_come_as_a_string_or_a_list() {
        let words = |json| serde_json::from_str::<Words>(json).unwrap().0;
        assert_eq!(words(r#""idle""#), ["IDLE"]);
        assert_eq!(words(r#"["IDLE","NEW_FLAG"]"#), ["IDLE", "NEW_FLAG"]);
        assert!(words("null").is_empty() && words("\"\"").is_empty() && words("{}").is_empty());
        let text = |json| serde_json::from_str::<Text>(json).unwrap().0;
        assert_eq!(text(r#"["big","avx"]"#), "big,avx");
        assert_eq!(text(r#""big,avx""#), "big,avx");
        assert_eq!(text("null"), "");
    }
}
