//! What can be wrong with a trace.

use std::io;
use std::path::PathBuf;

use super::sacct;

/// A trace cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// The file cannot be opened.
    #[error("{}: cannot be opened: {source}", path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The file cannot be read as a trace.
    #[error("{}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: ReadError,
    },
    /// Neither the file nor the command line says how large the member is.
    #[error(
        "{}: does not say how many processors its machine has; add them: {}=PROCESSORS",
        path.display(),
        path.display()
    )]
    Size {
        /// The file.
        path: PathBuf,
    },
    /// No row can be replayed.
    #[error(
        "{}: none of its {rows} rows can be replayed on a member of {processors} processors: \
         {no_processors} have no processors, {too_large} are larger than the member, {no_run} never ran",
        path.display()
    )]
    Empty {
        /// The file.
        path: PathBuf,
        /// Rows in it.
        rows: usize,
        /// Size of the member.
        processors: u64,
        /// See [`LeftOut`](super::LeftOut).
        no_processors: u64,
        /// See [`LeftOut`](super::LeftOut).
        too_large: u64,
        /// See [`LeftOut`](super::LeftOut).
        no_run: u64,
    },
}

/// The text of a trace is not what it should be.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// Reading or unpacking failed.
    #[error("cannot be read to its end: {0}")]
    Input(#[from] io::Error),
    /// The table's lines are not of one length, or not text.
    #[error(transparent)]
    Table(#[from] csv::Error),
    /// Its first line is that of no known format.
    #[error(
        "is no trace that can be replayed: it begins with `{first}`; known are SWF (numbers, \
         comments behind `;`), `{}`, and the pod list of cluster-trace-gpu-v2023",
        sacct::COMMAND
    )]
    Format {
        /// Beginning of the first line.
        first: String,
    },
    /// A table lacks columns.
    #[error("columns are missing: {missing}; {remedy}")]
    Columns {
        /// Which.
        missing: String,
        /// What to do.
        remedy: String,
    },
    /// A line is too short.
    #[error("line {line}: {found} fields, at least {wanted} are needed")]
    Short {
        /// Line, the first is 1.
        line: usize,
        /// Fields it has.
        found: usize,
        /// Fields it needs.
        wanted: usize,
    },
    /// A field should be a number.
    #[error("line {line}: column {column}: `{value}` is not a number")]
    Number {
        /// Line, the first is 1.
        line: usize,
        /// Which field.
        column: String,
        /// What it holds.
        value: String,
    },
    /// A field should be something else.
    #[error("line {line}: column {column}: `{value}` is not {wanted}")]
    Value {
        /// Line, the first is 1.
        line: u64,
        /// Which field.
        column: String,
        /// What it holds.
        value: String,
        /// What it should hold.
        wanted: &'static str,
    },
}
