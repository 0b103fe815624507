//! Spans of time and amounts, for people.

use std::time::Duration;

const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

/// A span to come, rounded up: nobody is told that something happens before it does.
pub(super) fn about(span: Duration) -> String {
    let seconds = span.as_secs() + u64::from(span.subsec_nanos() > 0);
    let unit = |size: u64, name: &str| {
        let count = seconds.div_ceil(size);
        format!("about {count} {name}{}", if count == 1 { "" } else { "s" })
    };
    match seconds {
        0..=89 => unit(1, "second"),
        90..5400 => unit(MINUTE, "minute"),
        5400..172_800 => unit(HOUR, "hour"),
        _ => unit(DAY, "day"),
    }
}

/// A time limit as Slurm writes it: `1-02:30:00`.
pub(super) fn limit(span: Duration) -> String {
    let seconds = span.as_secs();
    let (days, hours) = (seconds / DAY, seconds % DAY / HOUR);
    let (minutes, seconds) = (seconds % HOUR / MINUTE, seconds % MINUTE);
    if days > 0 {
        format!("{days}-{hours:02}:{minutes:02}:{seconds:02}")
    } else {
        format!("{hours:02}:{minutes:02}:{seconds:02}")
    }
}

/// An amount of memory or storage, in the largest unit that divides it.
pub(super) fn bytes(count: u64) -> String {
    const UNITS: [(&str, u32); 4] = [("TiB", 40), ("GiB", 30), ("MiB", 20), ("KiB", 10)];
    for (name, bits) in UNITS {
        let whole = count >> bits;
        if whole > 0 && whole << bits == count {
            return format!("{whole} {name}");
        }
    }
    match count >> 20 {
        0 => format!("{count} B"),
        mebibytes => format!("{mebibytes} MiB"),
    }
}

/// A count with its noun.
pub(super) fn counted(count: u64, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod test {
    use super::*;

    #[test]
    fn spans_are_rounded_up_to_one_unit() {
        let about = |seconds| about(Duration::from_secs(seconds));
        assert_eq!(about(1), "about 1 second");
        assert_eq!(about(61), "about 61 seconds");
        assert_eq!(about(601), "about 11 minutes");
        assert_eq!(about(7200), "about 2 hours");
        assert_eq!(about(200_000), "about 3 days");
    }

    #[test]
    fn limits_are_written_as_slurm_does() {
        assert_eq!(limit(Duration::from_secs(3600)), "01:00:00");
        assert_eq!(limit(Duration::from_secs(95_400)), "1-02:30:00");
    }

    #[test]
    fn amounts_keep_their_value() {
        assert_eq!(bytes(4 << 30), "4 GiB");
        assert_eq!(bytes(1536 << 20), "1536 MiB");
        assert_eq!(bytes(512), "512 B");
    }
}
