//! `fedsched simulate`.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use indicatif::{ProgressBar, ProgressStyle};

use super::args::{Global, SimulateArgs};
use super::failure::Failure;
use super::output::{Column, Screen, Table};
use crate::simulator::metrics::Summary;
use crate::simulator::reference::Reference;
use crate::simulator::report::{PolicyReport, Report, WindowReport, page};
use crate::simulator::study::{Replay, Study};
use crate::simulator::workload::{Trace, TraceError, Window};

/// Why nothing was replayed.
#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    /// A trace cannot be used.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// There is no such policy.
    #[error("policy `{name}` is not known{nearest}; known are {known}")]
    Policy {
        /// As given.
        name: String,
        /// `: did you mean …?`, or nothing.
        nearest: String,
        /// All there are.
        known: String,
    },
    /// The window lies behind the end of every trace.
    #[error(
        "no trace has a job in the window from day {offset_days}: the longest ends on day {last}"
    )]
    Empty {
        /// Start of the window.
        offset_days: u32,
        /// Last day of any trace.
        last: i64,
    },
    /// The page cannot be written.
    #[error("{}: cannot be written: {source}", path.display())]
    Page {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

pub(super) fn run(
    global: &Global,
    args: &SimulateArgs,
    screen: &mut Screen<impl Write>,
) -> Result<(), Failure> {
    let study = study(args)?;
    let replays = replays(&study)?;
    let report = Report::new(&study, &replays);
    if let Some(path) = &args.html {
        fs::write(path, page(&report, &replays)).map_err(|source| Error::Page {
            path: path.clone(),
            source,
        })?;
    }
    if global.json {
        screen.json(&report)?;
    } else {
        show(&report, screen)?;
    }
    Ok(())
}

fn study(args: &SimulateArgs) -> Result<Study, Error> {
    let traces = args.traces.iter();
    let traces: Result<Vec<Trace>, TraceError> = traces
        .map(|trace| Trace::open(&trace.path, trace.processors))
        .collect();
    let policies: Result<Vec<Reference>, Error> =
        args.policies.iter().map(|name| policy(name)).collect();
    let mut policies = policies?;
    if policies.is_empty() {
        policies = Reference::ALL.to_vec();
    }
    let window = |offset_days: &u32| Window {
        offset_days: *offset_days,
        days: args.days,
    };
    Ok(Study {
        traces: traces?,
        windows: args.offsets.iter().map(window).collect(),
        policies,
        seed: args.seed,
    })
}

fn policy(name: &str) -> Result<Reference, Error> {
    let known = Reference::ALL.map(Reference::as_str);
    let found = Reference::ALL.into_iter();
    found
        .clone()
        .find(|policy| policy.as_str() == name)
        .ok_or_else(|| Error::Policy {
            name: name.to_owned(),
            nearest: nearest(name, &known)
                .map_or_else(String::new, |near| format!(": did you mean `{near}`?")),
            known: known.join(", "),
        })
}

/// The known name that `name` was most likely meant to be.
fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let distances = known
        .iter()
        .map(|other| (strsim::damerau_levenshtein(name, other), *other));
    let (distance, nearest) = distances.min()?;
    (distance <= 3).then_some(nearest)
}

/// Replays the study, with a bar on a terminal.
fn replays(study: &Study) -> Result<Vec<Replay>, Error> {
    let workloads = study.workloads();
    for (window, workload) in study.windows.iter().zip(&workloads) {
        if workload.jobs.is_empty() {
            let ends = study.traces.iter().map(Trace::last_day);
            return Err(Error::Empty {
                offset_days: window.offset_days,
                last: ends.max().unwrap_or(0),
            });
        }
    }
    let jobs: usize = workloads.iter().map(|workload| workload.jobs.len()).sum();
    let bar = ProgressBar::new((jobs * study.policies.len()) as u64);
    if let Ok(style) = ProgressStyle::with_template("{wide_bar} {percent:>3} %  {eta} left") {
        bar.set_style(style);
    }
    let replays = study.run(workloads, &|| bar.inc(1));
    bar.finish_and_clear();
    Ok(replays)
}

/// Tables: policies, members under each policy, and windows if there are several.
fn show(report: &Report, screen: &mut Screen<impl Write>) -> io::Result<()> {
    screen.table(&policies(report))?;
    screen.text(&format!(
        "Bounded slowdown, (wait + run) / run, runs under 10 s counted as 10 s. RATIO divides the \
         mean by that of {}, WORST the same for the member that fared worst.",
        report.baseline
    ))?;
    screen.heading("Members")?;
    screen.table(&members(report))?;
    screen.text(
        "GAVE are processor hours of others' jobs here, TOOK those of its own jobs elsewhere.",
    )?;
    if report.windows.len() > 1 {
        screen.heading("Windows")?;
        screen.table(&windows(report))?;
    }
    let left_out = report.members.iter();
    let left_out = left_out.filter(|member| member.left_out.total() > 0);
    for member in left_out {
        let why = member.left_out;
        screen.labelled(
            &format!("{}: ", member.member),
            anstyle::Style::new(),
            &format!(
                "{} rows of its trace are not replayed: {} never ran, {} have no processors, {} \
                 are larger than its {}",
                why.total(),
                why.no_run,
                why.no_processors,
                why.too_large,
                member.processors
            ),
        )?;
    }
    Ok(())
}

