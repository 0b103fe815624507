//! The waiting room: a partition that accepts every job and starts none.

use std::collections::BTreeSet;

use fedsched_protocol::query::Finding;

use super::finding::{error, ok, warning};
use crate::config::Config;
use crate::site::{Accounting, Partition, Qos, Site};

/// What keeps jobs from starting in the room.
#[derive(Debug, Clone, PartialEq, Eq)]
enum RoomKind {
    /// `State=DOWN`.
    Down,
    /// `State=UP` under a QOS of this name, with `GrpJobs=0`.
    Qos(String),
    /// Nothing: jobs start in it.
    Open {
        /// Why what should hold them does not.
        why: String,
    },
    /// It refuses jobs.
    Shut,
}

/// What keeps jobs from starting in `room`.
fn room_kind(room: &Partition, site: &Site, accounting: Option<&Accounting>) -> RoomKind {
    match room.state.as_str() {
        "DOWN" => RoomKind::Down,
        "UP" => held_by_qos(room, site, accounting),
        _ => RoomKind::Shut,
    }
}

fn held_by_qos(room: &Partition, site: &Site, accounting: Option<&Accounting>) -> RoomKind {
    let open = |why: &str| RoomKind::Open {
        why: why.to_owned(),
    };
    let Some(name) = &room.qos else {
        return open("it is UP and has no QOS");
    };
    let Some(accounting) = accounting else {
        return open("it is UP and slurmdbd cannot be asked for its QOS");
    };
    match accounting.qos(name) {
        None => open(&format!("it is UP and its QOS {name} does not exist")),
        Some(Qos {
            jobs_max: Some(0), ..
        }) => {
            let enforced: Vec<&str> = site.config.list("AccountingStorageEnforce").collect();
            // `safe` and `limits` imply associations; the limits of a QOS need `qos` as well.
            let limits = enforced
                .iter()
                .any(|item| ["limits", "safe", "all"].contains(item));
            let qos = enforced.iter().any(|item| ["qos", "all"].contains(item));
            if limits && qos {
                RoomKind::Qos(name.clone())
            } else {
                open("it is UP and AccountingStorageEnforce lacks limits,qos")
            }
        }
        Some(_) => open(&format!("it is UP and its QOS {name} has no GrpJobs=0")),
    }
}

pub(super) fn room(config: &Config, site: &Site, accounting: Option<&Accounting>) -> Vec<Finding> {
    let name = config.settings.queue_partition.as_str();
    let Some(room) = site.partitions.get(name) else {
        return vec![error(
            "waiting room",
            format!("there is no partition {name}"),
            "add the lines of `fedsched slurm-conf` to slurm.conf, then `scontrol reconfigure`",
        )];
    };
    let mut findings = vec![gate(room, site, accounting), default(room, site)];
    if let Some(accounting) = accounting {
        findings.extend(ways_past(room, site, accounting));
    }
    findings.extend(limits(room));
    findings.extend(nodes(config, site, name));
    findings
}

fn gate(room: &Partition, site: &Site, accounting: Option<&Accounting>) -> Finding {
    const SUBJECT: &str = "waiting room";
    let name = &room.name;
    match room_kind(room, site, accounting) {
        RoomKind::Down => ok(SUBJECT, format!("{name} is DOWN: nothing starts in it")),
        RoomKind::Qos(qos) => ok(
            SUBJECT,
            format!("{name} is UP under the QOS {qos}: nothing starts in it"),
        ),
        RoomKind::Open { why } => error(
            SUBJECT,
            format!("jobs can start in {name}, on any member's nodes: {why}"),
            format!(
                "at once: `scontrol update partitionname={name} state=down`; then make it so in \
                 slurm.conf (`fedsched slurm-conf` prints the lines)"
            ),
        ),
        RoomKind::Shut => error(
            SUBJECT,
            format!("{name} is {}: it refuses jobs", room.state),
            format!("`scontrol update partitionname={name} state=down`"),
        ),
    }
}

fn default(room: &Partition, site: &Site) -> Finding {
    const SUBJECT: &str = "default partition";
    if room.is_default {
        return ok(SUBJECT, room.name.clone());
    }
    let default = site.partitions.values().find(|other| other.is_default);
    warning(
        SUBJECT,
        format!(
            "{}: heterogeneous jobs, and every job while the plugin is not loaded, pass the \
             federation by",
            default.map_or("there is none", |other| &other.name)
        ),
        format!("set Default=YES for {}", room.name),
    )
}

