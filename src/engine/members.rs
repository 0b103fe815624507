//! How members did lately.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::model::{MemberName, Settings, Timestamp};
use crate::scheduler::MemberStanding;

/// Jobs and failures of each member.
#[derive(Debug, Default)]
pub(super) struct Members {
    standings: BTreeMap<MemberName, MemberStanding>,
    failures: Vec<(Timestamp, MemberName)>,
}

impl Members {
    pub(super) fn new(settings: &Settings) -> Self {
        let mut members = Self::default();
        members.configure(settings);
        members
    }

    pub(super) fn configure(&mut self, settings: &Settings) {
        for member in &settings.members {
            self.standings.entry(member.name.clone()).or_default();
        }
    }

    pub(super) fn standings(&self) -> &BTreeMap<MemberName, MemberStanding> {
        &self.standings
    }

    /// A job of the federation moved from one member's books to another's.
    pub(super) fn moved(&mut self, from: Option<&MemberName>, to: Option<&MemberName>) {
        if let Some(from) = from
            && let Some(standing) = self.standings.get_mut(from)
        {
            standing.jobs = standing.jobs.saturating_sub(1);
        }
        if let Some(to) = to {
            self.standings.entry(to.clone()).or_default().jobs += 1;
        }
    }

    /// A job could not start there.
    pub(super) fn failed(&mut self, member: &MemberName, now: Timestamp) {
        self.standings.entry(member.clone()).or_default().failures += 1;
        self.failures.push((now, member.clone()));
    }

    /// Failures count for as long as a member is remembered against a job.
    pub(super) fn forget_old_failures(&mut self, now: Timestamp, remember: Duration) {
        let old = self
            .failures
            .iter()
            .take_while(|(at, _)| *at + remember <= now);
        let count = old.count();
        for (_, member) in self.failures.drain(..count) {
            if let Some(standing) = self.standings.get_mut(&member) {
                standing.failures = standing.failures.saturating_sub(1);
            }
        }
    }
}
