//! A sandbox with the words a test needs: submit, look, wait, explain.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use fedsched_protocol::query::{Explanation, Member, Status, Waiting};
use fedsched_sandbox::{Error, Options, Sandbox, Series, Service, Signal};
use serde::de::DeserializeOwned;

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

    /// Waits until the daemon has heard of everything there is.
    pub(crate) fn wait_ready(&self) {
        if self.options.daemon {
            self.wait("the daemon to hear of Slurm", || {
                let status: Status = self.ask("root", &["status"])?;
                status.heard_ms.map(drop).ok_or_else(|| "never".to_owned())
            });
        }
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

    /// Submits a job of one command and returns its id. sbatch must print nothing else.
    pub(crate) fn sbatch(&self, user: &str, options: &[&str], command: &str) -> u32 {
        let wrap = format!("--wrap={command}");
        self.submit(user, &[options, &[wrap.as_str()]].concat())
    }

    /// Runs sbatch with these words and returns the id. sbatch must print nothing else.
    pub(crate) fn submit(&self, user: &str, words: &[&str]) -> u32 {
        let words = [&["sbatch", "--parsable"], words].concat();
        let ran = self.try_run(user, &words);
        assert_eq!(ran.code, 0, "{words:?}: {}\n{}", ran.out, ran.err);
        assert_eq!(ran.err, "", "sbatch prints nothing on success");
        let id = ran.out.parse();
        id.unwrap_or_else(|_| panic!("{words:?} printed {:?}", ran.out))
    }

    /// Every field of `scontrol show job`, of the first record if it is several; none if the job
    /// is not known.
    pub(crate) fn fields(&self, job: impl Display) -> BTreeMap<String, String> {
        let ran = self.try_run("root", &["scontrol", "-o", "show", "job", &job.to_string()]);
        let line = ran.out.lines().next().unwrap_or_default();
        let words = line.split(' ').filter_map(|word| word.split_once('='));
        words
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect()
    }

    /// A field of `scontrol show job`, empty if the job has none.
    pub(crate) fn field(&self, job: impl Display, name: &str) -> String {
        self.fields(job).remove(name).unwrap_or_default()
    }

    /// What `squeue -o` says of every task of a job, or of everything in squeue.
    pub(crate) fn squeue(&self, job: Option<u32>, format: &str) -> Vec<String> {
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
    pub(crate) fn wait_field(&self, job: impl Display, name: &str, value: &str) {
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
    pub(crate) fn wait_running(&self, job: impl Display + Copy) -> String {
        self.wait_field(job, "JobState", "RUNNING");
        self.field(job, "Partition")
    }

    /// Waits until the job has completed, and returns its partition.
    pub(crate) fn wait_completed(&self, job: impl Display + Copy) -> String {
        self.wait_field(job, "JobState", "COMPLETED");
        self.field(job, "Partition")
    }

    /// Occupies every node of a member with a job sent there directly, for an hour; returns when
    /// the daemon knows.
    pub(crate) fn fill(&self, member: &str) -> u32 {
        let job = self.fill_later(member, 60);
        self.wait_running(job);
        self.wait_member(member, |member| member.nodes_free == 0);
        job
    }

    /// Submits a job that will occupy every node of a member for so many minutes.
    pub(crate) fn fill_later(&self, member: &str, minutes: u32) -> u32 {
        let nodes = if member == "cpu" { 4 } else { 2 };
        let options = [
            format!("-p{member}"),
            format!("-N{nodes}"),
            format!("-t{minutes}"),
        ];
        let options: Vec<&str> = options.iter().map(String::as_str).collect();
        self.sbatch(
            "user2",
            &[&options[..], &["--exclusive"]].concat(),
            "sleep 3600",
        )
    }

    /// Occupies every node of every member; the jobs in the order of [`MEMBERS`].
    pub(crate) fn fill_all(&self) -> [u32; 3] {
        MEMBERS.map(|member| self.fill(member))
    }

    /// Cancels a job.
    pub(crate) fn end(&self, job: impl Display) {
        self.run("root", &["scancel", &job.to_string()]);
    }

    /// What the plugin put into `admin_comment`; empty if nothing.
    pub(crate) fn admin_comment(&self, job: impl Display) -> String {
        let text = self.run("root", &["scontrol", "show", "job", &job.to_string()]);
        let line = text
            .lines()
            .find_map(|line| line.trim_start().strip_prefix("AdminComment="));
        line.unwrap_or_default().trim_end().to_owned()
    }

    /// Waits until the daemon has heard of everything that was so when this was called.
    pub(crate) fn wait_polled(&self) {
        // The poll that is under way may be older.
        for _ in 0..2 {
            let last = self.status().heard_ms;
            self.wait_answer("root", &["status"], |status: &Status| {
                status.heard_ms > last
            });
        }
    }

    /// Waits until a member looks as wanted to the daemon.
    pub(crate) fn wait_member(&self, name: &str, wanted: impl Fn(&Member) -> bool) -> Member {
        self.wait(&format!("member {name} to be as wanted"), || {
            let members: Vec<Member> = self.ask("root", &["members"])?;
            let member = members.into_iter().find(|member| member.name == name);
            let member = member.ok_or_else(|| "no such member".to_owned())?;
            if wanted(&member) {
                Ok(member)
            } else {
                Err(format!("{member:#?}"))
            }
        })
    }

    /// Waits until nobody waits in the room.
    pub(crate) fn wait_queue_empty(&self) {
        self.wait_answer("root", &["queue"], |queue: &Vec<Waiting>| queue.is_empty());
    }

    /// Waits until there is no job and every node is free to the daemon, too.
    pub(crate) fn wait_idle(&self) {
        self.wait("no job to be left", || {
            let jobs = self.squeue(None, "%i|%T|%P|%r");
            if jobs.is_empty() {
                Ok(())
            } else {
                Err(format!("{jobs:?}"))
            }
        });
        self.wait_queue_empty();
        self.wait_answer("root", &["status"], |status: &Status| {
            let free = |member: &Member| member.nodes_free == member.nodes;
            status.bound == 0 && status.running == 0 && status.members.iter().all(free)
        });
    }

    /// Waits until a file inside holds this.
    pub(crate) fn wait_content(&self, path: &str, wanted: &str) {
        self.wait(&format!("{path} to hold {wanted:?}"), || {
            let found = self.read(path);
            if found == wanted { Ok(()) } else { Err(found) }
        });
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

    /// Waits until a question is answered as wanted; the last answer is shown when it never is.
    pub(crate) fn wait_answer<T: DeserializeOwned + std::fmt::Debug>(
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
    pub(crate) fn ask<T: DeserializeOwned>(&self, user: &str, words: &[&str]) -> Result<T, String> {
        let ran = self.try_run(user, &[&["fedsched", "--json"], words].concat());
        if ran.code != 0 {
            return Err(ran.err);
        }
        serde_json::from_str(&ran.out).map_err(|error| format!("{error}: {}", ran.out))
    }

    /// What `fedsched status` says.
    pub(crate) fn status(&self) -> Status {
        self.ask("root", &["status"]).unwrap()
    }

    /// What `fedsched queue` says to a user.
    pub(crate) fn queue(&self, user: &str) -> Vec<Waiting> {
        self.ask(user, &["queue"]).unwrap()
    }

    /// What `fedsched explain` says to a user.
    pub(crate) fn explain(&self, user: &str, job: impl Display) -> Explanation {
        self.ask(user, &["explain", &job.to_string()]).unwrap()
    }

    /// Waits until `fedsched explain` says this in its summary.
    pub(crate) fn wait_explained(&self, job: impl Display, words: &str) -> Explanation {
        let job = job.to_string();
        let says = |told: &Explanation| told.summary.contains(words);
        self.wait_answer("root", &["explain", &job], says)
    }

    /// Puts another configuration in the daemon's file; it is not used before a reload or restart.
    pub(crate) fn configure(&self, text: &str) {
        assert!(!self.shared, "only a test's own site may be configured");
        std::fs::write(self.sandbox().path(CONFIG), text).unwrap();
    }

    /// What is in the daemon's file.
    pub(crate) fn configuration(&self) -> String {
        std::fs::read_to_string(self.sandbox().path(CONFIG)).unwrap()
    }

    /// Asks the daemon to read its file again.
    pub(crate) fn reload(&self) {
        self.sandbox()
            .service(Service::Fedsched)
            .kill(Signal::SIGHUP)
            .unwrap();
    }

    /// Everything the daemon has logged.
    pub(crate) fn daemon_log(&self) -> String {
        let path = self.sandbox().service(Service::Fedsched).log_path();
        String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned()
    }

    /// What is in a file inside; empty if there is none.
    pub(crate) fn read(&self, path: &str) -> String {
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
