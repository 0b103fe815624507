//! Slurm's own configuration.

use super::{
    HOST_NAME, LIBRARY_DIRECTORY, Owners, SLURMCTLD_PORT, SLURMDBD_PORT, SLURMRESTD_PORT,
    SLURMRESTD_SOCKET, file, program, system::TOKEN_KEY,
};
use crate::{
    cluster,
    options::{JobSubmit, Options, Room},
    plan::{File, Owner, Program},
    root::Root,
};

pub(super) fn files(root: &Root, options: &Options, owners: &Owners) -> Vec<File> {
    let everyone = |path, text| file(path, Owner::ROOT, 0o644, text);
    let mut all = vec![
        everyone("/etc/slurm/slurm.conf", slurm_conf(root, options)),
        everyone("/etc/slurm/gres.conf", cluster::gres_lines()),
        everyone("/etc/slurm/cgroup.conf", cgroup_conf(root).to_owned()),
    ];
    if let JobSubmit::Lua(script) = &options.job_submit {
        all.push(file(
            "/etc/slurm/job_submit.lua",
            owners.slurm,
            0o644,
            script.clone(),
        ));
    }
    all
}

/// slurmrestd on a Unix socket: whoever connects must be its own user, and slurmctld sees that
/// user through munge.
pub(super) fn slurmrestd(root: &Root, owners: &Owners) -> Program {
    rest(
        root,
        owners,
        "rest_auth/local",
        &format!("unix:{SLURMRESTD_SOCKET}"),
    )
}

/// slurmrestd on a port: it hands on the tokens it is given. One process cannot do both, since
/// `SLURM_JWT` leaves it without munge.
pub(super) fn slurmrestd_tcp(root: &Root, owners: &Owners) -> Program {
    let mut rest = rest(
        root,
        owners,
        "rest_auth/jwt",
        &format!("127.0.0.1:{SLURMRESTD_PORT}"),
    );
    rest.environment
        .insert(String::from("SLURM_JWT"), String::from("daemon"));
    rest
}

/// As a user who is an operator but not SlurmUser, as newer ones demand.
fn rest(root: &Root, owners: &Owners, authentication: &str, listen: &str) -> Program {
    let mut command = vec!["/usr/sbin/slurmrestd", "-t", "2", "-a", authentication];
    // Newer ones load every version of the interface by default, this one the oldest.
    if root.is_slurm("22.05") {
        command.extend(["-s", "openapi/v0.0.38,openapi/dbv0.0.38"]);
    }
    command.push(listen);
    let mut rest = program(owners.fedsched, &command);
    // glibc's arena for each thread would take gigabytes for large listings.
    rest.environment
        .insert(String::from("MALLOC_ARENA_MAX"), String::from("1"));
    // Otherwise the list of an array's tasks is cut after 64 bytes.
    rest.environment
        .insert(String::from("SLURM_BITSTR_LEN"), String::from("0"));
    rest
}

/// Without systemd there is nobody to delegate control groups, and none are used. 22.05 has no
/// `disabled` yet and looks for a mounted hierarchy unless told which kind it is.
fn cgroup_conf(root: &Root) -> &'static str {
    if root.is_slurm("22.05") {
        "CgroupPlugin=cgroup/v1\n"
    } else {
        "CgroupPlugin=disabled\n"
    }
}

fn slurm_conf(root: &Root, options: &Options) -> String {
    let state = match options.room {
        Room::Down => "State=DOWN",
        Room::Qos => "State=UP QOS=federation",
    };
    [
        controller(root, &options.job_submit).as_str(),
        FILES,
        EXECUTION,
        SCHEDULING,
        &format!("MinJobAge={}\n\n", options.min_job_age_s),
        PRIORITY,
        &accounting(options.room),
        &cluster::node_lines(),
        &cluster::partition_lines(state),
        &options.slurm_config,
    ]
    .concat()
}

fn controller(root: &Root, job_submit: &JobSubmit) -> String {
    let plugins = match job_submit {
        JobSubmit::Fedsched => "JobSubmitPlugins=fedsched\n",
        JobSubmit::None => "",
        JobSubmit::Lua(_) => "JobSubmitPlugins=lua\n",
        JobSubmit::Other { name, .. } => &format!("JobSubmitPlugins={name}\n"),
    };
    let slurms_own = root.plugin_directory();
    format!(
        "ClusterName={HOST_NAME}\n\
         SlurmctldHost={HOST_NAME}\n\
         SlurmUser=slurm\n\
         SlurmctldPort={SLURMCTLD_PORT}\n\
         AuthType=auth/munge\n\
         AuthAltTypes=auth/jwt\n\
         AuthAltParameters=jwt_key={TOKEN_KEY}\n\
         PluginDir={LIBRARY_DIRECTORY}:{}\n\
         {plugins}\n",
        slurms_own.display()
    )
}

const FILES: &str = "\
StateSaveLocation=/var/lib/slurm/slurmctld
SlurmdSpoolDir=/var/spool/slurm/%n
SlurmctldPidFile=/run/slurm/slurmctld.pid
SlurmdPidFile=/run/slurm/slurmd-%n.pid
SlurmctldLogFile=/var/log/slurm/slurmctld.log
SlurmdLogFile=/var/log/slurm/slurmd-%n.log
SlurmctldSyslogDebug=quiet
SlurmdSyslogDebug=quiet

";

const EXECUTION: &str = "\
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
PropagateResourceLimits=NONE
# Nodes are declared larger than the machine that plays them.
SlurmdParameters=config_overrides
ReturnToService=2
KillWait=5
GresTypes=gpu

";

/// Short intervals: people and tests wait for these schedulers.
const SCHEDULING: &str = "\
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_interval=5,bf_interval=2,bf_continue,bf_max_job_test=2000
MaxJobCount=20000
MaxArraySize=5001
";

const PRIORITY: &str = "\
PriorityType=priority/multifactor
PriorityCalcPeriod=1
PriorityWeightAge=1000
PriorityWeightFairshare=1000
PriorityWeightJobSize=100
PriorityWeightQOS=1000

";

fn accounting(room: Room) -> String {
    let enforce = match room {
        Room::Down => "",
        Room::Qos => "AccountingStorageEnforce=limits,qos\n",
    };
    format!(
        "AccountingStorageType=accounting_storage/slurmdbd\n\
         AccountingStorageHost=localhost\n\
         AccountingStoragePort={SLURMDBD_PORT}\n\
         AccountingStorageTRES=gres/gpu\n\
         {enforce}\n"
    )
}
