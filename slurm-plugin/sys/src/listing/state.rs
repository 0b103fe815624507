//! States and flags in Slurm's words, the same as slurmrestd says them.

use crate::bindings as slurm;

/// Bits of `job_state` below its flags (`JOB_STATE_BASE`, whose macro bindgen cannot always read).
const JOB_STATE_BASE: u32 = 0xff;

const JOB_STATES: &[(u32, &str)] = &[
    (slurm::JOB_PENDING, "PENDING"),
    (slurm::JOB_RUNNING, "RUNNING"),
    (slurm::JOB_SUSPENDED, "SUSPENDED"),
    (slurm::JOB_COMPLETE, "COMPLETED"),
    (slurm::JOB_CANCELLED, "CANCELLED"),
    (slurm::JOB_FAILED, "FAILED"),
    (slurm::JOB_TIMEOUT, "TIMEOUT"),
    (slurm::JOB_NODE_FAIL, "NODE_FAIL"),
    (slurm::JOB_PREEMPTED, "PREEMPTED"),
    (slurm::JOB_BOOT_FAIL, "BOOT_FAIL"),
    (slurm::JOB_DEADLINE, "DEADLINE"),
    (slurm::JOB_OOM, "OUT_OF_MEMORY"),
];

const JOB_FLAGS: &[(u32, &str)] = &[
    (slurm::JOB_LAUNCH_FAILED, "LAUNCH_FAILED"),
    (slurm::JOB_REQUEUE, "REQUEUED"),
    (slurm::JOB_REQUEUE_HOLD, "REQUEUE_HOLD"),
    (slurm::JOB_SPECIAL_EXIT, "SPECIAL_EXIT"),
    (slurm::JOB_RESIZING, "RESIZING"),
    (slurm::JOB_CONFIGURING, "CONFIGURING"),
    (slurm::JOB_COMPLETING, "COMPLETING"),
    (slurm::JOB_STOPPED, "STOPPED"),
    (slurm::JOB_RECONFIG_FAIL, "RECONFIG_FAIL"),
    (slurm::JOB_POWER_UP_NODE, "POWER_UP_NODE"),
    (slurm::JOB_REVOKED, "REVOKED"),
    (slurm::JOB_REQUEUE_FED, "REQUEUE_FED"),
    (slurm::JOB_RESV_DEL_HOLD, "RESV_DEL_HOLD"),
    (slurm::JOB_SIGNALING, "SIGNALING"),
    (slurm::JOB_STAGE_OUT, "STAGE_OUT"),
];

const NODE_STATES: &[(u32, &str)] = &[
    (slurm::NODE_STATE_UNKNOWN, "UNKNOWN"),
    (slurm::NODE_STATE_DOWN, "DOWN"),
    (slurm::NODE_STATE_IDLE, "IDLE"),
    (slurm::NODE_STATE_ALLOCATED, "ALLOCATED"),
    (slurm::NODE_STATE_ERROR, "ERROR"),
    (slurm::NODE_STATE_MIXED, "MIXED"),
    (slurm::NODE_STATE_FUTURE, "FUTURE"),
];

const NODE_FLAGS: &[(u32, &str)] = &[
    #[cfg(slurm_26_05)]
    (slurm::NODE_STATE_EXTERNAL, "EXTERNAL"),
    (slurm::NODE_STATE_RES, "RESERVED"),
    (slurm::NODE_STATE_UNDRAIN, "UNDRAIN"),
    (slurm::NODE_STATE_CLOUD, "CLOUD"),
    (slurm::NODE_RESUME, "RESUME"),
    (slurm::NODE_STATE_DRAIN, "DRAIN"),
    (slurm::NODE_STATE_COMPLETING, "COMPLETING"),
    (slurm::NODE_STATE_NO_RESPOND, "NOT_RESPONDING"),
    (slurm::NODE_STATE_POWERED_DOWN, "POWERED_DOWN"),
    (slurm::NODE_STATE_FAIL, "FAIL"),
    (slurm::NODE_STATE_POWERING_UP, "POWERING_UP"),
    (slurm::NODE_STATE_MAINT, "MAINTENANCE"),
    (slurm::NODE_STATE_REBOOT_REQUESTED, "REBOOT_REQUESTED"),
    (slurm::NODE_STATE_REBOOT_CANCEL, "REBOOT_CANCELED"),
    (slurm::NODE_STATE_POWERING_DOWN, "POWERING_DOWN"),
    (slurm::NODE_STATE_DYNAMIC_FUTURE, "DYNAMIC_FUTURE"),
    (slurm::NODE_STATE_REBOOT_ISSUED, "REBOOT_ISSUED"),
    (slurm::NODE_STATE_PLANNED, "PLANNED"),
    (slurm::NODE_STATE_INVALID_REG, "INVALID_REG"),
    (slurm::NODE_STATE_POWER_DOWN, "POWER_DOWN"),
    (slurm::NODE_STATE_POWER_UP, "POWER_UP"),
    (slurm::NODE_STATE_POWER_DRAIN, "POWER_DRAIN"),
    (slurm::NODE_STATE_DYNAMIC_NORM, "DYNAMIC_NORM"),
    #[cfg(not(slurm_22_05))]
    (slurm::NODE_STATE_BLOCKED, "BLOCKED"),
];

