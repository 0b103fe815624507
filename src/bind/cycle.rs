//! The steps of each action.

use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use tracing::debug;

use super::defaults::Defaults;
use super::look::{Look, Stage, is_held_after_requeue, is_held_by_somebody, overtaken, stage};
use super::places::Places;
use super::retry::Retry;
use crate::members::slurm::{Change, Client, Error, Target, TimeLimit};
use crate::model::{Action, BindError, Intent, PartitionName, TaskSet};

/// What carrying out takes.
#[derive(Debug)]
pub(super) struct Cycle {
    pub(super) client: Client,
    pub(super) defaults: Defaults,
    pub(super) places: Mutex<Places>,
}

impl Cycle {
    /// Carries an intent out; safe to repeat.
    pub(super) async fn carry_out(&self, intent: &Intent) -> Result<(), BindError> {
        match &intent.action {
            Action::Bind { partition, .. } => self.relocate(intent, partition).await,
            Action::Return { room, .. } => self.relocate(intent, room).await,
            Action::Cancel => self.cancel(intent).await,
            Action::Hold => self.hold(intent).await,
        }
    }

    /// Where the intent takes the job from.
    fn origin(&self, intent: &Intent) -> Option<PartitionName> {
        let places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        places.origin(intent).cloned()
    }

    /// Moves the job to `goal`: look, change, look.
    async fn relocate(&self, intent: &Intent, goal: &PartitionName) -> Result<(), BindError> {
        let look = self.look_when_cleared(intent).await?;
        let intent = &look.pin(intent);
        if look.not_at(goal).is_empty() {
            return Ok(());
        }
        let origin = self.origin(intent);
        may_move(intent, &look, goal, origin.as_ref())?;
        let change = self.change(intent, &look, goal).await;
        let updated = self.update(intent, &look, goal, &change).await;
        let after = self.look(intent).await?;
        let left = after.not_at(goal);
        match updated {
            Ok(()) if left.is_empty() => Ok(()),
            Err(error) if left.is_empty() => {
                self.moved_in_spite_of(intent, &after, &change, error).await
            }
            Ok(()) => Err(not_moved(&after, goal)),
            Err(error) => Err(failed(error)),
        }
    }

    /// The job is at its goal though slurmctld reported an error. If that was a refusal the job would
    /// wait there for nothing: it goes back, unless it began.
    async fn moved_in_spite_of(
        &self,
        intent: &Intent,
        after: &Look,
        change: &Change,
        error: Error,
    ) -> Result<(), BindError> {
        let origin = self.origin(intent);
        let (Error::Refused { .. }, Action::Bind { .. }, Some(room), false) =
            (&error, &intent.action, origin, after.has_begun())
        else {
            debug!(job = %intent.job, %error, "moved though slurmctld reported an error");
            return Ok(());
        };
        let back = Change {
            time_limit: change.time_limit.map(|_| TimeLimit::Unlimited),
            ..Change::to_partition(room.clone())
        };
        if let Err(error) = self.update(intent, after, &room, &back).await {
            debug!(job = %intent.job, %error, "cannot be moved home again");
        }
        match self.look(intent).await {
            Ok(look) if look.has_begun() => Ok(()),
            _ => Err(failed(error)),
        }
    }

    /// What changes with the partition.
    async fn change(&self, intent: &Intent, look: &Look, goal: &PartitionName) -> Change {
        let mut change = Change::to_partition(goal.clone());
        let own = intent.original.time_limit_min;
        match &intent.action {
            // From 24.11 on, a job keeps "unlimited" that it had from the room, and would run without
            // the partition's default.
            Action::Bind { partition, .. } if own.is_none() && look.is_unlimited() => {
                let default = self.defaults.time_min(partition).await;
                change.time_limit = default.map(TimeLimit::Minutes);
            }
            Action::Return { .. } => {
                change.time_limit = self.limit_at_home(look, own).await;
                change.begin_now = look.meant().any(|job| is_held_after_requeue(job, now_s()));
            }
            _ => {}
        }
        change
    }

    /// Puts the time limit back that the bind replaced, and none that somebody else gave.
    async fn limit_at_home(&self, look: &Look, own: Option<u32>) -> Option<TimeLimit> {
        let record = look.meant().next()?;
        if let Some(own) = own {
            return (record.time_limit_min != Some(own)).then_some(TimeLimit::Minutes(own));
        }
        let partition = PartitionName::from(record.partition.as_str());
        let ours = self.defaults.time_min(&partition).await;
        (ours.is_some() && record.time_limit_min == ours).then_some(TimeLimit::Unlimited)
    }

    /// Changes every record that is meant and not at `goal`. Stops at the first failure.
    async fn update(
        &self,
        intent: &Intent,
        look: &Look,
        goal: &PartitionName,
        change: &Change,
    ) -> Result<(), Error> {
        let targets = self
            .client
            .targets(look.all(), &look.not_at(goal), wanted(intent).as_ref())
            .await?;
        for target in &targets {
            self.update_one(target, change).await?;
        }
        Ok(())
    }

