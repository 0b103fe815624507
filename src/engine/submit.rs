//! A job that is being submitted: an enqueue and a pop under the same rules, for a job without an id.
//!
//! A newcomer stands behind everybody who waits: it may start at once only where that delays no
//! promise, and only if nobody is ready to be looked at. What it takes is assumed under its mark, and
//! expires if no such job appears: `sbatch --test-only` asks the same question and submits nothing.

use std::sync::Arc;

use fedsched_protocol::mark::Mark;

use super::intents::POLLS_TO_SETTLE;
use super::{Engine, class, directive};
use crate::model::{AskId, Effect, Job, JobKey, MemberName, TaskSet, Timestamp, Verdict};
use crate::scheduler::{Choice, Decision, Profile};
use crate::topology::Holder;

/// A submission answered with a member, until its job is listed.
#[derive(Debug)]
pub(super) struct Submission {
    pub(super) decision: Arc<Decision>,
    pub(super) member: MemberName,
    /// When it was answered.
    pub(super) at: Timestamp,
    since: Timestamp,
    polls: u32,
    tasks: Option<TaskSet>,
}

impl Engine {
    pub(super) fn submitted(&mut self, ask: AskId, job: &Job) {
        let verdict = self.answer(job);
        self.totals.submitted += 1;
        match verdict {
            Verdict::Bind(_) => self.totals.placed_at_once += 1,
            Verdict::Refuse(_) => self.totals.refused += 1,
            Verdict::Wait => {}
        }
        self.out.push(Effect::Answer { ask, verdict });
        self.out.push(Effect::Poll);
    }

    fn answer(&mut self, job: &Job) -> Verdict {
        if self.settings.rehearsal {
            return Verdict::Wait;
        }
        if let Err(line) = directive::check(&job.directives, &self.settings) {
            return Verdict::Refuse(line);
        }
        let Some(mark) = job.mark else {
            return Verdict::Wait;
        };
        if !self.listing.is_current()
            || class::is_deferred(job, self.now.wall)
            || job.tasks_running_max.is_some()
            || job.account.as_str().is_empty() && self.settings.home_needs_account()
        {
            return Verdict::Wait;
        }
        self.wake_changed();
        if self.queue.has_ready() {
            return Verdict::Wait;
        }
        self.renew_promises();
        self.start_at_once(mark, job).unwrap_or(Verdict::Wait)
    }

    fn start_at_once(&mut self, mark: Mark, job: &Job) -> Option<Verdict> {
        let profile = Profile::new(job, Vec::new());
        let decision = self.decide(&profile, None)?;
        let Choice::Bind(member) = decision.choice.clone() else {
            return None;
        };
        let partition = self.settings.member(&member)?.partition.clone();
        self.forget_submission(mark);
        let holders = holders(mark, job.tasks.as_ref());
        let fits = holders
            .iter()
            .all(|holder| self.assume(*holder, None, &profile, &member));
        if !fits {
            for holder in holders {
                self.topology.forget(holder);
            }
            return None;
        }
        // What fits beside every promise leaves them as they are.
        self.promised_at = Some(self.topology.version());
        self.members.moved(None, Some(&member));
        self.submissions.insert(
            mark,
            Submission {
                decision: Arc::new(decision),
                member,
                at: self.now.wall,
                since: self.now.steady,
                polls: 0,
                tasks: job.tasks.clone(),
            },
        );
        Some(Verdict::Bind(partition))
    }

    /// The job of a submission was listed: what was assumed for it is now assumed by its id. Says
    /// where it was sent, why, and when.
    pub(super) fn take_submission(
        &mut self,
        key: JobKey,
    ) -> Option<(MemberName, Arc<Decision>, Timestamp)> {
        let job = &self.records.get(&key)?.job;
        let mark = job.mark?;
        let tasks = match (&job.tasks, key.task) {
            (Some(tasks), _) => Some(tasks.clone()),
            (None, task) => task.map(|task| std::iter::once(task).collect::<TaskSet>()),
        };
        let submission = self.submissions.get_mut(&mark)?;
        let sent = (
            submission.member.clone(),
            Arc::clone(&submission.decision),
            submission.at,
        );
        match &tasks {
            None => {
                let from = Holder::Submission(mark, None);
                self.topology.rename(from, Holder::Job(key));
            }
            Some(tasks) => {
                for task in tasks.iter() {
                    let from = Holder::Submission(mark, Some(task));
                    let to = Holder::Job(JobKey::task(key.id, task));
                    self.topology.rename(from, to);
                }
            }
        }
        let left = submission.tasks.take();
        let left = left.map(|left| left.minus(&tasks.unwrap_or_default()));
        submission.tasks = left.filter(|left| !left.is_empty());
        if submission.tasks.is_none() {
            self.forget_submission(mark);
        }
        Some(sent)
    }

    /// What was assumed for a submission is given back: its job is in the room, or does not come.
    pub(super) fn forget_submission(&mut self, mark: Mark) {
        if let Some(submission) = self.submissions.remove(&mark) {
            self.members.moved(Some(&submission.member), None);
            for holder in holders(mark, submission.tasks.as_ref()) {
                self.topology.forget(holder);
            }
        }
    }

    /// A poll is complete: submissions whose job should have been listed long ago do not come.
    pub(super) fn expire_submissions(&mut self) {
        let now = self.now.steady;
        let patience = self.settings.limits.assume_max;
        let mut over = Vec::new();
        for (mark, submission) in &mut self.submissions {
            submission.polls = submission.polls.saturating_add(1);
            if submission.polls >= POLLS_TO_SETTLE && submission.since + patience <= now {
                over.push(*mark);
            }
        }
        for mark in over {
            self.forget_submission(mark);
        }
    }
}

/// For whom a submission's resources are assumed.
fn holders(mark: Mark, tasks: Option<&TaskSet>) -> Vec<Holder> {
    match tasks {
        None => vec![Holder::Submission(mark, None)],
        Some(tasks) => tasks
            .iter()
            .map(|task| Holder::Submission(mark, Some(task)))
            .collect(),
    }
}
