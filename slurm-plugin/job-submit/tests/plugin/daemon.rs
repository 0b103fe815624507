//! A daemon that answers well, badly, or not at all.

use std::io::Write;
use std::net::Shutdown;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

use fedsched_protocol::frame;
use fedsched_protocol::submit::{Answer, MAX_BYTES, Request, Submission};

/// What it does with one submission.
#[derive(Debug, Clone)]
pub(crate) enum Act {
    /// Answers.
    Answer(Answer),
    /// Sends these bytes.
    Bytes(Vec<u8>),
    /// Sends these bytes and hangs up.
    BytesAndClose(Vec<u8>),
    /// Keeps still until the other end hangs up, then answers to nobody.
    Silence,
}

impl Act {
    pub(crate) fn bind(partition: &str) -> Self {
        Self::Answer(Answer::Bind {
            partition: partition.to_owned(),
        })
    }

    pub(crate) fn answer(answer: &Answer) -> Vec<u8> {
        frame::encode(answer, MAX_BYTES).unwrap()
    }
}

type Decide = dyn Fn(&Submission) -> Act + Send + Sync;

/// Serves a socket until it is dropped.
pub(crate) struct Daemon {
    listener: UnixListener,
    accepting: Option<JoinHandle<()>>,
    connections: Arc<Mutex<Vec<UnixStream>>>,
    submissions: Receiver<Submission>,
}

impl Daemon {
    pub(crate) fn start(
        socket: &Path,
        decide: impl Fn(&Submission) -> Act + Send + Sync + 'static,
    ) -> Self {
        let listener = UnixListener::bind(socket).unwrap();
        let accepted = listener.try_clone().unwrap();
        let connections = Arc::default();
        let kept = Arc::clone(&connections);
        let (seen, submissions) = channel();
        let decide: Arc<Decide> = Arc::new(decide);
        let accepting = thread::spawn(move || accept(&accepted, &kept, &seen, &decide));
        Self {
            listener,
            accepting: Some(accepting),
            connections,
            submissions,
        }
    }

    /// How often it was connected to.
    pub(crate) fn connections(&self) -> usize {
        self.connections.lock().unwrap().len()
    }

    /// Every submission since the last call.
    pub(crate) fn submissions(&self) -> Vec<Submission> {
        self.submissions.try_iter().collect()
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let path = self.listener.local_addr().unwrap();
        // It may have gone with its directory.
        std::fs::remove_file(path.as_pathname().unwrap()).ok();
        // Wakes `accept`, which then ends.
        nix::sys::socket::shutdown(
            std::os::fd::AsRawFd::as_raw_fd(&self.listener),
            nix::sys::socket::Shutdown::Both,
        )
        .unwrap();
        self.accepting.take().unwrap().join().unwrap();
        for connection in self.connections.lock().unwrap().iter() {
            // It may be gone already.
            connection.shutdown(Shutdown::Both).ok();
        }
    }
}

fn accept(
    listener: &UnixListener,
    connections: &Mutex<Vec<UnixStream>>,
    seen: &Sender<Submission>,
    decide: &Arc<Decide>,
) {
    while let Ok((stream, _)) = listener.accept() {
        connections
            .lock()
            .unwrap()
            .push(stream.try_clone().unwrap());
        let (seen, decide) = (seen.clone(), Arc::clone(decide));
        thread::spawn(move || serve(stream, &seen, &*decide));
    }
}

/// Ends with the connection, whichever end hung up.
fn serve(mut stream: UnixStream, seen: &Sender<Submission>, decide: &Decide) {
    while let Ok(Some(request)) = frame::read::<Request>(&mut stream, MAX_BYTES) {
        let act = match request {
            Request::Hello { .. } => Act::Answer(Answer::Hello {
                daemon: "0.0.0".into(),
            }),
            Request::Submit(submission) => {
                let act = decide(&submission);
                seen.send(*submission).ok();
                act
            }
        };
        let sent = match act {
            Act::Answer(answer) => stream.write_all(&Act::answer(&answer)),
            Act::Bytes(bytes) => stream.write_all(&bytes),
            Act::BytesAndClose(bytes) => {
                stream.write_all(&bytes).ok();
                stream.shutdown(Shutdown::Both).ok();
                return;
            }
            Act::Silence => Ok(()),
        };
        if sent.is_err() {
            return;
        }
    }
}
