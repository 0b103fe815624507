//! `slurm-watch`: loads jobs, nodes, partitions and reservations from slurmctld when its parent asks,
//! and tells what changed since it last did. Frames on standard input and output, as in
//! `fedsched_protocol::watch`; libslurm's own messages on standard error. Ends with its input.

mod kind;
mod told;
mod watcher;

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::process::ExitCode;

use fedsched_protocol::frame::{self, FrameError, MAX_WATCH_BYTES};
use fedsched_protocol::watch::{Answer, Request};
use fedsched_slurm_sys::{SLURM_VERSION, listing};

use crate::watcher::Watcher;

const USAGE: &str = "usage: slurm-watch [--version]
Speaks fedsched's protocol on standard input and output: fedsched starts it, people do not.";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match arguments.as_slice() {
        [] => serve(),
        ["--version"] => writeln!(
            io::stdout(),
            "slurm-watch {} (Slurm {SLURM_VERSION})",
            env!("CARGO_PKG_VERSION")
        )
        .map_err(FrameError::from),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("slurm-watch: {error}");
            ExitCode::FAILURE
        }
    }
}

fn serve() -> Result<(), FrameError> {
    let mut input = unbuffered(io::stdin())?;
    let mut out = unbuffered(io::stdout())?;
    let hello = Answer::Hello {
        watch: env!("CARGO_PKG_VERSION").to_owned(),
        slurm: SLURM_VERSION.to_owned(),
    };
    frame::write(&mut out, &hello, MAX_WATCH_BYTES)?;
    listing::init();
    let mut watcher = Watcher::default();
    while let Some(Request::Poll) = frame::read(&mut input, MAX_WATCH_BYTES)? {
        watcher.poll(&mut out)?;
    }
    Ok(())
}

/// A frame is one write: a buffer that flushes at each newline byte would tear it.
fn unbuffered(stream: impl AsFd) -> io::Result<File> {
    Ok(File::from(stream.as_fd().try_clone_to_owned()?))
}
