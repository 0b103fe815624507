//! P1: what the plugin and the daemon add to a submission, against what `job_submit/lua` adds.

use std::time::Duration;

use anyhow::{Result, ensure};

use crate::figure::{Figure, Target, Value};
use crate::progress::Progress;
use crate::site::{ROOM, Site, WIDE};
use crate::statistics::{Estimate, quantile};
use crate::submitter::Submission;

/// Times that each round goes through the rivals: what else the machine does comes and goes over
/// seconds, so the rivals take turns many times a second.
const TURNS: usize = 10;

/// Jobs of one turn of one rival, and those before them that are not counted.
const BLOCK: usize = 10;
const WARM_UP: usize = 2;

const TARGET: Target = Target::AtMost {
    must: 1.0,
    aim: 0.5,
};

/// What jobs are submitted to, as the switch knows it.
const NONE: &str = "none";
const NOOP: &str = "noop";
const LUA: &str = "lua";
const FEDSCHED: &str = "fedsched";

/// What all rivals do with the jobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// No member has anything free.
    Waits,
    /// A member has room for all of them.
    Bound,
}

impl Outcome {
    fn partition(self) -> &'static str {
        match self {
            Self::Waits => ROOM,
            Self::Bound => WIDE,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Waits => "job waits",
            Self::Bound => "job bound at once",
        }
    }
}

/// What went to one rival in one round, in two halves that differ in nothing.
#[derive(Debug, Default)]
struct Halves([Vec<Submission>; 2]);

/// All submissions of one round.
#[derive(Debug, Default)]
struct Round {
    none: Halves,
    noop: Halves,
    lua: Halves,
    fedsched: Halves,
}

/// A time of a submission.
#[derive(Debug, Clone, Copy)]
enum Aspect {
    /// Until slurmctld's answer.
    Answered,
    /// Inside the plugin.
    Plugin,
}

/// The figures of P1 for one outcome, and that of the no-op plugin.
pub(crate) fn figures(
    site: &mut Site,
    outcome: Outcome,
    rounds: usize,
    progress: &Progress,
) -> Result<Vec<Figure>> {
    site.route_lua(outcome.partition())?;
    let part = format!("P1, {}", outcome.name());
    let rounds = (0..rounds)
        .map(|round| {
            progress.tell(&part, round, rounds);
            measure(site, outcome.partition())
        })
        .collect::<Result<Vec<_>>>();
    site.freeze_daemon(false)?;
    let rounds = rounds?;
    let mut figures = Vec::new();
    for percent in [50, 99] {
        figures.push(added(&rounds, outcome, percent));
        figures.push(inside(&rounds, outcome, percent));
    }
    figures.push(noop(&rounds, outcome));
    Ok(figures)
}

fn measure(site: &mut Site, partition: &str) -> Result<Round> {
    let mut round = Round::default();
    for _ in 0..TURNS {
        let mut turns = [
            (NONE, &mut round.none),
            (NOOP, &mut round.noop),
            (LUA, &mut round.lua),
            (FEDSCHED, &mut round.fedsched),
        ];
        let mut order: Vec<(usize, usize)> = (0..turns.len())
            .flat_map(|rival| [(rival, 0), (rival, 1)])
            .collect();
        fastrand::shuffle(&mut order);
        for (rival, half) in order {
            let (name, halves) = &mut turns[rival];
            site.freeze_daemon(*name != FEDSCHED)?;
            // Without a plugin that chooses, the user does: the rest must be the same.
            let named = if [NONE, NOOP].contains(name) {
                partition
            } else {
                ""
            };
            let submissions = site.submitter.submit(name, WARM_UP + BLOCK, named)?;
            halves.0[half].extend_from_slice(&submissions[WARM_UP..]);
        }
    }
    let partitions = site.partitions()?;
    ensure!(
        partitions == [partition],
        "jobs went to {partitions:?}, not {partition} alone: the rivals do not do the same"
    );
    site.submitter.cancel()?;
    Ok(round)
}

impl Halves {
    /// Of everything, in seconds.
    fn at(&self, aspect: Aspect, percent: usize) -> f64 {
        at(&self.0.concat(), aspect, percent)
    }

