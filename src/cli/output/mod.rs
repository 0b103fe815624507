//! How answers are put on the screen, or into a pipe.

mod table;
mod words;

use std::io::{self, IsTerminal, Write};

use anstream::AutoStream;
use anstyle::Style;
use serde::Serialize;

pub(super) use table::{Column, Table};
pub(super) use words::{Clock, amount, memory};

/// Where output goes: standard output, with what is known of it.
#[derive(Debug)]
pub(super) struct Screen<W: Write> {
    out: W,
    /// Columns of the terminal; `None`: nobody looks, lines are as long as they are.
    width: Option<u16>,
}

impl Screen<AutoStream<io::StdoutLock<'static>>> {
    /// Standard output. Colours are left out where they would be in the way.
    pub(super) fn stdout() -> Self {
        Self {
            width: width(),
            out: AutoStream::auto(io::stdout().lock()),
        }
    }
}

/// `COLUMNS` if it is set, else the terminal's, if there is one.
fn width() -> Option<u16> {
    let set = std::env::var("COLUMNS").ok();
    set.and_then(|columns| columns.parse().ok()).or_else(|| {
        let stdout = io::stdout();
        let size = stdout
            .is_terminal()
            .then(|| terminal_size::terminal_size_of(&stdout));
        size.flatten().map(|(width, _)| width.0)
    })
}

impl<W: Write> Screen<W> {
    /// A line, or several.
    pub(super) fn line(&mut self, text: impl std::fmt::Display) -> io::Result<()> {
        writeln!(self.out, "{text}")
    }

    /// Text that may be broken where the screen is narrow.
    pub(super) fn text(&mut self, text: &str) -> io::Result<()> {
        self.labelled("", Style::new(), text)
    }

    /// Text after a label; where it is broken, its further lines stand under the first.
    pub(super) fn labelled(&mut self, label: &str, style: Style, text: &str) -> io::Result<()> {
        let indent = label.chars().count();
        let room = usize::from(self.width.unwrap_or(u16::MAX)).saturating_sub(indent);
        let mut lines = words::broken(text, room).into_iter();
        let first = lines.next().unwrap_or_default();
        writeln!(self.out, "{style}{label}{style:#}{first}")?;
        for line in lines {
            writeln!(self.out, "{:indent$}{line}", "")?;
        }
        Ok(())
    }

    /// A heading, after a blank line.
    pub(super) fn heading(&mut self, text: &str) -> io::Result<()> {
        let bold = Style::new().bold();
        writeln!(self.out, "\n{bold}{text}{bold:#}")
    }

    /// A table, no wider than the screen.
    pub(super) fn table(&mut self, table: &Table) -> io::Result<()> {
        writeln!(self.out, "{}", table.fitted(self.width))
    }

    /// The answer as the protocol has it.
    pub(super) fn json(&mut self, value: &impl Serialize) -> io::Result<()> {
        serde_json::to_writer_pretty(&mut self.out, value)?;
        writeln!(self.out)
    }
}
