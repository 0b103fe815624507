//! The services of a sandbox, by name.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use crate::cluster;

/// One long-running program of a sandbox.
#[derive(Clone, Debug, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(into = "String", try_from = "String")]
pub enum Service {
    /// The authentication service.
    Munged,
    /// The database below slurmdbd.
    Mariadbd,
    /// Slurm's accounting daemon.
    Slurmdbd,
    /// Slurm's controller.
    Slurmctld,
    /// Slurm's REST interface on a Unix socket, for its own user.
    Slurmrestd,
    /// Slurm's REST interface on loopback TCP, for whoever has a token.
    SlurmrestdTcp,
    /// The slurmd of the node of this name.
    Slurmd(String),
    /// The fedsched daemon.
    Fedsched,
}

impl Service {
    /// Every service there can be, in the order in which they start.
    pub fn all() -> Vec<Self> {
        let nodes = cluster::node_names().into_iter().map(Self::Slurmd);
        let mut all = vec![
            Self::Munged,
            Self::Mariadbd,
            Self::Slurmdbd,
            Self::Slurmctld,
        ];
        all.extend([Self::Slurmrestd, Self::SlurmrestdTcp]);
        all.extend(nodes);
        all.push(Self::Fedsched);
        all
    }

    /// Where the service writes its log, inside the sandbox.
    pub(crate) fn log(&self) -> String {
        match self {
            Self::Slurmdbd | Self::Slurmctld | Self::Slurmd(_) => {
                format!("/var/log/slurm/{self}.log")
            }
            _ => self.output(),
        }
    }

    /// Where the service's standard output and error go, inside the sandbox.
    pub(crate) fn output(&self) -> String {
        format!("/var/log/sandbox/{self}.out")
    }
}

impl fmt::Display for Service {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Munged => formatter.write_str("munged"),
            Self::Mariadbd => formatter.write_str("mariadbd"),
            Self::Slurmdbd => formatter.write_str("slurmdbd"),
            Self::Slurmctld => formatter.write_str("slurmctld"),
            Self::Slurmrestd => formatter.write_str("slurmrestd"),
            Self::SlurmrestdTcp => formatter.write_str("slurmrestd-tcp"),
            Self::Slurmd(node) => write!(formatter, "slurmd-{node}"),
            Self::Fedsched => formatter.write_str("fedsched"),
        }
    }
}

impl FromStr for Service {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let all = Self::all();
        all.iter()
            .find(|service| service.to_string() == text)
            .cloned()
            .ok_or_else(|| {
                let names: Vec<String> = all.iter().map(Self::to_string).collect();
                format!(
                    "`{text}` is not a service of the sandbox: use one of {}",
                    names.join(", ")
                )
            })
    }
}

impl From<Service> for String {
    fn from(service: Service) -> Self {
        service.to_string()
    }
}

impl TryFrom<String> for Service {
    type Error = String;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

#[cfg(test)]
mod test {
    use super::*;

    #[test]
    fn names_are_read_back() {
        assert_eq!("slurmrestd-tcp".parse(), Ok(Service::SlurmrestdTcp));
        for service in Service::all() {
            assert_eq!(service.to_string().parse(), Ok(service));
        }
        assert!(
            "slurmd-nosuch"
                .parse::<Service>()
                .unwrap_err()
                .contains("slurmd-cpu1")
        );
    }
}