    /// Of each half, in seconds.
    fn each(&self, aspect: Aspect, percent: usize) -> (f64, f64) {
        let [one, other] = &self.0;
        (at(one, aspect, percent), at(other, aspect, percent))
    }
}

fn at(submissions: &[Submission], aspect: Aspect, percent: usize) -> f64 {
    let time = |submission: &Submission| match aspect {
        Aspect::Answered => submission.answered,
        Aspect::Plugin => submission.plugin,
    };
    let times: Vec<Duration> = submissions.iter().map(time).collect();
    quantile(&times, percent).as_secs_f64()
}

/// The difference that the user sees: with the plugin, less without any.
fn added(rounds: &[Round], outcome: Outcome, percent: usize) -> Figure {
    let at = |halves: &Halves| halves.at(Aspect::Answered, percent);
    let ours = |round: &Round| at(&round.fedsched) - at(&round.none);
    let theirs = |round: &Round| at(&round.lua) - at(&round.none);
    let equals = |round: &Round| {
        let (one, other) = round.lua.each(Aspect::Answered, percent);
        (one - at(&round.none), other - at(&round.none))
    };
    Figure {
        number: "P1",
        quantity: format!(
            "{}: added to a submission of {} (p{percent})",
            outcome.name(),
            told(rounds, |round| at(&round.none))
        ),
        ours: told_surely(rounds, ours),
        theirs: format!("job_submit/lua {}", told_surely(rounds, theirs)),
        value: ratio(rounds, |round| (ours(round), theirs(round))).map(Value::Ratio),
        noise: ratio(rounds, equals),
        target: Some(TARGET),
    }
}

/// The same from within slurmctld: the time its locks are held for the plugin's sake.
fn inside(rounds: &[Round], outcome: Outcome, percent: usize) -> Figure {
    let at = |halves: &Halves| halves.at(Aspect::Plugin, percent);
    Figure {
        number: "P1",
        quantity: format!("{}: inside the plugin (p{percent})", outcome.name()),
        ours: told(rounds, |round| at(&round.fedsched)),
        theirs: format!("job_submit/lua {}", told(rounds, |round| at(&round.lua))),
        value: of(rounds, |round| at(&round.fedsched) / at(&round.lua)).map(Value::Ratio),
        noise: of(rounds, |round| {
            let (one, other) = round.lua.each(Aspect::Plugin, percent);
            one / other
        }),
        target: Some(TARGET),
    }
}

/// What any plugin costs.
fn noop(rounds: &[Round], outcome: Outcome) -> Figure {
    let at = |halves: &Halves| halves.at(Aspect::Answered, 50);
    Figure {
        number: "",
        quantity: format!("{}: submission with a no-op C plugin (p50)", outcome.name()),
        ours: told(rounds, |round| at(&round.noop)),
        theirs: format!("no plugin {}", told(rounds, |round| at(&round.none))),
        value: of(rounds, |round| at(&round.noop) / at(&round.none)).map(Value::Ratio),
        noise: of(rounds, |round| {
            let (one, other) = round.none.each(Aspect::Answered, 50);
            one / other
        }),
        target: None,
    }
}

fn of(rounds: &[Round], each: impl Fn(&Round) -> f64) -> Option<Estimate> {
    Estimate::of(&rounds.iter().map(each).collect::<Vec<_>>())
}

fn ratio(rounds: &[Round], each: impl Fn(&Round) -> (f64, f64)) -> Option<Estimate> {
    Estimate::of_ratio(&rounds.iter().map(each).collect::<Vec<_>>())
}

/// The median over the rounds.
fn told(rounds: &[Round], seconds: impl Fn(&Round) -> f64) -> String {
    let median = of(rounds, seconds).map_or(f64::NAN, |seconds| seconds.median);
    format!("{:.1} µs", median * 1e6)
}

/// The same with its interval, where it may be no more than noise.
fn told_surely(rounds: &[Round], seconds: impl Fn(&Round) -> f64) -> String {
    of(rounds, |round| seconds(round) * 1e6)
        .map_or_else(String::new, |micros| format!("{micros:.0} µs"))
}
