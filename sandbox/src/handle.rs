//! One service of a running sandbox.

use std::{path::PathBuf, time::Duration};

use nix::sys::signal::Signal;

use crate::{
    control::{Request, ServiceState},
    error::{Error, Result},
    sandbox::Sandbox,
    service::Service,
};

/// How long a service may take to end when asked to, before it is killed.
const STOP_TIMEOUT: Duration = Duration::from_secs(20);

/// One service of a sandbox, to look at and to hurt.
#[derive(Debug)]
pub struct ServiceHandle<'a> {
    sandbox: &'a Sandbox,
    service: Service,
}

impl<'a> ServiceHandle<'a> {
    pub(crate) fn new(sandbox: &'a Sandbox, service: Service) -> Self {
        Self { sandbox, service }
    }

    /// Starts it and waits until it is ready.
    pub fn start(&self) -> Result<()> {
        self.sandbox.done(&Request::Start(self.service.clone()))?;
        self.sandbox.wait_ready(std::slice::from_ref(&self.service))
    }

    /// Asks it to end (`SIGTERM`) and waits until it has; kills it if it takes too long.
    pub fn stop(&self) -> Result<()> {
        // A stopped process would not hear of it.
        self.kill(Signal::SIGCONT)?;
        self.kill(Signal::SIGTERM)?;
        let gone = self.wait_ended();
        if gone.is_err() && self.pid()?.is_some() {
            self.kill(Signal::SIGKILL)?;
            return self.wait_ended();
        }
        gone
    }

    /// Stops it, if it runs, and starts it again.
    pub fn restart(&self) -> Result<()> {
        if self.pid()?.is_some() {
            self.stop()?;
        }
        self.start()
    }

    /// Sends a signal to its main process; after `SIGKILL`, returns when it has ended.
    ///
    /// slurmctld writes down what it knows some seconds later: killed so soon after a job started
    /// that it had no time for that, it comes back thinking that the job pends, and kills it.
    pub fn kill(&self, signal: Signal) -> Result<()> {
        let service = self.service.clone();
        self.sandbox.done(&Request::Signal {
            service,
            signal: signal as i32,
        })?;
        if signal == Signal::SIGKILL {
            self.wait_ended()
        } else {
            Ok(())
        }
    }

    /// Process id of its main process as counted inside the sandbox, if it runs.
    pub fn pid(&self) -> Result<Option<i32>> {
        Ok(match self.state()? {
            ServiceState::Running { pid } => Some(pid),
            ServiceState::NotStarted | ServiceState::Ended { .. } => None,
        })
    }

    /// Whether it runs, and how it ended if it did.
    pub fn state(&self) -> Result<ServiceState> {
        let mut services = self.sandbox.status()?.services;
        services
            .remove(&self.service)
            .ok_or_else(|| Error::Refused {
                name: self.sandbox.name().to_owned(),
                message: format!("{} is not part of this sandbox", self.service),
            })
    }

    /// Its directory in `/proc`, as found from outside, if it runs.
    pub fn proc(&self) -> Result<Option<PathBuf>> {
        Ok(self
            .pid()?
            .map(|pid| self.sandbox.path(format!("/proc/{pid}"))))
    }

    /// Its log, as found from outside.
    pub fn log_path(&self) -> PathBuf {
        self.sandbox.path(self.service.log())
    }

    fn wait_ended(&self) -> Result<()> {
        let what = format!("{} to end", self.service);
        self.sandbox
            .wait_until(STOP_TIMEOUT, &what, || match self.pid() {
                Ok(None) => Ok(()),
                Ok(Some(pid)) => Err(format!("process {pid} still runs")),
                Err(error) => Err(error.to_string()),
            })
    }
}
