//! The sandbox that is measured: one slurmctld with every rival in it, busy nodes, one submitter.

use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use fedsched_sandbox::{
    Development, JobSubmit, Options, Sandbox, Series, Service, ServiceHandle, Signal,
};

use crate::rivals::{ROUTE_LUA, Rivals};
use crate::submitter::Submitter;

/// Where the sandbox has the plugins of this workspace; the switch looks for its list there.
const LIBRARY: &str = "/usr/local/lib/fedsched";

/// The user who submits, and the one whose jobs keep the nodes busy.
pub(crate) const USER: &str = "user1";
const NEIGHBOUR: &str = "user2";

/// How often the plugin looks at its configuration, and some more.
const PLUGIN_NOTICES: Duration = Duration::from_millis(1200);

/// How long a cluster may take for what it is asked to do.
const PATIENCE: Duration = Duration::from_secs(60);

/// A running cluster with the switch in its slurmctld.
#[derive(Debug)]
pub(crate) struct Site {
    pub(crate) sandbox: Sandbox,
    pub(crate) submitter: Submitter,
    /// Written to the plugin's configuration, to make each version of the file another.
    edition: u32,
    _rivals: Rivals,
}

impl Site {
    /// Starts it, with another fedsched than this workspace's if named, and with these lines added to the configurations of slurmctld and the daemon.
    pub(crate) fn start(
        series: Series,
        fedsched: Option<PathBuf>,
        slurm: &str,
        daemon: &str,
    ) -> Result<Self> {
        let rivals = Rivals::build(&Development::of(series)?)?;
        let sandbox = Sandbox::start(&Options {
            slurm: series,
            fedsched,
            job_submit: JobSubmit::Other {
                name: String::from("bench"),
                file: rivals.switch(),
            },
            slurm_config: format!("MaxJobCount=60000\n{slurm}"),
            daemon_config: daemon.to_owned(),
            // Cancelled jobs are of no more use.
            min_job_age_s: 2,
            ..Options::default()
        })?;
        install(&sandbox, &rivals)?;
        let program = format!("{LIBRARY}/submit");
        let submitter = Submitter::start(&sandbox, USER, &program)?;
        Ok(Self {
            sandbox,
            submitter,
            edition: 0,
            _rivals: rivals,
        })
    }

    /// The daemon, to be stopped and hurt.
    pub(crate) fn daemon(&self) -> ServiceHandle<'_> {
        self.sandbox.service(Service::Fedsched)
    }

    /// Holds the daemon still, or lets it go on. While others are measured it must cost nothing.
    pub(crate) fn freeze_daemon(&self, frozen: bool) -> Result<()> {
        let signal = if frozen {
            Signal::SIGSTOP
        } else {
            Signal::SIGCONT
        };
        Ok(self.daemon().kill(signal)?)
    }

    /// Fills every node of every member with one long job, so that whatever is submitted waits: no
    /// job starts while submissions are measured, and every answer takes a look at every member.
    pub(crate) fn occupy(&self) -> Result<()> {
        let nodes = fedsched_sandbox::node_names();
        for node in &nodes {
            let partition = node.trim_end_matches(|c: char| c.is_ascii_digit());
            let where_ = [
                format!("--partition={partition}"),
                format!("--nodelist={node}"),
            ];
            let sbatch = [
                "sbatch",
                "--exclusive",
                "--mem=0",
                "--time=120",
                "--output=/dev/null",
            ];
            let command = sbatch
                .into_iter()
                .chain(where_.iter().map(String::as_str))
                .chain(["--wrap=sleep 7200"]);
            self.run(NEIGHBOUR, command)?;
        }
        let count = nodes.len();
        self.sandbox
            .wait_until(PATIENCE, "every node to be busy", || {
                let states = self
                    .run("root", ["squeue", "--noheader", "--format=%T"])
                    .map_err(|error| error.to_string())?;
                let running = states.lines().filter(|line| *line == "RUNNING").count();
                if running == count {
                    Ok(())
                } else {
                    Err(format!("{running} of {count} jobs run"))
                }
            })?;
        Ok(())
    }

    /// Has the plugin read its configuration again, which forgets that the daemon was not there.
    pub(crate) fn renew_plugin(&mut self) -> Result<()> {
        self.edition += 1;
        let text = format!("# edition {}\n", self.edition);
        fs::write(self.sandbox.path("/etc/slurm/fedsched.conf"), text)?;
        let start = Instant::now();
        // Not merely waiting: the plugin looks at the file when a job comes.
        while start.elapsed() < PLUGIN_NOTICES {
            self.submitter.submit("fedsched", 1)?;
        }
        self.submitter.submit("fedsched", 5)?;
        self.submitter.cancel()
    }

    /// Where the pending jobs of the user wait.
    pub(crate) fn partitions(&self) -> Result<Vec<String>> {
        let squeue = ["squeue", "--noheader", "--format=%P", "--user", USER];
        let mut all: Vec<String> = self
            .run("root", squeue)?
            .lines()
            .map(str::to_owned)
            .collect();
        all.sort();
        all.dedup();
        Ok(all)
    }

    /// Standard output of a command that must succeed.
    pub(crate) fn run<'a>(
        &self,
        user: &str,
        command: impl IntoIterator<Item = &'a str>,
    ) -> Result<String> {
        let command: Vec<&str> = command.into_iter().collect();
        let output = self.sandbox.exec(user, &command)?;
        ensure!(
            output.status.success(),
            "{command:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8(output.stdout).context("output that is not UTF-8")
    }
}

/// Brings the rivals inside and tells the switch where they are.
fn install(sandbox: &Sandbox, rivals: &Rivals) -> Result<()> {
    let copy = |from: &Path, name: &str| -> Result<()> {
        let to = sandbox.path(format!("{LIBRARY}/{name}"));
        fs::copy(from, &to)?;
        Ok(fs::set_permissions(&to, fs::Permissions::from_mode(0o755))?)
    };
    copy(&rivals.noop(), "job_submit_noop.so")?;
    copy(&rivals.submitter(), "submit")?;
    fs::write(sandbox.path("/etc/slurm/job_submit.lua"), ROUTE_LUA)?;
    let lua = slurms_own(sandbox, "job_submit_lua.so")?;
    let mut list = String::new();
    for (name, file) in [
        (
            "noop",
            PathBuf::from(format!("{LIBRARY}/job_submit_noop.so")),
        ),
        (
            "fedsched",
            PathBuf::from(format!("{LIBRARY}/job_submit_fedsched.so")),
        ),
        ("lua", lua),
    ] {
        writeln!(list, "{name} {}", file.display())?;
    }
    Ok(fs::write(sandbox.path(format!("{LIBRARY}/rivals")), list)?)
}

/// The path, inside, of a plugin that Slurm itself brings.
fn slurms_own(sandbox: &Sandbox, name: &str) -> Result<PathBuf> {
    let libraries = fs::read_dir(sandbox.path("/usr/lib"))?;
    libraries
        .filter_map(Result::ok)
        .map(|entry| {
            Path::new("/usr/lib")
                .join(entry.file_name())
                .join("slurm-wlm")
                .join(name)
        })
        .find(|inside| sandbox.path(inside).exists())
        .with_context(|| format!("the sandbox's Slurm has no {name}"))
}
