//! What a job asks for, from a record and from a submission by the same code.

use fedsched_protocol::slurm::Job;
use fedsched_protocol::submit::Submission;

use super::{MIB, memory, minutes, nodes};
use crate::events::slurm::constraint;
use crate::events::slurm::tres::{self, Asked};
use crate::model::{Geometry, GresKind, Request};

/// `shared` of `--exclusive`, `--exclusive=user` and `--exclusive=mcs`: none of them lets a stranger's
/// job onto the node.
const EXCLUSIVE: [u16; 3] = [0, 2, 3];

/// The fields of a request that a record and a submission both have, in Slurm's spelling.
#[derive(Debug, Default)]
struct Wish<'a> {
    nodes_min: u32,
    nodes_max: u32,
    tasks: u32,
    cpus_min: u32,
    cpus_per_task: u32,
    tasks_per_node: u32,
    node_cpus_min: u32,
    memory: Option<u64>,
    tmp_disk_mib: u32,
    tres_per_job: &'a str,
    tres_per_node: &'a str,
    tres_per_task: &'a str,
    tres_per_socket: &'a str,
    cpus_per_tres: &'a str,
    memory_per_tres: &'a str,
    exclusive: bool,
    contiguous: bool,
    features: &'a str,
    required_nodes: &'a str,
    excluded_nodes: &'a str,
}

/// The request of a record; `others` are the other components of a heterogeneous job.
pub(super) fn of_record(job: &Job, others: &[&Job]) -> Request {
    let mut request = Request {
        time_limit: job.time_limit_min.map(minutes),
        work_dir: job.work_dir.clone(),
        ..Request::default()
    };
    for part in std::iter::once(job).chain(others.iter().copied()) {
        Wish::of_record(part).add_to(&mut request);
        add_licenses(&part.licenses, &mut request);
    }
    add_dependency(&job.dependency, &mut request);
    request
}

/// The request of a submission.
pub(super) fn of_submission(submission: &Submission) -> Request {
    let limit = submission.time_limit_min.filter(|&limit| limit != u32::MAX);
    let mut request = Request {
        time_limit: limit.map(minutes),
        time_min: submission.time_min_min.map(minutes),
        work_dir: submission.work_dir.clone().unwrap_or_default(),
        ..Request::default()
    };
    Wish::of_submission(submission).add_to(&mut request);
    add_licenses(text(submission.licenses.as_ref()), &mut request);
    add_dependency(text(submission.dependency.as_ref()), &mut request);
    request
}

fn text(text: Option<&String>) -> &str {
    text.map_or("", String::as_str)
}

fn add_licenses(text: &str, request: &mut Request) {
    match tres::licenses(text) {
        Some(mut licenses) => request.licenses.append(&mut licenses),
        None => request.beyond_us.push(format!("--licenses={text}")),
    }
}

/// A job that grows another can only run where that one runs.
fn add_dependency(text: &str, request: &mut Request) {
    let expands = text
        .split([',', '?'])
        .filter(|term| term.starts_with("expand:"));
    request
        .beyond_us
        .extend(expands.map(|term| format!("--dependency={term}")));
}

impl<'a> Wish<'a> {
    fn of_record(job: &'a Job) -> Self {
        Self {
            nodes_min: job.nodes_min,
            nodes_max: job.nodes_max,
            tasks: job.tasks,
            cpus_min: job.cpus_min,
            cpus_per_task: job.cpus_per_task.into(),
            tasks_per_node: job.tasks_per_node.into(),
            node_cpus_min: job.node_cpus_min.into(),
            memory: job.memory,
            tmp_disk_mib: job.tmp_disk_mib,
            tres_per_job: &job.tres_per_job,
            tres_per_node: &job.tres_per_node,
            tres_per_task: &job.tres_per_task,
            tres_per_socket: &job.tres_per_socket,
            cpus_per_tres: &job.cpus_per_tres,
            memory_per_tres: &job.memory_per_tres,
            exclusive: EXCLUSIVE.contains(&job.shared),
            contiguous: job.contiguous,
            features: &job.features,
            required_nodes: &job.required_nodes,
            excluded_nodes: &job.excluded_nodes,
        }
    }