const PARTITION_STATES: &[(u32, &str)] = &[
    (slurm::PARTITION_UP, "UP"),
    (slurm::PARTITION_DOWN, "DOWN"),
    (slurm::PARTITION_DRAIN, "DRAIN"),
    (slurm::PARTITION_INACTIVE, "INACTIVE"),
];

const RESERVATION_FLAGS: &[(u64, &str)] = &[
    (slurm::RESERVE_FLAG_MAINT, "MAINT"),
    (slurm::RESERVE_FLAG_DAILY, "DAILY"),
    (slurm::RESERVE_FLAG_WEEKLY, "WEEKLY"),
    (slurm::RESERVE_FLAG_IGN_JOBS, "IGNORE_JOBS"),
    (slurm::RESERVE_FLAG_ANY_NODES, "ANY_NODES"),
    (slurm::RESERVE_FLAG_STATIC, "STATIC"),
    (slurm::RESERVE_FLAG_PART_NODES, "PART_NODES"),
    (slurm::RESERVE_FLAG_OVERLAP, "OVERLAP"),
    (slurm::RESERVE_FLAG_SPEC_NODES, "SPEC_NODES"),
    (slurm::RESERVE_FLAG_TIME_FLOAT, "TIME_FLOAT"),
    (slurm::RESERVE_FLAG_REPLACE, "REPLACE"),
    (slurm::RESERVE_FLAG_ALL_NODES, "ALL_NODES"),
    (slurm::RESERVE_FLAG_PURGE_COMP, "PURGE_COMP"),
    (slurm::RESERVE_FLAG_WEEKDAY, "WEEKDAY"),
    (slurm::RESERVE_FLAG_WEEKEND, "WEEKEND"),
    (slurm::RESERVE_FLAG_FLEX, "FLEX"),
    (slurm::RESERVE_FLAG_NO_HOLD_JOBS, "NO_HOLD_JOBS_AFTER_END"),
    (slurm::RESERVE_FLAG_REPLACE_DOWN, "REPLACE_DOWN"),
    (slurm::RESERVE_FLAG_MAGNETIC, "MAGNETIC"),
    (slurm::RESERVE_FLAG_SKIP, "SKIP"),
    (slurm::RESERVE_FLAG_HOURLY, "HOURLY"),
];

pub(super) fn job(state: u32) -> String {
    name(JOB_STATES, state & JOB_STATE_BASE)
}

pub(super) fn job_flags(state: u32) -> Vec<String> {
    flags(JOB_FLAGS, state & !JOB_STATE_BASE)
}

pub(super) fn node(state: u32) -> String {
    name(NODE_STATES, state & slurm::NODE_STATE_BASE)
}

pub(super) fn node_flags(state: u32) -> Vec<String> {
    flags(NODE_FLAGS, state & !slurm::NODE_STATE_BASE)
}

pub(super) fn partition(state: u16) -> String {
    name(PARTITION_STATES, state.into())
}

pub(super) fn reservation_flags(bits: u64) -> Vec<String> {
    flags(RESERVATION_FLAGS, bits)
}

/// A state that this release of fedsched does not know is passed on as its number.
fn name(names: &[(u32, &str)], state: u32) -> String {
    names
        .iter()
        .find(|(number, _)| *number == state)
        .map_or_else(|| state.to_string(), |(_, name)| (*name).to_owned())
}

/// Flags that this release of fedsched does not know are passed on as one number.
fn flags<B>(names: &[(B, &str)], bits: B) -> Vec<String>
where
    B: Copy + Into<u64>,
{
    let mut rest: u64 = bits.into();
    let mut flags = Vec::new();
    for &(bit, name) in names {
        if rest & bit.into() != 0 {
            rest &= !bit.into();
            flags.push(name.to_owned());
        }
    }
    if rest != 0 {
        flags.push(format!("{rest:#x}"));
    }
    flags
}
