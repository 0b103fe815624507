//! A sandbox with the words a test needs: submit, look, wait.

use std::collections::BTreeMap;
use std::time::Duration;

use fedsched_sandbox::{Options, Sandbox, Series};

/// How long anything that must happen may take on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A running sandbox.
pub struct Site {
    pub sandbox: Sandbox,
}

/// The Slurm series under test.
pub fn series() -> Series {
    std::env::var("FEDSCHED_TEST_SLURM").map_or(Series::default(), |name| name.parse().unwrap())
}

impl Site {
    /// A site with everything at its default.
    pub fn start() -> Self {
        Self::with(Options::default())
    }

    /// A site that differs from the default, of the series under test.
    pub fn with(options: Options) -> Self {
        let options = Options { slurm: series(), ..options };
        Self { sandbox: Sandbox::start(&options).unwrap() }
    }

    /// Runs a command as a user; its output and whether it succeeded.
    pub fn try_run(&self, user: &str, words: &[&str]) -> (bool, String, String) {
        let output = self.sandbox.exec(user, words).unwrap();
        (
            output.status.success(),
            String::from_utf8_lossy(&output.stdout).trim_end().to_owned(),
            String::from_utf8_lossy(&output.stderr).trim_end().to_owned(),
        )
    }

    /// Runs a command that must succeed; what it printed.
    pub fn run(&self, user: &str, words: &[&str]) -> String {
        let (done, out, err) = self.try_run(user, words);
        assert!(done, "{words:?} failed: {out}\n{err}");
        out
    }

    /// Submits a job of one command and returns its id. sbatch must print nothing else.
    pub fn sbatch(&self, user: &str, options: &[&str], command: &str) -> u32 {
        let wrap = format!("--wrap={command}");
        let words = [&["sbatch", "--parsable"], options, &[wrap.as_str()]].concat();
        let (done, out, err) = self.try_run(user, &words);
        assert!(done, "{words:?} failed: {out}\n{err}");
        assert_eq!(err, "", "sbatch prints nothing on success");
        out.parse().unwrap_or_else(|_| panic!("{words:?} printed {out:?}"))
    }

    /// A field of `scontrol show job`, empty if the job has none.
    pub fn field(&self, job: &str, name: &str) -> String {
        self.fields(job).remove(name).unwrap_or_default()
    }

    /// Every field of `scontrol show job`; none if the job is not known.
    pub fn fields(&self, job: &str) -> BTreeMap<String, String> {
        let (_, out, _) = self.try_run("root", &["scontrol", "-o", "show", "job", job]);
        out.split(' ')
            .filter_map(|word| word.split_once('='))
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect()
    }

    /// Waits until `scontrol show job` has `name=value`.
    pub fn wait_field(&self, job: u32, name: &str, value: &str) {
        let job = job.to_string();
        self.wait(&format!("job {job} has {name}={value}"), || {
            let fields = self.fields(&job);
            if fields.get(name).is_some_and(|found| found == value) {
                return Ok(());
            }
            let shown = ["JobState", "Reason", "Partition", name].map(|name| {
                format!("{name}={}", fields.get(name).map_or("", String::as_str))
            });
            Err(shown.join(" "))
        });
    }

    /// Waits until the job runs, and returns its partition.
    pub fn wait_running(&self, job: u32) -> String {
        self.wait_field(job, "JobState", "RUNNING");
        self.field(&job.to_string(), "Partition")
    }

    /// Waits until the job has completed, and returns its partition.
    pub fn wait_completed(&self, job: u32) -> String {
        self.wait_field(job, "JobState", "COMPLETED");
        self.field(&job.to_string(), "Partition")
    }

    /// Waits for a condition; the error it returns last is shown when it never holds.
    pub fn wait<T>(&self, what: &str, condition: impl FnMut() -> Result<T, String>) -> T {
        self.sandbox.wait_until(PATIENCE, what, condition).unwrap_or_else(|error| panic!("{error}"))
    }

    /// What `fedsched explain` says to a user.
    pub fn explain(&self, user: &str, job: u32) -> String {
        self.run(user, &["fedsched", "explain", &job.to_string()])
    }

    /// Waits until the daemon has heard of every job there is: it explains this one.
    pub fn wait_explained(&self, job: u32, words: &str) -> String {
        self.wait(&format!("explain {job} says {words:?}"), || {
            let (done, out, err) =
                self.try_run("root", &["fedsched", "explain", &job.to_string()]);
            if done && out.contains(words) { Ok(out) } else { Err(format!("{out}{err}")) }
        })
    }
}
