//! Configuration of fedsched itself: the one place in this crate that knows its words.

use toml::{Table, Value};

use super::{LIBRARY_DIRECTORY, Owners, PLUGIN_SOCKET, SLURMRESTD_SOCKET, file, program};
use crate::{
    cluster::KINDS,
    error::Result,
    options::{JobSubmit, Options},
    plan::{File, Owner, Program},
};

/// The daemon's configuration, where it looks for it by itself.
const DAEMON_CONFIG: &str = "/etc/fedsched/fedsched.toml";

pub(super) fn files(options: &Options, owners: &Owners) -> Result<Vec<File>> {
    let text = daemon_config(&options.daemon_config)?;
    let mut all = vec![file(DAEMON_CONFIG, owners.fedsched, 0o644, text)];
    if options.job_submit == JobSubmit::Fedsched {
        let text = format!(
            "Socket={PLUGIN_SOCKET}\nDeadlineMs=50\nQueuePartition=federation\n{}\n",
            options.plugin_config
        );
        all.push(file("/etc/slurm/fedsched.conf", Owner::ROOT, 0o644, text));
    }
    Ok(all)
}

/// The daemon, as the user of the same name.
pub(super) fn daemon(owners: &Owners) -> Program {
    program(
        owners.fedsched,
        &[
            "/usr/local/bin/fedsched",
            "daemon",
            "--config",
            DAEMON_CONFIG,
        ],
    )
}

/// What differs from the daemon's own defaults, and what the caller wants to differ beyond that.
fn daemon_config(extra: &str) -> Result<String> {
    let members = KINDS.map(|kind| format!("[[member]]\nname = \"{}\"\n", kind.name));
    let base = format!(
        "[slurm]\n\
         watch = [\"{LIBRARY_DIRECTORY}/slurm-watch\"]\n\
         restd = \"unix:{SLURMRESTD_SOCKET}\"\n\
         [daemon]\n\
         plugin_socket = \"{PLUGIN_SOCKET}\"\n\
         operators = [\"root\", \"slurm\", \"operator\"]\n\
         {}",
        members.concat()
    );
    let mut config: Table = base.parse()?;
    merge(&mut config, extra.parse()?);
    Ok(config.to_string())
}

/// Lays one table over another: tables within are merged, everything else is replaced.
fn merge(table: &mut Table, over: Table) {
    for (key, value) in over {
        match (table.get_mut(&key), value) {
            (Some(Value::Table(below)), Value::Table(above)) => merge(below, above),
            (_, value) => drop(table.insert(key, value)),
        }
    }
}

#[cfg(test)]
mod test {
    use super::*;

    #[test]
    fn a_callers_keys_go_over_ours() {
        let text = daemon_config("[slurm]\npoll = \"300ms\"\n[daemon]\noperators = []").unwrap();
        let config: Table = text.parse().unwrap();
        assert_eq!(config["slurm"]["poll"].as_str(), Some("300ms"));
        assert!(config["slurm"]["watch"].is_array(), "{text}");
        assert_eq!(
            config["daemon"]["operators"].as_array().map(Vec::len),
            Some(0)
        );
        assert_eq!(config["member"].as_array().map(Vec::len), Some(3));
        assert!(daemon_config("[slurm").is_err());
    }
}
