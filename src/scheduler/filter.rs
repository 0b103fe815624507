//! Whether a member takes a job at all: one function for each thing that can stand in the way, the
//! ones that cost nothing first.

use super::Reason;
use super::candidate::Candidate;
use crate::model::{Memory, PartitionState};
use crate::topology::Obstacle;

/// A filter: passes, or says why not.
type Filter = fn(&Candidate<'_>) -> Result<(), Reason>;

/// Every filter with its name, in the order they are asked; the first refusal is told.
pub(super) const FILTERS: &[(&str, Filter)] = &[
    ("members", members),
    ("image", image),
    ("paths", paths),
    ("drained", drained),
    ("listed", listed),
    ("access", access),
    ("time limit", time_limit),
    ("node count", node_count),
    ("memory limit", memory_limit),
    ("shape", shape),
    ("state", state),
    ("limits", limits),
    ("remembered", remembered),
];

/// The first refusal, if any.
pub(super) fn refusal(candidate: &Candidate<'_>) -> Option<Reason> {
    FILTERS
        .iter()
        .find_map(|(_, filter)| filter(candidate).err())
}

/// Every refusal: what all would have to change.
pub(super) fn refusals(candidate: &Candidate<'_>) -> Vec<Reason> {
    let mut all: Vec<Reason> = Vec::new();
    for (_, filter) in FILTERS {
        match filter(candidate) {
            Err(Reason::Shape(_)) => all.extend(shapes(candidate).into_iter().map(Reason::Shape)),
            Err(reason) if !all.contains(&reason) => all.push(reason),
            Err(_) | Ok(()) => {}
        }
    }
    all
}

fn members(candidate: &Candidate<'_>) -> Result<(), Reason> {
    let directives = &candidate.profile.directives;
    let name = candidate.member.name.as_str();
    let named = |list: &[String]| list.iter().any(|member| member == name);
    if !directives.members.is_empty() && !named(&directives.members) {
        return Err(Reason::NotAsked);
    }
    if named(&directives.avoid) {
        return Err(Reason::Avoided);
    }
    Ok(())
}

/// Partitions of real nodes run what the nodes have: none takes an image.
fn image(candidate: &Candidate<'_>) -> Result<(), Reason> {
    match candidate.profile.directives.image {
        Some(_) => Err(Reason::Image),
        None => Ok(()),
    }
}

fn paths(candidate: &Candidate<'_>) -> Result<(), Reason> {
    let Some(mounted) = &candidate.member.paths else {
        return Ok(());
    };
    let request = &candidate.profile.request;
    let work_dir = Some(&request.work_dir).filter(|path| !path.is_empty());
    let needed = candidate.profile.directives.needs.iter().chain(work_dir);
    for path in needed {
        if !mounted.iter().any(|prefix| lies_under(path, prefix)) {
            return Err(Reason::Path(path.clone()));
        }
    }
    Ok(())
}

/// Whether `path` is `prefix` or below it; `/scratch2` is not below `/scratch`.
fn lies_under(path: &str, prefix: &str) -> bool {
    let prefix = prefix.trim_end_matches('/');
    path.strip_prefix(prefix)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn drained(candidate: &Candidate<'_>) -> Result<(), Reason> {
    if candidate.member.drained {
        return Err(Reason::Drained);
    }
    Ok(())
}

fn listed(candidate: &Candidate<'_>) -> Result<(), Reason> {
    candidate.partition.map(|_| ()).ok_or(Reason::Missing)
}

fn state(candidate: &Candidate<'_>) -> Result<(), Reason> {
    match candidate.partition.map(|partition| partition.state) {
        None => Err(Reason::Missing),
        Some(PartitionState::Up) => Ok(()),
        Some(state) => Err(Reason::State(state)),
    }
}

fn access(candidate: &Candidate<'_>) -> Result<(), Reason> {
    let Some(access) = candidate.partition.map(|partition| &partition.access) else {
        return Ok(());
    };
    let profile = candidate.profile;
    if access.closed {
        return Err(Reason::Closed);
    }
    let accounts = [&access.accounts_allowed, &access.accounts_denied];
    if profile.account.as_str().is_empty() && accounts.iter().any(|list| !list.is_empty()) {
        return Err(Reason::OwnerUnknown);
    }
    let qos = [&access.qos_allowed, &access.qos_denied];
    if profile.qos.as_str().is_empty() && qos.iter().any(|list| !list.is_empty()) {
        return Err(Reason::OwnerUnknown);
    }
    if !allows(
        &access.accounts_allowed,
        &access.accounts_denied,
        &profile.account,
    ) {
        return Err(Reason::Account(profile.account.clone()));
    }
    if !allows(&access.qos_allowed, &access.qos_denied, &profile.qos) {
        return Err(Reason::Qos(profile.qos.clone()));
    }
    let groups = &access.groups_allowed;
    if !groups.is_empty() && !profile.groups.iter().any(|group| groups.contains(group)) {
        return Err(Reason::Groups);
    }
    Ok(())
}

/// Slurm reads a list of the denied only where there is none of the allowed.
fn allows<T: PartialEq>(allowed: &[T], denied: &[T], name: &T) -> bool {
    if allowed.is_empty() {
        !denied.contains(name)
    } else {
        allowed.contains(name)
    }
}

fn time_limit(candidate: &Candidate<'_>) -> Result<(), Reason> {
    let most = candidate.partition.and_then(|partition| partition.time_max);
    let request = &candidate.profile.request;
    match (request.time_min.or(request.time_limit), most) {
        (Some(wanted), Some(most)) if wanted > most => Err(Reason::Time { wanted, most }),
        _ => Ok(()),
    }
}

fn node_count(candidate: &Candidate<'_>) -> Result<(), Reason> {
    let Some(partition) = candidate.partition else {
        return Ok(());
    };
    for part in &candidate.profile.request.parts {
        let wanted = part.nodes_min.max(1);
        if let Some(most) = partition.nodes_max
            && wanted > most
        {
            return Err(Reason::NodesMost { wanted, most });
        }
        let least = partition.nodes_min;
        if let Some(wanted) = part.nodes_max
            && wanted < least
        {
            return Err(Reason::NodesLeast { wanted, least });
        }
    }
    Ok(())
}

fn memory_limit(candidate: &Candidate<'_>) -> Result<(), Reason> {
    let most = match candidate.partition.map(|partition| partition.memory_max) {
        Some(Memory::PerNode(most)) if most > 0 => most,
        _ => return Ok(()),
    };
    for part in &candidate.profile.request.parts {
        if let Memory::PerNode(wanted) = part.memory
            && wanted > most
        {
            return Err(Reason::MemoryMost { wanted, most });
        }
    }
    Ok(())
}

fn shape(candidate: &Candidate<'_>) -> Result<(), Reason> {
    match shapes(candidate).first() {
        None => Ok(()),
        Some(obstacle) => Err(Reason::Shape(obstacle.clone())),
    }
}

fn shapes(candidate: &Candidate<'_>) -> Vec<Obstacle> {
    let snapshot = &candidate.site.snapshot;
    snapshot.obstacles(&candidate.member.partition, &candidate.needs)
}

fn limits(candidate: &Candidate<'_>) -> Result<(), Reason> {
    match candidate.site.blocks.on(candidate.profile) {
        None => Ok(()),
        Some((owner, block)) => Err(Reason::Blocked {
            owner,
            limit: block.limit.clone(),
            until: block.until,
        }),
    }
}

fn remembered(candidate: &Candidate<'_>) -> Result<(), Reason> {
    let remembered = candidate.profile.remembered.iter();
    match remembered
        .into_iter()
        .find(|(member, _)| *member == candidate.member.name)
    {
        None => Ok(()),
        Some((_, why)) => Err(Reason::Remembered { why: why.clone() }),
    }
}
