//! What the daemon answers, or that it does not.

use fedsched_protocol::query::{Finding, Refusal, Status};

use super::finding::{error, ok, warning};

/// A host whose clock differs by more reads wrong times everywhere, milliseconds.
const SKEW_MAX_MS: i64 = 5_000;

/// What the daemon answered to a question for its status.
pub fn answering(status: &Status, now_ms: i64) -> Vec<Finding> {
    const SUBJECT: &str = "daemon";
    let ours = env!("CARGO_PKG_VERSION");
    let mut findings = vec![if status.version == ours {
        ok(SUBJECT, format!("answers, release {ours}"))
    } else {
        error(
            SUBJECT,
            format!("release {} runs, and {ours} is installed", status.version),
            "`systemctl restart fedsched` (running jobs do not notice)",
        )
    }];
    for alarm in &status.alarms {
        findings.push(error(
            SUBJECT,
            alarm.clone(),
            "see its log: journalctl -u fedsched",
        ));
    }
    let ahead = status.heard_ms.map_or(0, |heard| heard - now_ms);
    if ahead > SKEW_MAX_MS {
        findings.push(warning(
            "clock",
            format!(
                "the daemon heard of Slurm {} seconds in the future",
                ahead / 1000
            ),
            "synchronise the clocks (timedatectl set-ntp true)",
        ));
    }
    findings
}

/// A daemon that may not, or cannot yet, say what it is asked.
pub fn refused(refusal: Refusal) -> Finding {
    match refusal {
        Refusal::NotReady => warning(
            "daemon",
            "it has not heard of Slurm yet",
            "try again in a few seconds",
        ),
        Refusal::NotPermitted | Refusal::NoSuchJob => warning(
            "daemon",
            "what it knows of its own connections it tells operators only",
            "run this as root",
        ),
    }
}

/// A daemon that gave no answer.
pub fn silent(failure: &str, remedy: &str) -> Finding {
    error("daemon", failure, remedy)
}
