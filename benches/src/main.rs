//! Measures fedsched on a real slurmctld, beside what a site would use in its place.
//!
//! `make bench` runs everything and prints one table. `docs/performance.md` says how each figure is
//! made and keeps those of the last full run.

#![forbid(unsafe_code)]

mod exchange;
mod figure;
mod keep;
mod latency;
mod machine;
mod metrics;
mod poll;
mod processes;
mod progress;
mod rate;
mod responder;
mod rivals;
mod site;
mod statistics;
mod submitter;
mod table;

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, ValueEnum};
use fedsched_sandbox::Series;

use crate::figure::Figure;
use crate::latency::Outcome;
use crate::machine::Machine;
use crate::progress::Progress;
use crate::site::{Setup, Site};

/// Least number of rounds a figure of ours may rest on.
const ROUNDS: usize = 25;

#[derive(Debug, Parser)]
#[command(about, long_about = None)]
struct Cli {
    /// What to measure; everything by default
    #[arg(value_enum)]
    parts: Vec<Part>,
    /// Slurm series: 22.05, 24.11 or 26.05
    #[arg(long, default_value_t)]
    slurm: Series,
    /// Rounds, each with every rival once; the kept figures have at least 15
    #[arg(long, default_value_t = ROUNDS)]
    rounds: usize,
    /// Measure this fedsched binary in place of the workspace's own
    #[arg(long, value_name = "FILE")]
    fedsched: Option<PathBuf>,
    /// Put the table into this page, between its marks
    #[arg(long, value_name = "PAGE")]
    keep: Option<PathBuf>,
}

/// What can be measured by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// P1: latency added to a submission
    Latency,
    /// P2: time inside job_submit()
    Exchange,
    /// P3: submissions a second
    Rate,
    /// Memory of the daemon and processor time of a poll
    Poll,
}

fn main() -> ExitCode {
    match run(&Cli::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(cli: &Cli) -> Result<()> {
    let machine = Machine::look();
    let progress = Progress::new();
    let mut figures = Vec::new();
    let wanted = |part| cli.parts.is_empty() || cli.parts.contains(&part);
    let setup = Setup {
        series: cli.slurm,
        fedsched: cli.fedsched.clone(),
        slurm: String::new(),
        daemon: String::new(),
    };
    if [Part::Latency, Part::Exchange, Part::Rate]
        .into_iter()
        .any(wanted)
    {
        figures.extend(submissions(cli, setup.clone(), wanted, &progress)?);
    }
    if wanted(Part::Poll) {
        figures.extend(poll::figures(setup, cli.rounds, &progress)?);
    }
    progress.part("done");
    let title = format!("Slurm {} on {machine}; {} rounds", cli.slurm, cli.rounds);
    if let Some(page) = &cli.keep {
        keep::keep(page, &title, &figures)?;
    }
    let table = table::terminal(&figures);
    Ok(writeln!(std::io::stdout(), "{title}\n{table}")?)
}

/// What is measured with a submitter, on a site that is full and on one that is not.
fn submissions(
    cli: &Cli,
    setup: Setup,
    wanted: impl Fn(Part) -> bool,
    progress: &Progress,
) -> Result<Vec<Figure>> {
    let mut figures = Vec::new();
    if wanted(Part::Latency) {
        progress.part("starting a cluster with room");
        let mut site = Site::start(setup.clone().with_wide_member())?;
        site.start_wide_node()?;
        figures.extend(latency::figures(
            &mut site,
            Outcome::Bound,
            cli.rounds,
            progress,
        )?);
    }
    progress.part("starting a full cluster");
    let mut site = Site::start(setup)?;
    if wanted(Part::Latency) {
        figures.extend(latency::figures(
            &mut site,
            Outcome::Waits,
            cli.rounds,
            progress,
        )?);
    }
    if wanted(Part::Exchange) {
        figures.extend(exchange::figures(&mut site, cli.rounds, progress)?);
    }
    if wanted(Part::Rate) {
        figures.extend(rate::figures(&mut site, cli.rounds, progress)?);
    }
    Ok(figures)
}
