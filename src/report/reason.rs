//! Why a member does not take a job, in words, and what would change it.

use super::span::{about, bytes, counted, limit};
use crate::model::{MemberName, PartitionState, Timestamp};
use crate::scheduler::{Owner, Reason};
use crate::topology::{Obstacle, Shortage};

/// State of a partition as Slurm spells it.
pub(super) fn state(state: PartitionState) -> &'static str {
    match state {
        PartitionState::Up => "UP",
        PartitionState::Down => "DOWN",
        PartitionState::Drain => "DRAIN",
        PartitionState::Inactive => "INACTIVE",
    }
}

/// The reason, with its numbers.
pub(super) fn text(reason: &Reason, now: Timestamp) -> String {
    match reason {
        Reason::NotAsked => "not among the job's --members".to_owned(),
        Reason::Avoided => "the job avoids it (--avoid)".to_owned(),
        Reason::Drained => "drained by the administrator".to_owned(),
        Reason::Missing => "its partition is not in Slurm".to_owned(),
        Reason::State(found) => format!("its partition is {}", state(*found)),
        Reason::Closed => "open only to root or to reservations".to_owned(),
        Reason::Account(account) => format!("account {account} may not use it"),
        Reason::Groups => "none of the user's groups may use it".to_owned(),
        Reason::Qos(qos) => format!("QOS {qos} may not use it"),
        Reason::OwnerUnknown => {
            "it asks for the account or QOS, which slurmctld has not filled in yet".to_owned()
        }
        Reason::Path(path) => format!("{path} is not mounted there"),
        Reason::Image => "it runs no container images (--image)".to_owned(),
        Reason::Time { wanted, most } => format!(
            "time limit {} is over its maximum of {}",
            limit(*wanted),
            limit(*most)
        ),
        Reason::NodesMost { wanted, most } => {
            format!(
                "wants {}, at most {most} are allowed",
                counted((*wanted).into(), "node")
            )
        }
        Reason::NodesLeast { wanted, least } => {
            format!(
                "may have {}, at least {least} are demanded",
                counted((*wanted).into(), "node")
            )
        }
        Reason::MemoryMost { wanted, most } => format!(
            "wants {} on a node, at most {} are allowed",
            bytes(*wanted),
            bytes(*most)
        ),
        Reason::Shape(obstacle) => shape(obstacle),
        Reason::Remembered { why } => format!("could not start there lately ({why})"),
        Reason::Blocked { owner, limit, .. } => format!("{} ({limit})", blocked(owner)),
        Reason::Busy(shortage) => busy(*shortage),
        Reason::Promised { to, direct, start } => {
            let whose = if *direct {
                "sent there directly"
            } else {
                "before it in the queue"
            };
            let when = about(start.since(now));
            format!("free, but kept for job {to}, {whose}, which starts in {when}")
        }
    }
}

fn shape(obstacle: &Obstacle) -> String {
    match obstacle {
        Obstacle::NoNodes => "has no nodes".to_owned(),
        Obstacle::Features => "no node has the features of --constraint".to_owned(),
        Obstacle::Cpus { wanted, most } => {
            format!(
                "wants {} on a node, the largest has {most}",
                counted(*wanted, "CPU")
            )
        }
        Obstacle::Memory { wanted, most } => format!(
            "wants {} on a node, the largest has {}",
            bytes(*wanted),
            bytes(*most)
        ),
        Obstacle::Disk { wanted, most } => format!(
            "wants {} of local storage on a node, the largest has {}",
            bytes(*wanted),
            bytes(*most)
        ),
        Obstacle::Gres { kind, most: 0, .. } => format!("no node has {kind}"),
        Obstacle::Gres { kind, wanted, most } => {
            format!("wants {kind}:{wanted} on a node, the best has {most}")
        }
        Obstacle::Together => "no node has all of it at once".to_owned(),
        Obstacle::Count(shortage) => {
            if shortage.tasks_wanted > shortage.nodes_wanted
                && shortage.nodes >= shortage.nodes_wanted
            {
                format!(
                    "has room for {} of its {}",
                    shortage.tasks,
                    counted(shortage.tasks_wanted.into(), "task")
                )
            } else {
                format!(
                    "wants {}, only {} of its nodes would fit the job",
                    counted(shortage.nodes_wanted.into(), "node"),
                    shortage.nodes
                )
            }
        }
    }
}

fn busy(shortage: Shortage) -> String {
    let Shortage {
        nodes_wanted,
        nodes,
        tasks_wanted,
        tasks,
    } = shortage;
    if nodes_wanted > 1 && nodes < nodes_wanted {
        format!("busy: {nodes} of the {nodes_wanted} nodes it wants are free")
    } else if tasks_wanted > 1 {
        format!("busy: room for {tasks} of its {tasks_wanted} tasks now")
    } else {
        "busy: no node has enough free now".to_owned()
    }
}

fn blocked(owner: &Owner) -> String {
    match owner {
        Owner::Account(account) => format!("a limit of account {account} is used up"),
        Owner::User(_, account) => {
            format!("a limit of the user in account {account} is used up")
        }
        Owner::Qos(qos) => format!("a limit of QOS {qos} is used up"),
        Owner::UserQos(_, qos) => format!("a limit of the user in QOS {qos} is used up"),
        Owner::Request(..) => "a limit of its account or QOS forbids a job like it".to_owned(),
        Owner::Licence(name) => format!("licences for {name} are used up"),
    }
}

/// What would change it; `None` where nobody can do anything but wait.
pub(super) fn remedy(member: &MemberName, reason: &Reason, now: Timestamp) -> Option<String> {
    Some(match reason {
        Reason::NotAsked => format!("With {member} among --members it could also go there."),
        Reason::Avoided => format!("Without --avoid={member} it could also go there."),
        Reason::Time { most, .. } => {
            format!(
                "With a time limit of at most {} (-t) it could run at {member}.",
                limit(*most)
            )
        }
        Reason::NodesMost { most, .. } => {
            format!(
                "With at most {} (-N) it could run at {member}.",
                counted((*most).into(), "node")
            )
        }
        Reason::MemoryMost { most, .. } | Reason::Shape(Obstacle::Memory { most, .. }) => format!(
            "With at most {} of memory on a node (--mem) it could fit {member}.",
            bytes(*most)
        ),
        Reason::Shape(Obstacle::Cpus { most, .. }) => format!(
            "With at most {} on a node (-c, --ntasks-per-node, or more nodes) it could fit {member}.",
            counted(*most, "CPU")
        ),
        Reason::Shape(Obstacle::Gres { kind, most, .. }) if *most > 0 => {
            format!("With at most {kind}:{most} on a node it could fit {member}.")
        }
        Reason::Shape(Obstacle::Count(shortage))
            if shortage.nodes > 0 && shortage.nodes < shortage.nodes_wanted =>
        {
            let nodes = counted(shortage.nodes.into(), "node");
            format!("With at most {nodes} (-N) it could fit {member}.")
        }
        Reason::Path(path) => {
            format!("If it did not need {path} it could run at {member}.")
        }
        Reason::Blocked { until, .. } => format!(
            "It is tried again when that usage falls, or else in {}.",
            about(until.since(now))
        ),
        Reason::Account(_) | Reason::Groups | Reason::Qos(_) | Reason::Closed => {
            format!("An administrator can open {member} to it.")
        }
        _ => return None,
    })
}
