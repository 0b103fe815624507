//! The command line, as clap sees it.
//!
//! The build script compiles this file too, to make man pages and shell completions of it: it names
//! nothing but clap and std.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// One sbatch for every cluster a site has.
///
/// Users change nothing: they run sbatch, squeue, scancel and sacct as before. The daemon behind
/// slurmctld places their jobs on the member that starts them soonest.
#[derive(Debug, Parser)]
#[command(
    name = "fedsched",
    version,
    max_term_width = 100,
    disable_help_subcommand = true,
    after_help = "Exit codes: 0 done, 1 refused or a check failed, 2 wrong command line or \
                  configuration, 3 the daemon does not answer, 4 no such job."
)]
pub struct Cli {
    /// What to do
    #[command(subcommand)]
    pub command: Command,

    /// Options of every command
    #[command(flatten)]
    pub global: Global,
}

/// Options of every command.
#[derive(Debug, Args)]
pub struct Global {
    /// Print JSON instead of text
    #[arg(long, global = true)]
    pub json: bool,

    /// The daemon's socket
    #[arg(
        long,
        global = true,
        value_name = "PATH",
        default_value = "/run/fedsched/fedsched.sock"
    )]
    pub socket: PathBuf,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Show the federation in one page
    Status,

    /// Show every member: what it has, what is free, what runs there
    ///
    /// Figures with a slash are free/all. RUN and BOUND are the federation's jobs that run or wait
    /// there, DIRECT are jobs that wait because users sent them there themselves.
    Members,

    /// Show the waiting jobs in the order they will be tried
    ///
    /// Users see their own jobs, operators everybody's.
    Queue {
        /// Only this user's jobs
        #[arg(long, short, value_name = "NAME")]
        user: Option<String>,
    },

    /// Tell why a job waits, or why it went where it went
    Explain {
        /// Job id, or JOBID_TASK for a task of an array
        #[arg(value_name = "JOBID[_TASK]")]
        job: JobArg,
    },

    /// Work on configuration files
    #[command(subcommand)]
    Config(ConfigCommand),

    /// Run the daemon, in the foreground
    Daemon {
        /// The daemon's configuration
        #[command(flatten)]
        config: ConfigArg,

        /// Where the log goes; FEDSCHED_LOG sets how much
        #[arg(long, value_enum, default_value_t = LogArg::Auto)]
        log: LogArg,
    },
}

/// The daemon's configuration.
#[derive(Debug, Args)]
pub struct ConfigArg {
    /// The daemon's configuration file
    #[arg(
        long = "config",
        short = 'c',
        value_name = "FILE",
        default_value = "/etc/fedsched/fedsched.toml"
    )]
    pub path: PathBuf,
}

/// Work on configuration files.
#[derive(Debug, Subcommand)]
pub enum ConfigCommand {
    /// Say everything that is wrong with a file, without using it
    Check {
        /// The file
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },

    /// Print every key with its default and what it means
    Defaults,
}

/// Where the log goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LogArg {
    /// The journal under systemd, else text
    Auto,
    /// Text on standard error
    Text,
    /// One JSON object for each line on standard error
    Json,
}

/// A job, or a task of an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JobArg {
    /// Job id; the base id of an array.
    pub id: u32,
    /// Task of the array.
    pub task: Option<u32>,
}

/// The text is no job id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotAJob;

impl fmt::Display for NotAJob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a job is a number such as 117, or 117_3 for a task of an array")
    }
}

impl std::error::Error for NotAJob {}

impl FromStr for JobArg {
    type Err = NotAJob;

    fn from_str(text: &str) -> Result<Self, NotAJob> {
        let (id, task) = match text.split_once('_') {
            Some((id, task)) => (id, Some(task)),
            None => (text, None),
        };
        let number = |digits: &str| digits.parse().map_err(|_| NotAJob);
        let id = number(id)?;
        if id == 0 {
            return Err(NotAJob);
        }
        Ok(Self {
            id,
            task: task.map(number).transpose()?,
        })
    }
}
