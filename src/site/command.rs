//! Running one of Slurm's commands.

use std::ffi::OsStr;
use std::io::{self, Read};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// Longer than Slurm's own timeouts, so that its message comes first.
const PATIENCE: Duration = Duration::from_secs(30);

/// Why a command brought nothing.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It is not installed, or may not be run.
    #[error("cannot run {command}: {source}")]
    Start {
        /// The command.
        command: String,
        /// Why.
        source: io::Error,
    },
    /// It ran and failed.
    #[error("{command} failed: {message}")]
    Failed {
        /// The command and its words.
        command: String,
        /// What it said.
        message: String,
    },
    /// It was ended because it took too long.
    #[error("{command} did not end within {} seconds", PATIENCE.as_secs())]
    Silent {
        /// The command and its words.
        command: String,
    },
}

/// What a command prints, within half a minute.
pub fn output<W: AsRef<OsStr>>(
    program: impl AsRef<OsStr>,
    words: impl IntoIterator<Item = W>,
) -> Result<String, Error> {
    let mut command = Command::new(program);
    command
        .args(words)
        // Formats of times and the like are read by us, not by people.
        .env("LC_ALL", "C")
        .env_remove("SLURM_TIME_FORMAT")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let name = spoken(&command);
    let failed = |source| Error::Start {
        command: name.clone(),
        source,
    };
    let mut child = command.spawn().map_err(failed)?;
    let printed = collect(child.stdout.take());
    let complaint = collect(child.stderr.take());
    let Ok(printed) = printed.recv_timeout(PATIENCE) else {
        end(&mut child).map_err(failed)?;
        return Err(Error::Silent { command: name });
    };
    let status = child.wait().map_err(failed)?;
    if status.success() {
        return Ok(printed);
    }
    let complaint = complaint.recv_timeout(PATIENCE).unwrap_or_default();
    Err(Error::Failed {
        command: name,
        message: match complaint.trim() {
            "" => status.to_string(),
            text => text.replace('\n', "; "),
        },
    })
}

/// Reads a stream to its end, beside the other one: a full pipe stops the child.
fn collect(stream: Option<impl Read + Send + 'static>) -> mpsc::Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = stream.map(|mut stream| stream.read_to_end(&mut bytes));
        if let Some(Ok(_)) = read {
            // Nobody listens any more if it took too long.
            drop(sender.send(String::from_utf8_lossy(&bytes).into_owned()));
        }
    });
    receiver
}

fn end(child: &mut Child) -> io::Result<()> {
    child.kill()?;
    child.wait().map(drop)
}

fn spoken(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let words: Vec<_> = words.map(OsStr::to_string_lossy).collect();
    words.join(" ")
}

#[cfg(test)]
mod test {
    use super::*;

    #[test]
    fn what_it_prints_comes_whole() {
        let much = output("seq", ["100000"]).unwrap();
        assert_eq!(much.lines().count(), 100_000);
    }

    #[test]
    fn what_it_complains_of_comes_too() {
        let error = output("sh", ["-c", "echo no such thing >&2; exit 3"]).unwrap_err();
        assert!(
            error.to_string().ends_with("failed: no such thing"),
            "{error}"
        );
        let error = output("false", [""; 0]).unwrap_err();
        assert_eq!(error.to_string(), "false failed: exit status: 1");
        let error = output("/nonexistent/scontrol", ["ping"]).unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("cannot run /nonexistent/scontrol ping")
        );
    }
}
