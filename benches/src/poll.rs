//! What watching a large site costs: memory of the daemon, and processor time of one poll.

use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use fedsched_sandbox::Sandbox;

use crate::figure::{Figure, Target, Value};
use crate::metrics::Metrics;
use crate::processes::{Process, cpu};
use crate::progress::Progress;
use crate::site::{Setup, Site, members};
use crate::statistics::{Estimate, quantile};

/// Jobs that wait, and nodes in all.
const JOBS: u32 = 10_000;
const NODES: usize = 1_000;

/// Port of the first node that nobody plays; Slurm wants one for each on the same host.
const PORTS: usize = 8001;

/// Jobs that change from one poll to the next.
const CHANGES: usize = 10;

/// Time of one measurement with the daemon at work, and of one with the daemon frozen. Several polls
/// through slurm-watch, and at least one through slurmrestd.
const WINDOW: Duration = Duration::from_secs(5);

/// Time between two rounds of changes: that between two polls.
const PACE: Duration = Duration::from_secs(1);

const MEMORY: Target = Target::AtMost {
    must: 64.0,
    aim: 48.0,
};

const POLL: Target = Target::AtMost {
    must: 150.0,
    aim: 75.0,
};

/// Who works for a poll, by the name of the process.
const WORKERS: [&str; 4] = ["fedsched", "slurm-watch", "slurmctld", "slurmrestd"];

/// How the daemon lists.
#[derive(Debug, Clone, Copy)]
enum Listing {
    Watch,
    Restd,
}

impl Listing {
    fn name(self) -> &'static str {
        match self {
            Self::Watch => "poll through slurm-watch",
            Self::Restd => "poll through slurmrestd",
        }
    }
}

/// Time of the four for one poll.
#[derive(Debug, Clone, Copy, Default)]
struct Spent([Duration; WORKERS.len()]);

impl Spent {
    fn sum(&self) -> Duration {
        self.0.iter().sum()
    }
}

/// Memory with everything known, a poll through slurm-watch, and one through slurmrestd.
pub(crate) fn figures(mut setup: Setup, rounds: usize, progress: &Progress) -> Result<Vec<Figure>> {
    progress.part("starting a cluster of 1,000 nodes with 10,000 waiting jobs");
    let more = NODES - fedsched_sandbox::node_names().len();
    let (first, last) = (PORTS, PORTS + more - 1);
    setup.slurm = format!(
        "NodeName=far[1-{more}] NodeHostname=sandbox Port=[{first}-{last}] CPUs=64 RealMemory=256000 State=DOWN\n\
         PartitionName=far Nodes=far[1-{more}] MaxTime=INFINITE DefMemPerCPU=500 State=UP\n"
    );
    setup.daemon = members("far");
    let mut site = Site::start(setup)?;
    site.submitter.fill(JOBS)?;
    site.wait_until_known("fedsched_jobs", JOBS)?;
    let memory = memory(&site.sandbox)?;
    let watch = measure(&mut site, Listing::Watch, rounds, progress)?;
    list_through_restd(&site)?;
    site.wait_until_known("fedsched_jobs", JOBS)?;
    let restd = measure(&mut site, Listing::Restd, rounds.div_ceil(5), progress)?;
    let mut figures = memory;
    figures.push(figure(&watch, &restd));
    figures.extend(parts(&watch));
    Ok(figures)
}

fn memory(sandbox: &Sandbox) -> Result<Vec<Figure>> {
    let mib = |name: &str| -> Result<f64> {
        let processes = Process::named(sandbox, name)?;
        let process = processes
            .first()
            .with_context(|| format!("no {name} runs"))?;
        let kib = process.resident_bytes()? / 1024;
        Ok(f64::from(u32::try_from(kib)?) / 1024.0)
    };
    let daemon = mib("fedsched")?;
    Ok(vec![Figure {
        number: "",
        quantity: format!(
            "resident memory of the daemon, {JOBS} waiting jobs, {NODES} nodes (MiB)"
        ),
        ours: format!("{daemon:.1} MiB"),
        theirs: format!("slurm-watch beside it {:.1} MiB", mib("slurm-watch")?),
        value: Some(Value::Absolute(Estimate::exactly(daemon))),
        noise: None,
        target: Some(MEMORY),
    }])
}

