//! What a machine's queue promises to a job that would join it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::ledger::Ledger;
use super::machine::Machine;
use crate::simulator::clock::Seconds;
use crate::simulator::workload::Job;

/// When `job`, submitted now, would start behind everything that waits, each job in its turn and
/// running for as long as its estimate. Backfill may do better; a submitter cannot know.
pub(super) fn earliest_start(machine: &Machine, job: &Job, ledger: &Ledger<'_>) -> Seconds {
    let running = machine.running().iter();
    let mut ends: BinaryHeap<_> = running
        .map(|running| Reverse((running.end, running.processors)))
        .collect();
    let mut free = machine.free();
    let mut at = job.submit;
    for waiting in machine.waiting().map(|at| ledger.job(at)).chain([job]) {
        while free < waiting.processors {
            let Some(Reverse((end, processors))) = ends.pop() else {
                unreachable!("a job larger than the machine waits for it");
            };
            at = at.max(end);
            free += processors;
        }
        free -= waiting.processors;
        ends.push(Reverse((at + waiting.estimate(), waiting.processors)));
    }
    at
}

/// Processor seconds that the machine has still to do, by estimates.
pub(super) fn work(machine: &Machine, now: Seconds, ledger: &Ledger<'_>) -> u128 {
    let seconds = |span: Seconds| u128::from(span.unsigned_abs());
    let running = machine.running().iter();
    let running = running.map(|job| seconds(job.end - now) * u128::from(job.processors));
    let waiting = machine.waiting().map(|at| ledger.job(at));
    let waiting = waiting.map(|job| seconds(job.estimate()) * u128::from(job.processors));
    running.chain(waiting).sum()
}
