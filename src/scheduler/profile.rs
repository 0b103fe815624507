//! Everything a decision looks at in a job.

use std::sync::Arc;

use fedsched_protocol::directive::Directives;

use crate::model::{AccountName, GroupName, Job, MemberName, QosName, Request, UserId};

/// What of a job a decision depends on. Jobs with equal profiles form one equivalence class: what
/// is refused to one is refused to all of them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Profile {
    /// What it asks for.
    pub request: Arc<Request>,
    /// Owner.
    pub user: UserId,
    /// Account; empty where a submission names none and slurmctld has not filled it in.
    pub account: AccountName,
    /// QOS; empty likewise.
    pub qos: QosName,
    /// Owner's groups.
    pub groups: Arc<[GroupName]>,
    /// What its user asks of the federation.
    pub directives: Arc<Directives>,
    /// Members that it could not start at lately, by name, with Slurm's word for why.
    pub remembered: Vec<(MemberName, String)>,
    /// An array whose own `%limit` counts is alone in its class.
    pub array: Option<u32>,
}

impl Profile {
    /// The profile of a job against which these members are remembered.
    pub fn new(job: &Job, mut remembered: Vec<(MemberName, String)>) -> Self {
        remembered.sort();
        Self {
            request: Arc::clone(&job.request),
            user: job.user,
            account: job.account.clone(),
            qos: job.qos.clone(),
            groups: Arc::clone(&job.groups),
            directives: Arc::clone(&job.directives),
            remembered,
            array: job.tasks_running_max.map(|_| job.key.id),
        }
    }
}
