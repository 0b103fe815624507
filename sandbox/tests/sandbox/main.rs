//! Real sandboxes, all of them plain Slurm: what fedsched makes of it is tested elsewhere. Needs
//! root and, once, the network to fetch Slurm's other versions.

#![expect(clippy::unwrap_used, reason = "what fails in a test fails the test")]

mod faults;
mod isolation;
mod jobs;
mod owner;
mod rest;

use std::time::Duration;

use fedsched_sandbox::{JobSubmit, Options, Sandbox, Series};

/// How long anything may take on a machine that is busy with other tests.
const PATIENCE: Duration = Duration::from_secs(90);

/// Options of a sandbox without anything of fedsched.
fn without_fedsched(slurm: Series) -> Options {
    Options {
        slurm,
        daemon: false,
        job_submit: JobSubmit::None,
        ..Options::default()
    }
}

/// A sandbox of these options.
fn plain(slurm: Series) -> Sandbox {
    Sandbox::start(&without_fedsched(slurm)).unwrap()
}

/// Standard output of a command that must succeed.
fn run(sandbox: &Sandbox, user: &str, command: &[&str]) -> String {
    let output = sandbox.exec(user, command).unwrap();
    assert!(
        output.status.success(),
        "{command:?} as {user}: {}: {}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// Waits until a command prints exactly this.
fn wait_for(sandbox: &Sandbox, command: &[&str], wanted: &str) {
    let what = format!("{command:?} to print {wanted:?}");
    sandbox
        .wait_until(PATIENCE, &what, || {
            let output = sandbox
                .exec("operator", command)
                .map_err(|error| error.to_string())?;
            let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
            if text == wanted { Ok(()) } else { Err(text) }
        })
        .unwrap();
}
