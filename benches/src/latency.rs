//! P1: what the plugin and the daemon add to a submission, against what `job_submit/lua` adds.
//!
//! Every round submits a block of jobs to each rival, in random order, twice to the three that are
//! compared: the second block is for the noise of equals.

use std::time::Duration;

use anyhow::{Result, ensure};

use crate::figure::{Figure, Target, Value};
use crate::progress::Progress;
use crate::site::Site;
use crate::statistics::{Estimate, quantile};
use crate::submitter::Submission;

/// Jobs of a block.
const BLOCK: usize = 100;

/// Jobs before each block that are not counted.
const WARM_UP: usize = 10;

const TARGET: Target = Target::AtMost {
    must: 1.0,
    aim: 0.5,
};

/// What a block is submitted to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rival {
    None,
    Noop,
    Lua,
    Fedsched,
}

impl Rival {
    /// As the switch knows it.
    fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Noop => "noop",
            Self::Lua => "lua",
            Self::Fedsched => "fedsched",
        }
    }
}

/// The two blocks of each rival in one round.
#[derive(Debug, Default)]
struct Round {
    none: Vec<Submission>,
    noop: Vec<Submission>,
    lua: Vec<Submission>,
    fedsched: Vec<Submission>,
}

/// What a statistic is made of.
type Aspect = fn(&Submission) -> Duration;

const ANSWERED: Aspect = |submission| submission.answered;
const PLUGIN: Aspect = |submission| submission.plugin;

/// The figures of P1, and for themselves those of the no-op plugin.
pub(crate) fn figures(site: &mut Site, rounds: usize, progress: &Progress) -> Result<Vec<Figure>> {
    let rounds = (0..rounds)
        .map(|round| {
            progress.tell("P1, latency of submissions", round, rounds);
            measure(site)
        })
        .collect::<Result<Vec<_>>>()?;
    site.freeze_daemon(false)?;
    let mut figures = Vec::new();
    for percent in [50, 99] {
        figures.push(added(&rounds, percent));
        figures.push(inside(&rounds, percent));
    }
    figures.push(noop(&rounds));
    Ok(figures)
}

fn measure(site: &mut Site) -> Result<Round> {
    let mut order = [Rival::None, Rival::Noop, Rival::Lua, Rival::Fedsched].repeat(2);
    fastrand::shuffle(&mut order);
    let mut round = Round::default();
    for rival in order {
        site.freeze_daemon(rival != Rival::Fedsched)?;
        site.submitter.submit(rival.name(), WARM_UP)?;
        let block = site.submitter.submit(rival.name(), BLOCK)?;
        let partitions = site.partitions()?;
        ensure!(
            partitions == ["federation"],
            "jobs of {rival:?} went to {partitions:?}: the rivals do not do the same"
        );
        site.submitter.cancel()?;
        let blocks = match rival {
            Rival::None => &mut round.none,
            Rival::Noop => &mut round.noop,
            Rival::Lua => &mut round.lua,
            Rival::Fedsched => &mut round.fedsched,
        };
        blocks.extend(block);
    }
    Ok(round)
}

/// The difference that the user sees: with the plugin, less without any.
fn added(rounds: &[Round], percent: usize) -> Figure {
    let at = |block: &[Submission]| seconds(block, ANSWERED, percent);
    let more = |block: &[Submission], round: &Round| at(block) - at(&round.none);
    let ours = of_rounds(rounds, |round| more(&round.fedsched, round));
    let theirs = of_rounds(rounds, |round| more(&round.lua, round));
    let none = of_rounds(rounds, |round| at(&round.none));
    Figure {
        number: "P1",
        quantity: format!("added to a submission of {} (p{percent})", micros(none)),
        ours: micros(ours),
        theirs: format!("job_submit/lua {}", micros(theirs)),
        value: of_rounds(rounds, |round| {
            more(&round.fedsched, round) / more(&round.lua, round)
        })
        .map(Value::Ratio),
        noise: of_rounds(rounds, |round| {
            more(&round.lua[..BLOCK], round) / more(&round.lua[BLOCK..], round)
        }),
        target: Some(TARGET),
    }
}

/// The same from within slurmctld: the time its locks are held for the plugin's sake.
fn inside(rounds: &[Round], percent: usize) -> Figure {
    let at = |block: &[Submission]| seconds(block, PLUGIN, percent);
    Figure {
        number: "P1",
        quantity: format!("inside the plugin, in slurmctld (p{percent})"),
        ours: micros(of_rounds(rounds, |round| at(&round.fedsched))),
        theirs: format!(
            "job_submit/lua {}",
            micros(of_rounds(rounds, |round| at(&round.lua)))
        ),
        value: of_rounds(rounds, |round| at(&round.fedsched) / at(&round.lua)).map(Value::Ratio),
        noise: of_rounds(rounds, |round| {
            at(&round.lua[..BLOCK]) / at(&round.lua[BLOCK..])
        }),
        target: Some(TARGET),
    }
}

/// What any plugin costs.
fn noop(rounds: &[Round]) -> Figure {
    let at = |block: &[Submission]| seconds(block, ANSWERED, 50);
    Figure {
        number: "",
        quantity: String::from("submission with a no-op C plugin (p50)"),
        ours: micros(of_rounds(rounds, |round| at(&round.noop))),
        theirs: format!(
            "no plugin {}",
            micros(of_rounds(rounds, |round| at(&round.none)))
        ),
        value: of_rounds(rounds, |round| at(&round.noop) / at(&round.none)).map(Value::Ratio),
        noise: of_rounds(rounds, |round| {
            at(&round.none[..BLOCK]) / at(&round.none[BLOCK..])
        }),
        target: None,
    }
}

fn seconds(block: &[Submission], aspect: Aspect, percent: usize) -> f64 {
    quantile(&block.iter().map(aspect).collect::<Vec<_>>(), percent).as_secs_f64()
}

fn of_rounds(rounds: &[Round], each: impl Fn(&Round) -> f64) -> Option<Estimate> {
    Estimate::of(&rounds.iter().map(each).collect::<Vec<_>>())
}

fn micros(seconds: Option<Estimate>) -> String {
    let median = seconds.map_or(f64::NAN, |seconds| seconds.median);
    format!("{:.1} µs", median * 1e6)
}
