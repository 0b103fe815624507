//! The cluster of a sandbox: its nodes, partitions and people.
//!
//! The nodes are declared larger than the machine that plays them (`config_overrides`), so that
//! jobs of very different sizes can be tried on a small one.

use std::fmt::Write as _;

/// A run of equal nodes, which is also the partition of the same name.
#[derive(Debug)]
pub(crate) struct NodeKind {
    /// Name of the partition and stem of the node names: `cpu` has `cpu1`, `cpu2`, ….
    pub(crate) name: &'static str,
    /// How many nodes.
    pub(crate) count: u16,
    /// CPUs of each.
    pub(crate) cpus: u16,
    /// Memory of each, in MiB.
    pub(crate) memory_mib: u32,
    /// Slurmd port of the first; the others follow.
    port: u16,
}

/// The three members.
pub(crate) const KINDS: [NodeKind; 3] = [
    NodeKind {
        name: "cpu",
        count: 4,
        cpus: 8,
        memory_mib: 16_000,
        port: 7001,
    },
    NodeKind {
        name: "big",
        count: 2,
        cpus: 32,
        memory_mib: 64_000,
        port: 7011,
    },
    NodeKind {
        name: "gpu",
        count: 2,
        cpus: 16,
        memory_mib: 32_000,
        port: 7021,
    },
];

/// The GPU types of `gpu1`, `gpu2`, …, in this order; each node has [`GPUS_PER_NODE`] of its type.
const GPU_TYPES: [&str; 2] = ["a100", "h200"];

/// GPUs of each node of the partition `gpu`.
const GPUS_PER_NODE: u16 = 4;

/// Memory a job gets for each CPU if it asks for none, in MiB; the same in every partition, so
/// that waiting in one and running in another changes nothing.
const DEFAULT_MEMORY_PER_CPU_MIB: u32 = 500;

/// A person or service with an account inside the sandbox.
#[derive(Debug)]
pub(crate) struct Person {
    /// Login name.
    pub(crate) name: &'static str,
    /// User id, and the id of the group of the same name.
    pub(crate) id: u32,
    /// Home directory.
    pub(crate) home: &'static str,
    /// Slurm account.
    pub(crate) account: &'static str,
    /// Has Slurm's `AdminLevel=Operator`.
    pub(crate) operator: bool,
}

/// Everybody who is added to the system's own accounts.
pub(crate) const PEOPLE: [Person; 4] = [
    Person {
        name: "user1",
        id: 60_101,
        home: "/home/user1",
        account: "physics",
        operator: false,
    },
    Person {
        name: "user2",
        id: 60_102,
        home: "/home/user2",
        account: "chemistry",
        operator: false,
    },
    Person {
        name: "operator",
        id: 60_100,
        home: "/home/operator",
        account: "staff",
        operator: true,
    },
    Person {
        name: "fedsched",
        id: 60_099,
        home: "/var/lib/fedsched",
        account: "staff",
        operator: true,
    },
];

impl NodeKind {
    /// The nodes as Slurm abbreviates them: `cpu[1-4]`.
    fn hostlist(&self) -> String {
        format!("{}[1-{}]", self.name, self.count)
    }

    /// The names of its nodes.
    fn names(&self) -> impl Iterator<Item = String> + '_ {
        (1..=self.count).map(|number| format!("{}{number}", self.name))
    }
}

/// The names of all nodes.
pub fn node_names() -> Vec<String> {
    KINDS.iter().flat_map(NodeKind::names).collect()
}

/// The `NodeName=` lines of `slurm.conf`.
pub(crate) fn node_lines() -> String {
    let mut lines = String::new();
    for kind in &KINDS {
        for (number, name) in (0..).zip(kind.names()) {
            let gres = match kind.name {
                "gpu" => format!(
                    " Gres=gpu:{}:{GPUS_PER_NODE}",
                    GPU_TYPES[usize::from(number)]
                ),
                _ => String::new(),
            };
            let _infallible = writeln!(
                lines,
                "NodeName={name} NodeHostname=sandbox Port={port} CPUs={cpus} \
                 RealMemory={memory} Feature={feature}{gres}",
                port = kind.port + number,
                cpus = kind.cpus,
                memory = kind.memory_mib,
                feature = kind.name,
            );
        }
    }
    lines
}

/// The `PartitionName=` lines of `slurm.conf`; `room` ends the line of the waiting room.
pub(crate) fn partition_lines(room: &str) -> String {
    let union: Vec<String> = KINDS.iter().map(NodeKind::hostlist).collect();
    let common = format!("MaxTime=INFINITE DefMemPerCPU={DEFAULT_MEMORY_PER_CPU_MIB}");
    let mut lines = format!(
        "PartitionName=federation Nodes={} Default=YES {common} {room}\n",
        union.join(",")
    );
    for kind in &KINDS {
        let _infallible = writeln!(
            lines,
            "PartitionName={} Nodes={} {common} State=UP",
            kind.name,
            kind.hostlist()
        );
    }
    lines
}

/// `gres.conf`: each GPU is one of the devices of [`gpu_devices`].
pub(crate) fn gres_lines() -> String {
    let mut lines = String::from("AutoDetect=off\n");
    for (number, kind) in (1..).zip(GPU_TYPES) {
        let _infallible = writeln!(
            lines,
            "NodeName=gpu{number} Name=gpu Type={kind} File=/dev/fake-gpu[0-{}]",
            GPUS_PER_NODE - 1
        );
    }
    lines
}

/// The devices that stand for the GPUs of a node; they are `/dev/null` under other names.
pub(crate) fn gpu_devices() -> impl Iterator<Item = String> {
    (0..GPUS_PER_NODE).map(|number| format!("/dev/fake-gpu{number}"))
}

#[cfg(test)]
mod test {
    use super::*;

    #[test]
    fn every_node_has_its_own_line_and_port() {
        let lines = node_lines();
        let ports: std::collections::BTreeSet<&str> = lines
            .split_whitespace()
            .filter_map(|word| word.strip_prefix("Port="))
            .collect();
        assert_eq!(ports.len(), node_names().len());
        assert!(lines.contains("NodeName=gpu2 "));
        assert!(lines.contains("Gres=gpu:h200:4"));
    }

    #[test]
    fn the_room_holds_the_union_of_the_members() {
        let lines = partition_lines("State=DOWN");
        assert!(
            lines.starts_with(
                "PartitionName=federation Nodes=cpu[1-4],big[1-2],gpu[1-2] Default=YES"
            )
        );
        assert_eq!(lines.lines().count(), 4);
    }
}
