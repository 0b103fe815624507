//! A running sandbox, as its owner or anybody else sees it.

use std::{
    ffi::OsStr,
    fs,
    io::ErrorKind,
    os::{
        fd::OwnedFd,
        unix::{fs::chown, net::UnixStream, process::CommandExt as _},
    },
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    sync::{Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};

use crate::{
    accounts::Accounts,
    artifacts,
    control::{self, Line, Reply, Request, ServiceState, Status},
    error::{Error, Result},
    handle::ServiceHandle,
    host,
    plan::Plan,
    service::Service,
    supervisor,
};

/// Pause between two looks at a condition.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// How long a sandbox may take to end.
const END_TIMEOUT: Duration = Duration::from_secs(20);

/// A sandbox: one Slurm cluster with everything it needs, in namespaces of its own.
///
/// Dropping the value that started it ends it, unless it was [detached](Sandbox::detach); so does
/// the end of the process that holds it, however that comes about.
#[derive(Debug)]
pub struct Sandbox {
    name: String,
    /// The `sandbox` command, which enters namespaces.
    binary: PathBuf,
    /// Process id of the supervisor.
    pid: i32,
    slurm: String,
    line: Mutex<Line>,
    /// The parent of the supervisor, if this value owns the sandbox.
    launcher: Option<Child>,
}

impl Sandbox {
    /// Reaches the sandbox of this name, which somebody else started.
    pub fn attach(name: &str) -> Result<Self> {
        host::require_root()?;
        let mut line = control::connect(name).map_err(|_| Error::NotRunning {
            name: name.to_owned(),
        })?;
        let status = status_of(name, line.call(&Request::Status))?;
        Ok(Self {
            name: name.to_owned(),
            binary: artifacts::sandbox()?,
            pid: status.pid,
            slurm: status.slurm,
            line: Mutex::new(line),
            launcher: None,
        })
    }

    /// Makes the namespaces and files of a plan; no service runs yet.
    pub(crate) fn boot(name: &str, plan: &Plan) -> Result<Self> {
        let binary = artifacts::sandbox()?;
        let broken = |source| Error::Supervisor {
            name: name.to_owned(),
            source,
        };
        let (ours, theirs) = UnixStream::pair().map_err(broken)?;
        let launcher = Command::new(&binary)
            .args([supervisor::SUPERVISE, name])
            .stdin(OwnedFd::from(theirs))
            .stdout(Stdio::null())
            // A terminal's interrupt is for this process, which then ends the sandbox.
            .process_group(0)
            .spawn()
            .map_err(|source| Error::Run {
                command: binary.display().to_string(),
                source,
            })?;
        let mut sandbox = Self {
            name: name.to_owned(),
            binary,
            pid: 0,
            slurm: plan.slurm.clone(),
            line: Mutex::new(Line::new(ours)),
            launcher: Some(launcher),
        };
        let answer = {
            let mut line = sandbox.line.lock().unwrap_or_else(PoisonError::into_inner);
            line.send(plan)
                .and_then(|()| line.receive())
                .and_then(|reply| reply.ok_or_else(|| ErrorKind::UnexpectedEof.into()))
        };
        sandbox.pid = status_of(name, answer)?.pid;
        Ok(sandbox)
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Full version of the Slurm inside, for example `22.05.8`.
    pub fn slurm_version(&self) -> &str {
        &self.slurm
    }

    /// Process id of the supervisor on the host: the first process of the sandbox's namespaces.
    pub fn pid(&self) -> i32 {
        self.pid
    }

    /// Where a path of the sandbox can be found from outside, while it runs.
    ///
    /// Links in it that begin with `/` are followed on the outside.
    pub fn path(&self, inside: impl AsRef<Path>) -> PathBuf {
        let inside = inside.as_ref();
        let root = PathBuf::from(format!("/proc/{}/root", self.pid));
        root.join(inside.strip_prefix("/").unwrap_or(inside))
    }

    /// The home directory of a user, inside the sandbox.
    pub fn home(&self, user: &str) -> Result<PathBuf> {
        Ok(Accounts::read(&self.path("/"))?
            .user(user)?
            .home
            .clone()
            .into())
    }

    /// Writes a file inside the sandbox that belongs to `user`; a relative path is in their home.
    ///
    /// Returns the file's path inside. Anybody may read and run it, as they may a job script.
    pub fn write_file(
        &self,
        user: &str,
        path: impl AsRef<Path>,
        text: impl AsRef<[u8]>,
    ) -> Result<PathBuf> {
        let accounts = Accounts::read(&self.path("/"))?;
        let user = accounts.user(user)?;
        let inside = Path::new(&user.home).join(path);
        let outside = self.path(&inside);
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        fs::write(&outside, text)
            .and_then(|()| chown(&outside, Some(user.uid), Some(user.gid)))
            .and_then(|()| fs::set_permissions(&outside, mode))
            .map_err(Error::io("write", &outside))?;
        Ok(inside)
    }

    /// A command that will run inside the sandbox as `user`, in their home, with a clean
    /// environment; its standard streams are for the caller to set.
    ///
    /// Ends with 128 + the signal's number if a signal ended it. Killing it kills it inside.
    pub fn command<S: AsRef<OsStr>>(
        &self,
        user: &str,
        command: impl IntoIterator<Item = S>,
    ) -> Command {
        let mut enter = Command::new(&self.binary);
        enter.args([
            crate::ENTER,
            "--pid",
            &self.pid.to_string(),
            "--as",
            user,
            "--",
        ]);
        enter.args(command);
        enter
    }

    /// Runs a command inside the sandbox as `user` and waits for its end.
    pub fn exec<S: AsRef<OsStr>>(
        &self,
        user: &str,
        command: impl IntoIterator<Item = S>,
    ) -> Result<Output> {
        let mut command = self.command(user, command);
        command
            .stdin(Stdio::null())
            .output()
            .map_err(|source| Error::Run {
                command: format!("{command:?}"),
                source,
            })
    }

    /// Starts a command inside the sandbox as `user`, with pipes for its standard streams.
    pub fn spawn<S: AsRef<OsStr>>(
        &self,
        user: &str,
        command: impl IntoIterator<Item = S>,
    ) -> Result<Child> {
        let mut command = self.command(user, command);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|source| Error::Run {
                command: format!("{command:?}"),
                source,
            })
    }

    /// One of the services.
    pub fn service(&self, service: Service) -> ServiceHandle<'_> {
        ServiceHandle::new(self, service)
    }

    /// Every service that is part of this sandbox, and whether it runs.
    pub fn services(&self) -> Result<Vec<(Service, ServiceState)>> {
        Ok(self.status()?.services.into_iter().collect())
    }

    /// Looks at a condition again and again until it holds or the time is over.
    ///
    /// The condition says what it found: `Ok` once it holds, `Err` with the state seen otherwise,
    /// which the error shows together with the ends of the logs of slurmctld and fedsched.
    pub fn wait_until<T>(
        &self,
        timeout: Duration,
        what: &str,
        mut condition: impl FnMut() -> Result<T, String>,
    ) -> Result<T> {
        let start = Instant::now();
        loop {
            let state = match condition() {
                Ok(value) => return Ok(value),
                Err(state) => state,
            };
            if start.elapsed() >= timeout {
                return Err(Error::Deadline {
                    what: what.to_owned(),
                    waited_s: timeout.as_secs(),
                    state,
                    logs: self.log_tails(),
                });
            }
            thread::sleep(POLL_INTERVAL);
        }
    }

    /// Lets the sandbox live on when this value and this process end.
    pub fn detach(mut self) -> Result<()> {
        self.done(&Request::Detach)?;
        self.launcher = None;
        Ok(())
    }

    /// Ends the sandbox and returns when nothing of it is left.
    pub fn down(mut self) -> Result<()> {
        self.done(&Request::Shutdown)?;
        if let Some(mut launcher) = self.launcher.take() {
            launcher.wait().map_err(|source| Error::Supervisor {
                name: self.name.clone(),
                source,
            })?;
            return Ok(());
        }
        // The process id is given back only when everything inside has ended.
        let process = PathBuf::from(format!("/proc/{}", self.pid));
        self.wait_until(END_TIMEOUT, "the sandbox to end", || {
            if process.exists() {
                Err(String::from("it still ends"))
            } else {
                Ok(())
            }
        })
    }

    pub(crate) fn status(&self) -> Result<Status> {
        status_of(&self.name, self.call(&Request::Status))
    }

    /// A request that has no other answer than that it was carried out.
    pub(crate) fn done(&self, request: &Request) -> Result<()> {
        match self.call(request) {
            Ok(Reply::Done) => Ok(()),
            other => status_of(&self.name, other).map(drop),
        }
    }

    fn call(&self, request: &Request) -> std::io::Result<Reply> {
        self.line
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .call(request)
    }

    /// The ends of the logs that tell most.
    fn log_tails(&self) -> String {
        [Service::Slurmctld, Service::Fedsched]
            .iter()
            .map(|service| format!("--- {service}:\n{}", self.log_tail(service)))
            .collect::<Vec<_>>()
            .join("\n")
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        let Some(launcher) = &mut self.launcher else {
            return;
        };
        // Closing the line ends the sandbox, too, but not before the kernel comes round to it.
        let line = self.line.get_mut().unwrap_or_else(PoisonError::into_inner);
        if line.call(&Request::Shutdown).is_err() {
            // It has ended already, or hangs; in neither case may anything be left.
            let _gone_already = launcher.kill();
        }
        let _status_is_of_no_interest = launcher.wait();
    }
}

/// The status in an answer, or the error that it is.
fn status_of(name: &str, answer: std::io::Result<Reply>) -> Result<Status> {
    let name = name.to_owned();
    match answer {
        Ok(Reply::Status(status)) => Ok(status),
        Ok(Reply::Failed(message)) if message == supervisor::NAME_TAKEN => {
            Err(Error::NameTaken { name })
        }
        Ok(Reply::Failed(message)) => Err(Error::Refused { name, message }),
        Ok(Reply::Done) => Err(Error::Supervisor {
            name,
            source: ErrorKind::InvalidData.into(),
        }),
        Err(source) => Err(Error::Supervisor { name, source }),
    }
}
