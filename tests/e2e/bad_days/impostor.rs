//! Something else that answers on the plugin's socket. It listens from outside: a Unix socket is
//! found by its path, whatever the namespaces.

use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use fedsched_protocol::frame::{self, MAX_MESSAGE_BYTES};
use fedsched_protocol::submit::{Answer, Request};

use crate::site::Site;

/// Where the plugin expects the daemon, inside.
pub(super) const PLUGIN_SOCKET: &str = "/run/fedsched/plugin.sock";

/// How an impostor behaves.
#[derive(Debug, Clone, Copy)]
pub(super) enum Manner {
    /// Sends what is no frame at all.
    Garbage,
    /// Announces a frame that never comes.
    HalfFrame,
    /// Binds every job to this partition, but after the plugin's deadline.
    Late(&'static str),
    /// Binds every job to this partition at once.
    Bind(&'static str),
    /// Hangs up on every request.
    HangUp,
}

/// Answers on the plugin's socket until it is dropped.
#[derive(Debug)]
pub(super) struct Impostor {
    path: PathBuf,
    stop: Arc<AtomicBool>,
    served: Arc<AtomicUsize>,
}

impl Impostor {
    /// Takes the place of the daemon, which must have been stopped.
    pub(super) fn at(site: &Site, manner: Manner) -> Self {
        let path = site.sandbox().path(PLUGIN_SOCKET);
        drop(fs::remove_file(&path));
        let listener = UnixListener::bind(&path).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).unwrap();
        let (stop, served) = (Arc::<AtomicBool>::default(), Arc::<AtomicUsize>::default());
        let (stopped, counted) = (Arc::clone(&stop), Arc::clone(&served));
        thread::spawn(move || {
            for stream in listener.incoming() {
                if stopped.load(Ordering::Relaxed) {
                    return;
                }
                let counted = Arc::clone(&counted);
                thread::spawn(move || serve(stream.unwrap(), manner, &counted));
            }
        });
        Self { path, stop, served }
    }

    /// Requests it has heard.
    pub(super) fn served(&self) -> usize {
        self.served.load(Ordering::Relaxed)
    }
}

impl Drop for Impostor {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        // Wakes the listener, which then sees that it is over.
        drop(UnixStream::connect(&self.path));
        drop(fs::remove_file(&self.path));
    }
}

/// The peer may hang up at any time: that ends the connection and is no failure of the test.
fn serve(mut stream: UnixStream, manner: Manner, served: &AtomicUsize) {
    while let Ok(Some(request)) = frame::read::<Request>(&mut stream, MAX_MESSAGE_BYTES) {
        served.fetch_add(1, Ordering::Relaxed);
        let hello = Answer::Hello {
            daemon: env!("CARGO_PKG_VERSION").to_owned(),
        };
        let answer = |partition: &str| match request {
            Request::Hello { .. } => hello.clone(),
            Request::Submit(_) => Answer::Bind {
                partition: partition.to_owned(),
            },
        };
        let sent = match manner {
            Manner::Garbage => stream.write_all(&[0x5a; 512]),
            Manner::HalfFrame => {
                // The announced bytes never come; the peer gives up first.
                let sent = stream.write_all(&100_u32.to_le_bytes());
                sent.and_then(|()| stream.read(&mut [0]).map(drop))
            }
            Manner::Late(partition) => {
                // What is tested is an answer after the deadline, so time must pass.
                thread::sleep(Duration::from_millis(300));
                frame::write(&mut stream, &answer(partition), MAX_MESSAGE_BYTES)
                    .map_err(std::io::Error::other)
            }
            Manner::Bind(partition) => {
                frame::write(&mut stream, &answer(partition), MAX_MESSAGE_BYTES)
                    .map_err(std::io::Error::other)
            }
            Manner::HangUp => return,
        };
        if sent.is_err() {
            return;
        }
    }
}
