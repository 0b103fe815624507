//! A sandbox with the words a test needs: submit, look, wait, explain.

mod federation;
mod jobs;

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use fedsched_sandbox::{Error, Options, Sandbox, Series, Service};

/// How long anything that must happen may take on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(90);

/// The members of a sandbox, as they are by default.
pub(crate) const MEMBERS: [&str; 3] = ["cpu", "big", "gpu"];

/// Most sandboxes that wait for the next test that wants one of their kind.
const POOL_MAX: usize = 3;

/// The daemon's configuration, inside.
const CONFIG: &str = "/etc/fedsched/fedsched.toml";

/// The daemon's state, inside.
const STATE: &str = "/var/lib/fedsched";

/// Sandboxes that earlier tests used up and left in order.
static POOL: Mutex<Vec<(Options, Sandbox)>> = Mutex::new(Vec::new());

/// A running sandbox.
#[derive(Debug)]
pub(crate) struct Site {
    options: Options,
    sandbox: Option<Sandbox>,
    /// Whether another test may have it afterwards.
    shared: bool,
}

/// What a command did.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

/// The Slurm series under test.
pub(crate) fn series() -> Series {
    std::env::var("FEDSCHED_TEST_SLURM").map_or(Series::default(), |name| {
        name.parse()
            .unwrap_or_else(|error| panic!("FEDSCHED_TEST_SLURM: {error}"))
    })
}

/// The `[[member]]` tables of a configuration, each with lines of its own.
pub(crate) fn members(all: &[(&str, &str)]) -> String {
    let table = |(name, lines): &(&str, &str)| format!("[[member]]\nname = \"{name}\"\n{lines}");
    all.iter().map(table).collect::<Vec<_>>().join("\n")
}

impl Site {
    /// A site with everything at its default, which other tests have before and after this one.
    pub(crate) fn take() -> Self {
        Self::like(Options::default())
    }

    /// A site of these options, which other tests have before and after this one.
    pub(crate) fn like(options: Options) -> Self {
        let options = Options {
            slurm: series(),
            ..options
        };
        let mut pool = POOL.lock().unwrap_or_else(PoisonError::into_inner);
        let used = pool.iter().position(|(of, _)| *of == options);
        let used = used.map(|index| pool.remove(index).1);
        drop(pool);
        let fresh = used.is_none();
        let mut site = Self {
            sandbox: used,
            options,
            shared: true,
        };
        if fresh {
            site.sandbox = Some(start(&site.options));
        } else {
            site.tidy();
        }
        site.wait_ready();
        site
    }

    /// A site that this test may change for good.
    pub(crate) fn own(options: Options) -> Self {
        let options = Options {
            slurm: series(),
            ..options
        };
        let sandbox = Some(start(&options));
        let site = Self {
            sandbox,
            options,
            shared: false,
        };
        site.wait_ready();
        site
    }

    /// The sandbox itself.
    pub(crate) fn sandbox(&self) -> &Sandbox {
        self.sandbox
            .as_ref()
            .expect("a site has its sandbox until it is dropped")
    }

    /// Ends every job, and lets the daemon begin anew.
    fn tidy(&self) {
        let daemon = self.sandbox().service(Service::Fedsched);
        daemon.stop().unwrap();
        self.wait("no job to be left", || {
            let jobs = self.run("root", &["squeue", "-haro%A"]);
            let jobs: Vec<&str> = jobs.lines().collect();
            if jobs.is_empty() {
                return Ok(());
            }
            self.try_run("root", &[&["scancel"], &jobs[..]].concat());
            Err(format!("jobs {jobs:?}"))
        });
        for entry in std::fs::read_dir(self.sandbox().path(STATE)).unwrap() {
            std::fs::remove_file(entry.unwrap().path()).unwrap();
        }
        daemon.start().unwrap();
    }

    /// Runs a command as a user.
    pub(crate) fn try_run(&self, user: &str, words: &[&str]) -> Ran {
        let output = self.sandbox().exec(user, words).unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).trim_end().to_owned();
        Ran {
            code: output.status.code().unwrap_or(-1),
            out: text(output.stdout),
            err: text(output.stderr),
        }
    }

    /// Runs a command that must succeed; what it printed.
    pub(crate) fn run(&self, user: &str, words: &[&str]) -> String {
        let ran = self.try_run(user, words);
        assert_eq!(ran.code, 0, "{words:?} as {user}: {}\n{}", ran.out, ran.err);
        ran.out
    }

    /// Runs a command that must be refused; what it said about it.
    pub(crate) fn refused(&self, user: &str, words: &[&str]) -> String {
        let ran = self.try_run(user, words);
        assert_ne!(ran.code, 0, "{words:?} as {user}: {}\n{}", ran.out, ran.err);
        ran.err
    }

    /// Waits for a condition; the error it returns last is shown when it never holds.
    pub(crate) fn wait<T>(&self, what: &str, condition: impl FnMut() -> Result<T, String>) -> T {
        self.wait_for(PATIENCE, what, condition)
    }

    /// Waits for a condition that takes its time.
    pub(crate) fn wait_for<T>(
        &self,
        patience: Duration,
        what: &str,
        condition: impl FnMut() -> Result<T, String>,
    ) -> T {
        let outcome = self.sandbox().wait_until(patience, what, condition);
        outcome.unwrap_or_else(|error| panic!("{error}"))
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        let Some(sandbox) = self.sandbox.take() else {
            return;
        };
        if !self.shared || std::thread::panicking() {
            return;
        }
        let mut pool = POOL.lock().unwrap_or_else(PoisonError::into_inner);
        pool.push((self.options.clone(), sandbox));
        let over = pool.len().saturating_sub(POOL_MAX);
        let dropped: Vec<_> = pool.drain(..over).collect();
        drop(pool);
        drop(dropped);
    }
}

fn start(options: &Options) -> Sandbox {
    Sandbox::start(options).unwrap_or_else(|error| match error {
        Error::NotRoot => panic!(
            "the end-to-end tests start real Slurm clusters in private namespaces and need root: \
             run them with sudo, or leave them out (cargo test --workspace -- --skip …)"
        ),
        error => panic!("{error}"),
    })
}
