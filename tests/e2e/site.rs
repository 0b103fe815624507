//! A sandbox with the words a test needs: submit, look, wait, explain.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use fedsched_protocol::query::{Explanation, Status, Waiting};
use fedsched_sandbox::{Error, Options, Sandbox, Series, Service, Signal};
use serde::de::DeserializeOwned;

/// How long anything that must happen may take on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(90);

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
pub struct Site {
    options: Options,
    sandbox: Option<Sandbox>,
    /// Whether another test may have it afterwards.
    shared: bool,
}

/// What a command did.
#[derive(Debug)]
pub struct Ran {
    pub code: i32,
    pub out: String,
    pub err: String,
}

/// The Slurm series under test.
pub fn series() -> Series {
    std::env::var("FEDSCHED_TEST_SLURM").map_or(Series::default(), |name| {
        name.parse()
            .unwrap_or_else(|error| panic!("FEDSCHED_TEST_SLURM: {error}"))
    })
}

impl Site {
    /// A site with everything at its default, which other tests have before and after this one.
    pub fn take() -> Self {
        Self::like(Options::default())
    }

    /// A site of these options, which other tests have before and after this one.
    pub fn like(options: Options) -> Self {
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
    pub fn own(options: Options) -> Self {
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
    pub fn sandbox(&self) -> &Sandbox {
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

    /// Waits until the daemon has heard of everything there is.
    pub fn wait_ready(&self) {
        if self.options.daemon {
            self.wait("the daemon to hear of Slurm", || {
                let status: Status = self.ask("root", &["status"])?;
                status.heard_ms.map(drop).ok_or_else(|| "never".to_owned())
            });
        }
    }

    /// Runs a command as a user.
    pub fn try_run(&self, user: &str, words: &[&str]) -> Ran {
        let output = self.sandbox().exec(user, words).unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).trim_end().to_owned();
        Ran {
            code: output.status.code().unwrap_or(-1),
            out: text(output.stdout),
            err: text(output.stderr),
        }
    }

    /// Runs a command that must succeed; what it printed.
    pub fn run(&self, user: &str, words: &[&str]) -> String {
        let ran = self.try_run(user, words);
        assert_eq!(ran.code, 0, "{words:?} as {user}: {}\n{}", ran.out, ran.err);
        ran.out
    }

    /// Runs a command that must be refused; what it said about it.
    pub fn refused(&self, user: &str, words: &[&str]) -> String {
        let ran = self.try_run(user, words);
        assert_ne!(ran.code, 0, "{words:?} as {user}: {}\n{}", ran.out, ran.err);
        ran.err
    }

    /// Submits a job of one command and returns its id. sbatch must print nothing else.
    pub fn sbatch(&self, user: &str, options: &[&str], command: &str) -> u32 {
        let wrap = format!("--wrap={command}");
        self.submit(user, &[options, &[wrap.as_str()]].concat())
    }

    /// Runs sbatch with these words and returns the id. sbatch must print nothing else.
    pub fn submit(&self, user: &str, words: &[&str]) -> u32 {
        let words = [&["sbatch", "--parsable"], words].concat();
        let ran = self.try_run(user, &words);
        assert_eq!(ran.code, 0, "{words:?}: {}\n{}", ran.out, ran.err);
        assert_eq!(ran.err, "", "sbatch prints nothing on success");
        let id = ran.out.parse();
        id.unwrap_or_else(|_| panic!("{words:?} printed {:?}", ran.out))
    }

    /// Every field of `scontrol show job`, of the first record if it is several; none if the job
    /// is not known.
    pub fn fields(&self, job: impl Display) -> BTreeMap<String, String> {
        let ran = self.try_run("root", &["scontrol", "-o", "show", "job", &job.to_string()]);
        let line = ran.out.lines().next().unwrap_or_default();
        let words = line.split(' ').filter_map(|word| word.split_once('='));
        words
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect()
    }

    /// A field of `scontrol show job`, empty if the job has none.
    pub fn field(&self, job: impl Display, name: &str) -> String {
        self.fields(job).remove(name).unwrap_or_default()
    }

    /// What `squeue -o` says of every task of a job, or of everything in squeue.
    pub fn squeue(&self, job: Option<u32>, format: &str) -> Vec<String> {
        let format = format!("-haro{format}");
        let job = job.map(|job| format!("-j{job}"));
        let words: Vec<&str> = ["squeue", &format]
            .into_iter()
            .chain(job.as_deref())
            .collect();
        // A job that slurmctld has forgotten is an error to squeue.
        let ran = self.try_run("root", &words);
        ran.out.lines().map(str::to_owned).collect()
    }

    /// Waits until `scontrol show job` has `name=value`.
    pub fn wait_field(&self, job: impl Display, name: &str, value: &str) {
        self.wait(&format!("job {job} has {name}={value}"), || {
            let fields = self.fields(&job);
            if fields.get(name).is_some_and(|found| found == value) {
                return Ok(());
            }
            let shown = ["JobState", "Reason", "Partition", name];
            let shown = shown.map(|name| format!("{name}={}", fields.get(name).map_or("", |v| v)));
            Err(shown.join(" "))
        });
    }

    /// Waits until the job runs, and returns its partition.
    pub fn wait_running(&self, job: impl Display + Copy) -> String {
        self.wait_field(job, "JobState", "RUNNING");
        self.field(job, "Partition")
    }

    /// Waits until the job has completed, and returns its partition.
    pub fn wait_completed(&self, job: impl Display + Copy) -> String {
        self.wait_field(job, "JobState", "COMPLETED");
        self.field(job, "Partition")
    }

    /// Waits for a condition; the error it returns last is shown when it never holds.
    pub fn wait<T>(&self, what: &str, condition: impl FnMut() -> Result<T, String>) -> T {
        self.wait_for(PATIENCE, what, condition)
    }

    /// Waits for a condition that takes its time.
    pub fn wait_for<T>(
        &self,
        patience: Duration,
        what: &str,
        condition: impl FnMut() -> Result<T, String>,
    ) -> T {
        let outcome = self.sandbox().wait_until(patience, what, condition);
        outcome.unwrap_or_else(|error| panic!("{error}"))
    }

    /// Waits until a question is answered as wanted; the last answer is shown when it never is.
    pub fn wait_answer<T: DeserializeOwned + std::fmt::Debug>(
        &self,
        user: &str,
        words: &[&str],
        wanted: impl Fn(&T) -> bool,
    ) -> T {
        self.wait(&format!("fedsched {words:?} to answer as wanted"), || {
            let answer: T = self.ask(user, words)?;
            if wanted(&answer) {
                Ok(answer)
            } else {
                Err(format!("{answer:#?}"))
            }
        })
    }

    /// What `fedsched … --json` answers, or why not.
    fn ask<T: DeserializeOwned>(&self, user: &str, words: &[&str]) -> Result<T, String> {
        let ran = self.try_run(user, &[&["fedsched", "--json"], words].concat());
        if ran.code != 0 {
            return Err(ran.err);
        }
        serde_json::from_str(&ran.out).map_err(|error| format!("{error}: {}", ran.out))
    }

    /// What `fedsched status` says.
    pub fn status(&self) -> Status {
        self.ask("root", &["status"]).unwrap()
    }

    /// What `fedsched queue` says to a user.
    pub fn queue(&self, user: &str) -> Vec<Waiting> {
        self.ask(user, &["queue"]).unwrap()
    }

    /// What `fedsched explain` says to a user.
    pub fn explain(&self, user: &str, job: impl Display) -> Explanation {
        self.ask(user, &["explain", &job.to_string()]).unwrap()
    }

    /// Waits until `fedsched explain` says this in its summary.
    pub fn wait_explained(&self, job: impl Display, words: &str) -> Explanation {
        let job = job.to_string();
        let says = |told: &Explanation| told.summary.contains(words);
        self.wait_answer("root", &["explain", &job], says)
    }

    /// Puts another configuration in the daemon's file; it is not used before a reload or restart.
    pub fn configure(&self, text: &str) {
        assert!(!self.shared, "only a test's own site may be configured");
        std::fs::write(self.sandbox().path(CONFIG), text).unwrap();
    }

    /// What is in the daemon's file.
    pub fn configuration(&self) -> String {
        std::fs::read_to_string(self.sandbox().path(CONFIG)).unwrap()
    }

    /// Asks the daemon to read its file again.
    pub fn reload(&self) {
        self.sandbox()
            .service(Service::Fedsched)
            .kill(Signal::SIGHUP)
            .unwrap();
    }

    /// Everything the daemon has logged.
    pub fn daemon_log(&self) -> String {
        let path = self.sandbox().service(Service::Fedsched).log_path();
        String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned()
    }

    /// What is in a file inside; empty if there is none.
    pub fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.sandbox().path(path)).unwrap_or_default()
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
