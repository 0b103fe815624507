//! P2: the time inside `job_submit()` against a bare echo of the same bytes.

use std::time::Duration;

use anyhow::{Context as _, Result};
use fedsched_sandbox::Sandbox;

use crate::figure::{Figure, Target, Value};
use crate::progress::Progress;
use crate::responder::{self, Sizes};
use crate::site::Site;
use crate::statistics::{Estimate, quantile};
use crate::submitter::Pair;

/// Calls of each round, and the pairs of each. Which processors the threads of a call find themselves
/// on is drawn anew with the next call, and moves an exchange by a factor of two.
const CALLS: usize = 10;
const PAIRS: usize = 40;

const TARGET: Target = Target::AtMost {
    must: 5.0,
    aim: 2.0,
};

/// Where the switch finds the echo.
const ECHO_SOCKET: &str = "/run/fedsched-bench-echo.sock";

/// Where the plugin finds whoever answers.
const PLUGIN_SOCKET: &str = "/run/fedsched/plugin.sock";

/// Both figures: with somebody who answers without a thought, and with the daemon.
pub(crate) fn figures(site: &mut Site, rounds: usize, progress: &Progress) -> Result<Vec<Figure>> {
    site.daemon().stop()?;
    let sizes = stand_in(site)?;
    responder::echo(&site.sandbox.path(ECHO_SOCKET), sizes)?;
    let bytes = format!("{}/{} B", sizes.request, sizes.answer);
    let alone = rounds_of(site, rounds, sizes, progress, "P2, plugin alone")?;
    restore(&site.sandbox)?;
    site.daemon().start()?;
    site.renew_plugin()?;
    let whole = rounds_of(site, rounds, sizes, progress, "P2, plugin and daemon")?;
    Ok(vec![
        figure(
            &format!("job_submit(), daemon that answers at once, {bytes}"),
            &alone,
        ),
        figure(
            &format!("job_submit(), daemon that decides, {bytes}"),
            &whole,
        ),
    ])
}

/// Answers in the daemon's place from now on, and says how long question and answer are.
fn stand_in(site: &mut Site) -> Result<Sizes> {
    let sizes = responder::answer_at_once(&site.sandbox.path(PLUGIN_SOCKET))?;
    site.renew_plugin()?;
    sizes.try_recv().context("the plugin asks nobody")
}

/// Leaves the socket's path to the daemon.
fn restore(sandbox: &Sandbox) -> Result<()> {
    Ok(std::fs::remove_file(sandbox.path(PLUGIN_SOCKET))?)
}

fn rounds_of(
    site: &mut Site,
    rounds: usize,
    sizes: Sizes,
    progress: &Progress,
    what: &str,
) -> Result<Vec<Vec<Pair>>> {
    // What is loaded and connected once is no part of an exchange.
    site.submitter.pairs(PAIRS, sizes.request, sizes.answer)?;
    (0..rounds)
        .map(|round| {
            progress.tell(what, round, rounds);
            let calls = (0..CALLS)
                .map(|_| site.submitter.pairs(PAIRS, sizes.request, sizes.answer))
                .collect::<Result<Vec<_>>>()?;
            site.submitter.cancel()?;
            Ok(calls.concat())
        })
        .collect()
}

fn figure(quantity: &str, rounds: &[Vec<Pair>]) -> Figure {
    let plugin = |pairs: &[Pair]| middle(pairs.iter().map(|pair| pair.plugin));
    let echo = |pairs: &[Pair]| middle(pairs.iter().map(|pair| pair.echo));
    let every_other =
        |pairs: &[Pair], skip| middle(pairs.iter().skip(skip).step_by(2).map(|pair| pair.echo));
    let of_rounds = |each: &dyn Fn(&[Pair]) -> f64| {
        Estimate::of(&rounds.iter().map(|pairs| each(pairs)).collect::<Vec<_>>())
    };
    let all = rounds.concat();
    Figure {
        number: "P2",
        quantity: quantity.to_owned(),
        ours: format!("{:.1} µs", plugin(&all) * 1e6),
        theirs: format!("bare echo {:.1} µs", echo(&all) * 1e6),
        value: of_rounds(&|pairs| plugin(pairs) / echo(pairs)).map(Value::Ratio),
        noise: of_rounds(&|pairs| every_other(pairs, 0) / every_other(pairs, 1)),
        target: Some(TARGET),
    }
}

/// The median in seconds.
fn middle(samples: impl Iterator<Item = Duration>) -> f64 {
    quantile(&samples.collect::<Vec<_>>(), 50).as_secs_f64()
}
