//! What came out of a study: figures for scripts and tables, and a page with plots.

mod compare;
mod figures;
mod page;
mod plot;
mod series;

pub use compare::{Comparison, Worst, WorstMember};
pub use figures::{MemberFigures, PolicyFigures};
pub use page::page;

use serde::Serialize;

use super::study::{Replay, Study};
use super::workload::LeftOut;

/// Everything that was measured. What `--json` prints: fields are added, never changed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// Days of each window; `None`: to the traces' end.
    pub days: Option<u32>,
    /// What chance there was.
    pub seed: u64,
    /// Policy that the others are compared with: `local-only` if it is there, else the first.
    pub baseline: String,
    /// Members and what is not replayed of their traces.
    pub members: Vec<MemberFacts>,
    /// Each policy over all windows together.
    pub policies: Vec<PolicyReport>,
    /// Each window.
    pub windows: Vec<WindowReport>,
}

/// A member.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MemberFacts {
    /// Name.
    pub member: String,
    /// Processors, in the unit that its trace counts in.
    pub processors: u64,
    /// Rows of its whole trace that are not replayed.
    pub left_out: LeftOut,
}

/// A policy over all windows.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PolicyReport {
    /// Its figures over the jobs of all windows together.
    #[serde(flatten)]
    pub figures: PolicyFigures,
    /// Held against the baseline, window by window; `None` for the baseline itself.
    pub compared: Option<Comparison>,
}

/// A window under every policy.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WindowReport {
    /// Days left out before it.
    pub offset_days: u32,
    /// Its figures.
    pub policies: Vec<PolicyFigures>,
}

impl Report {
    /// Of a study and what came out of it.
    pub fn new(study: &Study, replays: &[Replay]) -> Self {
        let names = study.policies.iter().map(|policy| policy.as_str());
        let names: Vec<&str> = names.collect();
        let baseline = names.iter().position(|name| *name == "local-only");
        let baseline = baseline.unwrap_or(0);
        let windows: Vec<WindowReport> = replays
            .iter()
            .map(|replay| WindowReport {
                offset_days: replay.window.offset_days,
                policies: names
                    .iter()
                    .zip(&replay.schedules)
                    .map(|(name, schedule)| {
                        PolicyFigures::of(name, &[(&replay.workload, schedule)])
                    })
                    .collect(),
            })
            .collect();
        let policies = names.iter().enumerate().map(|(at, name)| {
            let runs = replays.iter();
            let runs: Vec<_> = runs
                .map(|replay| (&replay.workload, replay.schedules[at].as_slice()))
                .collect();
            PolicyReport {
                figures: PolicyFigures::of(name, &runs),
                compared: (at != baseline)
                    .then(|| Comparison::of(at, baseline, &windows, study.seed))
                    .flatten(),
            }
        });
        Self {
            days: study.windows.first().and_then(|window| window.days),
            seed: study.seed,
            baseline: names.get(baseline).copied().unwrap_or_default().to_owned(),
            members: members(replays),
            policies: policies.collect(),
            windows,
        }
    }
}

/// The members, alike in all windows.
fn members(replays: &[Replay]) -> Vec<MemberFacts> {
    let members = replays.first().map(|replay| &replay.workload.members);
    members
        .into_iter()
        .flatten()
        .map(|member| MemberFacts {
            member: member.name.clone(),
            processors: member.processors,
            left_out: member.left_out,
        })
        .collect()
}
