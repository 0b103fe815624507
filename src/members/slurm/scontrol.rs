//! `scontrol`, for the one thing that slurmrestd cannot do from v0.0.40 on: change some tasks of an
//! array (it rejects every path with a task in it).

use std::process::Stdio;
use std::time::Duration;

use tokio::process::Command;

use super::change::Change;
use super::dialect::Dialect;
use super::error::Error;
use super::target::Target;

/// scontrol waits longer than this for a slurmctld that does not answer.
const TIME_MAX: Duration = Duration::from_secs(30);

/// Runs `scontrol update` for `target`. It acts as the daemon's user, as slurmrestd does.
pub(super) async fn update(argv: &[String], target: &Target, change: &Change) -> Result<(), Error> {
    let Some((program, arguments)) = argv.split_first() else {
        return Err(missing("no scontrol is configured".to_owned()));
    };
    let output = Command::new(program)
        .args(arguments)
        .arg("update")
        .arg(format!("jobid={target}"))
        .args(change.to_arguments())
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output();
    let output = tokio::time::timeout(TIME_MAX, output)
        .await
        .map_err(|_| Error::Unreachable("scontrol did not end in time".to_owned()))?
        .map_err(|error| missing(format!("`{program}` cannot be started: {error}")))?;
    if output.status.success() {
        return Ok(());
    }
    Err(classify(&String::from_utf8_lossy(&output.stderr)))
}

fn missing(why: String) -> Error {
    Error::Unsupported {
        dialect: Dialect::V42,
        why,
    }
}

/// scontrol gives no numbers, only Slurm's words.
fn classify(words: &str) -> Error {
    let text = words.trim().to_owned();
    let says = |word: &str| text.contains(word);
    if says("temporarily unavailable") || says("try again") {
        Error::TryAgain(text)
    } else if says("Invalid job id") {
        Error::NotFound(text)
    } else if says("Invalid user id") || says("permission denied") {
        Error::NotPermitted(text)
    } else if says("Unable to contact slurm controller") || says("Socket timed out") {
        Error::Unreachable(text)
    } else {
        Error::Refused { code: -1, text }
    }
}

#[cfg(test)]
mod test {
    use super::*;

    #[test]
    fn words_are_sorted_by_what_to_do() {
        for (words, class) in [
            ("5_[0-4]: Resource temporarily unavailable\n", "try-again"),
            ("35_[30-37]: Invalid job id specified", "not-found"),
            ("5: Access/permission denied", "not-permitted"),
            (
                "slurm_update error: Unable to contact slurm controller (connect failure)",
                "unreachable",
            ),
            ("35_[3-7]: Invalid partition name specified", "refused"),
        ] {
            assert_eq!(classify(words).class(), class, "{words}");
        }
    }
}
