//! Jobs.

use std::ffi::c_int;

use fedsched_protocol::slurm::Job;

use super::{Listing, LoadError, Owned, slice, state, text, time};
use crate::bindings::{self, job_info_msg_t, slurm_job_info_t};
use crate::internal;
use crate::unset::{given16, given32, given64, limited32};

/// Every job of this cluster, those in hidden partitions too.
#[derive(Debug)]
pub struct Jobs(Owned<job_info_msg_t>);

impl Listing for Jobs {
    type Record = Job;

    const WHAT: &'static str = "jobs";

    fn load(since: i64) -> Result<Option<Self>, LoadError> {
        // Without "local", a cluster of a Slurm federation would ask all its siblings.
        let show = bindings::SHOW_ALL | bindings::SHOW_LOCAL;
        let load = |message| -> c_int {
            // SAFETY: `message` is where a pointer can be written.
            unsafe { bindings::slurm_load_jobs(since, message, show) }
        };
        Ok(Owned::load(Self::WHAT, bindings::slurm_free_job_info_msg, load)?.map(Self))
    }

    fn made(&self) -> i64 {
        self.0.get().last_update
    }

    fn records(&self) -> impl Iterator<Item = Job> {
        let message = self.0.get();
        // SAFETY: libslurm unpacked as many records as it says, and they live as long as `self`.
        let records = unsafe { slice(message.job_array, message.record_count) };
        records.iter().map(job)
    }
}

impl Drop for Jobs {
    /// libslurm 22.05 forgets one string when it frees a listing; a watcher would grow by it with
    /// every job of every poll. Later ones free it, and find it freed.
    fn drop(&mut self) {
        let message = self.0.get();
        if message.job_array.is_null() {
            return;
        }
        let count = message.record_count as usize;
        // SAFETY: libslurm unpacked as many records as it says, and nobody else uses them any more.
        let records = unsafe { std::slice::from_raw_parts_mut(message.job_array, count) };
        for record in records {
            // SAFETY: the string is null or from Slurm's allocator, and is null afterwards.
            unsafe { internal::slurm_xfree((&raw mut record.admin_comment).cast()) };
        }
    }
}

fn job(raw: &slurm_job_info_t) -> Job {
    Job {
        id: raw.job_id,
        array_id: raw.array_job_id,
        array_task: given32(raw.array_task_id),
        array_tasks: Some(text(raw.array_task_str)).filter(|tasks| !tasks.is_empty()),
        array_running_max: raw.array_max_tasks,
        het_id: given32(raw.het_job_id).unwrap_or(0),
        het_offset: given32(raw.het_job_offset).unwrap_or(0),
        name: text(raw.name),
        user_id: raw.user_id,
        group_id: raw.group_id,
        account: text(raw.account),
        qos: text(raw.qos),
        partition: text(raw.partition),
        state: state::job(raw.job_state),
        flags: state::job_flags(raw.job_state),
        reason: reason(raw.state_reason),
        reason_text: text(raw.state_desc),
        priority: raw.priority,
        submit_s: time(raw.submit_time),
        eligible_s: time(raw.eligible_time),
        start_s: time(raw.start_time),
        end_s: time(raw.end_time),
        deadline_s: time(raw.deadline),
        time_limit_min: limited32(raw.time_limit),
        restarts: raw.restart_cnt,
        requeue: raw.requeue != 0,
        batch: raw.batch_flag != 0,
        tres_allocated: text(raw.tres_alloc_str),
        nodes: text(raw.nodes),
        work_dir: text(raw.work_dir),
        comment: text(raw.comment),
        admin_comment: text(raw.admin_comment),
        ..request(raw)
    }
}

/// What the job asked for.
fn request(raw: &slurm_job_info_t) -> Job {
    Job {
        nodes_min: requested(raw, "node=")
            .or(given32(raw.num_nodes))
            .unwrap_or(0),
        nodes_max: given32(raw.max_nodes).unwrap_or(0),
        tasks: given32(raw.num_tasks).unwrap_or(0),
        cpus_min: requested(raw, "cpu=")
            .or(given32(raw.num_cpus))
            .unwrap_or(0),
        cpus_per_task: given16(raw.cpus_per_task).unwrap_or(0),
        tasks_per_node: given16(raw.ntasks_per_node).unwrap_or(0),
        node_cpus_min: given16(raw.pn_min_cpus).unwrap_or(0),
        memory: memory(raw),
        tmp_disk_mib: given32(raw.pn_min_tmp_disk).unwrap_or(0),
        tres_per_job: text(raw.tres_per_job),
        tres_per_node: text(raw.tres_per_node),
        tres_per_task: text(raw.tres_per_task),
        tres_per_socket: text(raw.tres_per_socket),
        cpus_per_tres: text(raw.cpus_per_tres),
        memory_per_tres: text(raw.mem_per_tres),
        shared: raw.shared,
        contiguous: raw.contiguous != 0,
        features: text(raw.features),
        licenses: text(raw.licenses),
        required_nodes: text(raw.req_nodes),
        excluded_nodes: text(raw.exc_nodes),
        reservation: text(raw.resv_name),
        dependency: text(raw.dependency),
        ..Job::default()
    }
}

/// A count of the requested TRES. Beside them, `num_nodes` is Slurm's guess while the job waits, and
/// `num_cpus` is what it was given once it runs.
fn requested(raw: &slurm_job_info_t, tres: &str) -> Option<u32> {
    text(raw.tres_req_str)
        .split(',')
        .find_map(|entry| entry.strip_prefix(tres)?.parse().ok())
}

/// Only what the user asked for: the default of the waiting room is nobody's wish, and where the job
/// runs there is another one.
fn memory(raw: &slurm_job_info_t) -> Option<u64> {
    let asked = raw.bitflags & u64::from(bindings::JOB_MEM_SET) != 0;
    given64(raw.pn_min_memory).filter(|_| asked)
}

/// How wide the number is depends on the version.
fn reason(number: impl Into<u32>) -> String {
    // SAFETY: it takes any number and answers with a string that stays.
    text(unsafe { internal::slurm_job_reason_string(number.into()) })
}
