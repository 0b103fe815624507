//! Everything an administrator can get wrong, each with its remedy.
//!
//! Functions from what was found out to findings; finding it out is the caller's: the command line
//! asks Slurm and the file system, the daemon knows its own connections. Why each thing matters
//! stands beside the check that looks at it.

mod answer;
mod controller;
mod daemon;
mod files;
mod finding;
mod members;
mod plugin;
mod rights;
mod room;
#[cfg(test)]
mod test;

use fedsched_protocol::query::{Finding, Status};

pub use answer::{answering, refused, silent};
pub use daemon::{Facts, Feed, Greeting, Restd, daemon};
pub use files::{configuration, endpoint, no_state_dir, state_dir};
pub use plugin::{installed, plugin_conf, unreadable_plugin, watch};
pub use rights::{rights, unreachable as accounting_unreachable};

use crate::config::Config;
use crate::site::{Accounting, Site};

/// slurm.conf and the partitions, as slurmctld has them.
pub fn slurm(
    config: &Config,
    site: &Site,
    accounting: Option<&Accounting>,
    status: Option<&Status>,
) -> Vec<Finding> {
    let mut findings = controller::controller(config, site, status);
    findings.extend(room::room(config, site, accounting));
    findings.extend(members::members(config, site));
    findings
}

/// slurmctld could not be asked.
pub fn slurm_unreachable(error: &crate::site::Error) -> Finding {
    finding::error(
        "slurmctld",
        error.to_string(),
        "run this on a host with Slurm's commands and its configuration, while slurmctld is up",
    )
}
