//! A job waits at its member: leave it there, take it back, or hold it.

use std::sync::Arc;

use super::Engine;
use super::class::{self, Whereabouts};
use super::intents::Back;
use super::record::Placed;
use crate::model::{
    Action, Chapter, Job, JobKey, LimitOwner, MemberName, PartitionState, Phase, Timestamp,
    WaitReason,
};
use crate::scheduler::{Owner, Profile, needs, span};
use crate::topology::{Holder, Snapshot};

/// What a job that waits at a member comes to.
enum Verdict {
    /// It starts there soon, or else something is done at that time.
    Stay(Timestamp),
    /// Another member may take it sooner.
    Elsewhere(String),
    /// It waits for something that no member can give: back to the room, nothing is remembered.
    Back(String),
    /// A limit that holds everywhere alike is used up.
    Limit(LimitOwner, String),
    /// So are its licences.
    Licences,
    /// This member says that none ever will.
    Never(String),
}

impl Engine {
    pub(super) fn at_member(&mut self, key: JobKey, member: &MemberName) {
        self.dequeue(key);
        self.adopt(key);
        if !self.listing.is_current() {
            return;
        }
        self.assume_if_missing(key, member);
        let Some(record) = self.records.get(&key) else {
            return;
        };
        let quiet_until = record.quiet_until.max(self.pause.until());
        if self.now.steady < quiet_until {
            return self.wake_job_at(key, quiet_until);
        }
        match self.verdict(&record.job, record.placed.as_ref(), member) {
            Verdict::Stay(until) => self.wake_job_at(key, until),
            Verdict::Elsewhere(why) => self.take_back(key, member, why, true),
            Verdict::Back(why) => self.take_back(key, member, why, false),
            Verdict::Limit(owner, limit) => {
                let owner = Owner::of(&Profile::new(&record.job, Vec::new()), owner, &limit);
                self.block(owner, &limit);
                self.take_back(key, member, limit, false);
            }
            Verdict::Licences => {
                let licences = record.job.request.licenses.clone();
                for (name, _) in licences {
                    self.block(Owner::Licence(name), "Licenses");
                }
                self.take_back(key, member, "Licenses".to_owned(), false);
            }
            Verdict::Never(why) => self.take_back_or_hold(key, member, why),
        }
    }

    /// A job was sent to a member that is no more: back to the room.
    pub(super) fn at_lost_member(&mut self, key: JobKey) {
        self.dequeue(key);
        let Some(record) = self.records.get(&key) else {
            return;
        };
        let placed = record.placed.as_ref().map(|placed| &placed.member);
        let Some(member) = placed.or(record.last_bound()).cloned() else {
            return;
        };
        let quiet_until = record.quiet_until.max(self.pause.until());
        if self.now.steady < quiet_until {
            self.wake_job_at(key, quiet_until);
        } else if self.listing.is_current() {
            let why = format!("{member} is no member any more");
            self.take_back(key, &member, why, false);
        }
    }

    fn verdict(&self, job: &Job, placed: Option<&Placed>, member: &MemberName) -> Verdict {
        let Phase::Waiting(reason) = &job.phase else {
            return Verdict::Stay(Timestamp::NEVER);
        };
        let word = match reason {
            WaitReason::Never(why) => return Verdict::Never(why.clone()),
            WaitReason::Held(why) => return Verdict::Back(why.clone()),
            WaitReason::BeginTime => return Verdict::Back("BeginTime".to_owned()),
            WaitReason::Dependency => return Verdict::Back("Dependency".to_owned()),
            WaitReason::DependencyNever => {
                return Verdict::Back("DependencyNeverSatisfied".to_owned());
            }
            WaitReason::Limit { owner, limit } => return Verdict::Limit(*owner, limit.clone()),
            WaitReason::Licenses => return Verdict::Licences,
            WaitReason::NotHere(why) => return Verdict::Elsewhere(why.clone()),
            WaitReason::Reservation => "Reservation",
            WaitReason::Turn(why) | WaitReason::Other(why) => why,
        };
        if job.priority == 0 {
            return Verdict::Back("JobHeldUser".to_owned());
        }
        if let Some(why) = self.closed_to_waiting(member) {
            return Verdict::Back(why);
        }
        let patience = self
            .settings
            .policy(job.directives.policy.as_deref())
            .map_or(std::time::Duration::ZERO, |policy| policy.patience);
        let since = placed.map_or(self.now.steady, |placed| placed.since);
        let until = since + patience;
        if until > self.now.steady {
            return Verdict::Stay(until);
        }
        if self.might_go_elsewhere(job, member) {
            Verdict::Elsewhere(word.to_owned())
        } else {
            // Nobody else could ever take it: nothing is gained by taking it back.
            Verdict::Stay(self.now.steady + patience.max(self.settings.limits.backoff_first))
        }
    }

