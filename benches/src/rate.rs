//! P3: submissions a second through `sbatch`, with the plugin and without.

use std::time::{Duration, Instant};

use anyhow::Result;

use crate::figure::{Figure, Target, Value};
use crate::progress::Progress;
use crate::site::{Site, USER};
use crate::statistics::Estimate;

/// Submissions of a block.
const BLOCK: u32 = 300;

/// Users who press Enter at the same time.
const AT_ONCE: u32 = 4;

const TARGET: Target = Target::AtLeast {
    must: 0.90,
    aim: 0.98,
};

/// Submissions a second in one round, each over one block.
#[derive(Debug, Clone, Copy)]
struct Round {
    none: f64,
    none_again: f64,
    running: f64,
    hung: f64,
    absent: f64,
}

/// What a figure takes from each round.
type Rate = fn(&Round) -> f64;

/// The three figures of P3.
pub(crate) fn figures(site: &mut Site, rounds: usize, progress: &Progress) -> Result<Vec<Figure>> {
    let script = "#!/bin/sh\n#SBATCH --output=/dev/null\nexec true\n";
    site.sandbox.write_file(USER, "job.sh", script)?;
    let rounds = (0..rounds)
        .map(|round| {
            progress.tell("P3, sbatch a second", round, rounds);
            measure(site)
        })
        .collect::<Result<Vec<_>>>()?;
    let states: [(&str, Rate); 3] = [
        ("running", |round| round.running),
        ("hung (SIGSTOP)", |round| round.hung),
        ("absent", |round| round.absent),
    ];
    let figures = states.map(|(state, rate)| figure(&rounds, state, rate));
    Ok(figures.into())
}

fn measure(site: &mut Site) -> Result<Round> {
    site.freeze_daemon(true)?;
    let none = block(site, "none")?;
    site.freeze_daemon(false)?;
    site.renew_plugin()?;
    let running = block(site, "fedsched")?;
    site.freeze_daemon(true)?;
    let hung = block(site, "fedsched")?;
    let none_again = block(site, "none")?;
    site.freeze_daemon(false)?;
    site.renew_plugin()?;
    site.daemon().stop()?;
    let absent = block(site, "fedsched")?;
    site.daemon().start()?;
    Ok(Round {
        none,
        none_again,
        running,
        hung,
        absent,
    })
}

/// Submits a block and cancels it; the rate of the submissions.
fn block(site: &Site, rival: &str) -> Result<f64> {
    let submit = format!(
        "seq {BLOCK} | xargs -P {AT_ONCE} -n 1 sbatch --quiet --job-name={rival} job.sh >/dev/null"
    );
    let start = Instant::now();
    site.run(USER, ["sh", "-ec", &submit])?;
    let taken = start.elapsed();
    site.run(USER, ["scancel", "--user", USER])?;
    Ok(per_second(taken))
}

fn per_second(block: Duration) -> f64 {
    f64::from(BLOCK) / block.as_secs_f64()
}

fn figure(rounds: &[Round], state: &str, rate: Rate) -> Figure {
    let of_rounds =
        |each: &dyn Fn(&Round) -> f64| Estimate::of(&rounds.iter().map(each).collect::<Vec<_>>());
    let told = |each: Rate| {
        let median = of_rounds(&each).map_or(f64::NAN, |estimate| estimate.median);
        format!("{median:.0}/s")
    };
    Figure {
        number: "P3",
        quantity: format!("sbatch, {AT_ONCE} at once, daemon {state}"),
        ours: told(rate),
        theirs: format!("no plugin {}", told(|round| round.none)),
        value: of_rounds(&|round| rate(round) / round.none.midpoint(round.none_again))
            .map(Value::Ratio),
        noise: of_rounds(&|round| round.none / round.none_again),
        target: Some(TARGET),
    }
}
