//! Which jobs wait, and when those that run will end.

use crate::simulator::clock::{Agenda, Seconds};
use crate::simulator::schedule::{Placement, Schedule};
use crate::simulator::workload::{Job, MemberIndex, Workload};

/// A job's place in [`Workload::jobs`].
pub(super) type JobIndex = usize;

/// Every job of a workload, and what has become of it.
#[derive(Debug)]
pub(super) struct Ledger<'a> {
    workload: &'a Workload,
    placements: Vec<Option<Placement>>,
    started: usize,
    /// Jobs that run, and the machine each runs on.
    endings: Agenda<(JobIndex, usize)>,
}

impl<'a> Ledger<'a> {
    pub(super) fn new(workload: &'a Workload) -> Self {
        Self {
            workload,
            placements: vec![None; workload.jobs.len()],
            started: 0,
            endings: Agenda::default(),
        }
    }

    pub(super) fn job(&self, at: JobIndex) -> &'a Job {
        &self.workload.jobs[at].1
    }

    pub(super) fn waits(&self, at: JobIndex) -> bool {
        self.placements[at].is_none()
    }

    /// How many jobs have started so far.
    pub(super) fn started(&self) -> usize {
        self.started
    }

    /// The job starts on a machine. It must have waited: nothing runs twice.
    pub(super) fn start(
        &mut self,
        at: JobIndex,
        now: Seconds,
        machine: usize,
        member: Option<MemberIndex>,
    ) {
        assert!(self.waits(at), "job {at} is started twice");
        self.placements[at] = Some(Placement { start: now, member });
        self.started += 1;
        self.endings.add(now + self.job(at).run, (at, machine));
    }

    /// When the next running job ends.
    pub(super) fn next_ending(&self) -> Option<Seconds> {
        self.endings.next_at()
    }

    /// Takes that job off the list of those that run, with its machine.
    pub(super) fn pop_ending(&mut self) -> Option<(Seconds, (JobIndex, usize))> {
        self.endings.pop()
    }

    /// The schedule, once every job has run.
    pub(super) fn finish(self) -> Schedule {
        let placements = self.placements.into_iter();
        #[expect(
            clippy::expect_used,
            reason = "every job fits its home when that is idle, so none waits when all have ended"
        )]
        let schedule = placements
            .map(|placement| placement.expect("every job was started"))
            .collect();
        schedule
    }
}
