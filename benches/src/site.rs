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

use crate::metrics::Metrics;
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
const PATIENCE: Duration = Duration::from_secs(120);

/// The waiting room.
pub(crate) const ROOM: &str = "federation";

/// One node as large as a small cluster, as a member of its own: room for everything that is bound
/// while submissions are measured.
pub(crate) const WIDE: &str = "wide";
const WIDE_PORT: u16 = 7101;

/// What a cluster is started with.
#[derive(Debug, Clone)]
pub(crate) struct Setup {
    pub(crate) series: Series,
    /// Another fedsched than this workspace's.
    pub(crate) fedsched: Option<PathBuf>,
    /// Lines of slurm.conf and of the daemon's configuration.
    pub(crate) slurm: String,
    pub(crate) daemon: String,
}

impl Setup {
    /// With one more member, [`WIDE`], in which whatever is bound waits for a scheduler that does
    /// not come: it is not the start of jobs that is measured.
    pub(crate) fn with_wide_member(mut self) -> Self {
        let _infallible = write!(
            self.slurm,
            "NodeName={WIDE} NodeHostname=sandbox Port={WIDE_PORT} CPUs=4096 RealMemory=4000000\n\
             PartitionName={WIDE} Nodes={WIDE} MaxTime=INFINITE DefMemPerCPU=500 State=UP\n\
             SchedulerParameters=defer,batch_sched_delay=600,sched_interval=600,bf_interval=600\n"
        );
        self.daemon = members(WIDE);
        self
    }
}

/// The daemon's members: those of every sandbox, and one more.
pub(crate) fn members(more: &str) -> String {
    let mut names: Vec<String> = fedsched_sandbox::node_names()
        .iter()
        .map(|node| partition_of(node).to_owned())
        .collect();
    names.dedup();
    names.push(more.to_owned());
    let lines = names
        .iter()
        .map(|name| format!("[[member]]\nname = \"{name}\"\n"));
    lines.collect()
}

/// The partition of a node of the sandbox: `cpu` of `cpu1`.
fn partition_of(node: &str) -> &str {
    node.trim_end_matches(|c: char| c.is_ascii_digit())
}

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
    /// Starts it and fills its nodes.
    pub(crate) fn start(setup: Setup) -> Result<Self> {
        let rivals = Rivals::build(&Development::of(setup.series)?)?;
        let sandbox = Sandbox::start(&Options {
            slurm: setup.series,
            fedsched: setup.fedsched,
            job_submit: JobSubmit::Other {
                name: String::from("bench"),
                file: rivals.switch(),
            },
            slurm_config: format!("MaxJobCount=60000\n{}", setup.slurm),
            daemon_config: setup.daemon,
            // Cancelled jobs are of no more use.
            min_job_age_s: 2,
            ..Options::default()
        })?;
        install(&sandbox, &rivals)?;
        let program = format!("{LIBRARY}/submit");
        let submitter = Submitter::start(&sandbox, USER, &program)?;
        let site = Self {
            sandbox,
            submitter,
            edition: 0,
            _rivals: rivals,
        };
        site.route_lua(ROOM)?;
        site.occupy()?;
        site.wait_until_known("fedsched_member_nodes_free", 0)?;
        Ok(site)
    }

    /// Brings the node of the wide member up.
    pub(crate) fn start_wide_node(&self) -> Result<()> {
        self.run("root", ["slurmd", "-N", WIDE])?;
        self.wait_until_known("fedsched_member_nodes_free", 1)
    }

    /// Until the daemon's metric has this value, for it hears of everything a little later.
    pub(crate) fn wait_until_known(&self, metric: &str, value: u32) -> Result<()> {
        let what = format!("{metric} to be {value}");
        self.sandbox.wait_until(PATIENCE, &what, || {
            let metrics = Metrics::read(self).map_err(|error| format!("{error:#}"))?;
            let known = metrics.sum(metric);
            if (known - f64::from(value)).abs() < 0.5 {
                Ok(())
            } else {
                Err(format!("{metric} is {known}"))
            }
        })?;
        Ok(())
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
    fn occupy(&self) -> Result<()> {
        let nodes = fedsched_sandbox::node_names();
        for node in &nodes {
            let partition = partition_of(node);
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
            self.submitter.submit("fedsched", 1, "")?;
        }
        self.submitter.submit("fedsched", 5, "")?;
        self.submitter.cancel()
    }

    /// Has `job_submit/lua` send jobs to this partition; it looks at its script with every job.
    pub(crate) fn route_lua(&self, partition: &str) -> Result<()> {
        let script = ROUTE_LUA.replace("@PARTITION@", partition);
        Ok(fs::write(
            self.sandbox.path("/etc/slurm/job_submit.lua"),
            script,
        )?)
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
