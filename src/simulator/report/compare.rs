//! A policy held against the baseline, window by window.

use serde::Serialize;

use super::{PolicyFigures, WindowReport};
use crate::simulator::bootstrap::{Interval, geometric_mean, geometric_mean_interval};

/// Mean bounded slowdown of a policy divided by the baseline's; below 1 is better.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// Geometric mean over the windows.
    pub ratio: f64,
    /// Its bootstrap 95 % interval; absent with one window.
    pub interval: Option<Interval>,
    /// The window in which it did worst.
    pub worst: Worst,
    /// The member whose own jobs did worst against what they had under the baseline.
    pub worst_member: Option<WorstMember>,
}

/// A window's ratio.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Worst {
    /// Ratio.
    pub ratio: f64,
    /// Days left out before the window.
    pub offset_days: u32,
}

/// A member's ratio in one window.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WorstMember {
    /// Name.
    pub member: String,
    /// Ratio.
    pub ratio: f64,
    /// Days left out before the window.
    pub offset_days: u32,
}

impl Comparison {
    /// The policy at `at` against the one at `baseline`; `None` if no window has a job.
    pub(super) fn of(
        at: usize,
        baseline: usize,
        windows: &[WindowReport],
        seed: u64,
    ) -> Option<Self> {
        let mut worst_member: Option<WorstMember> = None;
        let mut ratios = Vec::new();
        for window in windows {
            let (ours, theirs) = (&window.policies[at], &window.policies[baseline]);
            let Some(ratio) = overall(ours, theirs) else {
                continue;
            };
            ratios.push(Worst {
                ratio,
                offset_days: window.offset_days,
            });
            for (member, ratio) in by_member(ours, theirs) {
                if worst_member
                    .as_ref()
                    .is_none_or(|worst| worst.ratio < ratio)
                {
                    worst_member = Some(WorstMember {
                        member: member.to_owned(),
                        ratio,
                        offset_days: window.offset_days,
                    });
                }
            }
        }
        let worst = ratios.iter().copied();
        let worst = worst.max_by(|left, right| left.ratio.total_cmp(&right.ratio))?;
        let ratios: Vec<f64> = ratios.iter().map(|worst| worst.ratio).collect();
        Some(Self {
            ratio: geometric_mean(&ratios),
            interval: geometric_mean_interval(&ratios, seed),
            worst,
            worst_member,
        })
    }
}

fn overall(ours: &PolicyFigures, theirs: &PolicyFigures) -> Option<f64> {
    Some(ours.overall?.mean / theirs.overall?.mean)
}

fn by_member<'a>(
    ours: &'a PolicyFigures,
    theirs: &'a PolicyFigures,
) -> impl Iterator<Item = (&'a str, f64)> {
    let members = ours.members.iter().zip(&theirs.members);
    members.filter_map(|(ours, theirs)| {
        let ratio = ours.own?.mean / theirs.own?.mean;
        Some((ours.member.as_str(), ratio))
    })
}
