//! What callers and the supervisor of a sandbox say to each other.
//!
//! Each supervisor listens on an abstract Unix socket of the host's network namespace, named
//! after its sandbox. Such a socket needs no file and vanishes with the supervisor, however that
//! ends. Messages are lines of JSON; each request has one reply.

use std::{
    collections::BTreeMap,
    io::{self, BufRead, BufReader, Read, Write},
    os::{
        linux::net::SocketAddrExt,
        unix::net::{SocketAddr, UnixListener, UnixStream},
    },
    time::Duration,
};

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::service::Service;

/// Before the name of a sandbox in the name of its socket.
const PREFIX: &str = "fedsched-sandbox/";

/// Longest line either side reads, in bytes: a plan is about 20 KiB.
const LINE_BYTES_MAX: u64 = 1 << 20;

/// How long either side waits for the rest of a line once it began.
const LINE_TIMEOUT: Duration = Duration::from_secs(10);

/// What a caller asks for.
#[derive(Debug, Deserialize, Serialize)]
pub(crate) enum Request {
    /// What runs?
    Status,
    /// Start a service that does not run.
    Start(Service),
    /// Send a signal to the main process of a service.
    Signal {
        /// Which service.
        service: Service,
        /// The signal's number.
        signal: i32,
    },
    /// Go on living when the owner ends.
    Detach,
    /// End at once, and everything with it.
    Shutdown,
}

/// What the supervisor answers.
#[derive(Debug, Deserialize, Serialize)]
pub(crate) enum Reply {
    /// The request was carried out.
    Done,
    /// It was not.
    Failed(String),
    /// The answer to [`Request::Status`], and to the plan.
    Status(Status),
}

/// What a supervisor knows.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Status {
    /// Process id of the supervisor, as the host counts.
    pub(crate) pid: i32,
    /// Full version of the Slurm inside.
    pub(crate) slurm: String,
    /// The services of the plan.
    pub(crate) services: BTreeMap<Service, ServiceState>,
}

/// Whether a service runs.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub enum ServiceState {
    /// It was never started.
    NotStarted,
    /// It runs.
    Running {
        /// Process id, as counted inside the sandbox.
        pid: i32,
    },
    /// It ended.
    Ended {
        /// How: `exit status 1`, `signal SIGKILL`.
        how: String,
    },
}

/// The socket's address for a sandbox of this name.
fn address(name: &str) -> io::Result<SocketAddr> {
    SocketAddr::from_abstract_name(format!("{PREFIX}{name}"))
}

/// Begins to listen for callers of the sandbox of this name; fails if it runs already.
pub(crate) fn listen(name: &str) -> io::Result<UnixListener> {
    UnixListener::bind_addr(&address(name)?)
}

/// Reaches the supervisor of the sandbox of this name.
pub(crate) fn connect(name: &str) -> io::Result<Line> {
    UnixStream::connect_addr(&address(name)?).map(Line::new)
}

/// The names of the sandboxes that run on this machine, sorted.
pub fn running() -> Vec<String> {
    let sockets = std::fs::read_to_string("/proc/net/unix").unwrap_or_default();
    let mut names: Vec<String> = sockets
        .lines()
        .filter_map(|line| {
            line.split_whitespace()
                .nth(7)?
                .strip_prefix('@')?
                .strip_prefix(PREFIX)
        })
        .map(str::to_owned)
        .collect();
    names.sort();
    names.dedup();
    names
}

/// One end of a conversation.
#[derive(Debug)]
pub(crate) struct Line {
    reader: BufReader<UnixStream>,
}

impl Line {
    pub(crate) fn new(stream: UnixStream) -> Self {
        Self {
            reader: BufReader::new(stream),
        }
    }

    /// The socket, to wait on or to ask about.
    pub(crate) fn stream(&self) -> &UnixStream {
        self.reader.get_ref()
    }

    /// Sends one message.
    pub(crate) fn send<T: Serialize>(&mut self, message: &T) -> io::Result<()> {
        let mut line = serde_json::to_vec(message)?;
        line.push(b'\n');
        let stream = self.reader.get_mut();
        stream.set_write_timeout(Some(LINE_TIMEOUT))?;
        stream.write_all(&line)
    }

    /// Waits for one message; `None` when the other side has ended.
    pub(crate) fn receive<T: DeserializeOwned>(&mut self) -> io::Result<Option<T>> {
        self.reader.get_ref().set_read_timeout(Some(LINE_TIMEOUT))?;
        let mut line = String::new();
        if self
            .reader
            .by_ref()
            .take(LINE_BYTES_MAX)
            .read_line(&mut line)?
            == 0
        {
            return Ok(None);
        }
        Ok(Some(serde_json::from_str(&line)?))
    }

    /// Sends a request and waits for its reply.
    pub(crate) fn call(&mut self, request: &Request) -> io::Result<Reply> {
        self.send(request)?;
        self.receive()?
            .ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
    }
}
