//! Running a command inside a sandbox.

use std::{
    fs,
    io::IsTerminal as _,
    os::unix::process::ExitStatusExt as _,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
};

use anyhow::Context as _;
use nix::{
    sched::{CloneFlags, setns},
    sys::signal::{SigSet, Signal},
};

use crate::{
    accounts::{Accounts, User},
    plan::Owner,
};

/// The search path inside a sandbox.
pub(crate) const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// The namespaces a sandbox has of its own, the mounts last: with them `/proc` is another one.
const NAMESPACES: [(&str, CloneFlags); 5] = [
    ("ipc", CloneFlags::CLONE_NEWIPC),
    ("uts", CloneFlags::CLONE_NEWUTS),
    ("net", CloneFlags::CLONE_NEWNET),
    ("pid", CloneFlags::CLONE_NEWPID),
    ("mnt", CloneFlags::CLONE_NEWNS),
];

/// A command to run inside a sandbox.
#[derive(Debug)]
pub struct Entry {
    /// Process id of the sandbox's supervisor.
    pub pid: i32,
    /// Who runs the command.
    pub user: String,
    /// The command and its arguments.
    pub command: Vec<String>,
}

impl Entry {
    /// Enters the namespaces, runs the command there with this process's standard streams, and
    /// ends as it does (128 + the signal's number if a signal ended it, as shells say).
    pub fn run(&self) -> anyhow::Result<ExitCode> {
        let root = PathBuf::from(format!("/proc/{}/root", self.pid));
        let user = Accounts::read(&root)?.user(&self.user)?.clone();
        let owner = Owner::from(&user);
        self.join_namespaces()?;

        // A terminal's interrupt goes to the command, too: this process waits for what it makes
        // of it.
        let mut mask = SigSet::empty();
        mask.add(Signal::SIGINT);
        mask.add(Signal::SIGQUIT);
        mask.thread_block()?;

        // If this process is killed the command must not live on.
        let mut command = Command::new("/usr/bin/setpriv");
        command
            .arg(format!("--reuid={}", owner.uid))
            .arg(format!("--regid={}", owner.gid))
            .args(["--init-groups", "--pdeathsig=KILL", "--"])
            .args(&self.command)
            .env_clear()
            .env("PATH", PATH)
            .env("HOME", &user.home)
            .env("USER", &user.name)
            .env("LOGNAME", &user.name)
            .env("SHELL", &user.shell)
            .env("LANG", "C.UTF-8")
            .current_dir(Self::directory(&user));
        if std::io::stdin().is_terminal() {
            command.envs(std::env::var_os("TERM").map(|term| ("TERM", term)));
        }
        let status = command
            .status()
            .context("cannot run setpriv inside the sandbox")?;
        let code = status
            .code()
            .or_else(|| status.signal().map(|signal| 128 + signal));
        Ok(ExitCode::from(
            code.and_then(|code| u8::try_from(code).ok())
                .unwrap_or(u8::MAX),
        ))
    }

    /// Where the command starts; services have homes that do not exist.
    fn directory(user: &User) -> &Path {
        let home = Path::new(&user.home);
        if home.is_dir() { home } else { Path::new("/") }
    }

    fn join_namespaces(&self) -> anyhow::Result<()> {
        let open = |name| {
            let path = format!("/proc/{}/ns/{name}", self.pid);
            fs::File::open(&path).with_context(|| format!("cannot open {path}"))
        };
        let files = NAMESPACES
            .iter()
            .map(|(name, kind)| Ok((open(name)?, *kind)))
            .collect::<anyhow::Result<Vec<_>>>()?;
        for (file, kind) in files {
            setns(file, kind).context("cannot enter the sandbox's namespaces")?;
        }
        Ok(())
    }
}
