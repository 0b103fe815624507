//! What the site's Slurm says of itself, through its own commands: they work the same on every
//! version, and before anything of fedsched does.
//!
//! For `fedsched check` and `fedsched slurm-conf` only; the daemon listens to its own source.

mod accounting;
mod command;
mod partition;
mod plugin;
mod values;

use std::collections::{BTreeMap, BTreeSet};

pub use accounting::{Accounting, Qos};
pub use command::{Error, output};
pub use partition::Partition;
pub use plugin::Plugin;
pub use values::Values;

/// slurm.conf as slurmctld has it, its partitions and nodes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Site {
    /// Values of `scontrol show config`.
    pub config: Values,
    /// Partitions, by name.
    pub partitions: BTreeMap<String, Partition>,
    /// Nodes, and the partitions that each is in.
    pub nodes: BTreeMap<String, BTreeSet<String>>,
}

impl Site {
    /// Asks slurmctld.
    pub fn ask() -> Result<Self, Error> {
        Ok(Self::parse(
            &output("scontrol", ["show", "config"])?,
            &output("scontrol", ["-a", "-o", "show", "partition"])?,
            &output("scontrol", ["-a", "-o", "show", "node"])?,
        ))
    }

    fn parse(config: &str, partitions: &str, nodes: &str) -> Self {
        let partitions = partitions.lines().filter_map(Partition::parse);
        Self {
            config: Values::of_lines(config),
            partitions: partitions
                .map(|partition| (partition.name.clone(), partition))
                .collect(),
            nodes: nodes.lines().filter_map(node).collect(),
        }
    }

    /// Names of the nodes in a partition.
    pub fn nodes_of<'s>(&'s self, partition: &'s str) -> impl Iterator<Item = &'s str> {
        let inside = self
            .nodes
            .iter()
            .filter(move |(_, of)| of.contains(partition));
        inside.map(|(name, _)| name.as_str())
    }
}

/// A node's name and partitions, from its line.
fn node(line: &str) -> Option<(String, BTreeSet<String>)> {
    let values = Values::of_words(line);
    let name = values.get("NodeName")?.to_owned();
    let partitions = values.list("Partitions").map(str::to_owned).collect();
    Some((name, partitions))
}

#[cfg(test)]
pub(crate) mod test {
    use super::*;

    /// A site as a real slurmctld 22.05 printed it: a waiting room DOWN, members cpu, big and gpu.
    pub(crate) fn site() -> Site {
        Site::parse(
            include_str!("test/22.05/config.txt"),
            include_str!("test/22.05/partitions.txt"),
            include_str!("test/22.05/nodes.txt"),
        )
    }

    /// Its slurmdbd: the daemon's user is an Operator, and there is a QOS for the room.
    pub(crate) fn accounting() -> Accounting {
        Accounting {
            qos: vec![
                Qos {
                    name: "normal".to_owned(),
                    ..Qos::default()
                },
                Qos {
                    name: "federation".to_owned(),
                    jobs_max: Some(0),
                    ..Qos::default()
                },
            ],
            admins: vec![("fedsched".to_owned(), "Operator".to_owned())],
        }
    }

    /// The same values but for one.
    pub(crate) fn with(values: &Values, key: &str, value: &str) -> Values {
        let mut values = values.clone();
        values.set(key, value);
        values
    }

    /// As 24.11 and 26.05 printed theirs: the same members, a waiting room under a QOS.
    fn later_sites() -> [(&'static str, Site); 2] {
        [
            (
                "24.11.5",
                Site::parse(
                    include_str!("test/24.11/config.txt"),
                    include_str!("test/24.11/partitions.txt"),
                    include_str!("test/24.11/nodes.txt"),
                ),
            ),
            (
                "26.05.5",
                Site::parse(
                    include_str!("test/26.05/config.txt"),
                    include_str!("test/26.05/partitions.txt"),
                    include_str!("test/26.05/nodes.txt"),
                ),
            ),
        ]
    }

    #[test]
    fn later_releases_are_read_alike() {
        for (release, later) in later_sites() {
            assert_eq!(later.config.get("SLURM_VERSION"), Some(release));
            assert_eq!(later.nodes, site().nodes, "{release}");
            let mut partitions = site().partitions;
            let room = partitions.get_mut("federation").unwrap();
            room.state = "UP".to_owned();
            room.qos = Some("federation".to_owned());
            assert_eq!(later.partitions, partitions, "{release}");
        }
    }

    #[test]
    fn what_slurmctld_prints_is_read() {
        let site = site();
        assert_eq!(site.config.get("SLURM_VERSION"), Some("22.05.8"));
        assert_eq!(site.config.get("JobSubmitPlugins"), None, "(null)");
        let room = &site.partitions["federation"];
        assert!(room.is_default && room.state == "DOWN");
        assert_eq!(room.nodes, "big[1-2],cpu[1-4],gpu[1-2]");
        assert_eq!(room.time_max, None);
        assert_eq!(
            site.partitions["gpu"].memory_default.as_deref(),
            Some("DefMemPerCPU=500")
        );
        assert_eq!(site.nodes_of("gpu").collect::<Vec<_>>(), ["gpu1", "gpu2"]);
        assert_eq!(site.nodes_of("federation").count(), 8);
    }
}
