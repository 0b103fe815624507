//! One machine of interchangeable processors under EASY backfill.
//!
//! The queue is in arrival order. Its head, if it cannot start, is given a reservation: the
//! earliest time at which enough processors will be free, going by the estimates of what runs. A
//! later job starts now if it fits and either ends before that time or fits into what the head
//! leaves over then.

use std::collections::VecDeque;

use super::ledger::{JobIndex, Ledger};
use crate::simulator::clock::Seconds;
use crate::simulator::workload::MemberIndex;

/// Jobs behind the head that one pass looks at.
const LOOKED_AT_MAX: usize = 1_000;

/// A machine, what runs on it, and what waits for it.
#[derive(Debug)]
pub(super) struct Machine {
    /// Its place among the machines of the replay.
    at: usize,
    /// The member it is, `None` for the pool.
    member: Option<MemberIndex>,
    processors: u64,
    free: u64,
    /// Sorted: jobs of one estimated end by size, then job.
    running: Vec<Running>,
    /// By arrival. Holds jobs that meanwhile started on another machine, until a pass meets them.
    waiting: VecDeque<JobIndex>,
}

/// A job on the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Running {
    /// End by its estimate.
    pub(super) end: Seconds,
    /// What it holds until then.
    pub(super) processors: u64,
    job: JobIndex,
}

/// What jobs behind the head may take: anything until `until`, and `spare` beyond it.
struct Gap {
    until: Seconds,
    spare: u64,
}

impl Machine {
    pub(super) fn new(at: usize, member: Option<MemberIndex>, processors: u64) -> Self {
        Self {
            at,
            member,
            processors,
            free: processors,
            running: Vec::new(),
            waiting: VecDeque::new(),
        }
    }

    pub(super) fn processors(&self) -> u64 {
        self.processors
    }

    pub(super) fn free(&self) -> u64 {
        self.free
    }

    /// What runs, by estimated end.
    pub(super) fn running(&self) -> &[Running] {
        &self.running
    }

    /// What waits, by arrival.
    pub(super) fn waiting(&self) -> impl Iterator<Item = JobIndex> + '_ {
        self.waiting.iter().copied()
    }

    /// A job arrives.
    pub(super) fn enqueue(&mut self, job: JobIndex) {
        self.waiting.push_back(job);
    }

    /// A job that ran here has ended.
    pub(super) fn release(&mut self, job: JobIndex) {
        let at = self.running.iter().position(|running| running.job == job);
        if let Some(at) = at {
            self.free += self.running.remove(at).processors;
        }
    }

    /// Starts what can start now.
    pub(super) fn pass(&mut self, now: Seconds, ledger: &mut Ledger<'_>) {
        while let Some(&head) = self.waiting.front() {
            if ledger.waits(head) {
                if ledger.job(head).processors > self.free {
                    self.backfill(head, now, ledger);
                    return;
                }
                self.start(head, now, ledger);
            }
            self.waiting.pop_front();
        }
    }

    fn backfill(&mut self, head: JobIndex, now: Seconds, ledger: &mut Ledger<'_>) {
        if self.free == 0 || self.waiting.len() == 1 {
            return;
        }
        let mut gap = self.gap(ledger.job(head).processors);
        let mut looked_at = 0;
        let mut gone = false;
        for at in 1..self.waiting.len() {
            let candidate = self.waiting[at];
            if !ledger.waits(candidate) {
                gone = true;
                continue;
            }
            if looked_at == LOOKED_AT_MAX || self.free == 0 {
                break;
            }
            looked_at += 1;
            let job = ledger.job(candidate);
            let ends_before = now + job.estimate() <= gap.until;
            if job.processors <= self.free && (ends_before || job.processors <= gap.spare) {
                if !ends_before {
                    gap.spare -= job.processors;
                }
                self.start(candidate, now, ledger);
                gone = true;
            }
        }
        if gone {
            self.waiting.retain(|job| ledger.waits(*job));
        }
    }

    /// The reservation of a head that needs `processors`, more than are free. Of jobs that end
    /// together only as many are counted as it needs.
    fn gap(&self, processors: u64) -> Gap {
        let mut free = self.free;
        for running in &self.running {
            free += running.processors;
            if free >= processors {
                return Gap {
                    until: running.end,
                    spare: free - processors,
                };
            }
        }
        unreachable!("a job larger than the machine waits for it");
    }

    fn start(&mut self, job: JobIndex, now: Seconds, ledger: &mut Ledger<'_>) {
        let row = ledger.job(job);
        let running = Running {
            end: now + row.estimate(),
            processors: row.processors,
            job,
        };
        self.free -= row.processors;
        let at = self.running.partition_point(|other| *other < running);
        self.running.insert(at, running);
        ledger.start(job, now, self.at, self.member);
    }
}

#[cfg(test)]
mod test {
    use super::*;
    use crate::simulator::reference::test::workload;
    use crate::simulator::reference::{Reference, replay};

    /// When each of `jobs` (submission, processors, run, requested) starts on one machine.
    fn starts(processors: u64, jobs: &[(Seconds, u64, Seconds, Seconds)]) -> Vec<Seconds> {
        let workload = workload(&[processors], jobs.iter().map(|job| (0, *job)));
        let schedule = replay(&workload, Reference::LocalOnly, 0, &|| {});
        schedule.iter().map(|placement| placement.start).collect()
    }

    #[test]
    fn a_job_that_ends_before_the_heads_reservation_goes_first() {
        let jobs = [(0, 6, 100, 100), (1, 8, 10, 10), (2, 4, 90, 98)];
        assert_eq!(starts(10, &jobs), [0, 100, 2]);
    }

    #[test]
    fn a_job_that_would_delay_the_head_waits() {
        let jobs = [(0, 6, 100, 100), (1, 8, 10, 10), (2, 4, 90, 99)];
        assert_eq!(starts(10, &jobs), [0, 100, 110]);
    }

    #[test]
    fn what_the_head_leaves_over_may_be_taken_for_as_long_as_one_likes() {
        let jobs = [
            (0, 6, 100, 100),
            (1, 8, 10, 10),
            (2, 2, 999, 999),
            (3, 1, 999, 999),
        ];
        assert_eq!(starts(10, &jobs), [0, 100, 2, 110]);
    }

    #[test]
    fn a_job_that_ends_early_brings_the_head_forward() {
        let jobs = [(0, 6, 30, 100), (1, 8, 10, 10), (2, 2, 10, 10)];
        assert_eq!(starts(10, &jobs), [0, 30, 2]);
    }

    #[test]
    fn of_jobs_that_end_together_the_smaller_are_counted_first() {
        // Both end at 100 by estimate: the head needs 6, has 2, and 5 come back with the smaller.
        let jobs = [
            (0, 5, 50, 100),
            (0, 3, 50, 100),
            (1, 4, 10, 10),
            (2, 1, 500, 500),
            (3, 1, 500, 500),
        ];
        assert_eq!(starts(10, &jobs), [0, 0, 50, 2, 50]);
    }
}
