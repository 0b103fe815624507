//! The feed of `slurm-watch`: a child process linked to libslurm that tells what changed.

use std::process::Stdio;

use fedsched_protocol::frame::{self, FrameError, MAX_WATCH_BYTES};
use fedsched_protocol::watch::{Answer, Request};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tracing::{info, warn};

use super::poll::Poll;

/// The watcher did not bring a poll to its end.
#[derive(Debug, thiserror::Error)]
pub(super) enum WatchError {
    /// It cannot be started.
    #[error("`{program}` cannot be started: {source}")]
    Spawn {
        /// Which program.
        program: String,
        /// Why.
        source: std::io::Error,
    },
    /// It ended, or writes what is no answer.
    #[error("slurm-watch broke off: {0}")]
    Frame(#[from] FrameError),
    /// It ended between two messages.
    #[error("slurm-watch ended")]
    Ended,
    /// It says something out of turn.
    #[error("slurm-watch answered out of turn: {0}")]
    OutOfTurn(&'static str),
    /// slurmctld did not answer it.
    #[error("{0}")]
    Failed(String),
}

/// The feed. A watcher that misbehaves is killed; the next poll starts another one.
#[derive(Debug)]
pub(super) struct Watch {
    argv: Vec<String>,
    running: Option<Running>,
}

#[derive(Debug)]
struct Running {
    /// Killed when it is dropped.
    _child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    /// It has told everything once.
    told: bool,
}

impl Watch {
    pub(super) fn new(argv: Vec<String>) -> Self {
        Self {
            argv,
            running: None,
        }
    }

    /// Asks for what changed. After a failure, and after [`Watch::start_over`], that is everything.
    pub(super) async fn poll(&mut self) -> Result<Poll, WatchError> {
        // Out of `self` meanwhile: if the caller stops waiting, half an answer must not be read as
        // the beginning of the next.
        let mut running = match self.running.take() {
            Some(running) => running,
            None => self.start().await?,
        };
        let poll = running.poll().await;
        if matches!(poll, Ok(_) | Err(WatchError::Failed(_))) {
            self.running = Some(running);
        }
        poll
    }

    /// Throws away what was told.
    pub(super) fn start_over(&mut self) {
        self.running = None;
    }

    async fn start(&self) -> Result<Running, WatchError> {
        let (program, arguments) = self.argv.split_first().ok_or(WatchError::Ended)?;
        let spawned = Command::new(program)
            .args(arguments)
            // Without it libslurm cuts the task list of an array after 64 bytes.
            .env("SLURM_BITSTR_LEN", "0")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn();
        let mut child = spawned.map_err(|source| WatchError::Spawn {
            program: program.clone(),
            source,
        })?;
        if let Some(stderr) = child.stderr.take() {
            tokio::spawn(log(stderr));
        }
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(WatchError::Ended);
        };
        let mut running = Running {
            _child: child,
            input,
            output: BufReader::new(output),
            told: false,
        };
        match running.read().await? {
            Answer::Hello { watch, slurm } => info!(watch, slurm, "slurm-watch runs"),
            _ => return Err(WatchError::OutOfTurn("it did not say hello")),
        }
        Ok(running)
    }
}

impl Running {
    async fn poll(&mut self) -> Result<Poll, WatchError> {
        let request = frame::encode(&Request::Poll, MAX_WATCH_BYTES)?;
        self.input
            .write_all(&request)
            .await
            .map_err(FrameError::from)?;
        let mut poll = Poll::default();
        loop {
            match self.read().await? {
                Answer::Init => {
                    poll = Poll {
                        full: true,
                        ..Poll::default()
                    }
                }
                Answer::Partitions(mut some) => poll.partitions.append(&mut some),
                Answer::Nodes(mut some) => poll.nodes.append(&mut some),
                Answer::Reservations(mut some) => poll.reservations.append(&mut some),
                Answer::Jobs(mut some) => poll.jobs.append(&mut some),
                Answer::Gone(mut gone) => {
                    poll.gone.jobs.append(&mut gone.jobs);
                    poll.gone.nodes.append(&mut gone.nodes);
                    poll.gone.partitions.append(&mut gone.partitions);
                    poll.gone.reservations.append(&mut gone.reservations);
                }
                Answer::Done if poll.full || self.told => {
                    self.told = true;
                    return Ok(poll);
                }
                Answer::Done => return Err(WatchError::OutOfTurn("its first poll is not full")),
                Answer::Failed { message } => {
                    self.told = false;
                    return Err(WatchError::Failed(message));
                }
                Answer::Hello { .. } => {
                    return Err(WatchError::OutOfTurn("it said hello a second time"));
                }
            }
        }
    }

    async fn read(&mut self) -> Result<Answer, WatchError> {
        let mut header = [0; 4];
        match self.output.read_exact(&mut header).await {
            Ok(_) => {}
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => {
                return Err(WatchError::Ended);
            }
            Err(error) => return Err(FrameError::from(error).into()),
        }
        let length = frame::length(header, MAX_WATCH_BYTES)?;
        // The announced length buys no memory before its bytes are here.
        let mut body = Vec::new();
        (&mut self.output)
            .take(length as u64)
            .read_to_end(&mut body)
            .await
            .map_err(FrameError::from)?;
        if body.len() < length {
            return Err(WatchError::Ended);
        }
        Ok(frame::decode(&body)?)
    }
}

/// Passes on what the watcher has to say to people.
async fn log(stderr: tokio::process::ChildStderr) {
    let mut lines = BufReader::new(stderr).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        warn!(target: "slurm-watch", "{line}");
    }
}
