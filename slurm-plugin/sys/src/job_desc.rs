//! A job as slurmctld hands it to a job_submit plugin.

use std::borrow::Cow;
use std::ffi::{CStr, c_char};

use crate::bindings::{self, INFINITE, job_desc_msg_t};
use crate::internal;
use crate::unset::{given16, given32, given64};

/// `job_desc_msg_t`. Only slurmctld makes one, so its strings are null or end with a zero byte and
/// belong to Slurm's allocator; the setters keep that true.
#[repr(transparent)]
pub struct JobDesc(job_desc_msg_t);

impl std::fmt::Debug for JobDesc {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("JobDesc").finish_non_exhaustive()
    }
}

/// The bytes of one of Slurm's strings, `None` where it is null or empty: for slurmctld both mean
/// that nothing was asked for.
fn bytes(text: &*mut c_char) -> Option<&[u8]> {
    if text.is_null() {
        return None;
    }
    // SAFETY: not null, ends with a zero byte, and lives as long as the borrowed field.
    let text = unsafe { CStr::from_ptr(*text) }.to_bytes();
    (!text.is_empty()).then_some(text)
}

fn text(text: &*mut c_char) -> Option<Cow<'_, str>> {
    bytes(text).map(String::from_utf8_lossy)
}

/// Getters of one kind: the field, what `sbatch` calls it.
macro_rules! getters {
    ($read:ident -> $type:ty { $($(#[$doc:meta])* $name:ident = $field:ident;)* }) => {
        impl JobDesc {
            $($(#[$doc])* pub fn $name(&self) -> Option<$type> { $read(&self.0.$field) })*
        }
    };
}

getters! { text -> Cow<'_, str> {
    /// `--account`
    account = account;
    /// `--admin-comment`, which only operators can give
    admin_comment = admin_comment;
    /// `--array`
    array = array_inx;
    /// `--comment`
    comment = comment;
    /// `--cpus-per-gpu`
    cpus_per_tres = cpus_per_tres;
    /// `--dependency`
    dependency = dependency;
    /// `--exclude`
    excluded_nodes = exc_nodes;
    /// `--constraint`
    features = features;
    /// `--licenses`
    licenses = licenses;
    /// `--mem-per-gpu`
    memory_per_tres = mem_per_tres;
    /// `--job-name`
    name = name;
    /// `--partition`: one name, or several separated by commas
    partition = partition;
    /// `--qos`
    qos = qos;
    /// `--nodelist`
    required_nodes = req_nodes;
    /// `--reservation`
    reservation = reservation;
    /// `--gpus` and the like
    tres_per_job = tres_per_job;
    /// `--gres`, `--gpus-per-node`
    tres_per_node = tres_per_node;
    /// `--gpus-per-socket`
    tres_per_socket = tres_per_socket;
    /// `--gpus-per-task`
    tres_per_task = tres_per_task;
    /// Working directory
    work_dir = work_dir;
} }

impl JobDesc {
    /// The batch script; `None` for srun and salloc.
    pub fn script(&self) -> Option<&[u8]> {
        bytes(&self.0.script)
    }

    /// Numeric id of the job's user, authenticated by slurmctld.
    pub fn user_id(&self) -> u32 {
        self.0.user_id
    }

    /// Numeric id of the job's group.
    pub fn group_id(&self) -> u32 {
        self.0.group_id
    }

    /// An id given in advance: the copy of a job of another cluster of a Slurm federation, or root's
    /// wish.
    pub fn job_id(&self) -> Option<u32> {
        #[cfg(not(slurm_26_05))]
        let id = self.0.job_id;
        #[cfg(slurm_26_05)]
        let id = self.0.step_id.job_id;
        given32(id).filter(|&id| id != 0)
    }

    /// A component of a heterogeneous job.
    pub fn is_het_component(&self) -> bool {
        given32(self.0.het_job_offset).is_some()
    }

    /// A job of scrontab.
    pub fn is_cron(&self) -> bool {
        self.0.bitflags & u64::from(bindings::CRON_JOB) != 0
    }

    /// A job that no slurmd will run (`--external`).
    pub fn is_external(&self) -> bool {
        #[cfg(not(slurm_26_05))]
        let external = false;
        #[cfg(slurm_26_05)]
        let external = self.0.bitflags & u64::from(bindings::EXTERNAL_JOB) != 0;
        external
    }

    /// Held by its user.
    pub fn is_held(&self) -> bool {
        self.0.priority == 0
    }

    /// `--begin`, seconds since 1970.
    pub fn begin_s(&self) -> Option<i64> {
        (self.0.begin_time != 0).then_some(self.0.begin_time)
    }

    /// `--deadline`, seconds since 1970.
    pub fn deadline_s(&self) -> Option<i64> {
        (self.0.deadline != 0).then_some(self.0.deadline)
    }

    /// Least number of nodes.
    pub fn nodes_min(&self) -> Option<u32> {
        given32(self.0.min_nodes)
    }

    /// Greatest number of nodes.
    pub fn nodes_max(&self) -> Option<u32> {
        given32(self.0.max_nodes).filter(|&nodes| nodes != 0)
    }

    /// Tasks.
    pub fn tasks(&self) -> Option<u32> {
        given32(self.0.num_tasks)
    }

    /// CPUs in all.
    pub fn cpus_min(&self) -> Option<u32> {
        given32(self.0.min_cpus)
    }

    /// CPUs for each task.
    pub fn cpus_per_task(&self) -> Option<u16> {
        given16(self.0.cpus_per_task)
    }

    /// Tasks on each node.
    pub fn tasks_per_node(&self) -> Option<u16> {
        given16(self.0.ntasks_per_node)
    }

    /// `--mincpus`
    pub fn node_cpus_min(&self) -> Option<u16> {
        given16(self.0.pn_min_cpus)
    }

    /// MiB per node, or per CPU when bit 63 is set.
    pub fn memory(&self) -> Option<u64> {
        given64(self.0.pn_min_memory)
    }

    /// Local storage per node, MiB.
    pub fn tmp_disk_mib(&self) -> Option<u32> {
        given32(self.0.pn_min_tmp_disk)
    }

    /// `--exclusive` and its kin.
    pub fn shared(&self) -> Option<u16> {
        given16(self.0.shared)
    }

    /// `--contiguous`
    pub fn contiguous(&self) -> bool {
        given16(self.0.contiguous).is_some_and(|contiguous| contiguous != 0)
    }

    /// Time limit, minutes; `u32::MAX` for none.
    pub fn time_limit_min(&self) -> Option<u32> {
        given32(self.0.time_limit)
    }

    /// `--time-min`, minutes.
    pub fn time_min_min(&self) -> Option<u32> {
        given32(self.0.time_min).filter(|&minutes| minutes != INFINITE)
    }

    /// Sends the job to this partition.
    pub fn set_partition(&mut self, name: &str) {
        // SAFETY: only slurmctld and this module set the field, from Slurm's allocator.
        unsafe { internal::replace(&mut self.0.partition, name) };
    }

    /// Sets what slurmctld keeps with the job for administrators and for us.
    pub fn set_admin_comment(&mut self, text: &str) {
        // SAFETY: as above.
        unsafe { internal::replace(&mut self.0.admin_comment, text) };
    }
}
