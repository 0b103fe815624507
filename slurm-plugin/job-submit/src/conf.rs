//! `fedsched.conf`, beside `slurm.conf` and written like it.
//!
//! ```text
//! # Where the daemon listens.
//! Socket=/run/fedsched/plugin.sock
//! # Longest time a submission may take for it, in milliseconds.
//! DeadlineMs=50
//! # Where jobs wait, and where they go instead while the daemon does not answer.
//! QueuePartition=federation
//! FallbackPartition=cpu
//! # Partitions that only the federation sends jobs to.
//! ReservedPartitions=span,k8s-east
//! # The daemon's user.
//! DaemonUser=fedsched
//! # After how many failures in a row it is not asked for a while, and for how long at first.
//! BreakerFailures=3
//! BreakerCooldownMs=1000
//! ```

use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Its name.
pub(crate) const FILE: &str = "fedsched.conf";

/// What the file says, or what holds where it says nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Conf {
    pub(crate) socket: PathBuf,
    pub(crate) deadline: Duration,
    pub(crate) queue_partition: String,
    pub(crate) fallback_partition: Option<String>,
    pub(crate) reserved_partitions: Vec<String>,
    pub(crate) daemon_user: String,
    pub(crate) breaker_failures: NonZeroU32,
    pub(crate) breaker_cooldown: Duration,
}

impl Default for Conf {
    fn default() -> Self {
        Self {
            socket: PathBuf::from("/run/fedsched/plugin.sock"),
            deadline: Duration::from_millis(50),
            queue_partition: "federation".into(),
            fallback_partition: None,
            reserved_partitions: Vec::new(),
            daemon_user: "fedsched".into(),
            breaker_failures: NonZeroU32::MIN.saturating_add(2),
            breaker_cooldown: Duration::from_secs(1),
        }
    }
}

/// A line that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub(crate) struct ConfError {
    line: usize,
    problem: Problem,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
enum Problem {
    #[error("{0:?} is not of the form Key=Value")]
    NotAPair(String),
    #[error("there is no {key}{}; keys are {}", meant(*nearest), names())]
    UnknownKey {
        key: String,
        nearest: Option<&'static str>,
    },
    #[error("{key} is given twice")]
    Twice { key: &'static str },
    #[error("{key}={value} is not possible; it must be {allowed}")]
    BadValue {
        key: &'static str,
        value: String,
        allowed: &'static str,
    },
}

struct Key {
    name: &'static str,
    allowed: &'static str,
    set: fn(&mut Conf, &str) -> Option<()>,
}

const KEYS: &[Key] = &[
    Key {
        name: "Socket",
        allowed: "an absolute path of at most 107 bytes",
        set: |conf, value| {
            conf.socket = socket(value)?;
            Some(())
        },
    },
    Key {
        name: "DeadlineMs",
        allowed: "a number of milliseconds from 1 to 1000",
        set: |conf, value| {
            conf.deadline = milliseconds(value, 1, 1000)?;
            Some(())
        },
    },
    Key {
        name: "QueuePartition",
        allowed: "the name of one partition",
        set: |conf, value| {
            conf.queue_partition = partition(value)?;
            Some(())
        },
    },
    Key {
        name: "FallbackPartition",
        allowed: "the name of one partition",
        set: |conf, value| {
            conf.fallback_partition = Some(partition(value)?);
            Some(())
        },
    },
    Key {
        name: "ReservedPartitions",
        allowed: "names of partitions separated by commas",
        set: |conf, value| {
            conf.reserved_partitions = value.split(',').map(partition).collect::<Option<_>>()?;
            Some(())
        },
    },
    Key {
        name: "DaemonUser",
        allowed: "the name of a user",
        set: |conf, value| {
            conf.daemon_user = partition(value)?;
            Some(())
        },
    },
    Key {
        name: "BreakerFailures",
        allowed: "a number from 1 to 1000",
        set: |conf, value| {
            let failures: NonZeroU32 = value.parse().ok()?;
            conf.breaker_failures = Some(failures).filter(|failures| failures.get() <= 1000)?;
            Some(())
        },
    },
    Key {
        name: "BreakerCooldownMs",
        allowed: "a number of milliseconds from 10 to 60000",
        set: |conf, value| {
            conf.breaker_cooldown = milliseconds(value, 10, 60_000)?;
            Some(())
        },
    },
];

impl Conf {
    /// What a file of this text says.
    pub(crate) fn parse(text: &str) -> Result<Self, ConfError> {
        let mut conf = Self::default();
        let mut seen = Vec::new();
        for (line, text) in (1..).zip(text.lines()) {
            conf.read(text, &mut seen)
                .map_err(|problem| ConfError { line, problem })?;
        }
        Ok(conf)
    }

    /// Where jobs go that the daemon was not asked about.
    pub(crate) fn without_daemon(&self) -> &str {
        self.fallback_partition
            .as_deref()
            .unwrap_or(&self.queue_partition)
    }

