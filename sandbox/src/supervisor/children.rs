//! The services as processes: started, signalled, and buried when they end.

use std::{
    collections::BTreeMap,
    fs::{File, OpenOptions},
    os::unix::{fs::OpenOptionsExt as _, process::CommandExt as _},
    process::{Command, Stdio},
};

use anyhow::{Context as _, bail};
use nix::{
    errno::Errno,
    sys::{
        signal::{Signal, kill},
        wait::{WaitPidFlag, WaitStatus, waitpid},
    },
    unistd::Pid,
};

use crate::{control::ServiceState, namespaces::PATH, plan::Program, service::Service};

/// The services of the plan and what became of them.
#[derive(Debug)]
pub(super) struct Children {
    programs: BTreeMap<Service, Program>,
    states: BTreeMap<Service, ServiceState>,
}

impl Children {
    pub(super) fn new(programs: BTreeMap<Service, Program>) -> Self {
        let states = programs
            .keys()
            .map(|service| (service.clone(), ServiceState::NotStarted));
        Self {
            states: states.collect(),
            programs,
        }
    }

    pub(super) fn states(&self) -> BTreeMap<Service, ServiceState> {
        self.states.clone()
    }

    /// Starts a service that does not run.
    pub(super) fn start(&mut self, service: &Service) -> anyhow::Result<()> {
        let program = self
            .programs
            .get(service)
            .with_context(|| format!("{service} is not part of this sandbox"))?;
        if let Some(ServiceState::Running { pid }) = self.states.get(service) {
            bail!("{service} runs already, as process {pid}");
        }
        let (file, arguments) = program
            .command
            .split_first()
            .context("the command is empty")?;
        let output = append(&service.output())?;
        let child = Command::new(file)
            .args(arguments)
            .env_clear()
            .env("PATH", PATH)
            .envs(&program.environment)
            .current_dir("/")
            .uid(program.owner.uid)
            .gid(program.owner.gid)
            .process_group(0)
            .stdin(Stdio::null())
            .stdout(output.try_clone()?)
            .stderr(output)
            .spawn()
            .with_context(|| format!("cannot start {file}"))?;
        let pid = i32::try_from(child.id()).context("process ids are 31 bits wide")?;
        self.states
            .insert(service.clone(), ServiceState::Running { pid });
        Ok(())
    }

    /// Sends a signal to the main process of a service.
    pub(super) fn signal(&self, service: &Service, signal: i32) -> anyhow::Result<()> {
        let Some(ServiceState::Running { pid }) = self.states.get(service) else {
            bail!("{service} does not run");
        };
        let signal = Signal::try_from(signal)?;
        kill(Pid::from_raw(*pid), signal).with_context(|| format!("cannot signal {service}"))
    }

    /// Notes every child that has ended, and buries the orphans that process 1 inherits.
    pub(super) fn reap(&mut self) {
        loop {
            let (pid, how) = match waitpid(None, Some(WaitPidFlag::WNOHANG)) {
                Ok(WaitStatus::Exited(pid, status)) => (pid, format!("exit status {status}")),
                Ok(WaitStatus::Signaled(pid, signal, _)) => (pid, format!("signal {signal}")),
                Ok(WaitStatus::StillAlive) | Err(Errno::ECHILD) => return,
                Ok(_) | Err(_) => continue,
            };
            let running = ServiceState::Running { pid: pid.as_raw() };
            if let Some(state) = self.states.values_mut().find(|state| **state == running) {
                *state = ServiceState::Ended { how };
            }
        }
    }
}

fn append(path: &str) -> anyhow::Result<File> {
    OpenOptions::new()
        .create(true)
        .append(true)
        .mode(0o644)
        .open(path)
        .with_context(|| format!("cannot open {path}"))
}
