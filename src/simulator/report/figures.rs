//! Figures of one policy.

use serde::Serialize;

use crate::simulator::metrics::{GiveAndTake, Summary, Use, served};
use crate::simulator::schedule::Placement;
use crate::simulator::workload::{MemberIndex, Workload};

/// A policy over one window, or over several together.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PolicyFigures {
    /// Name.
    pub policy: String,
    /// All jobs; `None` if there are none.
    pub overall: Option<Summary>,
    /// First submission to last end, seconds, and the share of all processors that worked over it;
    /// of several windows, the longest and the mean.
    #[serde(flatten)]
    pub used: Option<Use>,
    /// Each member.
    pub members: Vec<MemberFigures>,
}

/// A member under a policy.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MemberFigures {
    /// Name.
    pub member: String,
    /// Its own jobs, wherever they ran; absent if there are none.
    #[serde(flatten)]
    pub own: Option<Summary>,
    /// What it did for others and they for it; absent where all are one machine.
    #[serde(flatten)]
    pub account: Option<GiveAndTake>,
}

impl PolicyFigures {
    /// Of the schedules that the policy made of each window's workload.
    pub(super) fn of(policy: &str, runs: &[(&Workload, &[Placement])]) -> Self {
        let members = runs.first().map(|(workload, _)| *workload);
        let members = members.into_iter().flat_map(|workload| {
            let names = workload.indices().zip(&workload.members);
            names.map(|(at, member)| MemberFigures {
                member: member.name.clone(),
                own: summary(runs, Some(at)),
                account: account(runs, at),
            })
        });
        Self {
            policy: policy.to_owned(),
            overall: summary(runs, None),
            used: used(runs),
            members: members.collect(),
        }
    }
}

fn summary(runs: &[(&Workload, &[Placement])], home: Option<MemberIndex>) -> Option<Summary> {
    let jobs = runs.iter();
    Summary::of(jobs.flat_map(|(workload, schedule)| served(workload, schedule, home)))
}

fn account(runs: &[(&Workload, &[Placement])], member: MemberIndex) -> Option<GiveAndTake> {
    let mut sum = GiveAndTake::default();
    for (workload, schedule) in runs {
        let one = GiveAndTake::of(workload, schedule, member)?;
        sum.given_hours += one.given_hours;
        sum.taken_hours += one.taken_hours;
    }
    Some(sum)
}

fn used(runs: &[(&Workload, &[Placement])]) -> Option<Use> {
    let windows = runs.iter();
    let windows: Vec<Use> = windows
        .filter_map(|(workload, schedule)| Use::of(workload, schedule))
        .collect();
    let sum: f64 = windows.iter().map(|used| used.utilisation).sum();
    Some(Use {
        makespan_s: windows.iter().map(|used| used.makespan_s).max()?,
        utilisation: sum / crate::simulator::metrics::counted(windows.len()),
    })
}