    /// Why jobs that wait at a member need not wait on: nothing will start there.
    fn closed_to_waiting(&self, member: &MemberName) -> Option<String> {
        let declaration = self.settings.member(member)?;
        if declaration.drained {
            return Some(format!("{member} is drained"));
        }
        let partition = self.topology.partition_named(&declaration.partition)?;
        match partition.state {
            PartitionState::Up | PartitionState::Drain => None,
            PartitionState::Down | PartitionState::Inactive => {
                Some(format!("partition {} is down", partition.name))
            }
        }
    }

    fn block(&mut self, owner: Owner, limit: &str) {
        let limits = &self.settings.limits;
        let (first, max) = (limits.backoff_first, limits.backoff_max);
        self.blocks.add(owner, limit, self.now.steady, first, max);
    }

    fn take_back(&mut self, key: JobKey, member: &MemberName, why: String, remember: bool) {
        if self.settings.rehearsal {
            return;
        }
        let Some(record) = self.records.get(&key) else {
            return;
        };
        // By its base id, an array would bring home the tasks that went elsewhere, too.
        let tasks = record.job.tasks.clone().filter(|_| self.has_siblings(key));
        let action = Action::Return {
            room: self.settings.queue_partition.clone(),
            from: member.clone(),
        };
        let back = Back {
            member: member.clone(),
            why,
            remember,
        };
        let id = self.open_intent(key, tasks, action, Some(back));
        if let Some(record) = self.records.get_mut(&key) {
            record.intent = id;
        }
    }

    /// One member's "never" may be about that member alone: it is believed when another says the
    /// same, or when there is no other to ask.
    fn take_back_or_hold(&mut self, key: JobKey, member: &MemberName, why: String) {
        let Some(record) = self.records.get(&key) else {
            return;
        };
        let mut remembered = record.memory.remembered.iter();
        let again = remembered.any(|each| each.member != *member && each.why == why);
        if again || !self.might_go_elsewhere(&record.job, member) {
            self.hold(key, why);
        } else {
            self.take_back(key, member, why, true);
        }
    }

    fn hold(&mut self, key: JobKey, why: String) {
        if self.settings.rehearsal {
            return;
        }
        let at = self.now.wall;
        if let Some(record) = self.records.get_mut(&key) {
            record.tell(Chapter::Held { at, why });
        }
        let tasks = self
            .records
            .get(&key)
            .and_then(|record| record.job.tasks.clone());
        let tasks = tasks.filter(|_| self.has_siblings(key));
        let id = self.open_intent(key, tasks, Action::Hold, None);
        if let Some(record) = self.records.get_mut(&key) {
            record.intent = id;
        }
    }

    fn might_go_elsewhere(&self, job: &Job, member: &MemberName) -> bool {
        let profile = Profile::new(job, Vec::new());
        self.decide(&profile, None).is_some_and(|decision| {
            decision
                .judgements
                .iter()
                .any(|judgement| judgement.member != *member && judgement.outlook.may_change())
        })
    }

    /// Other records of the same array exist.
    pub(super) fn has_siblings(&self, key: JobKey) -> bool {
        let all = JobKey::job(key.id)..=JobKey::task(key.id, u32::MAX);
        let mut others = self.records.range(all).filter(|(other, _)| **other != key);
        others.any(|(_, record)| !matches!(record.job.phase, Phase::Ended(_)))
    }

    /// Past its deadline a job is ended, where slurmctld does not look itself: a room that is DOWN.
    pub(super) fn cancel_if_too_late(&mut self, key: JobKey) -> bool {
        let Some(record) = self.records.get(&key) else {
            return false;
        };
        let Some(deadline) = record.job.deadline else {
            return false;
        };
        if self.gate_open() || self.settings.rehearsal || !self.listing.is_current() {
            return false;
        }
        let request = &record.job.request;
        let least = request.time_min.or(request.time_limit).unwrap_or_default();
        let latest = (deadline - least).max(Timestamp(0));
        let quiet_until = record.quiet_until.max(self.pause.until());
        let due = self.now.to_steady(latest).max(quiet_until);
        if self.now.wall < latest || due > self.now.steady {
            self.wake_job_at(key, due);
            return false;
        }
        self.dequeue(key);
        let id = self.open_intent(key, None, Action::Cancel, None);
        if let Some(record) = self.records.get_mut(&key) {
            record.intent = id;
        }
        true
    }