fn policies(report: &Report) -> Table {
    let columns = [
        Column::word("POLICY"),
        Column::figure("JOBS"),
        Column::figure("MEAN"),
        Column::figure("GEOMEAN").expendable(2),
        Column::figure("P95"),
        Column::figure("P99").expendable(4),
        Column::figure("WAIT").expendable(3),
        Column::figure("USE").expendable(3),
        Column::figure("RATIO"),
        Column::word("95%").expendable(1),
        Column::word("WORST"),
    ];
    let rows = report.policies.iter().map(|policy| {
        let own = policy.figures.overall;
        let used = policy.figures.used;
        let compared = policy.compared.as_ref();
        let interval = compared.and_then(|compared| compared.interval);
        let worst = compared.and_then(|compared| compared.worst_member.as_ref());
        [
            policy.figures.policy.clone(),
            shown(own, |own| own.jobs.to_string()),
            shown(own, |own| figure(own.mean)),
            shown(own, |own| figure(own.geometric_mean)),
            shown(own, |own| figure(own.p95)),
            shown(own, |own| figure(own.p99)),
            shown(own, |own| hours(own.wait_mean_s)),
            shown(used, |used| format!("{:.0}%", used.utilisation * 100.0)),
            shown(compared, |compared| figure(compared.ratio)),
            shown(interval, |interval| {
                format!("{}-{}", figure(interval.low), figure(interval.high))
            }),
            shown(worst, |worst| {
                format!("{} {}", figure(worst.ratio), worst.member)
            }),
        ]
    });
    Table::new(columns, rows.collect())
}

fn members(report: &Report) -> Table {
    let columns = [
        Column::word("MEMBER"),
        Column::word("POLICY"),
        Column::figure("JOBS").expendable(2),
        Column::figure("MEAN"),
        Column::figure("GEOMEAN").expendable(1),
        Column::figure("P95"),
        Column::figure("WAIT").expendable(3),
        Column::figure("GAVE"),
        Column::figure("TOOK"),
    ];
    let of_member = |(at, policy): (usize, &PolicyReport)| {
        let figures = &policy.figures.members[at];
        let own: Option<Summary> = figures.own;
        [
            figures.member.clone(),
            policy.figures.policy.clone(),
            shown(own, |own| own.jobs.to_string()),
            shown(own, |own| figure(own.mean)),
            shown(own, |own| figure(own.geometric_mean)),
            shown(own, |own| figure(own.p95)),
            shown(own, |own| hours(own.wait_mean_s)),
            shown(figures.account, |account| {
                format!("{:.0}", account.given_hours)
            }),
            shown(figures.account, |account| {
                format!("{:.0}", account.taken_hours)
            }),
        ]
    };
    let members = 0..report.members.len();
    let rows = members.flat_map(|at| {
        let policies = report.policies.iter();
        policies.map(move |policy| (at, policy))
    });
    Table::new(columns, rows.map(of_member).collect())
}

fn windows(report: &Report) -> Table {
    let columns = [
        Column::figure("DAY"),
        Column::word("POLICY"),
        Column::figure("JOBS"),
        Column::figure("MEAN"),
        Column::figure("P95"),
        Column::figure("WAIT"),
    ];
    let of_window = |window: &WindowReport| {
        let day = window.offset_days.to_string();
        let policies = window.policies.iter();
        let rows = policies.map(move |policy| {
            let own = policy.overall;
            [
                day.clone(),
                policy.policy.clone(),
                shown(own, |own| own.jobs.to_string()),
                shown(own, |own| figure(own.mean)),
                shown(own, |own| figure(own.p95)),
                shown(own, |own| hours(own.wait_mean_s)),
            ]
        });
        rows.collect::<Vec<_>>()
    };
    Table::new(columns, report.windows.iter().flat_map(of_window).collect())
}

fn shown<T>(value: Option<T>, show: impl FnOnce(T) -> String) -> String {
    value.map_or_else(|| "-".to_owned(), show)
}

/// Three digits or all before the point: `0.284`, `1.25`, `39.2`, `1306`.
fn figure(value: f64) -> String {
    let decimals = match value {
        value if value < 1.0 => 3,
        value if value < 10.0 => 2,
        value if value < 100.0 => 1,
        _ => 0,
    };
    format!("{value:.decimals$}")
}

fn hours(seconds: f64) -> String {
    format!("{}h", figure(seconds / 3600.0))
}
