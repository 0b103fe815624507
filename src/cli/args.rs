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

    /// Try everything an installation needs, and say what to do about what fails
    ///
    /// Run it as root on the host of slurmctld. It changes nothing.
    Check {
        /// The daemon's configuration
        #[command(flatten)]
        config: ConfigArg,
    },

    /// Replay workload traces: what would a federation have done with them?
    ///
    /// Each trace is a member with its own jobs. They are replayed side by side, each from its own
    /// first row, under each policy; the table tells how long jobs waited for what they ran.
    #[command(after_help = "\
Traces, gzipped or not:
  SWF         the Parallel Workloads Archive's format
  sacct       sacct --allocations --parsable2 --format=JobID,Submit,ElapsedRaw,AllocCPUS,ReqCPUS,TimelimitRaw
  pod list    of Alibaba's cluster-trace-gpu-v2023

Example:
  fedsched simulate --days 40 --offset-days 0,8,16 atlas.swf.gz theta.swf.gz=4360")]
    Simulate(SimulateArgs),

    /// Work on configuration files
    #[command(subcommand)]
    Config(ConfigCommand),

    /// Print the lines to add to slurm.conf and fedsched.conf
    ///
    /// What the site has already is asked of slurmctld; where it cannot be reached, the lines have
    /// gaps to be filled in, marked by `…`.
    SlurmConf {
        /// The daemon's configuration
        #[command(flatten)]
        config: ConfigArg,

        /// How jobs are kept from starting in the waiting room
        #[arg(long, value_enum, default_value_t = RoomArg::Auto)]
        room: RoomArg,
    },

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

/// What is replayed.
#[derive(Debug, Args)]
pub struct SimulateArgs {
    /// Traces and the processors of the member each stands for, if not those the file names
    #[arg(required = true, value_name = "TRACE[=PROCESSORS]")]
    pub traces: Vec<TraceArg>,

    /// Policies to be compared: local-only, random, round-robin, least-loaded, earliest-start,
    /// siblings, pooled; all of them if none is given
    #[arg(long = "policy", value_name = "NAME", value_delimiter = ',')]
    pub policies: Vec<String>,

    /// Days replayed; to the end of the traces if not given
    #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(u32).range(1..))]
    pub days: Option<u32>,

    /// Days left out at the start of every trace; several make several windows, compared one by one
    #[arg(
        long = "offset-days",
        value_name = "DAYS",
        value_delimiter = ',',
        default_value = "0"
    )]
    pub offsets: Vec<u32>,

    /// What chance there is: the same seed gives the same output
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub seed: u64,

    /// Write a page with plots
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
}

/// A trace and the size of the member it stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceArg {
    /// The file.
    pub path: PathBuf,
    /// Processors of the member; `None`: what the file says.
    pub processors: Option<u64>,
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

/// How jobs are kept from starting in the waiting room.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RoomArg {
    /// A QOS where the site enforces limits, else the partition's state
    Auto,
    /// State=UP, under a QOS that lets nothing start
    Qos,
    /// State=DOWN
    Down,
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

/// The text names no trace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotATrace {
    /// No file.
    NoFile,
    /// No size behind the `=`.
    Processors(String),
}

impl fmt::Display for NotATrace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoFile => f.write_str("no file is named: write TRACE or TRACE=PROCESSORS"),
            Self::Processors(size) => write!(
                f,
                "`{size}` is no number of processors: it is a whole number above 0"
            ),
        }
    }
}

impl std::error::Error for NotATrace {}

impl FromStr for TraceArg {
    type Err = NotATrace;

    fn from_str(text: &str) -> Result<Self, NotATrace> {
        let (path, processors) = match text.rsplit_once('=') {
            None => (text, None),
            Some((path, size)) => match size.parse::<u64>() {
                Ok(size) if size > 0 => (path, Some(size)),
                _ => return Err(NotATrace::Processors(size.to_owned())),
            },
        };
        if path.is_empty() {
            return Err(NotATrace::NoFile);
        }
        Ok(Self {
            path: path.into(),
            processors,
        })
    }
}
