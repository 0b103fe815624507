//! Asks the daemon, on a connection that is kept for the next question.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError, TryLockError};
use std::time::Duration;

use fedsched_protocol::frame::{self, FrameError};
use fedsched_protocol::submit::{self, Answer, Request, Submission};
use fedsched_slurm_sys::SLURM_VERSION;
use nix::errno::Errno;

use crate::connection::{Connection, ExchangeError};
use crate::deadline::Deadline;

/// Connections kept while nobody asks. slurmctld 22.05 asks one at a time, later ones from a pool of
/// threads; beyond these a question has a connection of its own.
const IDLE_MAX: usize = 4;

/// What the daemon decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Verdict {
    Wait,
    Bind { partition: String },
    Refuse { message: String },
}

/// The bytes of one question.
#[derive(Debug)]
pub(crate) struct Question(Vec<u8>);

impl Question {
    /// Fails only for a job whose strings are longer than slurmctld will accept.
    pub(crate) fn new(submission: Submission) -> Result<Self, FrameError> {
        let request = Request::Submit(Box::new(submission));
        frame::encode(&request, submit::MAX_BYTES).map(Self)
    }
}

#[derive(Debug)]
pub(crate) struct Client {
    socket: PathBuf,
    deadline: Duration,
    /// Users the daemon may run as.
    servers: Vec<u32>,
    idle: Mutex<Vec<Connection>>,
}

impl Client {
    pub(crate) fn new(socket: PathBuf, deadline: Duration, servers: Vec<u32>) -> Self {
        Self {
            socket,
            deadline,
            servers,
            idle: Mutex::new(Vec::with_capacity(IDLE_MAX)),
        }
    }

    /// One question, answered within the deadline or not at all.
    pub(crate) fn ask(&self, question: &Question) -> Result<Verdict, ExchangeError> {
        let deadline = Deadline::after(self.deadline);
        let Question(question) = question;
        if let Some(connection) = self.take_idle() {
            match self.exchange(connection, question, deadline) {
                // The daemon was restarted since; the others that were kept are dead as well.
                Err(error) if was_dead(&error) => self.drop_idle(),
                done => return done,
            }
        }
        self.exchange_on_new(question, deadline)
    }

    /// Introduces itself and asks in one go: a new connection costs no further round trip.
    fn exchange_on_new(
        &self,
        question: &[u8],
        deadline: Deadline,
    ) -> Result<Verdict, ExchangeError> {
        let mut connection = Connection::open(&self.socket)?;
        let user = connection.peer()?;
        if !self.servers.contains(&user) {
            return Err(ExchangeError::Stranger { user });
        }
        let mut bytes = frame::encode(&hello(), submit::MAX_BYTES)?;
        bytes.extend_from_slice(question);
        connection.send(&bytes, deadline)?;
        match connection.receive(deadline)? {
            Answer::Hello { .. } => self.receive(connection, deadline),
            _ => Err(ExchangeError::Unexpected),
        }
    }

    fn exchange(
        &self,
        connection: Connection,
        question: &[u8],
        deadline: Deadline,
    ) -> Result<Verdict, ExchangeError> {
        connection.send(question, deadline)?;
        self.receive(connection, deadline)
    }

    /// The verdict. Only then is the connection kept: one that failed could bring a late answer.
    fn receive(
        &self,
        mut connection: Connection,
        deadline: Deadline,
    ) -> Result<Verdict, ExchangeError> {
        let verdict = match connection.receive(deadline)? {
            Answer::Wait => Verdict::Wait,
            Answer::Bind { partition } => Verdict::Bind { partition },
            Answer::Refuse { message } => Verdict::Refuse { message },
            Answer::Hello { .. } => return Err(ExchangeError::Unexpected),
        };
        if !connection.is_in_step() {
            return Err(ExchangeError::Unexpected);
        }
        self.keep(connection);
        Ok(verdict)
    }

    fn take_idle(&self) -> Option<Connection> {
        // Held for a push or a pop only; whoever finds it taken connects anew.
        match self.idle.try_lock() {
            Ok(mut idle) => idle.pop(),
            Err(TryLockError::Poisoned(idle)) => idle.into_inner().pop(),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    fn keep(&self, connection: Connection) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < IDLE_MAX {
            idle.push(connection);
        }
    }

    fn drop_idle(&self) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.clear();
    }
}

fn hello() -> Request {
    Request::Hello {
        plugin: env!("CARGO_PKG_VERSION").to_owned(),
        slurm: SLURM_VERSION.to_owned(),
    }
}

/// The other end had gone before it read the question, or so it looks: asking again is harmless,
/// since the question carries the job's mark.
fn was_dead(error: &ExchangeError) -> bool {
    matches!(
        error,
        ExchangeError::Closed
            | ExchangeError::Send(Errno::EPIPE | Errno::ECONNRESET)
            | ExchangeError::Receive(Errno::ECONNRESET)
    )
}
