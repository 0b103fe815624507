//! Configuration of fedsched itself: the one place in this crate that knows its words.

use super::{LIBRARY_DIRECTORY, Owners, PLUGIN_SOCKET, SLURMRESTD_SOCKET, file, program};
use crate::{
    cluster::KINDS,
    options::{JobSubmit, Options},
    plan::{File, Owner, Program},
};

pub(super) fn files(options: &Options, owners: &Owners) -> Vec<File> {
    let mut all = vec![file(
        "/etc/fedsched/fedsched.toml",
        owners.fedsched,
        0o640,
        daemon_config(&options.daemon_config),
    )];
    if options.job_submit == JobSubmit::Fedsched {
        let text = format!(
            "Socket={PLUGIN_SOCKET}\nDeadlineMs=50\nQueuePartition=federation\n{}\n",
            options.plugin_config
        );
        all.push(file("/etc/slurm/fedsched.conf", Owner::ROOT, 0o644, text));
    }
    all
}

/// The daemon, as the user of the same name.
pub(super) fn daemon(owners: &Owners) -> Program {
    program(owners.fedsched, &["/usr/local/bin/fedsched", "daemon"])
}

fn daemon_config(extra: &str) -> String {
    let members = KINDS.map(|kind| {
        let name = kind.name;
        format!(
            "[[member]]\nname = \"{name}\"\nkind = \"slurm-partition\"\npartition = \"{name}\"\n"
        )
    });
    format!(
        "[slurm]\n\
         watch = \"{LIBRARY_DIRECTORY}/slurm-watch\"\n\
         restd = \"unix:{SLURMRESTD_SOCKET}\"\n\
         queue_partition = \"federation\"\n\
         \n{}\n{extra}\n",
        members.join("\n")
    )
}
