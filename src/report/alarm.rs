//! What needs an administrator: what is wrong, and what to do.

use crate::engine::Alarm;

pub(super) fn text(alarm: &Alarm) -> String {
    match alarm {
        Alarm::Unreachable { reason, .. } => format!(
            "slurmctld cannot be heard ({reason}): jobs wait in the queue and nothing is bound until it answers"
        ),
        Alarm::Vanished { jobs, known } => format!(
            "{jobs} of {known} jobs are missing from slurmctld's listing without having ended: nothing is \
             forgotten until a second listing says so; if slurmctld lost its state, restore it now"
        ),
        Alarm::RoomMissing => "the queue partition is not in Slurm: add the lines that \
             `fedsched slurm-conf` prints to slurm.conf"
            .to_owned(),
        Alarm::RoomRuns { job, jobs } => format!(
            "{jobs} job(s) run in the queue partition, the first is {job}: nothing may start there; \
             set its State=DOWN, or give it a QOS with GrpJobs=0 (`fedsched slurm-conf`)"
        ),
        Alarm::MemberMissing(member) => format!(
            "member {member}: its partition is not in Slurm; add it to slurm.conf or take the member out of \
             the configuration"
        ),
    }
}
