//! One member as a candidate for one job.

use std::collections::BTreeMap;
use std::time::Duration;

use super::{Blocks, Profile};
use crate::model::{Declaration, Geometry, MemberName, Partition, Policy, Request, Settings};
use crate::topology::{Need, Snapshot};

/// Everything outside the job that a decision depends on.
#[derive(Debug, Clone, Copy)]
pub struct Site<'a> {
    /// The configuration.
    pub settings: &'a Settings,
    /// What members have.
    pub snapshot: Snapshot<'a>,
    /// Limits that are used up.
    pub blocks: &'a Blocks,
    /// How members did lately.
    pub standings: &'a BTreeMap<MemberName, MemberStanding>,
}

/// How a member did lately.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MemberStanding {
    /// Jobs of the federation that are bound or running there.
    pub jobs: u32,
    /// Jobs that could not start there lately.
    pub failures: u32,
}

/// One member as a candidate for one job.
#[derive(Debug)]
pub(super) struct Candidate<'a> {
    pub(super) site: &'a Site<'a>,
    pub(super) profile: &'a Profile,
    pub(super) policy: &'a Policy,
    pub(super) home: Option<&'a MemberName>,
    pub(super) member: &'a Declaration,
    pub(super) partition: Option<&'a Partition>,
    /// What the job needs there, part by part.
    pub(super) needs: Vec<Need>,
}

impl<'a> Candidate<'a> {
    pub(super) fn new(
        site: &'a Site<'a>,
        profile: &'a Profile,
        policy: &'a Policy,
        home: Option<&'a MemberName>,
        member: &'a Declaration,
    ) -> Self {
        let partition = site.snapshot.partition(&member.partition);
        Self {
            site,
            profile,
            policy,
            home,
            member,
            partition,
            needs: partition.map_or_else(Vec::new, |partition| needs(profile, partition)),
        }
    }

    /// How long the job runs there at most; `None`: no end is known.
    pub(super) fn span(&self) -> Option<Duration> {
        span(self.profile, self.partition?)
    }
}

/// What a job needs at a partition, part by part.
pub fn needs(profile: &Profile, partition: &Partition) -> Vec<Need> {
    needs_of(&profile.request, partition)
}

/// What a request needs at a partition, part by part; the least there is where it says nothing.
pub fn needs_of(request: &Request, partition: &Partition) -> Vec<Need> {
    if request.parts.is_empty() {
        return vec![Need::new(&Geometry::default(), partition)];
    }
    let parts = request.parts.iter();
    parts.map(|part| Need::new(part, partition)).collect()
}

/// How long a job runs at a partition at most; `None`: no end is known.
pub fn span(profile: &Profile, partition: &Partition) -> Option<Duration> {
    span_of(&profile.request, partition)
}

/// The same for a request.
pub fn span_of(request: &Request, partition: &Partition) -> Option<Duration> {
    request
        .time_limit
        .or(partition.time_default)
        .or(partition.time_max)
}
