//! What is wrong with a directive, in one line for its user.

use super::TEXT_BYTES_MAX;
use super::flag;

/// A directive that is refused, and where it stands.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{problem}", place(*line))]
pub struct DirectiveError {
    /// Line of the script, from 1; `None` where it was in the comment or concerns all of them.
    pub line: Option<u32>,
    /// What is wrong.
    pub problem: Problem,
}

/// What is wrong with a directive.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// Bytes that are no text.
    #[error("it is not UTF-8 text")]
    NotUtf8,
    /// It would garble what people see of the job.
    #[error("it holds a control character: use printable text only")]
    ControlCharacter,
    /// A quoted text does not end on its line.
    #[error("a quote ({quote}) is not closed")]
    UnclosedQuote {
        /// The quote that opened it.
        quote: char,
    },
    /// A backslash with nothing after it.
    #[error(
        "it ends with a backslash, but directives do not go on in the next line: begin that with #FED, too"
    )]
    TrailingBackslash,
    /// A word that is neither flag nor value.
    #[error(
        "{} is not of the form --flag=value. Flags are {}",
        shown(word),
        flag::names()
    )]
    NotAFlag {
        /// The word.
        word: String,
    },
    /// A flag that does not exist.
    #[error("there is no flag {}{} Flags are {}", shown(flag), did_you_mean(nearest.as_deref()), flag::names())]
    UnknownFlag {
        /// As it was written.
        flag: String,
        /// The flag that was probably meant, with its dashes.
        nearest: Option<String>,
    },
    /// A flag without its value.
    #[error("--{flag} needs a value. Allowed is {allowed}")]
    NoValue {
        /// The flag.
        flag: &'static str,
        /// What its value may be.
        allowed: &'static str,
    },
    /// A value that the flag does not take.
    #[error("--{flag}={} is not understood{} Allowed is {allowed}", shown(value), did_you_mean(nearest.as_deref()))]
    BadValue {
        /// The flag.
        flag: &'static str,
        /// The value.
        value: String,
        /// The value that was probably meant.
        nearest: Option<String>,
        /// What its value may be.
        allowed: &'static str,
    },
    /// A member that is asked for and ruled out.
    #[error("member {member} is both in --members and in --avoid: name it in one of them")]
    WantedAndAvoided {
        /// The member.
        member: String,
    },
    /// More than slurmctld can keep with the job.
    #[error(
        "the directives of this job are {bytes} bytes long, at most {TEXT_BYTES_MAX} can be kept: shorten them"
    )]
    TooLong {
        /// Their length.
        bytes: usize,
    },
}

impl DirectiveError {
    pub(super) fn on_line(line: u32, problem: Problem) -> Self {
        Self {
            line: Some(line),
            problem,
        }
    }
}

impl From<Problem> for DirectiveError {
    fn from(problem: Problem) -> Self {
        Self {
            line: None,
            problem,
        }
    }
}

fn place(line: Option<u32>) -> String {
    line.map_or_else(String::new, |line| format!("line {line} (#FED): "))
}

/// The end of a sentence about something that does not exist.
fn did_you_mean(nearest: Option<&str>) -> String {
    nearest.map_or_else(
        || ".".to_owned(),
        |nearest| format!(", did you mean {nearest}?"),
    )
}

/// What the user wrote, quoted, escaped and cut to a length that leaves room for the remedy.
fn shown(text: &str) -> String {
    const CHARS_MAX: usize = 40;
    match text.char_indices().nth(CHARS_MAX) {
        None => format!("{text:?}"),
        Some((end, _)) => format!("{:?}…", text.split_at(end).0),
    }
}
