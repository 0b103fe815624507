//! Tells whoever watches how far a long measurement is.

use std::io::IsTerminal as _;
use std::time::Instant;

/// A line on standard error for each step: over the line before on a terminal, one below the other
/// elsewhere, and there only at the beginning of each part.
#[derive(Debug)]
pub(crate) struct Progress {
    start: Instant,
    terminal: bool,
}

impl Progress {
    pub(crate) fn new() -> Self {
        Self {
            start: Instant::now(),
            terminal: std::io::stderr().is_terminal(),
        }
    }

    /// `step` of `steps` of this part begins.
    pub(crate) fn tell(&self, part: &str, step: usize, steps: usize) {
        let seconds = self.start.elapsed().as_secs();
        if self.terminal {
            eprint!("\r\x1b[K{seconds:4} s  {part}: {} of {steps}", step + 1);
        } else if step == 0 {
            eprintln!("{seconds:4} s  {part}: {steps} rounds");
        }
    }

    /// A part without steps begins.
    pub(crate) fn part(&self, part: &str) {
        let seconds = self.start.elapsed().as_secs();
        if self.terminal {
            eprint!("\r\x1b[K");
        }
        eprintln!("{seconds:4} s  {part}");
    }
}
