//! Running programs of the host whose failure is an error.

use std::process::{Command, Output, Stdio};

use crate::error::{Error, Result};

/// How much of a failed program's output an error shows, in bytes.
const OUTPUT_BYTES_MAX: usize = 2000;

/// Runs the program to its end; an error if it cannot be run or does not succeed.
pub(crate) fn checked(command: &mut Command) -> Result<Output> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(|source| Error::Run {
            command: shown(command),
            source,
        })?;
    if output.status.success() {
        return Ok(output);
    }
    let text = [output.stderr.as_slice(), output.stdout.as_slice()].concat();
    Err(Error::Failed {
        command: shown(command),
        status: output.status,
        output: tail(&String::from_utf8_lossy(&text), OUTPUT_BYTES_MAX).to_owned(),
    })
}

/// The program and its arguments, for a message.
fn shown(command: &Command) -> String {
    std::iter::once(command.get_program())
        .chain(command.get_args())
        .map(|word| word.to_string_lossy())
        .collect::<Vec<_>>()
        .join(" ")
}

/// The last whole lines of a text that fit into so many bytes.
pub(crate) fn tail(text: &str, bytes_max: usize) -> &str {
    let text = text.trim_end();
    let mut start = text.len();
    for line in text.rsplit('\n') {
        let longer = start.saturating_sub(line.len() + 1);
        if text.len() - longer > bytes_max {
            break;
        }
        start = longer;
    }
    text.get(start..)
        .unwrap_or_default()
        .trim_start_matches('\n')
}

#[cfg(test)]
mod test {
    use super::*;

    #[test]
    fn the_tail_has_whole_lines() {
        assert_eq!(tail("one\ntwo\nthree\n", 10), "two\nthree");
        assert_eq!(tail("one\ntwo", 100), "one\ntwo");
        assert_eq!(tail("", 10), "");
    }

    #[test]
    fn a_failure_shows_what_was_printed() {
        let error = checked(Command::new("sh").args(["-c", "echo no luck; exit 3"])).unwrap_err();
        let text = error.to_string();
        assert!(
            text.contains("no luck") && text.contains("exit status: 3"),
            "{text}"
        );
    }
}
