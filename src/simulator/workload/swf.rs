//! The Standard Workload Format of the Parallel Workloads Archive, version 2.2: one job a line, 18
//! numbers, comments and header lines behind `;`. Further columns are left unread.

use std::io::BufRead;

use super::ReadError;
use super::record::{Record, Rows};
use crate::simulator::clock::Seconds;

/// Fields that a line must have at least: as far as the requested time.
const FIELDS: usize = 9;

/// Reads every line.
pub(super) fn read(lines: impl BufRead) -> Result<Rows, ReadError> {
    let mut rows = Rows::default();
    for (at, line) in lines.lines().enumerate() {
        let line = line?;
        let text = line.trim();
        if let Some(comment) = text.strip_prefix(';') {
            rows.processors = rows.processors.or_else(|| machine_size(comment));
        } else if !text.is_empty() {
            rows.records.push(record(text, at + 1)?);
        }
    }
    Ok(rows)
}

/// The value of a `MaxProcs: N` header.
fn machine_size(comment: &str) -> Option<u64> {
    let (key, value) = comment.split_once(':')?;
    let value = value.trim().parse().ok().filter(|size| *size > 0);
    value.filter(|_| key.trim() == "MaxProcs")
}

fn record(text: &str, line: usize) -> Result<Record, ReadError> {
    let mut fields = [0.0; FIELDS];
    let mut words = text.split_ascii_whitespace();
    for (at, field) in fields.iter_mut().enumerate() {
        let word = words.next().ok_or(ReadError::Short {
            line,
            found: at,
            wanted: FIELDS,
        })?;
        *field = word.parse().map_err(|_| ReadError::Number {
            line,
            column: (at + 1).to_string(),
            value: word.to_owned(),
        })?;
    }
    let [_, submit, _, run, allocated, _, _, wanted, requested] = fields;
    Ok(Record {
        submit: whole(submit),
        run: known(run),
        requested: known(requested),
        allocated: known(allocated).and_then(|count| u64::try_from(count).ok()),
        wanted: known(wanted).and_then(|count| u64::try_from(count).ok()),
    })
}

/// -1 stands for "unknown".
fn known(value: f64) -> Option<Seconds> {
    Some(whole(value)).filter(|whole| *whole >= 0)
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "the cast saturates, and no trace is 2^63 seconds long"
)]
fn whole(value: f64) -> Seconds {
    value.round() as Seconds
}

#[cfg(test)]
mod test {
    use super::*;

    #[test]
    fn a_line_and_the_size_in_the_header_are_read() {
        let text = "; MaxNodes: 36\n; MaxProcs: 288 \n; Note: MaxProcs: 7\n\n\
                    1 100 5 60.4 -1 -1 -1 8 3600 -1 1 3 4 5 6 7 -1 -1 {1,2} q_1d\n";
        let rows = read(text.as_bytes()).unwrap();
        assert_eq!(rows.processors, Some(288));
        let record = Record {
            submit: 100,
            run: Some(60),
            requested: Some(3600),
            allocated: None,
            wanted: Some(8),
        };
        assert_eq!(rows.records, [record]);
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        let error = |text: &str| read(text.as_bytes()).unwrap_err().to_string();
        insta::assert_snapshot!(error("; x\n1 2 3"), @"line 2: 3 fields, at least 9 are needed");
        insta::assert_snapshot!(
            error("1 2 3 x 5 6 7 8 9"),
            @"line 1: column 4: `x` is not a number"
        );
    }
}
