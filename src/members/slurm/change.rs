//! What can be changed of a waiting job, in the words of each way to say it.

use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Map, Value, json};

use super::dialect::Dialect;
use crate::model::PartitionName;

/// A change of a job; what is `None` or `false` stays as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Change {
    /// Partition to move to.
    pub partition: Option<PartitionName>,
    /// Time limit.
    pub time_limit: Option<TimeLimit>,
    /// May begin now: takes back the two minutes that Slurm holds a requeued job.
    pub begin_now: bool,
    /// Held, as an administrator holds.
    pub hold: bool,
}

/// A time limit to set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeLimit {
    /// None.
    Unlimited,
    /// Minutes.
    Minutes(u32),
}

impl Change {
    /// A move to another partition and nothing else.
    pub fn to_partition(partition: PartitionName) -> Self {
        Self {
            partition: Some(partition),
            ..Self::default()
        }
    }

    /// The body of an update.
    pub(super) fn to_json(&self, dialect: Dialect) -> Value {
        let mut body = Map::new();
        if let Some(partition) = &self.partition {
            body.insert("partition".to_owned(), json!(partition.as_str()));
        }
        if let Some(limit) = self.time_limit {
            body.insert("time_limit".to_owned(), limit.to_json(dialect));
        }
        if self.begin_now {
            let now = match dialect {
                Dialect::V38 => json!("now"),
                Dialect::V42 => number(now_s()),
            };
            body.insert("begin_time".to_owned(), now);
        }
        if self.hold {
            body.insert("hold".to_owned(), json!(true));
        }
        Value::Object(body)
    }

    /// The arguments of `scontrol update`.
    pub(super) fn to_arguments(&self) -> Vec<String> {
        let partition = self
            .partition
            .as_ref()
            .map(|name| format!("partition={name}"));
        let limit = self.time_limit.map(|limit| match limit {
            TimeLimit::Unlimited => "timelimit=UNLIMITED".to_owned(),
            TimeLimit::Minutes(minutes) => format!("timelimit={minutes}"),
        });
        let begin = self.begin_now.then(|| "starttime=now".to_owned());
        let hold = self.hold.then(|| "priority=0".to_owned());
        [partition, limit, begin, hold]
            .into_iter()
            .flatten()
            .collect()
    }
}

impl TimeLimit {
    fn to_json(self, dialect: Dialect) -> Value {
        match (self, dialect) {
            (Self::Unlimited, Dialect::V38) => json!("UNLIMITED"),
            (Self::Minutes(minutes), Dialect::V38) => json!(minutes),
            (Self::Unlimited, Dialect::V42) => {
                json!({"set": true, "infinite": true, "number": 0})
            }
            (Self::Minutes(minutes), Dialect::V42) => number(minutes.into()),
        }
    }
}

fn number(value: u64) -> Value {
    json!({"set": true, "infinite": false, "number": value})
}

fn now_s() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs())
}

#[cfg(test)]
mod test {
    use super::*;

    #[test]
    fn a_change_is_said_in_three_languages() {
        let change = Change {
            partition: Some("cpu".into()),
            time_limit: Some(TimeLimit::Minutes(60)),
            ..Change::default()
        };
        assert_eq!(
            change.to_json(Dialect::V38),
            json!({"partition": "cpu", "time_limit": 60})
        );
        assert_eq!(
            change.to_json(Dialect::V42),
            json!({"partition": "cpu", "time_limit": {"set": true, "infinite": false, "number": 60}})
        );
        assert_eq!(change.to_arguments(), ["partition=cpu", "timelimit=60"]);
    }

    #[test]
    fn a_requeued_job_may_begin_now() {
        let change = Change {
            time_limit: Some(TimeLimit::Unlimited),
            begin_now: true,
            hold: true,
            ..Change::default()
        };
        assert_eq!(
            change.to_json(Dialect::V38),
            json!({"time_limit": "UNLIMITED", "begin_time": "now", "hold": true})
        );
        assert!(change.to_json(Dialect::V42)["begin_time"]["number"].as_u64() > Some(0));
        assert_eq!(
            change.to_arguments(),
            ["timelimit=UNLIMITED", "starttime=now", "priority=0"]
        );
    }
}
