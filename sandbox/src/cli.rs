//! Verbs of the command `sandbox`.

use std::{
    env, fs, io,
    io::Write as _,
    os::unix::process::CommandExt as _,
    path::PathBuf,
    process::{Command, ExitCode},
    time::Instant,
};

use anyhow::Context as _;
use clap::{Args, Parser, Subcommand};
use fedsched_sandbox::{
    Entry, JobSubmit, Options, Room, Sandbox, Series, Service, ServiceState, host_suite, init,
    running, supervise,
};

/// The sandbox people mean if they name none.
const DEFAULT_NAME: &str = "demo";

/// How many lines of each log `logs` shows if no service is named.
const LOG_LINES: usize = 10;

/// Real Slurm clusters in private namespaces on one machine
#[derive(Debug, Parser)]
#[command(name = "sandbox", version)]
pub(crate) struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Start a sandbox; it runs until `down`
    Up(Up),
    /// Show what runs
    Status(Name),
    /// Run a command in a sandbox
    Exec(Exec),
    /// Print the log of a service, or the ends of all logs
    Logs(Logs),
    /// End a sandbox
    Down(Name),
    /// Launch process 1 of a sandbox
    #[command(hide = true)]
    Supervise { name: String },
    /// Be process 1 of a sandbox
    #[command(hide = true)]
    Init { name: String },
    /// Run a command in the namespaces of a process
    #[command(hide = true)]
    Enter(Enter),
}

#[derive(Args, Debug)]
struct Name {
    /// Which sandbox
    #[arg(long, default_value = DEFAULT_NAME)]
    name: String,
}

#[derive(Args, Debug)]
struct Up {
    #[command(flatten)]
    name: Name,
    /// Which Slurm: 22.05, 24.11 or 26.05
    #[arg(long, default_value_t = Series::default())]
    slurm: Series,
    /// How jobs wait: `down` (partition DOWN) or `qos` (partition UP, QOS with GrpJobs=0)
    #[arg(long, default_value = "down")]
    room: Room,
    /// Plain Slurm: no plugin and no daemon
    #[arg(long)]
    plain: bool,
    /// The plugin, but no daemon to answer it
    #[arg(long)]
    no_daemon: bool,
}

#[derive(Args, Debug)]
struct Exec {
    #[command(flatten)]
    name: Name,
    /// Who runs it: user1, user2, operator, fedsched, slurm or root
    #[arg(long = "as", value_name = "USER", default_value = "user1")]
    user: String,
    /// The command and its arguments
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    command: Vec<String>,
}

#[derive(Args, Debug)]
struct Logs {
    #[command(flatten)]
    name: Name,
    /// For example slurmctld or slurmd-cpu1
    service: Option<Service>,
}

#[derive(Args, Debug)]
struct Enter {
    #[arg(long)]
    pid: i32,
    #[arg(long = "as")]
    user: String,
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    command: Vec<String>,
}

impl Cli {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let done = |()| ExitCode::SUCCESS;
        match self.verb {
            Verb::Up(up) => up.run().map(done),
            Verb::Status(Name { name }) => status(&name).map(done),
            Verb::Exec(exec) => exec.run(),
            Verb::Logs(logs) => logs.run().map(done),
            Verb::Down(Name { name }) => Ok(attach(&name)?.down().map(done)?),
            Verb::Supervise { name } => supervise(&name),
            Verb::Init { name } => init(&name),
            Verb::Enter(Enter { pid, user, command }) => Entry { pid, user, command }.run(),
        }
    }
}

impl Up {
    fn run(self) -> anyhow::Result<()> {
        // Before anybody is asked for a password.
        host_suite()?;
        become_root()?;
        let start = Instant::now();
        let options = Options {
            slurm: self.slurm,
            name: Some(self.name.name),
            room: self.room,
            job_submit: if self.plain {
                JobSubmit::None
            } else {
                JobSubmit::Fedsched
            },
            daemon: !self.plain && !self.no_daemon,
            ..Options::default()
        };
        let sandbox = Sandbox::start(&options)?;
        eprintln!(
            "sandbox: `{}` runs Slurm {} (ready after {:.1} s)",
            sandbox.name(),
            sandbox.slurm_version(),
            start.elapsed().as_secs_f64()
        );
        sandbox.detach()?;
        Ok(())
    }
}

/// Without root nothing of this works: asks sudo, keeping what says where things are.
fn become_root() -> anyhow::Result<()> {
    if nix::unistd::geteuid().is_root() {
        return Ok(());
    }
    let mut sudo = Command::new("sudo");
    for name in [
        "PATH",
        "HOME",
        "XDG_CACHE_HOME",
        "CARGO",
        "CARGO_HOME",
        "CARGO_TARGET_DIR",
        "RUSTUP_HOME",
    ] {
        if let Some(value) = env::var_os(name) {
            let mut setting = std::ffi::OsString::from(format!("{name}="));
            setting.push(value);
            sudo.arg(setting);
        }
    }
    let error = sudo
        .arg(env::current_exe()?)
        .args(env::args_os().skip(1))
        .exec();
    Err(error).context("a sandbox needs root, and sudo cannot be run: run the command as root")
}

impl Exec {
    fn run(self) -> anyhow::Result<ExitCode> {
        let Self {
            name: Name { name },
            user,
            command,
        } = self;
        let pid = attach(&name)?.pid();
        Entry { pid, user, command }.run()
    }
}

fn attach(name: &str) -> anyhow::Result<Sandbox> {
    become_root()?;
    Ok(Sandbox::attach(name)?)
}

fn status(name: &str) -> anyhow::Result<()> {
    let sandbox = attach(name)?;
    let mut out = io::stdout().lock();
    writeln!(out, "sandbox `{name}`: Slurm {}", sandbox.slurm_version())?;
    for (service, state) in sandbox.services()? {
        let state = match state {
            ServiceState::NotStarted => String::from("not started"),
            ServiceState::Running { pid } => format!("runs as process {pid}"),
            ServiceState::Ended { how } => format!("ended: {how}"),
        };
        writeln!(out, "  {service:<12} {state}")?;
    }
    for other in running().iter().filter(|other| *other != name) {
        writeln!(out, "sandbox `{other}` runs, too")?;
    }
    Ok(())
}

impl Logs {
    fn run(self) -> anyhow::Result<()> {
        let sandbox = attach(&self.name.name)?;
        let mut out = io::stdout().lock();
        if let Some(service) = self.service {
            let path = sandbox.service(service).log_path();
            let mut log = open(&path)?;
            io::copy(&mut log, &mut out)?;
            return Ok(());
        }
        for (service, _) in sandbox.services()? {
            writeln!(out, "==> {service}")?;
            let text = fs::read(sandbox.service(service).log_path()).unwrap_or_default();
            let text = String::from_utf8_lossy(&text);
            let lines: Vec<&str> = text.lines().collect();
            for line in lines.iter().skip(lines.len().saturating_sub(LOG_LINES)) {
                writeln!(out, "{line}")?;
            }
        }
        Ok(())
    }
}

fn open(path: &PathBuf) -> anyhow::Result<fs::File> {
    fs::File::open(path).with_context(|| format!("cannot open {}", path.display()))
}
