//! The plugin: what happens to a job.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use fedsched_protocol::submit::Submission;
use fedsched_protocol::{directive, mark};
use fedsched_slurm_sys::{JobDesc, controller, log};
use nix::unistd::{Uid, User};

use crate::breaker::{Attempt, Breaker, Change};
use crate::claim::{self, Asked};
use crate::client::{Client, Question, Verdict};
use crate::conf::{self, Conf};
use crate::connection::ExchangeError;
use crate::marks::Marks;
use crate::refusal::Refusal;
use crate::submission;

/// One configuration in force.
#[derive(Debug)]
pub(crate) struct Plugin {
    conf: Conf,
    /// Root, the user of this process, and the daemon's.
    privileged: Vec<u32>,
    marks: Marks,
    breaker: Mutex<Breaker>,
    client: Client,
}

impl Plugin {
    pub(crate) fn new(conf: Conf) -> Self {
        let privileged = privileged(&conf);
        Self {
            marks: Marks::default(),
            breaker: Mutex::new(Breaker::new(conf.breaker_failures, conf.breaker_cooldown)),
            client: Client::new(conf.socket.clone(), conf.deadline, privileged.clone()),
            privileged,
            conf,
        }
    }

    /// The configuration in one line.
    pub(crate) fn summary(&self) -> String {
        format!(
            "queue partition {}, socket {}, deadline {} ms",
            self.conf.queue_partition,
            self.conf.socket.display(),
            self.conf.deadline.as_millis()
        )
    }

    /// A job is submitted.
    pub(crate) fn submit(&self, job: &mut JobDesc, submitter: u32) -> Result<(), Refusal> {
        let partition = job.partition();
        let asked = Asked {
            partition: partition.as_deref(),
            reservation: job.reservation().is_some(),
            special: is_special(job),
        };
        if !claim::is_ours(&self.conf, &asked, || self.is_privileged(submitter))? {
            return Ok(());
        }
        let stated = directive::gather(job.script(), job.comment().as_deref())?;
        let is_free = job
            .admin_comment()
            .is_none_or(|comment| mark::from_comment(&comment).is_some());
        if !is_free && !stated.text.is_empty() {
            return Err(Refusal::NoRoomForDirectives);
        }
        let mark = is_free.then(|| self.marks.next());
        if let Some(mark) = mark {
            job.set_admin_comment(&mark::to_comment(mark, &stated.text));
        }
        let submission = submission::describe(job, mark, stated.text);
        let partition = match self.ask(submission) {
            Some(Verdict::Refuse { message }) => return Err(Refusal::by_daemon(&message)),
            Some(Verdict::Bind { partition }) => partition,
            Some(Verdict::Wait) => self.conf.queue_partition.clone(),
            None => self.conf.without_daemon().to_owned(),
        };
        job.set_partition(&partition);
        Ok(())
    }

    /// A job is changed.
    pub(crate) fn modify(&self, job: &JobDesc, submitter: u32) -> Result<(), Refusal> {
        let is_privileged = || self.is_privileged(submitter);
        claim::may_move(&self.conf, job.partition().as_deref(), is_privileged)
    }

    /// What the daemon says, if it says anything that can be followed.
    fn ask(&self, submission: Submission) -> Option<Verdict> {
        let question = Question::new(submission)
            .inspect_err(|error| log::debug(&format!("job_submit/fedsched: {error}")))
            .ok()?;
        let attempt = self.breaker().attempt(Instant::now())?;
        match self.client.ask(&question).and_then(possible) {
            Ok(verdict) => {
                if let Some(Change::Closed) = self.breaker().succeeded() {
                    log::info("job_submit/fedsched: the daemon answers again");
                }
                Some(verdict)
            }
            Err(error) => {
                self.failed(attempt, &error);
                None
            }
        }
    }

    fn failed(&self, attempt: Attempt, error: &ExchangeError) {
        log::debug(&format!("job_submit/fedsched: {error}"));
        let change = self.breaker().failed(attempt, Instant::now());
        if let Some(Change::Opened { cooldown }) = change {
            log::error(&format!(
                "job_submit/fedsched: {error} (socket {}). Jobs go to partition {} unasked; next \
                 attempt in {} ms, then less and less often. Is the fedsched daemon running?",
                self.conf.socket.display(),
                self.conf.without_daemon(),
                cooldown.as_millis()
            ));
        }
    }

    fn breaker(&self) -> MutexGuard<'_, Breaker> {
        self.breaker.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_privileged(&self, user: u32) -> bool {
        self.privileged.contains(&user) || controller::is_operator(user)
    }
}

/// Slurm moves such a job by rules of its own.
fn is_special(job: &JobDesc) -> bool {
    job.job_id().is_some() || job.is_het_component() || job.is_cron() || job.is_external()
}

/// A verdict that slurmctld can follow: the user must not pay for a partition that is no more.
fn possible(verdict: Verdict) -> Result<Verdict, ExchangeError> {
    match verdict {
        Verdict::Bind { partition } if !controller::partition_exists(&partition) => {
            Err(ExchangeError::NoSuchPartition { partition })
        }
        verdict => Ok(verdict),
    }
}

/// Root, SlurmUser, and the user of the daemon if there is one.
fn privileged(conf: &Conf) -> Vec<u32> {
    let mut users = vec![0, Uid::effective().as_raw()];
    match User::from_name(&conf.daemon_user) {
        Ok(Some(user)) => users.push(user.uid.as_raw()),
        Ok(None) => log::info(&format!(
            "job_submit/fedsched: there is no user {}: the daemon must run as root or SlurmUser, or \
             DaemonUser in {} must name its user",
            conf.daemon_user,
            conf::FILE
        )),
        Err(errno) => log::error(&format!(
            "job_submit/fedsched: user {} cannot be looked up: {errno}",
            conf.daemon_user
        )),
    }
    users
}
