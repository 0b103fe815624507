//! A job: v0.0.38 and v0.0.42 give its fields the same names and only shape them differently.

use fedsched_protocol::slurm;
use serde::Deserialize;

use super::lenient::{Number, Text, Words};

/// Bit 63 of Slurm's memory: the rest is per CPU, not per node.
const MEMORY_PER_CPU: u64 = 1 << 63;

/// Value of `shared` where the user said nothing.
const SHARED_UNSET: u16 = 0xfffe;

/// Base states. Everything else that stands with them is a flag.
const BASE_STATES: [&str; 12] = [
    "PENDING",
    "RUNNING",
    "SUSPENDED",
    "COMPLETED",
    "CANCELLED",
    "FAILED",
    "TIMEOUT",
    "NODE_FAIL",
    "PREEMPTED",
    "BOOT_FAIL",
    "DEADLINE",
    "OUT_OF_MEMORY",
];

/// v0.0.38 shows a flag in place of the base state; this is the base state that the flag implies.
const IMPLIED_STATES: [(&str, &str); 8] = [
    ("CONFIGURING", "RUNNING"),
    ("RESIZING", "RUNNING"),
    ("SIGNALING", "RUNNING"),
    ("STOPPED", "RUNNING"),
    ("REQUEUED", "PENDING"),
    ("REQUEUE_FED", "PENDING"),
    ("REQUEUE_HOLD", "PENDING"),
    ("SPECIAL_EXIT", "PENDING"),
];

/// Flags that say that the user, not a default, chose the memory: `JOB_MEM_SET` in either version.
const MEMORY_GIVEN: [&str; 2] = ["JOB_MEM_SET", "EXACT_MEMORY_REQUESTED"];

/// A job as slurmrestd writes it.
#[expect(
    clippy::struct_field_names,
    reason = "the fields have slurmrestd's own names"
)]
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in super::super) struct Job {
    job_id: Number,
    array_job_id: Number,
    array_task_id: Number,
    array_task_string: Text,
    array_max_tasks: Number,
    het_job_id: Number,
    het_job_offset: Number,
    name: Text,
    user_id: Number,
    group_id: Number,
    account: Text,
    qos: Text,
    partition: Text,
    job_state: Words,
    flags: Words,
    state_reason: Text,
    state_description: Text,
    priority: Number,
    submit_time: Number,
    eligible_time: Number,
    start_time: Number,
    end_time: Number,
    deadline: Number,
    time_limit: Number,
    restart_cnt: Number,
    requeue: Number,
    batch_flag: Number,
    node_count: Number,
    max_nodes: Number,
    tasks: Number,
    cpus: Number,
    cpus_per_task: Number,
    tasks_per_node: Number,
    minimum_cpus_per_node: Number,
    memory_per_node: Number,
    memory_per_cpu: Number,
    minimum_tmp_disk_per_node: Number,
    tres_per_job: Text,
    tres_per_node: Text,
    tres_per_task: Text,
    tres_per_socket: Text,
    cpus_per_tres: Text,
    memory_per_tres: Text,
    tres_req_str: Text,
    tres_alloc_str: Text,
    shared: Words,
    contiguous: Number,
    features: Text,
    licenses: Text,
    required_nodes: Text,
    excluded_nodes: Text,
    resv_name: Text,
    dependency: Text,
    current_working_directory: Text,
    comment: Text,
    admin_comment: Text,
    nodes: Text,
}

