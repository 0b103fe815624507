//! The supervisor: the first process of a sandbox's namespaces.
//!
//! It is process 1 of its own process namespace, so that when it ends, for whatever reason, the
//! kernel ends everything in the sandbox and its mounts and network go too. It ends when asked to
//! and when its owner does. It starts what it is told to start and restarts nothing.

mod children;
mod mounts;

use std::{
    fs::File,
    io,
    os::{
        fd::AsFd,
        unix::net::{UnixListener, UnixStream},
    },
    process::{Command, ExitCode, Stdio},
};

use anyhow::{Context as _, bail};
use nix::{
    poll::{PollFd, PollFlags, PollTimeout, poll},
    sched::{CloneFlags, unshare},
    sys::{
        prctl,
        signal::{SigSet, Signal},
        signalfd::{SfdFlags, SignalFd},
        socket::{getsockopt, sockopt::PeerCredentials},
    },
    unistd,
};

use self::children::Children;
use crate::{
    control::{self, Line, Reply, Request, Status},
    namespaces::PATH,
    plan::Plan,
};

/// The verb of the `sandbox` command that launches process 1; hidden from people.
pub(crate) const SUPERVISE: &str = "supervise";

/// The verb that is process 1; hidden from people.
const INIT: &str = "init";

/// Starts the supervisor as process 1 of a new process namespace and ends as it does.
///
/// Standard input is the owner's end of the conversation.
pub fn supervise(name: &str) -> anyhow::Result<ExitCode> {
    unshare(CloneFlags::CLONE_NEWPID).context("cannot make a process namespace")?;
    let mut init = Command::new("/proc/self/exe").args([INIT, name]).spawn()?;
    be_silent()?;
    let success = init.wait()?.success();
    Ok(if success {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Lets go of the owner's standard error: whoever reads it would wait for this process to end.
fn be_silent() -> anyhow::Result<()> {
    Ok(unistd::dup2_stderr(File::create("/dev/null")?)?)
}

/// Is process 1: makes the sandbox from the plan on standard input, then serves callers.
pub fn init(name: &str) -> anyhow::Result<ExitCode> {
    prctl::set_pdeathsig(Signal::SIGKILL)?;
    unistd::setsid()?;
    let mut owner = Line::new(UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?));
    let booted = owner
        .receive::<Plan>()
        .context("the plan cannot be understood")
        .and_then(|plan| plan.context("the owner ended before it sent a plan"))
        .and_then(|plan| Supervisor::boot(name, plan));
    match booted {
        Ok(mut supervisor) => {
            owner.send(&Reply::Status(supervisor.status()))?;
            supervisor.serve(owner)?;
            Ok(ExitCode::SUCCESS)
        }
        Err(error) => {
            owner.send(&Reply::Failed(format!("{error:#}")))?;
            Ok(ExitCode::FAILURE)
        }
    }
}

#[derive(Debug)]
struct Supervisor {
    listener: UnixListener,
    /// Tells of ended children.
    signals: SignalFd,
    /// Own process id, as the host counts.
    pid: i32,
    slurm: String,
    children: Children,
}

/// What follows from a request.
enum Next {
    Continue,
    Detach,
    Shutdown,
}

impl Supervisor {
    /// Makes the namespaces and everything in them; no service runs yet.
    fn boot(name: &str, plan: Plan) -> anyhow::Result<Self> {
        // Before the network namespace changes: callers are in the host's.
        let listener = control::listen(name).map_err(|error| match error.kind() {
            io::ErrorKind::AddrInUse => anyhow::anyhow!("{NAME_TAKEN}"),
            _ => error.into(),
        })?;
        // Before the host's /proc is left behind.
        let pid = std::fs::read_link("/proc/self").context("cannot read /proc/self")?;
        let pid = pid
            .to_str()
            .and_then(|pid| pid.parse().ok())
            .context("/proc is of no use")?;

        unshare(
            CloneFlags::CLONE_NEWNS
                | CloneFlags::CLONE_NEWNET
                | CloneFlags::CLONE_NEWIPC
                | CloneFlags::CLONE_NEWUTS,
        )
        .context("cannot make namespaces")?;
        mounts::enter_root(&plan)?;
        unistd::sethostname(crate::config::HOST_NAME).context("cannot set the host name")?;
        loopback_up()?;

        let mut mask = SigSet::empty();
        mask.add(Signal::SIGCHLD);
        mask.thread_block()?;
        let signals = SignalFd::with_flags(&mask, SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK)?;
        let children = Children::new(plan.programs);
        Ok(Self {
            listener,
            signals,
            pid,
            slurm: plan.slurm,
            children,
        })
    }

    fn status(&self) -> Status {
        Status {
            pid: self.pid,
            slurm: self.slurm.clone(),
            services: self.children.states(),
        }
    }

    /// Answers callers until one asks for the end or the owner is gone.
    fn serve(&mut self, owner: Line) -> anyhow::Result<()> {
        // The owner is the first caller; the sandbox ends with it unless it was detached.
        let mut callers = vec![owner];
        let mut detached = false;
        loop {
            let ready = self.wait(&callers)?;
            self.children.reap();
            if ready.listener {
                callers.extend(self.accept());
            }
            for index in ready.callers.into_iter().rev() {
                match self.answer(&mut callers[index]) {
                    Ok(Next::Continue) => {}
                    Ok(Next::Detach) => {
                        be_silent()?;
                        detached = true;
                    }
                    Ok(Next::Shutdown) => return Ok(()),
                    Err(_) if index == 0 && !detached => return Ok(()),
                    Err(_) => drop(callers.remove(index)),
                }
            }
        }
    }

    /// Sleeps until a child has ended or somebody has something to say.
    fn wait(&self, callers: &[Line]) -> anyhow::Result<Ready> {
        let watched = |fd| PollFd::new(fd, PollFlags::POLLIN);
        let mut fds = vec![
            watched(self.signals.as_fd()),
            watched(self.listener.as_fd()),
        ];
        fds.extend(
            callers
                .iter()
                .map(|caller| watched(caller.stream().as_fd())),
        );
        match poll(&mut fds, PollTimeout::NONE) {
            Ok(_) | Err(nix::errno::Errno::EINTR) => {}
            Err(error) => bail!("cannot poll: {error}"),
        }
        let is_ready = |fd: &PollFd<'_>| fd.any().unwrap_or(true);
        while let Ok(Some(_)) = self.signals.read_signal() {}
        Ok(Ready {
            listener: is_ready(&fds[1]),
            callers: (0..callers.len())
                .filter(|index| is_ready(&fds[index + 2]))
                .collect(),
        })
    }

    /// A new caller, if it is root and still there.
    fn accept(&self) -> Option<Line> {
        let (stream, _) = self.listener.accept().ok()?;
        let peer = getsockopt(&stream, PeerCredentials).ok()?;
        (peer.uid() == 0).then(|| Line::new(stream))
    }

    /// Carries out one request; an error means that the caller has ended or cannot be understood.
    fn answer(&mut self, caller: &mut Line) -> anyhow::Result<Next> {
        let request = caller.receive()?.context("the caller has ended")?;
        let (next, reply) = match request {
            Request::Status => (Next::Continue, Reply::Status(self.status())),
            Request::Start(service) => (Next::Continue, done(self.children.start(&service))),
            Request::Signal { service, signal } => {
                (Next::Continue, done(self.children.signal(&service, signal)))
            }
            Request::Detach => (Next::Detach, Reply::Done),
            Request::Shutdown => (Next::Shutdown, Reply::Done),
        };
        caller.send(&reply)?;
        Ok(next)
    }
}

/// What the caller of a sandbox makes an error of its own of.
pub(crate) const NAME_TAKEN: &str = "a sandbox of this name is running already";

/// Who has something to say.
struct Ready {
    listener: bool,
    /// Indices, ascending.
    callers: Vec<usize>,
}

fn done(outcome: anyhow::Result<()>) -> Reply {
    match outcome {
        Ok(()) => Reply::Done,
        Err(error) => Reply::Failed(format!("{error:#}")),
    }
}

/// Brings up the only network device there is, with an address beyond 127.0.0.1: where there is
/// none, getaddrinfo with `AI_ADDRCONFIG`, as Slurm calls it, finds nothing to listen on.
fn loopback_up() -> anyhow::Result<()> {
    let address = format!("{}/32", crate::config::HOST_ADDRESS);
    for arguments in [
        ["link", "set", "lo", "up"].as_slice(),
        &["address", "add", &address, "dev", "lo"],
    ] {
        let output = Command::new("ip")
            .args(arguments)
            .env("PATH", PATH)
            .stdin(Stdio::null())
            .output()
            .context("cannot run ip: is iproute2 installed?")?;
        if !output.status.success() {
            bail!(
                "cannot set up the network: {}",
                String::from_utf8_lossy(&output.stderr)
            );
        }
    }
    Ok(())
}
