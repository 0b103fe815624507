//! A daemon of one answer.

use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::thread::{self, JoinHandle};

use fedsched_protocol::frame::{self, MAX_MESSAGE_BYTES};
use fedsched_protocol::query::{Answer, Request};
use tempfile::TempDir;

/// Serves one connection at a socket of its own.
pub(crate) struct Daemon {
    socket: PathBuf,
    served: JoinHandle<Request>,
    _dir: TempDir,
}

impl Daemon {
    /// Gives `answer` to whatever is asked.
    pub(crate) fn answering(answer: Answer) -> Self {
        Self::sending(frame::encode(&answer, MAX_MESSAGE_BYTES).unwrap())
    }

    /// Sends `bytes` to whatever is asked, and hangs up.
    pub(crate) fn sending(bytes: Vec<u8>) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let socket = dir.path().join("fedsched.sock");
        let listener = UnixListener::bind(&socket).unwrap();
        let served = thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let request = frame::read(&mut stream, MAX_MESSAGE_BYTES).unwrap();
            std::io::Write::write_all(&mut stream, &bytes).unwrap();
            request.unwrap()
        });
        Self {
            socket,
            served,
            _dir: dir,
        }
    }

    pub(crate) fn socket(&self) -> &Path {
        &self.socket
    }

    /// What was asked.
    pub(crate) fn asked(self) -> Request {
        self.served.join().unwrap()
    }
}
