//! A daemon of one answer.

use std::io::Write;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::thread::{self, JoinHandle};

use fedsched_protocol::frame::{self, MAX_MESSAGE_BYTES};
use fedsched_protocol::query::{Answer, Request};
use tempfile::TempDir;

/// Serves one connection at a socket of its own.
pub(crate) struct Daemon {
    socket: PathBuf,
    served: JoinHandle<Vec<Request>>,
    _dir: TempDir,
}

impl Daemon {
    /// Gives `answer` to whatever is asked.
    pub(crate) fn answering(answer: &Answer) -> Self {
        Self::answering_all(std::slice::from_ref(answer))
    }

    /// Gives each answer in turn, whatever is asked.
    pub(crate) fn answering_all(answers: &[Answer]) -> Self {
        let frames = answers.iter();
        let frames = frames.map(|answer| frame::encode(answer, MAX_MESSAGE_BYTES).unwrap());
        Self::sending(frames.collect())
    }

    /// Sends the bytes of each in turn, whatever is asked, and hangs up.
    pub(crate) fn sending(frames: Vec<Vec<u8>>) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let socket = dir.path().join("fedsched.sock");
        let listener = UnixListener::bind(&socket).unwrap();
        let served = thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut asked = Vec::new();
            for bytes in frames {
                let request = frame::read(&mut stream, MAX_MESSAGE_BYTES).unwrap();
                stream.write_all(&bytes).unwrap();
                asked.extend(request);
            }
            asked
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
    pub(crate) fn asked(self) -> Vec<Request> {
        self.served.join().unwrap()
    }
}