/// Has the daemon list through slurmrestd from now on.
fn list_through_restd(site: &Site) -> Result<()> {
    let path = site.sandbox.path("/etc/fedsched/fedsched.toml");
    let text = std::fs::read_to_string(&path)?;
    let lines = text.lines().map(|line| {
        if line.starts_with("watch =") {
            "watch = \"off\""
        } else {
            line
        }
    });
    std::fs::write(&path, lines.collect::<Vec<_>>().join("\n"))?;
    Ok(site.daemon().restart()?)
}

/// In each round the same jobs change at the same pace, once with the daemon at work and once with it
/// frozen: the difference is what its polls cost everybody.
fn measure(
    site: &mut Site,
    listing: Listing,
    rounds: usize,
    progress: &Progress,
) -> Result<Vec<Spent>> {
    let workers = WORKERS
        .iter()
        .map(|name| Process::named(&site.sandbox, name))
        .collect::<Result<Vec<_>>>()?;
    (0..rounds)
        .map(|round| {
            progress.tell(listing.name(), round, rounds);
            let before = polls(site)?;
            let busy = window(site, &workers)?;
            let polls = polls(site)? - before;
            ensure!(polls >= 1.0, "no poll ended within {} s", WINDOW.as_secs());
            site.freeze_daemon(true)?;
            // A listing that was under way ends in nobody's window.
            thread::sleep(PACE);
            let idle = window(site, &workers);
            site.freeze_daemon(false)?;
            let mut spent = Spent::default();
            for ((slot, busy), idle) in spent.0.iter_mut().zip(busy).zip(idle?) {
                *slot = busy.saturating_sub(idle).div_f64(polls);
            }
            Ok(spent)
        })
        .collect()
}

/// Polls that ended so far.
fn polls(site: &Site) -> Result<f64> {
    Ok(Metrics::read(site)?.sum("fedsched_poll_seconds_count"))
}

/// What each of the workers spends in a while in which ten jobs change every second.
fn window(site: &mut Site, workers: &[Vec<Process>]) -> Result<Vec<Duration>> {
    let spent = || {
        let each = workers.iter().map(|processes| cpu(processes));
        each.collect::<Result<Vec<_>>>()
    };
    let before = spent()?;
    let start = Instant::now();
    let mut next = Duration::ZERO;
    while next < WINDOW {
        site.submitter.change(CHANGES)?;
        next += PACE;
        thread::sleep(next.saturating_sub(start.elapsed()));
    }
    let after = spent()?;
    Ok(after
        .into_iter()
        .zip(before)
        .map(|(after, before)| after.saturating_sub(before))
        .collect())
}

/// All four together, beside the other way to list.
fn figure(watch: &[Spent], restd: &[Spent]) -> Figure {
    let milliseconds = |rounds: &[Spent]| {
        let each = |spent: &Spent| spent.sum().as_secs_f64() * 1e3;
        Estimate::of(&rounds.iter().map(each).collect::<Vec<_>>())
    };
    let told = |estimate: Option<Estimate>| {
        estimate.map_or_else(String::new, |estimate| format!("{estimate:.1} ms"))
    };
    let ours = milliseconds(watch);
    Figure {
        number: "",
        quantity: format!("processor time of a poll in which {CHANGES} jobs changed (ms)"),
        ours: told(ours),
        theirs: format!("through slurmrestd {}", told(milliseconds(restd))),
        value: ours.map(Value::Absolute),
        noise: None,
        target: Some(POLL),
    }
}

/// Who spent it.
fn parts(rounds: &[Spent]) -> Vec<Figure> {
    let part = |(index, name): (usize, &&str)| {
        let each: Vec<Duration> = rounds.iter().map(|spent| spent.0[index]).collect();
        Figure {
            number: "",
            quantity: format!("… of which {name}"),
            ours: format!("{:.1} ms", median_ms(&each)),
            theirs: String::new(),
            value: None,
            noise: None,
            target: None,
        }
    };
    WORKERS.iter().enumerate().map(part).collect()
}

fn median_ms(samples: &[Duration]) -> f64 {
    quantile(samples, 50).as_secs_f64() * 1e3
}
