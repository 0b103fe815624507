//! Processes of a sandbox as the host sees them: the time they spent and the memory they hold.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, Result};
use fedsched_sandbox::Sandbox;
use nix::time::clock_getcpuclockid;
use nix::unistd::Pid;

/// One process.
#[derive(Debug, Clone)]
pub(crate) struct Process {
    pid: i32,
}

impl Process {
    /// All of this name in the sandbox. The order means nothing.
    pub(crate) fn named(sandbox: &Sandbox, name: &str) -> Result<Vec<Self>> {
        let namespace = |pid: i32| fs::read_link(format!("/proc/{pid}/ns/pid"));
        let inside = namespace(sandbox.pid())?;
        let named = |pid: &i32| {
            let comm = fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
            comm.trim_end() == name && namespace(*pid).is_ok_and(|other| other == inside)
        };
        let processes = fs::read_dir("/proc")?
            .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
            .filter(named)
            .map(|pid| Self { pid });
        Ok(processes.collect())
    }

    /// Time on processors since it began, of threads that have ended, too.
    pub(crate) fn cpu(&self) -> Result<Duration> {
        let clock = clock_getcpuclockid(Pid::from_raw(self.pid))?;
        Ok(clock.now()?.into())
    }

    /// Resident memory in bytes, of which its own alone.
    pub(crate) fn resident_bytes(&self) -> Result<u64> {
        let path = PathBuf::from(format!("/proc/{}/status", self.pid));
        let text = fs::read_to_string(&path)?;
        let kib = text
            .lines()
            .find_map(|line| line.strip_prefix("VmRSS:"))
            .and_then(|value| value.split_whitespace().next()?.parse::<u64>().ok())
            .with_context(|| format!("no VmRSS in {}", path.display()))?;
        Ok(kib * 1024)
    }
}

/// The time that these spent so far.
pub(crate) fn cpu(processes: &[Process]) -> Result<Duration> {
    processes.iter().map(Process::cpu).sum()
}
