//! Limits that hold at every member alike and are used up: a job under one is not bound anywhere
//! until the usage it counts has fallen.
//!
//! slurmctld alone knows its limits; that one is used up is learnt from the reason of a bound job.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use super::Profile;
use crate::model::{AccountName, LimitOwner, QosName, Request, Timestamp, UserId};

/// What Slurm calls limits that count a whole account or QOS.
const OF_A_GROUP: &str = "Grp";

/// What Slurm calls limits that count one job alone.
const OF_A_JOB: &str = "PerJob";

/// Whose usage a limit counts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Owner {
    /// An account.
    Account(AccountName),
    /// A user in an account.
    User(UserId, AccountName),
    /// A QOS.
    Qos(QosName),
    /// A user in a QOS.
    UserQos(UserId, QosName),
    /// The job itself: whoever in this account and QOS asks for the same.
    Request(AccountName, QosName, Arc<Request>),
    /// A licence of the cluster.
    Licence(String),
}

impl Owner {
    /// Whose usage the limit called `limit` counts for a job.
    pub fn of(profile: &Profile, owner: LimitOwner, limit: &str) -> Self {
        let (account, qos) = (profile.account.clone(), profile.qos.clone());
        if limit.contains(OF_A_JOB) {
            return Self::Request(account, qos, Arc::clone(&profile.request));
        }
        match (owner, limit.contains(OF_A_GROUP)) {
            (LimitOwner::Association, true) => Self::Account(account),
            (LimitOwner::Association, false) => Self::User(profile.user, account),
            (LimitOwner::Qos, true) => Self::Qos(qos),
            (LimitOwner::Qos, false) => Self::UserQos(profile.user, qos),
        }
    }

    /// Everybody whose usage falls when a job ends, apart from the job itself.
    pub fn all_of(profile: &Profile) -> Vec<Self> {
        let (user, account, qos) = (profile.user, &profile.account, &profile.qos);
        let licences = profile.request.licenses.iter();
        let licences = licences.map(|(name, _)| Self::Licence(name.clone()));
        [
            Self::Account(account.clone()),
            Self::User(user, account.clone()),
            Self::Qos(qos.clone()),
            Self::UserQos(user, qos.clone()),
        ]
        .into_iter()
        .chain(licences)
        .collect()
    }
}

/// A limit that is used up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// Slurm's word for the limit.
    pub limit: String,
    /// When it is tried again at the latest.
    pub until: Timestamp,
    /// Nothing under it is bound.
    active: bool,
    /// How often it was found used up.
    attempts: u32,
}

/// Every limit found used up.
#[derive(Debug, Clone, Default)]
pub struct Blocks(BTreeMap<Owner, Block>);

impl Blocks {
    /// A limit was found used up: nothing is tried under it for `first`, and for twice as long each
    /// time, up to `max`. Says until when.
    pub fn add(
        &mut self,
        owner: Owner,
        limit: &str,
        now: Timestamp,
        first: Duration,
        max: Duration,
    ) -> Timestamp {
        let before = self.0.get(&owner);
        if let Some(block) = before.filter(|block| block.active) {
            return block.until;
        }
        let attempts = before.map_or(0, |block| block.attempts);
        let factor = 1u32.checked_shl(attempts).unwrap_or(u32::MAX);
        let until = now + first.saturating_mul(factor).min(max);
        let block = Block {
            limit: limit.to_owned(),
            until,
            active: true,
            attempts: attempts.saturating_add(1),
        };
        self.0.insert(owner, block);
        until
    }

    /// The usage of these fell: says which of them were blocked.
    pub fn lift(&mut self, owners: Vec<Owner>) -> Vec<Owner> {
        let mut lifted = owners;
        lifted.retain(|owner| {
            let block = self.0.get_mut(owner);
            block.is_some_and(|block| std::mem::take(&mut block.active))
        });
        lifted
    }

    /// Lifts those whose time is over, and forgets those that were not found again for `quiet`
    /// after that.
    pub fn expire(&mut self, now: Timestamp, quiet: Duration) -> Vec<Owner> {
        self.0.retain(|_, block| block.until + quiet > now);
        let mut over = Vec::new();
        for (owner, block) in &mut self.0 {
            if block.active && block.until <= now {
                block.active = false;
                over.push(owner.clone());
            }
        }
        over
    }

    /// The first that holds for a job.
    pub fn on(&self, profile: &Profile) -> Option<(Owner, &Block)> {
        if self.0.is_empty() {
            return None;
        }
        let itself = Owner::Request(
            profile.account.clone(),
            profile.qos.clone(),
            Arc::clone(&profile.request),
        );
        std::iter::once(itself)
            .chain(Owner::all_of(profile))
            .find_map(|owner| {
                let block = self.0.get(&owner).filter(|block| block.active)?;
                Some((owner, block))
            })
    }
}
