//! Figures and times in words.

use std::time::Duration;

use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};

/// The reader's time and time zone.
#[derive(Debug, Clone)]
pub(crate) struct Clock {
    now: Zoned,
}

impl Clock {
    /// This host's.
    pub(crate) fn local() -> Self {
        Self { now: Zoned::now() }
    }

    #[cfg(test)]
    pub(crate) const fn at(now: Zoned) -> Self {
        Self { now }
    }

    /// A point in time as the reader's wall clock shows it: without the date if it is today's.
    pub(crate) fn wall(&self, at_ms: i64) -> String {
        let Some(at) = self.zoned(at_ms) else {
            return "-".to_owned();
        };
        let format = if at.date() == self.now.date() {
            "%H:%M:%S"
        } else {
            "%Y-%m-%d %H:%M:%S"
        };
        at.strftime(format).to_string()
    }

    /// How long ago it was, such as `2h 5m ago`.
    pub(crate) fn ago(&self, at_ms: i64) -> String {
        format!("{} ago", self.since(at_ms))
    }

    /// Time since then, such as `2h 5m`; nothing if it is still to come.
    pub(crate) fn since(&self, at_ms: i64) -> String {
        span(Duration::from_millis(
            u64::try_from(self.now.timestamp().as_millisecond() - at_ms).unwrap_or(0),
        ))
    }

    /// When it is expected, such as `14:05:00 (in 20m)`.
    pub(crate) fn expected(&self, at_ms: i64) -> String {
        let left = at_ms - self.now.timestamp().as_millisecond();
        match u64::try_from(left) {
            Ok(left) if left > 0 => {
                format!(
                    "{} (in {})",
                    self.wall(at_ms),
                    span(Duration::from_millis(left))
                )
            }
            _ => "any moment".to_owned(),
        }
    }

    fn zoned(&self, at_ms: i64) -> Option<Zoned> {
        let zone: &TimeZone = self.now.time_zone();
        Some(
            Timestamp::from_millisecond(at_ms)
                .ok()?
                .to_zoned(zone.clone()),
        )
    }
}

/// A span in its two largest units: `3d 4h`, `2h 5m`, `1m 10s`, `0s`.
fn span(span: Duration) -> String {
    let seconds = span.as_secs();
    let (days, hours, minutes) = (seconds / 86400, seconds / 3600 % 24, seconds / 60 % 60);
    match (days, hours, minutes) {
        (0, 0, 0) => format!("{seconds}s"),
        (0, 0, minutes) => format!("{minutes}m {}s", seconds % 60),
        (0, hours, minutes) => format!("{hours}h {minutes}m"),
        (days, hours, _) => format!("{days}d {hours}h"),
    }
}

/// Memory as Slurm writes it, `22.5G`, `3T`: units of 1024.
pub(crate) fn memory(bytes: u64) -> String {
    const UNITS: [&str; 3] = ["G", "T", "P"];
    let mut tenths = bytes / ((1 << 30) / 10);
    let mut unit = 0;
    while tenths >= 10 * 1024 && unit + 1 < UNITS.len() {
        tenths /= 1024;
        unit += 1;
    }
    if tenths.is_multiple_of(10) {
        format!("{}{}", tenths / 10, UNITS[unit])
    } else {
        format!("{}.{}{}", tenths / 10, tenths % 10, UNITS[unit])
    }
}

/// `1 job`, `2 jobs`.
pub(crate) fn amount(count: u64, noun: &str) -> String {
    if count == 1 {
        format!("1 {noun}")
    } else {
        format!("{count} {noun}s")
    }
}

/// `text` in lines of at most `room` characters, broken at blanks; a longer word stays whole.
pub(crate) fn broken(text: &str, room: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        let length = line.chars().count() + 1 + word.chars().count();
        if !line.is_empty() && length > room {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.push(line);
    lines
}

#[cfg(test)]
mod test {
    use super::*;

    fn clock() -> Clock {
        Clock::at("2026-11-29T14:00:00+00:00[UTC]".parse().unwrap())
    }

    const NOON: i64 = 1_795_953_600_000;

    #[test]
    fn times_are_told_by_the_wall_clock() {
        assert_eq!(clock().wall(NOON), "12:00:00");
        assert_eq!(clock().wall(NOON - 86_400_000), "2026-11-28 12:00:00");
        assert_eq!(clock().wall(i64::MAX), "-");
    }

    #[test]
    fn spans_are_told_in_their_two_largest_units() {
        assert_eq!(clock().ago(NOON), "2h 0m ago");
        assert_eq!(clock().since(NOON + 7_199_000), "1s");
        assert_eq!(clock().since(NOON + 9_000_000), "0s");
        assert_eq!(clock().since(NOON - 86_400_000), "1d 2h");
        assert_eq!(clock().expected(NOON + 7_270_000), "14:01:10 (in 1m 10s)");
        assert_eq!(clock().expected(NOON), "any moment");
    }

    #[test]
    fn memory_is_told_in_the_unit_that_fits() {
        assert_eq!(memory(0), "0G");
        assert_eq!(memory(1 << 30), "1G");
        assert_eq!(memory(3 << 29), "1.5G");
        assert_eq!(memory(2 << 40), "2T");
        assert_eq!(memory(u64::MAX), "16384P");
    }

    #[test]
    fn text_is_broken_at_blanks() {
        assert_eq!(broken("", 5), [""]);
        assert_eq!(broken("a bb ccc", 4), ["a bb", "ccc"]);
        assert_eq!(broken("abcdefgh ij", 4), ["abcdefgh", "ij"]);
    }
}
