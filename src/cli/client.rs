//! One question to the daemon, one answer.

use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use fedsched_protocol::frame::{self, FrameError, MAX_MESSAGE_BYTES};
use fedsched_protocol::query::{Answer, Request};
use nix::sys::socket::{
    AddressFamily, SockFlag, SockType, UnixAddr, connect, getsockopt, setsockopt, socket, sockopt,
};
use nix::sys::time::TimeVal;
use nix::unistd::Uid;

/// How long the daemon may take for each step, seconds: a stopped daemon must not stop who asks it.
const PATIENCE_S: i64 = 10;

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    /// Nobody is there.
    #[error("no daemon answers at {}: {source}", socket.display())]
    Unreachable {
        /// Where it was looked for.
        socket: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// It took too long.
    #[error("the daemon at {} did not answer within {PATIENCE_S} seconds", socket.display())]
    Silent {
        /// Whom it was asked of.
        socket: PathBuf,
    },
    /// What came is no answer to the question.
    #[error("the daemon at {}: {source}", socket.display())]
    Answer {
        /// Who answered.
        socket: PathBuf,
        /// What is wrong with it.
        source: FrameError,
    },
    /// It answered another question, or closed the connection.
    #[error("the daemon at {} gave no answer to this question", socket.display())]
    Unrelated {
        /// Who answered.
        socket: PathBuf,
    },
}

impl Error {
    /// What to do about it.
    pub(super) const fn remedy(&self) -> &'static str {
        match self {
            Self::Unreachable { .. } => {
                "start it (systemctl start fedsched), or name its socket with --socket"
            }
            Self::Silent { .. } => "see its log (journalctl -u fedsched)",
            Self::Answer { .. } | Self::Unrelated { .. } => {
                "install the same fedsched release for the daemon and the command line"
            }
        }
    }
}

/// A connection to the daemon.
#[derive(Debug)]
pub(super) struct Client {
    stream: UnixStream,
    socket: PathBuf,
}

impl Client {
    /// Connects.
    pub(super) fn connect(path: &Path) -> Result<Self, Error> {
        let stream = open(path).map_err(|source| Error::Unreachable {
            socket: path.to_owned(),
            source,
        })?;
        Ok(Self {
            stream,
            socket: path.to_owned(),
        })
    }

    /// Asks, and waits for the answer.
    pub(super) fn ask(&mut self, request: &Request) -> Result<Answer, Error> {
        let sent = frame::write(&mut self.stream, request, MAX_MESSAGE_BYTES);
        let answer = sent.and_then(|()| frame::read(&mut self.stream, MAX_MESSAGE_BYTES));
        match answer {
            Ok(Some(answer)) => Ok(answer),
            Ok(None) => Err(self.unrelated()),
            Err(FrameError::Io(error)) if timed_out(&error) => Err(Error::Silent {
                socket: self.socket.clone(),
            }),
            Err(source) => Err(Error::Answer {
                socket: self.socket.clone(),
                source,
            }),
        }
    }

    /// The user that the daemon runs as.
    pub(super) fn peer(&self) -> Option<Uid> {
        let credentials = getsockopt(&self.stream, sockopt::PeerCredentials).ok()?;
        Some(Uid::from_raw(credentials.uid()))
    }

    /// The error for an answer to another question.
    pub(super) fn unrelated(&self) -> Error {
        Error::Unrelated {
            socket: self.socket.clone(),
        }
    }
}

/// Opened by hand because a connection blocks, too, while the backlog is full, and std has a
/// timeout only for what comes after it.
fn open(path: &Path) -> io::Result<UnixStream> {
    let fd = socket(
        AddressFamily::Unix,
        SockType::Stream,
        SockFlag::SOCK_CLOEXEC,
        None,
    )?;
    let patience = TimeVal::new(PATIENCE_S, 0);
    setsockopt(&fd, sockopt::SendTimeout, &patience)?;
    setsockopt(&fd, sockopt::ReceiveTimeout, &patience)?;
    connect(fd.as_raw_fd(), &UnixAddr::new(path)?)?;
    Ok(UnixStream::from(fd))
}

fn timed_out(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut
    )
}
