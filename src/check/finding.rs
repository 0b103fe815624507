//! How a finding is written down.

use fedsched_protocol::query::{Finding, Grade};

/// As it should be.
pub(super) fn ok(subject: &str, text: impl Into<String>) -> Finding {
    finding(subject, Grade::Ok, text, "")
}

/// Works, but not as well as it could.
pub(super) fn warning(
    subject: &str,
    text: impl Into<String>,
    remedy: impl Into<String>,
) -> Finding {
    finding(subject, Grade::Warning, text, remedy)
}

/// Does not work.
pub(super) fn error(subject: &str, text: impl Into<String>, remedy: impl Into<String>) -> Finding {
    finding(subject, Grade::Error, text, remedy)
}

fn finding(
    subject: &str,
    grade: Grade,
    text: impl Into<String>,
    remedy: impl Into<String>,
) -> Finding {
    Finding {
        subject: subject.to_owned(),
        grade,
        text: text.into(),
        remedy: remedy.into(),
    }
}
