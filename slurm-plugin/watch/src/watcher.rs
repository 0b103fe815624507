//! One poll: load what changed, compare, tell.

use std::io::Write;

use fedsched_protocol::frame::{self, FrameError, MAX_WATCH_BYTES};
use fedsched_protocol::watch::Answer;
use fedsched_slurm_sys::listing::{Jobs, LoadError, Nodes, Partitions, Reservations};

use crate::kind::Kind;
use crate::told::{Told, encode};

/// About how many bytes of records go into one message.
const MESSAGE_BYTES: usize = 256 << 10;

/// Why a poll ended early.
#[derive(Debug, thiserror::Error)]
enum PollError {
    #[error(transparent)]
    Load(#[from] LoadError),
    #[error("a record cannot be encoded: {0}")]
    Encode(#[from] postcard::Error),
    #[error(transparent)]
    Tell(#[from] FrameError),
}

/// What has been told of each kind.
#[derive(Default)]
pub(crate) struct Watcher {
    begun: bool,
    jobs: Watched<Jobs>,
    nodes: Watched<Nodes>,
    partitions: Watched<Partitions>,
    reservations: Watched<Reservations>,
}

impl Watcher {
    /// Answers one poll. Fails only if the answer cannot be written.
    pub(crate) fn poll(&mut self, out: &mut impl Write) -> Result<(), FrameError> {
        let last = match self.tell(out) {
            Ok(()) => Answer::Done,
            Err(PollError::Tell(error)) => return Err(error),
            Err(error) => {
                *self = Self::default();
                Answer::Failed {
                    message: error.to_string(),
                }
            }
        };
        frame::write(out, &last, MAX_WATCH_BYTES)
    }

    fn tell(&mut self, out: &mut impl Write) -> Result<(), PollError> {
        if !self.begun {
            frame::write(out, &Answer::Init, MAX_WATCH_BYTES)?;
            self.begun = true;
        }
        // Jobs before nodes: a node never shows less than what the jobs told here hold on it.
        self.jobs.poll(out)?;
        self.nodes.poll(out)?;
        self.partitions.poll(out)?;
        self.reservations.poll(out)
    }
}

struct Watched<L: Kind> {
    /// When slurmctld made the last listing.
    made: i64,
    told: Told<L::Key>,
}

impl<L: Kind> Default for Watched<L> {
    fn default() -> Self {
        Self {
            made: 0,
            told: Told::default(),
        }
    }
}

impl<L: Kind> Watched<L> {
    fn poll(&mut self, out: &mut impl Write) -> Result<(), PollError> {
        let Some(listing) = L::load(self.made)? else {
            return Ok(());
        };
        let mut news = Vec::new();
        let mut news_bytes = 0;
        let mut buffer = Vec::new();
        self.told.begin();
        for record in listing.records() {
            encode(&record, &mut buffer)?;
            if !self.told.is_news(L::key(&record), &buffer) {
                continue;
            }
            news.push(record);
            news_bytes += buffer.len();
            if news_bytes >= MESSAGE_BYTES {
                frame::write(out, &L::changed(std::mem::take(&mut news)), MAX_WATCH_BYTES)?;
                news_bytes = 0;
            }
        }
        if !news.is_empty() {
            frame::write(out, &L::changed(news), MAX_WATCH_BYTES)?;
        }
        let gone = self.told.end();
        if !gone.is_empty() {
            frame::write(out, &Answer::Gone(L::gone(gone)), MAX_WATCH_BYTES)?;
        }
        self.made = listing.made();
        Ok(())
    }
}
