//! `[daemon]`: where the daemon is found and whom it listens to.

use std::net::SocketAddr;
use std::path::PathBuf;

use toml::de::DeValue;
use tracing::Level;

use super::section::Section;
use super::value::{choice, foreign_name, list, path, switch, text, unless_off};
use crate::model::UserName;

/// The daemon's own places.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Daemon {
    /// Socket for the job_submit plugin.
    pub plugin_socket: PathBuf,
    /// Users that may connect to it.
    pub plugin_users: Vec<UserName>,
    /// Socket for the command line.
    pub socket: PathBuf,
    /// Users that see everybody's jobs.
    pub operators: Vec<UserName>,
    /// Directory of the store.
    pub state_dir: PathBuf,
    /// Address of metrics and health.
    pub http: Option<SocketAddr>,
    /// How much is logged.
    pub log: Level,
}

const LEVELS: &[(&str, Level)] = &[
    ("error", Level::ERROR),
    ("warn", Level::WARN),
    ("info", Level::INFO),
    ("debug", Level::DEBUG),
    ("trace", Level::TRACE),
];

/// Reads `[daemon]`; whether it is a rehearsal goes to the settings of the core.
pub(super) fn read(mut section: Section<'_, '_>) -> (Daemon, bool) {
    let daemon = Daemon {
        plugin_socket: section.value("plugin_socket", path),
        plugin_users: section.value("plugin_users", list(foreign_name)),
        socket: section.value("socket", path),
        operators: section.value("operators", list(foreign_name)),
        state_dir: section.value("state_dir", path),
        http: section.value("http", unless_off(address)),
        log: section.value("log", choice(LEVELS)),
    };
    if daemon.plugin_users.is_empty() {
        section.fault(
            "plugin_users",
            "must name the user slurmctld runs as (SlurmUser in slurm.conf)",
        );
    }
    if daemon.socket == daemon.plugin_socket {
        section.fault("socket", "must differ from plugin_socket");
    }
    let rehearsal = section.value("rehearsal", switch);
    section.finish();
    (daemon, rehearsal)
}

fn address(value: &DeValue<'_>) -> Result<SocketAddr, String> {
    let written = text(value)?;
    written.parse().map_err(|_| {
        format!("\"{written}\" must be an address and a port, such as \"127.0.0.1:9815\"")
    })
}
