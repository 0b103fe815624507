//! Stands where the daemon stands, and answers at once; and the bare echo.

use std::fs;
use std::io::{ErrorKind, Read as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;

use anyhow::{Context as _, Result};
use fedsched_protocol::frame;
use fedsched_protocol::submit::{Answer, MAX_BYTES, Request};

/// Bytes of one question and of its answer, length fields and all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sizes {
    pub(crate) request: usize,
    pub(crate) answer: usize,
}

/// Serves a socket on a thread of its own until this process ends.
fn serve(
    path: &Path,
    mut each: impl FnMut(UnixStream) -> std::io::Result<()> + Send + 'static,
) -> Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error.into()),
        _ => {}
    }
    let listener = UnixListener::bind(path).with_context(|| path.display().to_string())?;
    fs::set_permissions(path, fs::Permissions::from_mode(0o666))?;
    thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            // A peer that hung up has asked all it wanted.
            let _hung_up = each(stream);
        }
    });
    Ok(())
}

/// Answers every submission with `Wait`; the sizes of each exchange go to the receiver.
pub(crate) fn answer_at_once(path: &Path) -> Result<Receiver<Sizes>> {
    let (seen, sizes) = mpsc::channel();
    serve(path, move |stream| converse(stream, &seen))?;
    Ok(sizes)
}

fn converse(mut stream: UnixStream, seen: &Sender<Sizes>) -> std::io::Result<()> {
    let broken = |error: frame::FrameError| std::io::Error::other(error);
    loop {
        let mut header = [0; 4];
        stream.read_exact(&mut header)?;
        let mut body = vec![0; frame::length(header, MAX_BYTES).map_err(broken)?];
        stream.read_exact(&mut body)?;
        let answer = match frame::decode(&body).map_err(broken)? {
            Request::Hello { .. } => Answer::Hello {
                daemon: String::from("bench"),
            },
            Request::Submit(_) => Answer::Wait,
        };
        let bytes = frame::encode(&answer, MAX_BYTES).map_err(broken)?;
        stream.write_all(&bytes)?;
        if answer == Answer::Wait {
            let sizes = Sizes {
                request: header.len() + body.len(),
                answer: bytes.len(),
            };
            // Nobody may want to know any more.
            let _unheard = seen.send(sizes);
        }
    }
}

/// Reads as many bytes as a question has and writes as many as its answer has, without a look.
pub(crate) fn echo(path: &Path, sizes: Sizes) -> Result<()> {
    serve(path, move |mut stream| {
        let mut bytes = vec![0; sizes.request.max(sizes.answer)];
        loop {
            stream.read_exact(&mut bytes[..sizes.request])?;
            stream.write_all(&bytes[..sizes.answer])?;
        }
    })
}
