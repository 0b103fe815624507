//! Readers of single values. Each says what it found and what it would have taken.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

use jiff::{Span, SpanRelativeTo};
use toml::de::DeValue;

use super::section::{allowed, kind};

/// What a reader gives.
type Read<T> = Result<T, String>;

/// Longest name of a member, policy, partition, user, account or group, in bytes.
const NAME_BYTES_MAX: usize = 63;

pub(super) fn text<'v>(value: &'v DeValue<'_>) -> Read<&'v str> {
    value
        .as_str()
        .ok_or_else(|| format!("is {}, and must be a string", kind(value)))
}

pub(super) fn switch(value: &DeValue<'_>) -> Read<bool> {
    value
        .as_bool()
        .ok_or_else(|| format!("is {}, and must be true or false", kind(value)))
}

/// A whole number within `range`.
pub(super) fn count(range: RangeInclusive<u32>) -> impl Fn(&DeValue<'_>) -> Read<u32> {
    move |value| {
        let limits = format!("a whole number from {} to {}", range.start(), range.end());
        let Some(integer) = value.as_integer() else {
            return Err(format!("is {}, and must be {limits}", kind(value)));
        };
        i64::from_str_radix(integer.as_str(), integer.radix())
            .ok()
            .and_then(|number| u32::try_from(number).ok())
            .filter(|number| range.contains(number))
            .ok_or_else(|| format!("{integer} is out of bounds: must be {limits}"))
    }
}

/// A duration within `range`.
pub(super) fn duration(range: RangeInclusive<Duration>) -> impl Fn(&DeValue<'_>) -> Read<Duration> {
    move |value| {
        let example = "a string such as \"300ms\", \"30s\", \"5m\" or \"1h 30m\"";
        let Some(written) = value.as_str() else {
            return Err(format!("is {}, and must be {example}", kind(value)));
        };
        let span: Span = written
            .parse()
            .map_err(|_| format!("\"{written}\" is no duration: must be {example}"))?;
        let found = span
            .to_duration(SpanRelativeTo::days_are_24_hours())
            .ok()
            .and_then(|signed| Duration::try_from(signed).ok());
        found.filter(|found| range.contains(found)).ok_or_else(|| {
            format!(
                "\"{written}\" is out of bounds: must be from {} to {}",
                spoken(*range.start()),
                spoken(*range.end())
            )
        })
    }
}

/// As a person writes it.
fn spoken(duration: Duration) -> String {
    match jiff::SignedDuration::try_from(duration) {
        Ok(signed) => format!("{signed:#}"),
        Err(_) => format!("{duration:?}"),
    }
}

/// A name that fits on a command line, into a list with commas and into a label.
pub(super) fn name<T: for<'t> From<&'t str>>(value: &DeValue<'_>) -> Read<T> {
    let name = text(value)?;
    let start = name.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    let rest = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
    if !start || !name.chars().all(rest) || name.len() > NAME_BYTES_MAX {
        return Err(format!(
            "\"{name}\" is no name: must be letters, digits, `_`, `-` and `.`, beginning with a \
             letter, a digit or `_`, {NAME_BYTES_MAX} at most"
        ));
    }
    Ok(T::from(name))
}

/// A name that somebody else gave, such as an account's: anything but blanks and commas.
pub(super) fn foreign_name<T: for<'t> From<&'t str>>(value: &DeValue<'_>) -> Read<T> {
    let name = text(value)?;
    let odd = |c: char| c.is_whitespace() || c.is_control() || c == ',';
    if name.is_empty() || name.contains(odd) {
        return Err(format!(
            "\"{name}\" is no name: must have no blanks and no commas, and not be empty"
        ));
    }
    Ok(T::from(name))
}

/// An array of what `item` reads.
pub(super) fn list<T>(
    item: impl Fn(&DeValue<'_>) -> Read<T>,
) -> impl Fn(&DeValue<'_>) -> Read<Vec<T>> {
    move |value| {
        let Some(array) = value.as_array() else {
            return Err(format!("is {}, and must be an array", kind(value)));
        };
        array.iter().map(|each| item(each.get_ref())).collect()
    }
}

pub(super) fn path(value: &DeValue<'_>) -> Read<PathBuf> {
    let written = text(value)?;
    let path = PathBuf::from(written);
    if !path.is_absolute() || written.contains('\0') {
        return Err(format!("\"{written}\" must be an absolute path"));
    }
    Ok(path)
}

/// A path prefix of a shared file system, without a trailing slash.
pub(super) fn prefix(value: &DeValue<'_>) -> Read<String> {
    let path = path(value)?;
    if path.components().any(|part| part.as_os_str() == "..") {
        return Err(format!("\"{}\" must not contain `..`", path.display()));
    }
    let written = path.to_string_lossy();
    let trimmed = written.trim_end_matches('/');
    Ok(if trimmed.is_empty() { "/" } else { trimmed }.to_owned())
}

/// A command: a list of words, or one word. The first is an absolute path.
pub(super) fn command(value: &DeValue<'_>) -> Read<Vec<String>> {
    let words = match value {
        DeValue::String(word) => vec![word.to_string()],
        other => list(|word| text(word).map(str::to_owned))(other)
            .map_err(|text| format!("{text} of words, such as [\"/usr/bin/x\", \"-v\"]"))?,
    };
    match words.first() {
        Some(program) if program.starts_with('/') => Ok(words),
        Some(program) => Err(format!(
            "\"{program}\" must be the absolute path of a program"
        )),
        None => Err("is empty, and must name a program".to_owned()),
    }
}

/// What `item` reads, or `None` for "off".
pub(super) fn unless_off<T>(
    item: impl Fn(&DeValue<'_>) -> Read<T>,
) -> impl Fn(&DeValue<'_>) -> Read<Option<T>> {
    move |value| match value.as_str() {
        Some("off") => Ok(None),
        _ => item(value)
            .map(Some)
            .map_err(|text| format!("{text}, or \"off\"")),
    }
}

/// One of a few words, each standing for a value.
pub(super) fn choice<T: Copy>(
    choices: &'static [(&'static str, T)],
) -> impl Fn(&DeValue<'_>) -> Read<T> {
    move |value| {
        let written = text(value)?;
        let found = choices.iter().find(|(word, _)| *word == written);
        found.map(|(_, value)| *value).ok_or_else(|| {
            let words: Vec<&str> = choices.iter().map(|(word, _)| *word).collect();
            format!(
                "\"{written}\": {}",
                allowed(written, &words, "must be one of")
            )
        })
    }
}

/// Strings by free names.
pub(super) fn labels(value: &DeValue<'_>) -> Read<BTreeMap<String, String>> {
    let Some(table) = value.as_table() else {
        return Err(format!(
            "is {}, and must be a table such as {{ site = \"north\" }}",
            kind(value)
        ));
    };
    table
        .iter()
        .map(|(label, value)| match value.get_ref().as_str() {
            Some(word) => Ok((label.get_ref().to_string(), word.to_owned())),
            None => Err(format!(
                "`{}` is {}, and must be a string",
                label.get_ref(),
                kind(value.get_ref())
            )),
        })
        .collect()
}