impl Job {
    /// The record, `None` if it has no id.
    pub(in super::super) fn into_record(self) -> Option<slurm::Job> {
        let id = self.job_id.narrow().filter(|&id: &u32| id != 0)?;
        let request = self.request();
        let (state, flags) = states(self.job_state);
        Some(slurm::Job {
            id,
            array_id: self.array_job_id.or_zero(),
            array_task: self.array_task_id.narrow(),
            array_tasks: Some(self.array_task_string.0).filter(|tasks| !tasks.is_empty()),
            array_running_max: self.array_max_tasks.or_zero(),
            het_id: self.het_job_id.or_zero(),
            het_offset: self.het_job_offset.or_zero(),
            name: self.name.0,
            user_id: self.user_id.or_zero(),
            group_id: self.group_id.or_zero(),
            account: self.account.0,
            qos: self.qos.0,
            partition: self.partition.0,
            state,
            flags,
            reason: self.state_reason.0,
            reason_text: self.state_description.0,
            priority: self.priority.or_zero(),
            submit_s: self.submit_time.time(),
            eligible_s: self.eligible_time.time(),
            start_s: self.start_time.time(),
            end_s: self.end_time.time(),
            deadline_s: self.deadline.time(),
            time_limit_min: self.time_limit.narrow(),
            restarts: self.restart_cnt.or_zero(),
            requeue: self.requeue.or_zero::<u8>() != 0,
            batch: self.batch_flag.or_zero::<u8>() != 0,
            tres_per_job: self.tres_per_job.0,
            tres_per_node: self.tres_per_node.0,
            tres_per_task: self.tres_per_task.0,
            tres_per_socket: self.tres_per_socket.0,
            cpus_per_tres: self.cpus_per_tres.0,
            memory_per_tres: self.memory_per_tres.0,
            features: self.features.0,
            licenses: self.licenses.0,
            required_nodes: self.required_nodes.0,
            excluded_nodes: self.excluded_nodes.0,
            reservation: self.resv_name.0,
            dependency: self.dependency.0,
            work_dir: self.current_working_directory.0,
            comment: self.comment.0,
            admin_comment: self.admin_comment.0,
            nodes: self.nodes.0,
            tres_allocated: self.tres_alloc_str.0,
            ..request
        })
    }

    /// The counts that were asked for.
    fn request(&self) -> slurm::Job {
        slurm::Job {
            nodes_min: self.requested("node=", self.node_count),
            nodes_max: self.max_nodes.or_zero(),
            tasks: self.tasks.or_zero(),
            cpus_min: self.requested("cpu=", self.cpus),
            cpus_per_task: self.cpus_per_task.short(),
            tasks_per_node: self.tasks_per_node.short(),
            node_cpus_min: self.minimum_cpus_per_node.short(),
            memory: self.memory(),
            tmp_disk_mib: self.minimum_tmp_disk_per_node.or_zero(),
            shared: self.shared(),
            contiguous: self.contiguous.or_zero::<u8>() != 0,
            ..slurm::Job::default()
        }
    }

    /// A count of the requested TRES. Beside them, `node_count` is Slurm's guess while the job waits,
    /// and `cpus` is what it was given once it runs.
    fn requested(&self, tres: &str, otherwise: Number) -> u32 {
        let mut entries = self.tres_req_str.0.split(',');
        entries
            .find_map(|entry| entry.strip_prefix(tres)?.parse().ok())
            .unwrap_or_else(|| otherwise.or_zero())
    }

    /// Only what the user asked for: the default of the waiting room is nobody's wish, and where the
    /// job runs there is another one.
    fn memory(&self) -> Option<u64> {
        if !MEMORY_GIVEN.iter().any(|flag| self.flags.has(flag)) {
            return None;
        }
        // v0.0.38 shows neither number of `--mem=0`, which asks for all of a node's.
        Some(match self.memory_per_cpu.value() {
            Some(mib) => mib | MEMORY_PER_CPU,
            None => self.memory_per_node.or_zero(),
        })
    }

    fn shared(&self) -> u16 {
        match self.shared.0.first().map(String::as_str) {
            Some("NONE") => 0,
            Some("SHARED" | "OVERSUBSCRIBE") => 1,
            Some("USER") => 2,
            Some("MCS") => 3,
            _ => SHARED_UNSET,
        }
    }
}

/// Base state and flags.
fn states(words: Words) -> (String, Vec<String>) {
    let (first, mut flags) = words.split_first();
    if BASE_STATES.contains(&first.as_str()) {
        return (first, flags);
    }
    let implied = IMPLIED_STATES.iter().find(|(flag, _)| *flag == first);
    match (implied, first.as_str()) {
        (Some((_, base)), _) => {
            flags.insert(0, first);
            ((*base).to_owned(), flags)
        }
        (None, "COMPLETING" | "STAGE_OUT" | "REVOKED") => {
            flags.insert(0, first);
            (String::new(), flags)
        }
        (None, _) => (first, flags),
    }
}
