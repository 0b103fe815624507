//! What the engine keeps of one job of the federation.

use std::sync::Arc;
use std::time::Duration;

use super::class::Park;
use super::clock::Now;
use crate::model::{
    Chapter, IntentId, Job, JobMemory, MemberName, PartitionName, Remembered, TaskSet, Timestamp,
};
use crate::queue::ClassId;
use crate::scheduler::Decision;

/// Most chapters of a job's story; the first and the latest are kept.
const STORY_MAX: usize = 16;

/// For how long after a move Slurm's priority of a job may lack its age: twice the longest
/// `PriorityCalcPeriod` that sites use.
const AGELESS: Duration = Duration::from_secs(600);

/// A job of the federation.
#[derive(Debug, Clone)]
pub struct Record {
    /// The job as last listed.
    pub job: Job,
    /// What Slurm does not know of it.
    pub memory: JobMemory,
    /// Where the federation sent it, the whole record.
    pub placed: Option<Placed>,
    /// Why it is not ready, where it is not.
    pub park: Option<Park>,
    /// Pieces of an array that were sent somewhere and are not records of their own yet.
    pub(super) portions: Vec<Portion>,
    /// What is being done to the whole record.
    pub(super) intent: Option<IntentId>,
    /// What the listings should show soon.
    pub(super) settling: Option<Settling>,
    /// Its class while it waits in the room.
    pub(super) class: Option<ClassId>,
    /// Goes to *reschedule* when it is back.
    pub(super) came_back: bool,
    /// Slurm's priority may lack its age until then.
    pub(super) ageless_until: Timestamp,
    /// Nothing is tried with it before.
    pub(super) quiet_until: Timestamp,
    /// The store holds its memory.
    pub(super) stored: bool,
    /// Member whose jobs it is counted among.
    pub(super) counted: Option<MemberName>,
}

/// Where the federation sent a job.
#[derive(Debug, Clone)]
pub struct Placed {
    /// Member.
    pub member: MemberName,
    /// Its partition.
    pub partition: PartitionName,
    /// The decision, unless it was made before the daemon started.
    pub decision: Option<Arc<Decision>>,
    /// Since when it waits there, as the engine measures.
    pub(super) since: Timestamp,
}

/// Tasks of an array that were sent somewhere.
#[derive(Debug, Clone)]
pub(super) struct Portion {
    pub(super) tasks: TaskSet,
    pub(super) placed: Placed,
    /// Still being carried out.
    pub(super) intent: Option<IntentId>,
    /// Complete polls since it was carried out.
    pub(super) polls: u32,
}

/// A change that was carried out and that the listings lag behind.
#[derive(Debug, Clone)]
pub(super) struct Settling {
    pub(super) expect: Expect,
    /// Complete polls since: the one that was under way may be older than the change.
    pub(super) polls: u32,
}

/// What the listings should show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Expect {
    /// The job in this partition.
    At(PartitionName),
    /// The job ended or held.
    Stopped,
    /// Something that somebody else did.
    News,
}

impl Record {
    pub(super) fn new(job: Job, memory: JobMemory) -> Self {
        Self {
            job,
            memory,
            placed: None,
            park: None,
            portions: Vec::new(),
            intent: None,
            settling: None,
            class: None,
            came_back: false,
            ageless_until: Timestamp(i64::MIN),
            quiet_until: Timestamp(i64::MIN),
            stored: false,
            counted: None,
        }
    }

    /// Pieces of an array that were sent somewhere and are not listed apart yet.
    pub fn pieces(&self) -> impl Iterator<Item = (&TaskSet, &Placed)> {
        let portions = self.portions.iter();
        portions.map(|portion| (&portion.tasks, &portion.placed))
    }

    /// Slurm's priority, with the age that a move has hidden.
    pub fn priority(&self, now: Now) -> u32 {
        if now.steady < self.ageless_until {
            self.job.priority.max(self.memory.priority)
        } else {
            self.job.priority
        }
    }

    /// A move was made: Slurm's priority will lack its age for a while.
    pub(super) fn moved(&mut self, now: Now) {
        self.ageless_until = now.steady + AGELESS;
    }

    /// Keeps the priority while it can be believed.
    pub(super) fn learn_priority(&mut self, now: Now) {
        let priority = self.priority(now);
        if priority > 0 {
            self.memory.priority = priority;
        }
    }

    /// Adds to its story.
    pub(super) fn tell(&mut self, chapter: Chapter) {
        self.memory.story.push(chapter);
        if self.memory.story.len() > STORY_MAX {
            self.memory.story.remove(1);
        }
    }

    /// It was not bound after all.
    pub(super) fn untell_bound(&mut self) {
        if matches!(self.memory.story.last(), Some(Chapter::Bound { .. })) {
            self.memory.story.pop();
        }
    }

    /// The member is not tried again for a while.
    pub(super) fn remember(&mut self, member: &MemberName, why: &str, until: Timestamp) {
        let remembered = &mut self.memory.remembered;
        remembered.retain(|each| each.member != *member);
        remembered.push(Remembered {
            member: member.clone(),
            until,
            why: why.to_owned(),
        });
    }

    /// Drops what is remembered no longer; says whether anything was.
    pub(super) fn forget_old(&mut self, now: Now) -> bool {
        let before = self.memory.remembered.len();
        self.memory
            .remembered
            .retain(|each| each.until > now.steady);
        before != self.memory.remembered.len()
    }

    /// Members that are not tried, with why.
    pub(super) fn remembered(&self) -> Vec<(MemberName, String)> {
        let remembered = self.memory.remembered.iter();
        remembered
            .map(|each| (each.member.clone(), each.why.clone()))
            .collect()
    }

    /// The last member its story says it was bound to.
    pub(super) fn last_bound(&self) -> Option<&MemberName> {
        self.memory
            .story
            .iter()
            .rev()
            .find_map(|chapter| match chapter {
                Chapter::Bound { member, .. } | Chapter::Started { member, .. } => Some(member),
                _ => None,
            })
    }

    /// Where a task of the array was sent.
    pub(super) fn portion_of(&self, task: u32) -> Option<&Portion> {
        let mut portions = self.portions.iter();
        portions.find(|portion| portion.tasks.contains(task))
    }
}
