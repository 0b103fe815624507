//! Runs a workload under a reference policy.

use std::collections::VecDeque;

use super::Reference;
use super::ledger::{JobIndex, Ledger};
use super::machine::Machine;
use super::route::Route;
use crate::simulator::clock::Seconds;
use crate::simulator::schedule::Schedule;
use crate::simulator::workload::Workload;

/// When and where each job runs under `policy`. `seed` is what chance there is; `submitted` is told
/// of each job.
pub fn replay(workload: &Workload, policy: Reference, seed: u64, submitted: &dyn Fn()) -> Schedule {
    let mut machines = machines(workload, policy);
    let mut route = Route::new(policy, seed);
    let mut ledger = Ledger::new(workload);
    for (job, (home, row)) in workload.jobs.iter().enumerate() {
        // What ends in the second in which a job arrives has ended before.
        while ledger.next_ending().is_some_and(|end| end <= row.submit) {
            end_next(policy, &mut machines, &mut ledger);
        }
        let joined = route.machines(*home, row, &machines, &ledger);
        arrive(job, row.submit, &joined, &mut machines, &mut ledger);
        submitted();
    }
    while ledger.next_ending().is_some() {
        end_next(policy, &mut machines, &mut ledger);
    }
    ledger.finish()
}

/// The machines of the federation, or the one that pools them all.
fn machines(workload: &Workload, policy: Reference) -> Vec<Machine> {
    if policy == Reference::Pooled {
        return vec![Machine::new(0, None, workload.processors())];
    }
    let members = workload.indices().zip(&workload.members);
    members
        .map(|(at, member)| Machine::new(at.0, Some(at), member.processors))
        .collect()
}

/// Puts a job into the queues of `joined`, in order, until one has started it.
fn arrive(
    job: JobIndex,
    now: Seconds,
    joined: &[usize],
    machines: &mut [Machine],
    ledger: &mut Ledger<'_>,
) {
    for &machine in joined {
        if !ledger.waits(job) {
            break;
        }
        machines[machine].enqueue(job);
        machines[machine].pass(now, ledger);
    }
}

/// Ends the job whose turn it is, and starts what can start then.
fn end_next(policy: Reference, machines: &mut [Machine], ledger: &mut Ledger<'_>) {
    let Some((now, (job, machine))) = ledger.pop_ending() else {
        return;
    };
    machines[machine].release(job);
    let mut due = VecDeque::from([machine]);
    while let Some(machine) = due.pop_front() {
        let started = ledger.started();
        machines[machine].pass(now, ledger);
        // What started stood in the other queues too, perhaps at their head: they look again.
        if policy == Reference::Siblings && ledger.started() > started {
            let others = (0..machines.len()).filter(|other| *other != machine);
            let others: Vec<usize> = others.filter(|other| !due.contains(other)).collect();
            due.extend(others);
        }
    }
}
