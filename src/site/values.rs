//! `Key=Value` as Slurm's commands print it.

use std::collections::BTreeMap;
use std::time::Duration;

/// Values by key. What Slurm prints for nothing (`(null)`, `N/A`, `NONE` …) is absent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Values {
    values: BTreeMap<String, String>,
}

impl Values {
    /// Of lines such as `SlurmUser               = slurm(64030)`.
    pub(super) fn of_lines(text: &str) -> Self {
        let pairs = text.lines().filter_map(|line| line.split_once('='));
        Self::of(pairs.map(|(key, value)| (key.trim(), value.trim())))
    }

    /// Of one line of words such as `PartitionName=cpu AllowGroups=ALL`. A word without `=` belongs
    /// to the value before it.
    pub(super) fn of_words(line: &str) -> Self {
        let mut pairs: Vec<(&str, String)> = Vec::new();
        for word in line.split_whitespace() {
            match (word.split_once('='), pairs.last_mut()) {
                (Some((key, value)), _) => pairs.push((key, value.to_owned())),
                (None, Some((_, value))) => {
                    value.push(' ');
                    value.push_str(word);
                }
                (None, None) => {}
            }
        }
        Self::of(pairs.iter().map(|(key, value)| (*key, value.as_str())))
    }

    fn of<'t>(pairs: impl Iterator<Item = (&'t str, &'t str)>) -> Self {
        let said = pairs.filter(|(_, value)| !value.is_empty() && *value != "(null)");
        Self {
            values: said
                .map(|(key, value)| (key.to_owned(), value.to_owned()))
                .collect(),
        }
    }

    #[cfg(test)]
    pub(super) fn set(&mut self, key: &str, value: &str) {
        self.values.insert(key.to_owned(), value.to_owned());
    }

    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.values.get(key).map(String::as_str)
    }

    /// The value of a key, unless it is one of Slurm's words for "no limit".
    pub fn limit(&self, key: &str) -> Option<&str> {
        self.get(key)
            .filter(|value| !["UNLIMITED", "INFINITE", "NONE", "N/A", "0"].contains(value))
    }

    /// The items of a value separated by commas.
    pub fn list<'s>(&'s self, key: &str) -> impl Iterator<Item = &'s str> + use<'s> {
        let items = self.get(key).unwrap_or_default().split(',');
        items.map(str::trim).filter(|item| !item.is_empty())
    }

    /// A number at the beginning of a value, such as that of `300 sec`.
    pub fn number(&self, key: &str) -> Option<u64> {
        let digits = self.get(key)?.split_whitespace().next()?;
        digits.parse().ok()
    }

    /// A time as Slurm prints it: `[days-]hours:minutes:seconds` or `300 sec`.
    pub fn span(&self, key: &str) -> Option<Duration> {
        let value = self.get(key)?;
        let (days, clock) = match value.split_once('-') {
            Some((days, clock)) => (days.parse().ok()?, clock),
            None => (0, value),
        };
        let parts: Vec<u64> = clock
            .split(':')
            .map(|part| part.parse().ok())
            .collect::<Option<_>>()
            .or_else(|| Some(vec![self.number(key)?]))?;
        let clock = parts
            .iter()
            .try_fold(0_u64, |sum, part| sum.checked_mul(60)?.checked_add(*part))?;
        let days = u64::checked_mul(days, 86400)?;
        Some(Duration::from_secs(days.checked_add(clock)?))
    }
}

#[cfg(test)]
mod test {
    use super::*;

    #[test]
    fn lines_and_words_are_read() {
        let lines = Values::of_lines("SlurmUser = slurm(64030)\nEpilog = (null)\n\nx is UP\n");
        assert_eq!(lines.get("SlurmUser"), Some("slurm(64030)"));
        assert_eq!(lines.get("Epilog"), None);
        let words = Values::of_words("NodeName=cn1 Reason=bad fan State=DOWN Partitions=a,b");
        assert_eq!(words.get("Reason"), Some("bad fan"));
        assert_eq!(words.list("Partitions").collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(words.list("Missing").count(), 0);
    }

    #[test]
    fn figures_are_read() {
        let values = Values::of_words(
            "Period=00:05:00 Long=7-01:00:00 Age=300 sec MaxTime=UNLIMITED MaxNodes=4",
        );
        assert_eq!(values.span("Period"), Some(Duration::from_secs(300)));
        assert_eq!(
            values.span("Long"),
            Some(Duration::from_secs(7 * 86400 + 3600))
        );
        assert_eq!(values.span("Age"), Some(Duration::from_secs(300)));
        assert_eq!(values.span("MaxTime"), None);
        let absurd = Values::of_words("Period=18446744073709551615-00:00:01");
        assert_eq!(absurd.span("Period"), None);
        assert_eq!(values.limit("MaxTime"), None);
        assert_eq!(values.limit("MaxNodes"), Some("4"));
    }
}