    /// Takes up a job that is at a member, or runs there, and that this engine did not send: an answer
    /// to its submission, a piece of an array, or a daemon before this one did.
    pub(super) fn adopt(&mut self, key: JobKey) {
        let Some(record) = self.records.get(&key) else {
            return;
        };
        if record.placed.is_some() {
            return;
        }
        match class::whereabouts(&record.job, &self.settings) {
            Whereabouts::Member(member) => self.adopt_at(key, &member),
            Whereabouts::Room => {
                if let Some(mark) = record.job.mark {
                    self.forget_submission(mark);
                }
            }
            Whereabouts::Elsewhere => {}
        }
    }

    fn adopt_at(&mut self, key: JobKey, member: &MemberName) {
        let submission = self.take_submission(key);
        let submission = submission.filter(|(sent_to, ..)| sent_to == member);
        let base = self.records.get(&JobKey::job(key.id));
        let portion = key
            .task
            .zip(base)
            .and_then(|(task, base)| base.portion_of(task));
        let portion = portion.filter(|portion| portion.placed.member == *member);
        let portion = portion.map(|portion| portion.placed.clone());
        let whole = base.and_then(|base| base.placed.clone());
        let whole = whole.filter(|placed| key.task.is_some() && placed.member == *member);
        let since = self.now.steady;
        let Some(record) = self.records.get_mut(&key) else {
            return;
        };
        let Some(partition) = record.job.partitions.first().cloned() else {
            return;
        };
        let known = portion.or(whole);
        // Without a trace of the answer, another daemon or the array's whole record was bound.
        let at_once = known.is_none() && submission.is_some();
        let sent = known.unwrap_or_else(|| Placed {
            member: member.clone(),
            partition,
            decision: submission
                .as_ref()
                .map(|(_, decision, _)| Arc::clone(decision)),
            since,
        });
        if record.last_bound() != Some(member) {
            let at = submission.map_or(record.job.submitted, |(_, _, at)| at);
            record.tell(Chapter::Bound {
                at,
                member: member.clone(),
                at_once,
            });
        }
        record.placed = Some(sent);
    }

    /// A job that waits at a member and for which nothing is assumed there would be overlooked by
    /// the next decision.
    fn assume_if_missing(&mut self, key: JobKey, member: &MemberName) {
        let Some(record) = self.records.get(&key) else {
            return;
        };
        let profile = Profile::new(&record.job, Vec::new());
        let tasks = record.job.tasks.clone();
        let keys: Vec<JobKey> = match &tasks {
            None => vec![key],
            Some(tasks) => tasks
                .iter()
                .map(|task| JobKey::task(key.id, task))
                .collect(),
        };
        for task in keys {
            let holder = Holder::Job(task);
            if self.topology.assumption(holder).is_none()
                && !self.assume(holder, Some(key), &profile, member)
            {
                return;
            }
        }
    }

    /// Deducts what a job needs at a member, if it fits there now beside every promise but its own.
    pub(super) fn assume(
        &mut self,
        holder: Holder,
        job: Option<JobKey>,
        profile: &Profile,
        member: &MemberName,
    ) -> bool {
        let Some(declaration) = self.settings.member(member) else {
            return false;
        };
        let Some(partition) = self.topology.partition_named(&declaration.partition) else {
            return false;
        };
        let (needs, span) = (needs(profile, partition), span(profile, partition));
        let snapshot = Snapshot::new(&self.topology, &self.promises, self.now.wall);
        let snapshot = job.map_or(snapshot, |job| snapshot.seen_by(job));
        let Ok(placement) = snapshot.fit_now(&declaration.partition, &needs, span) else {
            return false;
        };
        let end = span.map_or(Timestamp::NEVER, |span| self.now.wall + span);
        let since = self.now.steady;
        self.topology
            .assume(holder, member.clone(), &placement, since, end);
        true
    }
}
