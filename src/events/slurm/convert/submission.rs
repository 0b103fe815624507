//! A submission that has no record yet.

use std::sync::{Arc, Mutex, PoisonError};

use fedsched_protocol::directive;
use fedsched_protocol::submit::Submission;
use tracing::warn;

use super::{request, time};
use crate::events::slurm::reason;
use crate::events::slurm::shared::Shared;
use crate::events::slurm::users::Users;
use crate::members::slurm::array_tasks;
use crate::model::{Job, JobKey, Phase, TaskSet, Timestamp, UserId, WaitReason};

/// Turns submissions into jobs, by the same code that reads Slurm's records.
#[derive(Debug)]
pub struct Submissions {
    users: Arc<Users>,
    shared: Mutex<Shared>,
}

impl Submissions {
    /// Asks `users` who submits.
    pub fn new(users: Arc<Users>) -> Self {
        Self {
            users,
            shared: Mutex::default(),
        }
    }

    /// The job that is being submitted at `now`. Its id is 0; an account or QOS that the user did not
    /// name is empty: only slurmctld knows the user's default.
    pub async fn job(&self, submission: &Submission, now: Timestamp) -> Job {
        let user = UserId(submission.user_id);
        self.users.learn([user]).await;
        let identity = self.users.identity(user);
        // The pools only ever gain whole entries: a panic elsewhere left them sound.
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        let (tasks, tasks_running_max) = array(submission.array.as_deref());
        Job {
            key: JobKey::job(0),
            mark: submission.mark,
            tasks,
            tasks_running_max,
            name: shared.name(text(submission.name.as_ref())),
            user,
            user_name: identity.name,
            groups: identity.groups,
            account: shared.accounts.keep(text(submission.account.as_ref())),
            qos: shared.qos.keep(text(submission.qos.as_ref())),
            partitions: Vec::new(),
            phase: Phase::Waiting(reason_to_wait(submission)),
            priority: u32::from(!submission.deferred),
            submitted: now,
            eligible: Some(now).filter(|_| !submission.deferred),
            deadline: time(submission.deadline_s),
            dependency: submission.dependency.clone().unwrap_or_default(),
            reserved: false,
            request: shared
                .requests
                .keep(Arc::new(request::of_submission(submission))),
            directives: shared.directives.keep(Arc::new(directives(submission))),
            allocation: None,
            requeue: true,
            restarts: 0,
        }
    }
}

fn text(text: Option<&String>) -> &str {
    text.map_or("", String::as_str)
}

fn reason_to_wait(submission: &Submission) -> WaitReason {
    match &submission.dependency {
        Some(_) => WaitReason::Dependency,
        None if submission.deferred => WaitReason::BeginTime,
        None => reason::parse("None", ""),
    }
}

/// `0-9%4`.
fn array(text: Option<&str>) -> (Option<TaskSet>, Option<u32>) {
    let Some(text) = text else {
        return (None, None);
    };
    let most = text.split_once('%').and_then(|(_, most)| most.parse().ok());
    (Some(array_tasks(text)), most)
}

/// The plugin refuses what cannot be read: if it let something pass, it is of another release.
fn directives(submission: &Submission) -> directive::Directives {
    directive::parse(&submission.directives).unwrap_or_else(|error| {
        warn!(%error, "directives of a submission cannot be read and are left out");
        directive::Directives::default()
    })
}
