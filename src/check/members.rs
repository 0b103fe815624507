//! The members' partitions.

use std::collections::BTreeSet;

use fedsched_protocol::query::Finding;

use super::finding::{error, ok, warning};
use crate::config::Config;
use crate::model::Declaration;
use crate::site::{Partition, Site};

pub(super) fn members(config: &Config, site: &Site) -> Vec<Finding> {
    let mut findings = Vec::new();
    for member in &config.settings.members {
        match site.partitions.get(member.partition.as_str()) {
            Some(partition) => findings.extend(one(member, partition, site)),
            None => findings.push(error(
                &subject(member),
                format!("there is no partition {}", member.partition),
                "correct the member's `partition`, or add it to slurm.conf",
            )),
        }
    }
    findings.extend(tiers(config, site));
    findings
}

fn subject(member: &Declaration) -> String {
    format!("member {}", member.name)
}

fn one(member: &Declaration, partition: &Partition, site: &Site) -> Vec<Finding> {
    let subject = subject(member);
    let name = &partition.name;
    let nodes = site.nodes_of(name).count();
    let mut findings = Vec::new();
    if partition.state != "UP" {
        findings.push(error(
            &subject,
            format!(
                "its partition {name} is {}: it takes no jobs",
                partition.state
            ),
            format!("`scontrol update partitionname={name} state=up`, or `drained = true`"),
        ));
    }
    if nodes == 0 {
        findings.push(error(
            &subject,
            format!("its partition {name} has no nodes"),
            "give it nodes in slurm.conf, or remove the member",
        ));
    }
    if partition.closed {
        findings.push(error(
            &subject,
            format!("RootOnly or ReqResv of {name} keeps every job of the federation out"),
            "remove it from slurm.conf, or remove the member",
        ));
    }
    if partition.memory_default.is_none() {
        findings.push(warning(
            &subject,
            format!("{name} has no default memory: a job that asks for none takes whole nodes"),
            format!("set a small DefMemPerCPU for {name}"),
        ));
    }
    if partition.hidden {
        findings.push(warning(
            &subject,
            format!("{name} is hidden: users do not see their own jobs there in squeue"),
            format!("set Hidden=NO for {name}"),
        ));
    }
    if findings.is_empty() {
        findings.push(ok(&subject, format!("{name} is UP, {nodes} nodes")));
    }
    findings
}

/// Where partitions share nodes, the one of the higher tier may requeue the other's jobs.
fn tiers(config: &Config, site: &Site) -> Option<Finding> {
    let preempts = site.config.get("PreemptType") == Some("preempt/partition_prio");
    let partitions = config
        .settings
        .members
        .iter()
        .filter_map(|member| site.partitions.get(member.partition.as_str()));
    let exposed: Vec<&Partition> = partitions
        .filter(|partition| partition.preempt_mode.is_some())
        .collect();
    let tiers: BTreeSet<u64> = site
        .partitions
        .values()
        .map(|partition| partition.priority_tier)
        .collect();
    (preempts && tiers.len() > 1 && !exposed.is_empty()).then(|| {
        let names: Vec<&str> = exposed.iter().map(|member| member.name.as_str()).collect();
        warning(
            "preemption",
            format!(
                "jobs of the federation in {} can be preempted by partitions of a higher tier",
                names.join(", ")
            ),
            "set PreemptMode=OFF for the members' partitions if that is not meant",
        )
    })
}