/// A QOS of a job that overrides its partition's lets it start in a room that is UP.
fn ways_past(room: &Partition, site: &Site, accounting: &Accounting) -> Option<Finding> {
    let RoomKind::Qos(gate) = room_kind(room, site, Some(accounting)) else {
        return None;
    };
    let past: Vec<&str> = accounting
        .qos
        .iter()
        .filter(|qos| qos.name != gate && qos.flags.iter().any(|flag| flag == "OverPartQOS"))
        .map(|qos| qos.name.as_str())
        .collect();
    (!past.is_empty()).then(|| {
        error(
            "waiting room",
            format!(
                "jobs with the QOS {} start in it: OverPartQOS overrides {gate}",
                past.join(", ")
            ),
            "use a room that is DOWN (`fedsched slurm-conf --room down`), or take OverPartQOS away",
        )
    })
}

/// What the room refuses or fixes at submission holds for every member.
fn limits(room: &Partition) -> Vec<Finding> {
    const SUBJECT: &str = "limits of the waiting room";
    let name = &room.name;
    let mut findings = Vec::new();
    if let Some(max) = &room.time_max {
        findings.push(warning(
            SUBJECT,
            format!("MaxTime={max}: longer jobs never leave it, and jobs without -t may get it"),
            format!("set MaxTime=INFINITE for {name}; each member keeps its own"),
        ));
    }
    if let Some(max) = &room.nodes_max {
        findings.push(warning(
            SUBJECT,
            format!("MaxNodes={max}: larger jobs never leave it"),
            format!("remove MaxNodes from {name}; each member keeps its own"),
        ));
    }
    if let Some(max) = room
        .memory_max
        .as_deref()
        .filter(|max| max.contains("PerCPU"))
    {
        findings.push(warning(
            SUBJECT,
            format!("{max}: a job that asks for more memory gets more CPUs, for good"),
            format!("remove it from {name}; each member keeps its own"),
        ));
    }
    if room.memory_default.is_none() {
        findings.push(warning(
            SUBJECT,
            "no default memory: a job that asks for none counts as a whole node against limits",
            format!("set a small DefMemPerCPU for {name}; the member's own holds at the start"),
        ));
    }
    if room.closed || !room.restrictions.is_empty() {
        let what = if room.closed {
            "RootOnly or ReqResv".to_owned()
        } else {
            room.restrictions.join(", ")
        };
        findings.push(warning(
            SUBJECT,
            format!("{what}: it is closed to others, whatever the members allow"),
            format!("open {name} to everybody; each member keeps its own rules"),
        ));
    }
    if room.hidden {
        findings.push(warning(
            SUBJECT,
            "Hidden=YES: users do not see their own waiting jobs in squeue",
            format!("set Hidden=NO for {name}"),
        ));
    }
    if findings.is_empty() {
        findings.push(ok(SUBJECT, "none that a member does not have"));
    }
    findings
}

/// Slurm checks at submission whether a job fits the room's nodes: they must be the members'.
fn nodes(config: &Config, site: &Site, name: &str) -> Vec<Finding> {
    const SUBJECT: &str = "nodes of the waiting room";
    let room: BTreeSet<&str> = site.nodes_of(name).collect();
    let members: BTreeSet<&str> = config
        .settings
        .members
        .iter()
        .flat_map(|member| site.nodes_of(member.partition.as_str()))
        .collect();
    let missing: Vec<&str> = members.difference(&room).copied().collect();
    let surplus: Vec<&str> = room.difference(&members).copied().collect();
    let remedy = format!("set Nodes= of {name} as `fedsched slurm-conf` prints it");
    let mut findings = Vec::new();
    if !missing.is_empty() {
        findings.push(error(
            SUBJECT,
            format!(
                "{} of members are not in it: jobs that need them are refused",
                some(&missing)
            ),
            remedy.clone(),
        ));
    }
    if !surplus.is_empty() {
        findings.push(warning(
            SUBJECT,
            format!(
                "{} are in it and in no member: jobs that need them wait for ever",
                some(&surplus)
            ),
            remedy,
        ));
    }
    if findings.is_empty() {
        findings.push(ok(SUBJECT, format!("the members' {}", room.len())));
    }
    findings
}

/// A few names, and how many more there are.
fn some(names: &[&str]) -> String {
    const SHOWN: usize = 4;
    let shown = names.iter().take(SHOWN).copied().collect::<Vec<_>>();
    match names.len().saturating_sub(SHOWN) {
        0 => format!("nodes {}", shown.join(", ")),
        more => format!("nodes {} and {more} more", shown.join(", ")),
    }
}
