//! What a caller may choose about a sandbox.

use std::{fmt, path::PathBuf, str::FromStr};

/// A Slurm release series, and with it the Debian release that ships it.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum Series {
    /// Slurm 22.05, of Debian 12 (bookworm).
    #[default]
    V22_05,
    /// Slurm 24.11, of Debian 13 (trixie).
    V24_11,
    /// Slurm 26.05, of Debian unstable (sid).
    V26_05,
}

impl Series {
    /// Every series a sandbox can run, oldest first.
    pub const ALL: [Self; 3] = [Self::V22_05, Self::V24_11, Self::V26_05];

    /// The series as Slurm writes it, for example `24.11`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::V22_05 => "22.05",
            Self::V24_11 => "24.11",
            Self::V26_05 => "26.05",
        }
    }

    /// The Debian suite whose packages are of this series.
    pub(crate) const fn suite(self) -> &'static str {
        match self {
            Self::V22_05 => "bookworm",
            Self::V24_11 => "trixie",
            Self::V26_05 => "sid",
        }
    }
}

impl fmt::Display for Series {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for Series {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|series| series.name() == text)
            .ok_or_else(|| {
                format!("`{text}` is not a Slurm series of the sandbox: use 22.05, 24.11 or 26.05")
            })
    }
}

/// How the partition `federation` keeps jobs from starting.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Room {
    /// `State=DOWN`; no limits are enforced on the cluster.
    #[default]
    Down,
    /// `State=UP` under a QOS of `GrpJobs=0`, with `AccountingStorageEnforce=limits,qos`.
    Qos,
}

impl FromStr for Room {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "down" => Ok(Self::Down),
            "qos" => Ok(Self::Qos),
            _ => Err(format!(
                "`{text}` is not a kind of waiting room: use down or qos"
            )),
        }
    }
}

/// What slurmctld calls for each submission.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub enum JobSubmit {
    /// The plugin of fedsched, built for the Slurm of this sandbox.
    #[default]
    Fedsched,
    /// No plugin at all.
    None,
    /// Slurm's own `job_submit/lua` with this script.
    Lua(String),
    /// Another plugin: `JobSubmitPlugins=name` and the shared object to load for it.
    Other {
        /// The part after `job_submit/`.
        name: String,
        /// The shared object, built for the Slurm of this sandbox.
        file: PathBuf,
    },
}

/// Everything that may differ between two sandboxes.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Options {
    /// Which Slurm to run.
    pub slurm: Series,
    /// A name of letters, digits, `-`, `_` and `.` that no other sandbox has; made up if `None`.
    pub name: Option<String>,
    /// How jobs are kept waiting in the partition `federation`.
    pub room: Room,
    /// What slurmctld calls for each submission.
    pub job_submit: JobSubmit,
    /// Start the fedsched daemon.
    pub daemon: bool,
    /// The `fedsched` binary to run; built from this workspace if `None`.
    pub fedsched: Option<PathBuf>,
    /// TOML laid over the daemon's configuration: its keys add to those of the sandbox or replace
    /// them.
    pub daemon_config: String,
    /// Lines appended to `/etc/slurm/slurm.conf`.
    pub slurm_config: String,
    /// Lines appended to `/etc/slurm/fedsched.conf`, the configuration of the plugin.
    pub plugin_config: String,
    /// How long slurmctld remembers a finished job, in seconds (`MinJobAge`).
    pub min_job_age_s: u32,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            slurm: Series::default(),
            name: None,
            room: Room::default(),
            job_submit: JobSubmit::default(),
            daemon: true,
            fedsched: None,
            daemon_config: String::new(),
            slurm_config: String::new(),
            plugin_config: String::new(),
            min_job_age_s: 300,
        }
    }
}