    fn of_submission(job: &'a Submission) -> Self {
        Self {
            nodes_min: job.nodes_min.unwrap_or(0),
            nodes_max: job.nodes_max.unwrap_or(0),
            tasks: job.tasks.unwrap_or(0),
            cpus_min: job.cpus_min.unwrap_or(0),
            cpus_per_task: job.cpus_per_task.unwrap_or(0).into(),
            tasks_per_node: job.tasks_per_node.unwrap_or(0).into(),
            node_cpus_min: job.node_cpus_min.unwrap_or(0).into(),
            memory: job.memory,
            tmp_disk_mib: job.tmp_disk_mib.unwrap_or(0),
            tres_per_job: text(job.tres_per_job.as_ref()),
            tres_per_node: text(job.tres_per_node.as_ref()),
            tres_per_task: text(job.tres_per_task.as_ref()),
            tres_per_socket: text(job.tres_per_socket.as_ref()),
            cpus_per_tres: text(job.cpus_per_tres.as_ref()),
            memory_per_tres: text(job.memory_per_tres.as_ref()),
            exclusive: job.shared.is_some_and(|shared| EXCLUSIVE.contains(&shared)),
            contiguous: job.contiguous,
            features: text(job.features.as_ref()),
            required_nodes: text(job.required_nodes.as_ref()),
            excluded_nodes: text(job.excluded_nodes.as_ref()),
        }
    }

    /// Adds the component to the request.
    fn add_to(&self, request: &mut Request) {
        let per_task = tres::asked(self.tres_per_task);
        let geometry = Geometry {
            nodes_min: self.nodes_min.max(1),
            nodes_max: Some(self.nodes_max).filter(|&nodes| nodes > 0),
            tasks: self.tasks(),
            cpus_per_task: self.cpus_per_task(&per_task),
            tasks_per_node: Some(self.tasks_per_node).filter(|&tasks| tasks > 0),
            node_cpus_min: self.node_cpus_min,
            memory: memory(self.memory),
            disk_bytes: u64::from(self.tmp_disk_mib) * MIB,
            gres_per_node: known(self.tres_per_node, "--gres", request),
            gres_per_task: note_unknown(per_task, "--gpus-per-task", request),
            gres_per_job: known(self.tres_per_job, "--gpus", request),
            exclusive: self.exclusive,
            contiguous: self.contiguous,
            constraint: constraint::parse(self.features),
            required_nodes: nodes(self.required_nodes),
            excluded_nodes: nodes(self.excluded_nodes),
        };
        request.parts.push(geometry);
        for (option, text) in [
            ("--gpus-per-socket", self.tres_per_socket),
            ("--cpus-per-gpu", self.cpus_per_tres),
            ("--mem-per-gpu", self.memory_per_tres),
        ] {
            if !text.is_empty() {
                request.beyond_us.push(format!("{option} ({text})"));
            }
        }
    }

    /// Without `-n` there is as many tasks as `-N` and `--ntasks-per-node` make.
    fn tasks(&self) -> u32 {
        if self.tasks > 0 {
            return self.tasks;
        }
        self.nodes_min
            .max(1)
            .saturating_mul(self.tasks_per_node.max(1))
    }

    /// Without `-c` Slurm still says how many CPUs there must be in all: v0.0.38 keeps `-c` from us.
    fn cpus_per_task(&self, per_task: &Asked) -> u32 {
        let told = per_task.cpus.and_then(|cpus| u32::try_from(cpus).ok());
        match (told, self.cpus_per_task) {
            (Some(cpus), _) if cpus > 0 => cpus,
            (_, 0) => self.cpus_min.div_ceil(self.tasks()).max(1),
            (_, cpus) => cpus,
        }
    }
}

/// The generic resources of a TRES string.
fn known(text: &str, option: &str, request: &mut Request) -> Vec<(GresKind, u64)> {
    note_unknown(tres::asked(text), option, request)
}

fn note_unknown(asked: Asked, option: &str, request: &mut Request) -> Vec<(GresKind, u64)> {
    let unknown = asked.unknown.iter();
    request
        .beyond_us
        .extend(unknown.map(|entry| format!("{option} ({entry})")));
    asked.gres
}
