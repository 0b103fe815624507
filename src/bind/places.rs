//! Where a job must be for an intent to be still right.

use std::collections::BTreeMap;

use crate::model::{Action, Intent, MemberName, PartitionName, Settings};

/// The waiting room and the members' partitions.
#[derive(Debug)]
pub(super) struct Places {
    room: PartitionName,
    members: BTreeMap<MemberName, PartitionName>,
}

impl Places {
    pub(super) fn of(settings: &Settings) -> Self {
        Self {
            room: settings.queue_partition.clone(),
            members: settings
                .members
                .iter()
                .map(|member| (member.name.clone(), member.partition.clone()))
                .collect(),
        }
    }

    /// Where the intent takes the job from; `None` where that is not known: a member that the
    /// configuration no longer has.
    pub(super) fn origin(&self, intent: &Intent) -> Option<&PartitionName> {
        match &intent.action {
            Action::Bind { .. } => Some(&self.room),
            Action::Return { from, .. } => self.members.get(from),
            Action::Cancel | Action::Hold => None,
        }
    }
}
