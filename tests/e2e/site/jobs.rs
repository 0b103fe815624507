//! Jobs, as Slurm's own commands submit and show them.

use std::collections::BTreeMap;
use std::fmt::Display;

use super::{MEMBERS, Site};

impl Site {
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

    /// Waits until a file inside holds this.
    pub(crate) fn wait_content(&self, path: &str, wanted: &str) {
        self.wait(&format!("{path} to hold {wanted:?}"), || {
            let found = self.read(path);
            if found == wanted { Ok(()) } else { Err(found) }
        });
    }

    /// What is in a file inside; empty if there is none.
    pub(crate) fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.sandbox().path(path)).unwrap_or_default()
    }
}
