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
    process::{Child, Command, Output, Stdio, id},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU32, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use nix::sys::signal::Signal;

use crate::{
    accounts::Accounts,
    artifacts::{self, Artifacts},
    cluster, config,
    control::{self, Line, Reply, Request, ServiceState, Status},
    error::{Error, Result},
    host,
    options::Options,
    plan::Plan,
    root::Root,
    seed,
    service::Service,
    supervisor,
};

/// Pause between two looks at a condition.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// How long a service may take to end when asked to, before it is killed.
const STOP_TIMEOUT: Duration = Duration::from_secs(20);

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
    /// Starts a sandbox and waits until every service in it is ready and every node is idle.
    ///
    /// What is missing is made first: packages, the tree of another Debian release, the binaries
    /// of this workspace, the database. Only root can do it.
    pub fn start(options: &Options) -> Result<Self> {
        host::require_root()?;
        let name = options
            .name
            .clone()
            .unwrap_or_else(|| Self::new_name("test"));
        check_name(&name)?;
        if control::running().contains(&name) {
            return Err(Error::NameTaken { name });
        }
        let root = Root::for_series(options.slurm)?;
        let artifacts = Artifacts::build(options, &root)?;
        let database = seed::ensure(&root)?;
        let plan = config::plan(&root, options, &artifacts, Some(database))?;
        let name = options
            .name
            .clone()
            .unwrap_or_else(|| Self::new_name("test"));
        let sandbox = Self::boot(&name, &plan)?;
        sandbox.start_services(options.daemon)?;
        Ok(sandbox)
    }

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
            .stderr(Stdio::null())
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

    /// A name that no other sandbox of this machine has.
    pub(crate) fn new_name(stem: &str) -> String {
        static NUMBER: AtomicU32 = AtomicU32::new(1);
        format!("{stem}-{}-{}", id(), NUMBER.fetch_add(1, Ordering::Relaxed))
    }

    /// Starts everything, side by side where one does not need the other.
    fn start_services(&self, daemon: bool) -> Result<()> {
        let nodes: Vec<Service> = cluster::node_names()
            .into_iter()
            .map(Service::Slurmd)
            .collect();
        let last = [Service::Slurmrestd, Service::SlurmrestdTcp]
            .into_iter()
            .chain(nodes);
        let last = last
            .chain(daemon.then_some(Service::Fedsched))
            .collect::<Vec<_>>();
        for stage in [
            [Service::Munged, Service::Mariadbd].as_slice(),
            &[Service::Slurmdbd],
            &[Service::Slurmctld],
            &last,
        ] {
            for service in stage {
                self.done(&Request::Start(service.clone()))?;
            }
            self.wait_ready(stage)?;
        }
        Ok(())
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
        ServiceHandle {
            sandbox: self,
            service,
        }
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
        self.wait_until(STOP_TIMEOUT, "the sandbox to end", || {
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
    fn done(&self, request: &Request) -> Result<()> {
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

/// One service of a sandbox, to look at and to hurt.
#[derive(Debug)]
pub struct ServiceHandle<'a> {
    sandbox: &'a Sandbox,
    service: Service,
}

impl ServiceHandle<'_> {
    /// Starts it and waits until it is ready.
    pub fn start(&self) -> Result<()> {
        self.sandbox.done(&Request::Start(self.service.clone()))?;
        self.sandbox.wait_ready(std::slice::from_ref(&self.service))
    }

    /// Asks it to end (`SIGTERM`) and waits until it has; kills it if it takes too long.
    pub fn stop(&self) -> Result<()> {
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

    /// Sends a signal to its main process. After a signal that ends it, returns when it has ended.
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
                name: self.sandbox.name.clone(),
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

fn check_name(name: &str) -> Result<()> {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    if (1..=40).contains(&name.len()) && name.bytes().all(allowed) {
        Ok(())
    } else {
        Err(Error::BadName {
            name: name.to_owned(),
        })
    }
}