    fn read(&mut self, line: &str, seen: &mut Vec<&'static str>) -> Result<(), Problem> {
        let line = line.split('#').next().unwrap_or_default().trim();
        if line.is_empty() {
            return Ok(());
        }
        let Some((name, value)) = line.split_once('=') else {
            return Err(Problem::NotAPair(line.to_owned()));
        };
        let key = find(name.trim())?;
        if seen.contains(&key.name) {
            return Err(Problem::Twice { key: key.name });
        }
        seen.push(key.name);
        let value = value.trim();
        (key.set)(self, value).ok_or_else(|| Problem::BadValue {
            key: key.name,
            value: value.to_owned(),
            allowed: key.allowed,
        })
    }
}

/// Keys are found whatever their case, as in `slurm.conf`.
fn find(name: &str) -> Result<&'static Key, Problem> {
    KEYS.iter()
        .find(|key| key.name.eq_ignore_ascii_case(name))
        .ok_or_else(|| Problem::UnknownKey {
            key: name.to_owned(),
            nearest: nearest(name),
        })
}

fn nearest(name: &str) -> Option<&'static str> {
    const DISTANCE_MAX: usize = 3;
    let name = name.to_ascii_lowercase();
    KEYS.iter()
        .map(|key| {
            let distance = strsim::osa_distance(&name, &key.name.to_ascii_lowercase());
            (distance, key.name)
        })
        .filter(|(distance, _)| *distance <= DISTANCE_MAX)
        .min()
        .map(|(_, key)| key)
}

fn meant(nearest: Option<&str>) -> String {
    nearest.map_or_else(String::new, |nearest| format!(", did you mean {nearest}?"))
}

fn names() -> String {
    let names: Vec<&str> = KEYS.iter().map(|key| key.name).collect();
    names.join(", ")
}

fn socket(value: &str) -> Option<PathBuf> {
    // `sun_path` with its zero byte.
    const BYTES_MAX: usize = 107;
    let path = Path::new(value);
    (path.is_absolute() && value.len() <= BYTES_MAX).then(|| path.to_owned())
}

fn milliseconds(value: &str, min: u64, max: u64) -> Option<Duration> {
    let number: u64 = value.parse().ok()?;
    (min..=max)
        .contains(&number)
        .then(|| Duration::from_millis(number))
}

fn partition(value: &str) -> Option<String> {
    let value = value.trim();
    let allowed = |c: char| !c.is_whitespace() && !c.is_control() && c != ',';
    (!value.is_empty() && value.chars().all(allowed)).then(|| value.to_owned())
}

#[cfg(test)]
mod test {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_empty_file_says_what_no_file_says() {
        assert_eq!(Conf::parse("\n# nothing\n  # = \n"), Ok(Conf::default()));
    }

    #[test]
    fn every_key_is_read_whatever_its_case() {
        let conf = Conf::parse(
            "SOCKET = /tmp/a.sock\ndeadlinems=20 # short\nQueuePartition=room\n\
             FallbackPartition=cpu\nReservedPartitions=span, west\nDaemonUser=fed\n\
             BreakerFailures=5\nBreakerCooldownMs=200\n",
        )
        .unwrap();
        assert_eq!(
            conf,
            Conf {
                socket: "/tmp/a.sock".into(),
                deadline: Duration::from_millis(20),
                queue_partition: "room".into(),
                fallback_partition: Some("cpu".into()),
                reserved_partitions: vec!["span".into(), "west".into()],
                daemon_user: "fed".into(),
                breaker_failures: NonZeroU32::new(5).unwrap(),
                breaker_cooldown: Duration::from_millis(200),
            }
        );
        assert_eq!(conf.without_daemon(), "cpu");
        assert_eq!(Conf::default().without_daemon(), "federation");
    }

    #[test]
    fn a_bad_line_is_named_with_its_remedy() {
        for (text, expected) in [
            (
                "\nDeadline=50\n",
                "line 2: there is no Deadline, did you mean DeadlineMs?; keys are Socket, \
                 DeadlineMs, QueuePartition, FallbackPartition, ReservedPartitions, DaemonUser, \
                 BreakerFailures, BreakerCooldownMs",
            ),
            (
                "DeadlineMs=0",
                "line 1: DeadlineMs=0 is not possible; it must be a number of milliseconds from 1 \
                 to 1000",
            ),
            (
                "Socket=plugin.sock",
                "line 1: Socket=plugin.sock is not possible; it must be an absolute path of at \
                 most 107 bytes",
            ),
            (
                "QueuePartition=a,b",
                "line 1: QueuePartition=a,b is not possible; it must be the name of one partition",
            ),
            (
                "DeadlineMs=5\ndeadlineMS=6",
                "line 2: DeadlineMs is given twice",
            ),
            ("Socket", "line 1: \"Socket\" is not of the form Key=Value"),
        ] {
            assert_eq!(Conf::parse(text).unwrap_err().to_string(), expected);
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text: String) {
            if let Err(error) = Conf::parse(&text) {
                prop_assert!((1..=text.lines().count()).contains(&error.line));
            }
        }
    }
}
