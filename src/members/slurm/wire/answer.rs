//! What surrounds the records of every answer.

use serde::Deserialize;

use super::lenient::{Number, Text};

/// An answer with records of one kind.
#[derive(Debug, Deserialize)]
#[serde(bound = "T: Deserialize<'de>")]
pub(in super::super) struct Answer<T> {
    /// Missing only in answers that are no listing.
    #[serde(
        default = "Option::default",
        alias = "jobs",
        alias = "nodes",
        alias = "partitions",
        alias = "reservations",
        alias = "users"
    )]
    pub(in super::super) records: Option<Vec<T>>,
    /// When slurmctld made the listing; v0.0.38 does not say.
    #[serde(default)]
    last_update: Number,
    #[serde(default)]
    errors: Vec<Fault>,
    #[serde(default)]
    warnings: Vec<Warning>,
    /// What became of each job that was to be ended (v0.0.42).
    #[serde(default)]
    status: Vec<Ended>,
}

#[derive(Debug, Deserialize)]
struct Warning {
    #[serde(default)]
    description: Text,
}

#[derive(Debug, Deserialize)]
struct Ended {
    #[serde(default)]
    error: EndFault,
}

#[derive(Debug, Default, Deserialize)]
struct EndFault {
    code: Option<i64>,
    #[serde(default)]
    message: Text,
}

impl<T> Answer<T> {
    /// When slurmctld made the listing, seconds since 1970.
    pub(in super::super) fn made(&self) -> Option<i64> {
        self.last_update.time()
    }

    /// Jobs that did not change since the time given are an empty list with a warning in v0.0.42: not
    /// to be mistaken for a cluster without jobs.
    pub(in super::super) fn is_unchanged(&self) -> bool {
        let empty = self.records.as_ref().is_some_and(Vec::is_empty);
        let said = |warning: &Warning| warning.description.0.contains("changes since update_time");
        empty && self.warnings.iter().any(said)
    }

    /// The first thing that went wrong.
    pub(in super::super) fn fault(&self) -> Option<Fault> {
        let listed = self.errors.iter().find(|fault| fault.code().is_some());
        let ended = || {
            self.status.iter().find_map(|job| {
                job.error.code.filter(|&code| code != 0).map(|code| Fault {
                    error_number: Some(code),
                    error: job.error.message.clone(),
                    ..Fault::default()
                })
            })
        };
        listed.cloned().or_else(ended)
    }
}

/// One entry of `errors`.
#[derive(Debug, Clone, Default, Deserialize)]
pub(in super::super) struct Fault {
    error_number: Option<i64>,
    error_code: Option<i64>,
    #[serde(default)]
    error: Text,
    #[serde(default)]
    description: Text,
}

impl Fault {
    /// Slurm's error number. v0.0.38 lists a *successful* update of an array with no number at all:
    /// that is no fault.
    pub(in super::super) fn code(&self) -> Option<i64> {
        self.error_number
            .or(self.error_code)
            .filter(|&code| code != 0)
    }

    /// Slurm's own words.
    pub(in super::super) fn text(&self) -> String {
        match (self.error.0.as_str(), self.description.0.as_str()) {
            ("", description) => description.to_owned(),
            (error, "") => error.to_owned(),
            (error, description) => format!("{error} ({description})"),
        }
    }
}

/// Answer to a ping: who is there.
#[derive(Debug, Deserialize)]
pub(in super::super) struct Greeting {
    #[serde(default)]
    meta: Meta,
    #[serde(default)]
    pings: Vec<Ping>,
}

#[derive(Debug, Default, Deserialize)]
struct Meta {
    #[serde(default, alias = "Slurm")]
    slurm: Release,
}

#[derive(Debug, Default, Deserialize)]
struct Release {
    #[serde(default)]
    release: Text,
    #[serde(default)]
    cluster: Text,
}

#[derive(Debug, Deserialize)]
struct Ping {
    #[serde(default, alias = "ping")]
    pinged: Text,
}

impl Greeting {
    /// Release of slurmrestd, such as `22.05.8`.
    pub(in super::super) fn release(&self) -> &str {
        &self.meta.slurm.release.0
    }

    /// Name of the cluster; v0.0.38 does not say.
    pub(in super::super) fn cluster(&self) -> Option<&str> {
        Some(self.meta.slurm.cluster.0.as_str()).filter(|name| !name.is_empty())
    }

    /// Whether a slurmctld answers slurmrestd.
    pub(in super::super) fn controller_up(&self) -> bool {
        self.pings.iter().any(|ping| ping.pinged.0 == "UP")
    }
}

#[cfg(test)]
mod test {
    use super::*;

    fn answer(json: &str) -> Answer<u32> {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn an_array_update_without_an_error_number_is_no_fault() {
        let json =
            r#"{"errors":[{"description":"job array update failed","source":"_parse_job_list"}]}"#;
        assert!(answer(json).fault().is_none());
    }

    #[test]
    fn a_fault_is_found_under_either_name_and_in_either_place() {
        let json =
            r#"{"errors":[{"error":"a","error_code":2054},{"error":"b","error_number":9001}]}"#;
        assert_eq!(answer(json).fault().unwrap().code(), Some(2054));
        let json = r#"{"status":[{"error":{"code":0}},{"error":{"code":2017,"message":"no"}}],"errors":[]}"#;
        let fault = answer(json).fault().unwrap();
        assert_eq!((fault.code(), fault.text().as_str()), (Some(2017), "no"));
    }

    #[test]
    fn nothing_changed_is_not_nothing_there() {
        let warned =
            r#"{"jobs":[],"warnings":[{"description":"No job changes since update_time[1]=x"}]}"#;
        assert!(answer(warned).is_unchanged());
        assert!(!answer(r#"{"jobs":[],"warnings":[]}"#).is_unchanged());
        assert!(!answer(r#"{"jobs":[]}"#).is_unchanged());
    }

    #[test]
    fn records_have_many_names() {
        assert_eq!(answer(r#"{"nodes":[1,2]}"#).records, Some(vec![1, 2]));
        assert_eq!(answer(r#"{"results":null}"#).records, None);
    }
}
