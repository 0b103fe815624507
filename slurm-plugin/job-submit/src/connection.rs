//! One connection to the daemon, every wait on it bounded by a deadline.

use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::path::Path;

use fedsched_protocol::frame::{self, FrameError};
use fedsched_protocol::submit::{self, Answer};
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::socket::{
    AddressFamily, MsgFlags, SockFlag, SockType, UnixAddr, connect, getsockopt, recv, send, socket,
    sockopt,
};
use nix::sys::time::TimeSpec;

use crate::deadline::Deadline;

/// Why an exchange failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ExchangeError {
    #[error("no socket: {0}")]
    Socket(#[source] Errno),
    #[error("the daemon cannot be reached: {0}")]
    Connect(#[source] Errno),
    #[error("the socket is served by user {user}, not by the daemon's")]
    Stranger { user: u32 },
    #[error("sending failed: {0}")]
    Send(#[source] Errno),
    #[error("receiving failed: {0}")]
    Receive(#[source] Errno),
    #[error("the daemon closed the connection")]
    Closed,
    #[error("no answer in time")]
    Late,
    #[error(transparent)]
    Frame(#[from] FrameError),
    #[error("the daemon answers what was not asked")]
    Unexpected,
    #[error("the daemon names partition {partition:.64?}, which does not exist")]
    NoSuchPartition { partition: String },
}

/// A connected socket and what was received ahead.
#[derive(Debug)]
pub(crate) struct Connection {
    socket: OwnedFd,
    received: Vec<u8>,
}

impl Connection {
    /// Connects, or fails at once: a full backlog is not waited for.
    pub(crate) fn open(path: &Path) -> Result<Self, ExchangeError> {
        let flags = SockFlag::SOCK_CLOEXEC | SockFlag::SOCK_NONBLOCK;
        let socket = socket(AddressFamily::Unix, SockType::Stream, flags, None)
            .map_err(ExchangeError::Socket)?;
        let address = UnixAddr::new(path).map_err(ExchangeError::Connect)?;
        connect(socket.as_raw_fd(), &address).map_err(ExchangeError::Connect)?;
        Ok(Self {
            socket,
            received: Vec::new(),
        })
    }

    /// The user who serves the socket.
    pub(crate) fn peer(&self) -> Result<u32, ExchangeError> {
        let peer = getsockopt(&self.socket, sockopt::PeerCredentials);
        Ok(peer.map_err(ExchangeError::Connect)?.uid())
    }

    /// Sends all of it.
    pub(crate) fn send(&self, mut bytes: &[u8], deadline: Deadline) -> Result<(), ExchangeError> {
        while !bytes.is_empty() {
            match send(self.socket.as_raw_fd(), bytes, MsgFlags::MSG_NOSIGNAL) {
                Ok(sent) => bytes = bytes.get(sent..).unwrap_or_default(),
                Err(Errno::EINTR) => {}
                Err(Errno::EAGAIN) => self.wait(PollFlags::POLLOUT, deadline)?,
                Err(errno) => return Err(ExchangeError::Send(errno)),
            }
        }
        Ok(())
    }

    /// The next message.
    pub(crate) fn receive(&mut self, deadline: Deadline) -> Result<Answer, ExchangeError> {
        loop {
            if let Some((header, body)) = self.received.split_first_chunk() {
                let length = frame::length(*header, submit::MAX_BYTES)?;
                if let Some(frame) = body.get(..length) {
                    let answer = frame::decode(frame)?;
                    self.received.drain(..header.len() + length);
                    return Ok(answer);
                }
            }
            self.receive_some(deadline)?;
        }
    }

    /// Nothing was received beyond what was asked for, so that no later question can be given an
    /// answer that belongs to an earlier one.
    pub(crate) fn is_in_step(&self) -> bool {
        self.received.is_empty()
    }

    fn receive_some(&mut self, deadline: Deadline) -> Result<(), ExchangeError> {
        const CHUNK: usize = 4096;
        let mut chunk = [0; CHUNK];
        self.wait(PollFlags::POLLIN, deadline)?;
        match recv(self.socket.as_raw_fd(), &mut chunk, MsgFlags::empty()) {
            Ok(0) => Err(ExchangeError::Closed),
            Ok(length) => {
                self.received
                    .extend_from_slice(chunk.get(..length).unwrap_or_default());
                Ok(())
            }
            Err(Errno::EINTR | Errno::EAGAIN) => Ok(()),
            Err(errno) => Err(ExchangeError::Receive(errno)),
        }
    }

    /// Until the socket is ready, or something interrupts: the caller tries again.
    fn wait(&self, events: PollFlags, deadline: Deadline) -> Result<(), ExchangeError> {
        let remaining = deadline.remaining().ok_or(ExchangeError::Late)?;
        let mut sockets = [PollFd::new(self.socket.as_fd(), events)];
        match ppoll(&mut sockets, Some(TimeSpec::from_duration(remaining)), None) {
            Ok(0) => Err(ExchangeError::Late),
            Ok(_) | Err(Errno::EINTR) => Ok(()),
            Err(errno) => Err(ExchangeError::Receive(errno)),
        }
    }
}
