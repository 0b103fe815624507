//! `sacct --parsable2`: a header line naming the columns, fields parted by `|`.

use std::io::Read;

use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use super::ReadError;
use super::columns::Columns;
use super::record::{Record, Rows};
use crate::simulator::clock::{DAY, Seconds};

/// Command that writes what this reader needs, for messages.
pub(super) const COMMAND: &str = "sacct --allocations --parsable2 --format=JobID,Submit,ElapsedRaw,AllocCPUS,ReqCPUS,TimelimitRaw";

/// Reads every job; steps (`117.batch`) are passed over.
pub(super) fn read(text: impl Read) -> Result<Rows, ReadError> {
    let mut lines = csv::ReaderBuilder::new()
        .delimiter(b'|')
        .quoting(false)
        .from_reader(text);
    let columns = Columns::new(lines.headers()?);
    let mut missing = Vec::new();
    let mut need = |names: &[&str]| {
        let found = columns.first_of(names);
        if found.is_none() {
            missing.push(names.join(" or "));
        }
        found
    };
    let job = need(&["JobID", "JobIDRaw"]);
    let submit = need(&["Submit"]);
    let elapsed = need(&["ElapsedRaw", "Elapsed"]);
    let allocated = need(&["AllocCPUS", "NCPUS"]);
    let wanted = need(&["ReqCPUS"]);
    let limit = need(&["TimelimitRaw", "Timelimit"]);
    let (Some(job), Some(submit), Some(elapsed), Some(allocated), Some(wanted), Some(limit)) =
        (job, submit, elapsed, allocated, wanted, limit)
    else {
        return Err(ReadError::Columns {
            missing: missing.join(", "),
            remedy: format!("write it with `{COMMAND}`"),
        });
    };
    let limit_is_raw = columns.name(limit) == "TimelimitRaw";

    let mut rows = Rows::default();
    let mut record = csv::StringRecord::new();
    while lines.read_record(&mut record)? {
        let row = columns.row(&record);
        if row.text(job).contains('.') {
            continue;
        }
        rows.records.push(Record {
            submit: row.parse(submit, point, "a time such as 2026-11-02T10:00:00")?,
            run: row.parse_known(elapsed, span, "a span such as 1-02:03:04")?,
            requested: row.parse_known(
                limit,
                if limit_is_raw { minutes } else { span },
                "a time limit",
            )?,
            allocated: row.parse_known(allocated, |text| text.parse().ok(), "a count")?,
            wanted: row.parse_known(wanted, |text| text.parse().ok(), "a count")?,
        });
    }
    Ok(rows)
}

/// Local time without a zone, as sacct writes it, or seconds since 1970 (`SLURM_TIME_FORMAT=%s`).
/// Taken as UTC: only differences matter to a replay.
fn point(text: &str) -> Option<Seconds> {
    text.parse().ok().or_else(|| {
        let civil: DateTime = text.parse().ok()?;
        Some(civil.to_zoned(TimeZone::UTC).ok()?.timestamp().as_second())
    })
}

/// `[D-]HH:MM:SS`, `MM:SS`, or seconds.
fn span(text: &str) -> Option<Seconds> {
    let (days, clock) = match text.split_once('-') {
        Some((days, clock)) => (days.parse::<Seconds>().ok()?, clock),
        None => (0, text),
    };
    let mut seconds = 0;
    for part in clock.split(':') {
        // Slurm writes thousandths where it has them: `00:12.345`.
        let whole = part.split('.').next()?;
        seconds = seconds * 60 + whole.parse::<Seconds>().ok()?;
    }
    Some(days * DAY + seconds)
}

/// Whole minutes.
fn minutes(text: &str) -> Option<Seconds> {
    text.parse::<Seconds>().ok()?.checked_mul(60)
}

#[cfg(test)]
mod test {
    use super::*;

    #[test]
    fn jobs_are_read_and_steps_passed_over() {
        let text = "JobID|Submit|ElapsedRaw|AllocCPUS|ReqCPUS|TimelimitRaw|State\n\
                    117|2026-11-02T10:00:00|90|0|4|60|COMPLETED\n\
                    117.batch|2026-11-02T10:00:00|90|4|4||COMPLETED\n\
                    118_3|1793613601|5|8|8|UNLIMITED|FAILED\n";
        let rows = read(text.as_bytes()).unwrap();
        let first = Record {
            submit: 1_793_613_600,
            run: Some(90),
            requested: Some(3600),
            allocated: Some(0),
            wanted: Some(4),
        };
        let second = Record {
            submit: 1_793_613_601,
            run: Some(5),
            requested: None,
            allocated: Some(8),
            wanted: Some(8),
        };
        assert_eq!(rows.records, [first, second]);
    }

    #[test]
    fn readable_spans_do_as_well() {
        let text = "JobID|Submit|Elapsed|NCPUS|ReqCPUS|Timelimit\n\
                    1|2026-11-02T10:00:00|1-02:03:04|1|1|02:00:00\n";
        let rows = read(text.as_bytes()).unwrap();
        assert_eq!(rows.records[0].run, Some(DAY + 2 * 3600 + 3 * 60 + 4));
        assert_eq!(rows.records[0].requested, Some(7200));
        assert_eq!(span("00:12.345"), Some(12));
    }

    #[test]
    fn absent_columns_are_named_all_at_once() {
        let text = "JobID|Submit|User\n117|2026-11-02T10:00:00|ada\n";
        let error = read(text.as_bytes()).unwrap_err().to_string();
        insta::assert_snapshot!(error, @"columns are missing: ElapsedRaw or Elapsed, AllocCPUS or NCPUS, ReqCPUS, TimelimitRaw or Timelimit; write it with `sacct --allocations --parsable2 --format=JobID,Submit,ElapsedRaw,AllocCPUS,ReqCPUS,TimelimitRaw`");
    }

    #[test]
    fn a_wrong_value_is_named_with_its_place() {
        let text = "JobID|Submit|ElapsedRaw|AllocCPUS|ReqCPUS|TimelimitRaw\n\
                    117|yesterday|90|0|4|60\n";
        let error = read(text.as_bytes()).unwrap_err().to_string();
        insta::assert_snapshot!(error, @"line 2: column Submit: `yesterday` is not a time such as 2026-11-02T10:00:00");
    }
}