    async fn update_one(&self, target: &Target, change: &Change) -> Result<(), Error> {
        let mut retry = Retry::busy();
        loop {
            match self.client.update(target, change).await {
                Err(error) if error.is_try_again() && retry.again().await => {}
                answer => return answer,
            }
        }
    }

    async fn hold(&self, intent: &Intent) -> Result<(), BindError> {
        let look = self.look(intent).await?;
        if look.is_held() {
            return Ok(());
        }
        if look.has_begun() {
            return Err(overtaken("it has started"));
        }
        let change = Change {
            hold: true,
            ..Change::default()
        };
        let meant: Vec<_> = look.meant().collect();
        let targets = self.targets(intent, &look, &meant).await?;
        let mut result = Ok(());
        for target in &targets {
            result = result.and(self.update_one(target, &change).await);
        }
        if self.look(&look.pin(intent)).await?.is_held() {
            return Ok(());
        }
        match result {
            Ok(()) => Err(BindError::Refused("it is not held in spite of it".into())),
            Err(error) => Err(failed(error)),
        }
    }

    async fn cancel(&self, intent: &Intent) -> Result<(), BindError> {
        let look = self.look(intent).await?;
        if look.has_begun() {
            return if look.is_over() {
                Ok(())
            } else {
                Err(overtaken("it has started"))
            };
        }
        let meant: Vec<_> = look.meant().collect();
        let targets = self.targets(intent, &look, &meant).await?;
        let mut result = Ok(());
        for target in &targets {
            result = result.and(self.client.cancel(target).await);
        }
        match (self.look(&look.pin(intent)).await, result) {
            (Err(BindError::Overtaken(_)), _) => Ok(()),
            (Ok(look), _) if look.is_over() => Ok(()),
            (Err(error), _) => Err(error),
            (Ok(_), Ok(())) => Err(BindError::Refused("it is still there".into())),
            (Ok(_), Err(error)) => Err(failed(error)),
        }
    }

    async fn targets(
        &self,
        intent: &Intent,
        look: &Look,
        chosen: &[&fedsched_protocol::slurm::Job],
    ) -> Result<Vec<Target>, BindError> {
        self.client
            .targets(look.all(), chosen, wanted(intent).as_ref())
            .await
            .map_err(failed)
    }

    /// Reads the job. As long as nobody answers, its state is unknown: that is waited out.
    async fn look(&self, intent: &Intent) -> Result<Look, BindError> {
        let mut retry = Retry::silent();
        loop {
            match self.client.records(intent.job).await {
                Ok(records) => return Look::new(intent, records),
                Err(Error::Unreachable(_) | Error::TryAgain(_)) if retry.again().await => {}
                Err(error) => return Err(failed(error)),
            }
        }
    }

    /// Reads the job once its last run is cleared away: what is changed before that is lost.
    async fn look_when_cleared(&self, intent: &Intent) -> Result<Look, BindError> {
        let mut retry = Retry::busy();
        loop {
            let look = self.look(intent).await?;
            if !look.is_clearing() {
                return Ok(look);
            }
            if !retry.again().await {
                return Err(overtaken("its last run is still being cleared away"));
            }
        }
    }
}

/// The tasks that are meant, of an array's record that may hold others.
fn wanted(intent: &Intent) -> Option<TaskSet> {
    match intent.job.task {
        Some(task) => Some([task].into_iter().collect()),
        None => intent.tasks.clone(),
    }
}

fn now_s() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| {
        i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
    })
}

/// Whether everything is still as it was when the intent was made.
fn may_move(
    intent: &Intent,
    look: &Look,
    goal: &PartitionName,
    origin: Option<&PartitionName>,
) -> Result<(), BindError> {
    for record in look.not_at(goal) {
        if stage(record) == Stage::Begun {
            return Err(overtaken(format!("it has started in {}", record.partition)));
        }
        if origin.is_some_and(|origin| record.partition != origin.as_str()) {
            return Err(overtaken(format!("it is in {} now", record.partition)));
        }
        if matches!(intent.action, Action::Bind { .. }) && is_held_by_somebody(record) {
            return Err(overtaken("it is held"));
        }
    }
    Ok(())
}

fn not_moved(after: &Look, goal: &PartitionName) -> BindError {
    let (left, all) = (after.not_at(goal).len(), after.meant().count());
    BindError::Refused(format!(
        "slurmctld reported no error, and {left} of {all} records are not in {goal}"
    ))
}

/// What an error of the client means for the job.
fn failed(error: Error) -> BindError {
    match error {
        Error::NotFound(_) => overtaken("it is no longer there"),
        Error::Refused { text, .. } => BindError::Refused(text),
        Error::Unsupported { .. } => BindError::Refused(error.to_string()),
        // None of these is about this job or this member.
        Error::Unreachable(_)
        | Error::Unauthorized(_)
        | Error::Token(_)
        | Error::NotPermitted(_)
        | Error::TryAgain(_)
        | Error::BadAnswer { .. }
        | Error::Version => BindError::Unreachable(error.to_string()),
    }
}
