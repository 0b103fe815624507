//! Several policies over several windows of the same traces.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::reference::{Reference, replay};
use super::schedule::Schedule;
use super::workload::{Trace, Window, Workload};

/// What is to be replayed. Its outcome depends on nothing else.
#[derive(Debug, Clone)]
pub struct Study {
    /// Members and their jobs.
    pub traces: Vec<Trace>,
    /// Windows, all of one length.
    pub windows: Vec<Window>,
    /// Policies.
    pub policies: Vec<Reference>,
    /// What chance there is, in policies and in intervals.
    pub seed: u64,
}

/// One window under every policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replay {
    /// Which part of the traces.
    pub window: Window,
    /// Their jobs in it.
    pub workload: Workload,
    /// A schedule for each policy, in the study's order.
    pub schedules: Vec<Schedule>,
}

impl Study {
    /// The jobs of each window.
    pub fn workloads(&self) -> Vec<Workload> {
        let windows = self.windows.iter();
        windows
            .map(|window| Workload::new(&self.traces, *window))
            .collect()
    }

    /// Replays `workloads`, those of [`Study::workloads`], on as many processors as there are.
    /// `submitted` is told of each job of each replay.
    pub fn run(&self, workloads: Vec<Workload>, submitted: &(dyn Fn() + Sync)) -> Vec<Replay> {
        let runs = workloads.iter().flat_map(|workload| {
            let policies = self.policies.iter();
            policies.map(move |policy| (workload, *policy))
        });
        let runs: Vec<_> = runs.collect();
        let mut schedules = in_parallel(&runs, |(workload, policy)| {
            replay(workload, *policy, self.seed, submitted)
        })
        .into_iter();
        let windows = self.windows.iter().zip(workloads);
        windows
            .map(|(window, workload)| Replay {
                window: *window,
                workload,
                schedules: schedules.by_ref().take(self.policies.len()).collect(),
            })
            .collect()
    }
}

/// `work` done on every item, in the items' order whoever did it.
fn in_parallel<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let worker = || {
        let mut done = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            match items.get(at) {
                Some(item) => done.push((at, work(item))),
                None => return done,
            }
        }
    };
    let workers = thread::available_parallelism().map_or(1, NonZero::get);
    let mut done: Vec<(usize, R)> = thread::scope(|scope| {
        let threads: Vec<_> = (0..workers).map(|_| scope.spawn(worker)).collect();
        let joined = threads.into_iter().map(|thread| match thread.join() {
            Ok(done) => done,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        joined.flatten().collect()
    });
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod test {
    use super::*;
    use crate::simulator::clock::Seconds;
    use crate::simulator::workload::{Job, LeftOut};

    fn study() -> Study {
        let trace = |name: &str, step: Seconds| Trace {
            name: name.to_owned(),
            processors: 4,
            first_submit: 0,
            jobs: (0..200)
                .map(|at| Job {
                    submit: at * step,
                    run: 40 * (at % 7 + 1) * step,
                    requested: Some(400 * step),
                    processors: at.unsigned_abs() % 4 + 1,
                })
                .collect(),
            left_out: LeftOut::default(),
        };
        let window = |offset_days| Window {
            offset_days,
            days: Some(1),
        };
        Study {
            traces: vec![trace("a", 900), trace("b", 700)],
            windows: vec![window(0), window(1)],
            policies: Reference::ALL.to_vec(),
            seed: 3,
        }
    }

    #[test]
    fn the_same_study_comes_out_the_same_however_it_is_divided_among_threads() {
        let study = study();
        let run = || study.run(study.workloads(), &|| {});
        let replays = run();
        assert_eq!(replays, run());
        assert_eq!(replays.len(), 2);
        for (replay, window) in replays.iter().zip(&study.windows) {
            assert_eq!(replay.window, *window);
            assert_eq!(replay.schedules.len(), Reference::ALL.len());
            for (schedule, policy) in replay.schedules.iter().zip(Reference::ALL) {
                let alone = super::replay(&replay.workload, policy, 3, &|| {});
                assert_eq!(*schedule, alone, "{policy:?}");
            }
        }
    }

    #[test]
    fn every_job_of_every_replay_is_told_of() {
        let study = study();
        let told = AtomicUsize::new(0);
        let workloads = study.workloads();
        let jobs: usize = workloads.iter().map(|workload| workload.jobs.len()).sum();
        assert!(jobs > 200, "{jobs} jobs");
        study.run(workloads, &|| {
            told.fetch_add(1, Ordering::Relaxed);
        });
        assert_eq!(told.into_inner(), jobs * Reference::ALL.len());
    }
}
