//! A job's name and size in a few words.

use super::span::{bytes, counted};
use crate::model::{Geometry, GresKind, Job, Memory, Request};

/// Job id as squeue prints it: `117`, `117_4`, `117_[3-9]`.
pub(super) fn name(job: &Job) -> String {
    match &job.tasks {
        Some(tasks) if job.key.task.is_none() => format!("{}_[{tasks}]", job.key.id),
        _ => job.key.to_string(),
    }
}

/// Size in a few words, such as `2 nodes, 8 CPUs each, gpu:2 each`.
pub(super) fn words(request: &Request) -> String {
    let parts: Vec<String> = request.parts.iter().map(part).collect();
    parts.join(" + ")
}

fn part(part: &Geometry) -> String {
    let mut words = Vec::new();
    let fixed = part.nodes_max == Some(part.nodes_min) || part.tasks_per_node.is_some();
    let each = if fixed && part.nodes_min > 1 {
        let tasks = part.tasks.div_ceil(part.nodes_min);
        let tasks = part.tasks_per_node.unwrap_or(tasks);
        words.push(counted(part.nodes_min.into(), "node"));
        words.push(format!("{} each", cpus(tasks, part.cpus_per_task)));
        " each"
    } else if part.tasks > 1 {
        if part.nodes_min > 1 {
            words.push(format!("at least {} nodes", part.nodes_min));
        }
        words.push(counted(part.tasks.into(), "task"));
        words.push(format!("{} each", cpus(1, part.cpus_per_task)));
        " on each node"
    } else {
        words.push(cpus(1, part.cpus_per_task));
        ""
    };
    match part.memory {
        Memory::Default => {}
        Memory::PerNode(0) => words.push("all memory".to_owned()),
        Memory::PerNode(amount) => words.push(format!("{}{each}", bytes(amount))),
        Memory::PerCpu(amount) => words.push(format!("{} for each CPU", bytes(amount))),
    }
    words.extend(gres(&part.gres_per_node, each));
    words.extend(gres(&part.gres_per_task, " for each task"));
    words.extend(gres(&part.gres_per_job, " in all"));
    if part.exclusive {
        words.push("whole nodes".to_owned());
    }
    words.join(", ")
}

fn cpus(tasks: u32, each: u32) -> String {
    counted(u64::from(tasks) * u64::from(each.max(1)), "CPU")
}

fn gres(wanted: &[(GresKind, u64)], each: &str) -> Vec<String> {
    let wanted = wanted.iter();
    wanted
        .map(|(kind, count)| format!("{kind}:{count}{each}"))
        .collect()
}
