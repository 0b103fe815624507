//! One HTML page with everything in it.

use super::plot::{Plot, Scale};
use super::series::{self, Curve};
use super::{PolicyFigures, Report};
use crate::simulator::schedule::Placement;
use crate::simulator::study::Replay;
use crate::simulator::workload::Workload;

const STYLE: &str = include_str!("page.css");

/// The report as a page that needs nothing but a browser. Plots show the first window.
pub fn page(report: &Report, replays: &[Replay]) -> String {
    let mut sections = vec![overview(report), members(report)];
    if report.windows.len() > 1 {
        sections.push(windows(report));
    }
    if let Some(replay) = replays.first() {
        sections.push(plots(report, replay));
    }
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width\">\
         <title>fedsched simulate</title><style>{STYLE}</style></head>\n<body>\
         <h1>Replay of {}</h1>\n{}\n</body></html>\n",
        names(report),
        sections.join("\n")
    )
}

fn names(report: &Report) -> String {
    let members = report.members.iter();
    let names: Vec<String> = members.map(|member| escaped(&member.member)).collect();
    names.join(", ")
}

/// Each policy over all windows.
fn overview(report: &Report) -> String {
    let offsets = report.windows.iter();
    let offsets: Vec<String> = offsets
        .map(|window| window.offset_days.to_string())
        .collect();
    let days = report
        .days
        .map_or_else(|| "all".to_owned(), |days| days.to_string());
    let rows = report.policies.iter().enumerate().map(|(at, policy)| {
        let name = format!("<i class=\"p{at}\"></i>{}", escaped(&policy.figures.policy));
        let mut cells = vec![name];
        cells.extend(summary_cells(&policy.figures));
        let compared = policy.compared.as_ref();
        cells.push(compared.map_or_else(dash, |compared| {
            let interval = compared.interval.map_or_else(String::new, |interval| {
                format!(" ({:.2}–{:.2})", interval.low, interval.high)
            });
            format!("{:.2}{interval}", compared.ratio)
        }));
        let worst = compared.and_then(|compared| compared.worst_member.as_ref());
        cells.push(worst.map_or_else(dash, |worst| {
            format!("{:.2} {}", worst.ratio, escaped(&worst.member))
        }));
        cells
    });
    let heads = [
        "policy",
        "jobs",
        "mean",
        "geometric mean",
        "p95",
        "p99",
        "mean wait, h",
        "utilisation, %",
        &format!("mean ÷ {}", escaped(&report.baseline)),
        "worst member",
    ];
    format!(
        "<p>{days} days from day {}, seed {}. Bounded slowdown: (wait + run) ÷ run, runs under 10 s \
         counted as 10 s. Lower is better; the last two columns divide by {}.</p>{}",
        offsets.join(", "),
        report.seed,
        escaped(&report.baseline),
        table(&heads, rows)
    )
}

/// Jobs to utilisation of one policy.
fn summary_cells(figures: &PolicyFigures) -> Vec<String> {
    let Some(summary) = figures.overall else {
        return vec![dash(); 7];
    };
    vec![
        summary.jobs.to_string(),
        format!("{:.2}", summary.mean),
        format!("{:.2}", summary.geometric_mean),
        format!("{:.1}", summary.p95),
        format!("{:.1}", summary.p99),
        format!("{:.2}", summary.wait_mean_s / 3600.0),
        figures
            .used
            .map_or_else(dash, |used| format!("{:.1}", used.utilisation * 100.0)),
    ]
}

/// Each member's own jobs, and what it gave and took.
fn members(report: &Report) -> String {
    let rows = report.members.iter().enumerate().flat_map(|(at, facts)| {
        report
            .policies
            .iter()
            .enumerate()
            .map(move |(which, policy)| {
                let figures = &policy.figures.members[at];
                let own = |show: fn(&crate::simulator::metrics::Summary) -> String| {
                    figures.own.as_ref().map_or_else(dash, show)
                };
                let hours =
                    |hours: Option<f64>| hours.map_or_else(dash, |hours| format!("{hours:.0}"));
                vec![
                    format!("{} ({})", escaped(&facts.member), facts.processors),
                    format!(
                        "<i class=\"p{which}\"></i>{}",
                        escaped(&policy.figures.policy)
                    ),
                    own(|own| own.jobs.to_string()),
                    own(|own| format!("{:.2}", own.mean)),
                    own(|own| format!("{:.2}", own.geometric_mean)),
                    own(|own| format!("{:.1}", own.p95)),
                    own(|own| format!("{:.2}", own.wait_mean_s / 3600.0)),
                    hours(figures.account.map(|account| account.given_hours)),
                    hours(figures.account.map(|account| account.taken_hours)),
                ]
            })
    });
    let heads = [
        "member (processors)",
        "policy",
        "own jobs",
        "mean",
        "geometric mean",
        "p95",
        "mean wait, h",
        "gave, processor h",
        "took, processor h",
    ];
    format!(
        "<h2>Members: give and take</h2><p>Gave: other members' jobs that ran here. Took: its own \
         that ran elsewhere.</p>{}",
        table(&heads, rows)
    )
}

/// Mean bounded slowdown window by window.
fn windows(report: &Report) -> String {
    let mut heads = vec!["from day".to_owned()];
    let policies = report.policies.iter();
    heads.extend(policies.map(|policy| escaped(&policy.figures.policy)));
    let heads: Vec<&str> = heads.iter().map(String::as_str).collect();
    let rows = report.windows.iter().map(|window| {
        let mut cells = vec![window.offset_days.to_string()];
        cells.extend(window.policies.iter().map(|policy| {
            let mean = policy.overall.map(|summary| summary.mean);
            mean.map_or_else(dash, |mean| format!("{mean:.2}"))
        }));
        cells
    });
    format!("<h2>Mean by window</h2>{}", table(&heads, rows))
}

/// Curves of the first window.
fn plots(report: &Report, replay: &Replay) -> String {
    let workload = &replay.workload;
    let curves = |curve: &dyn Fn(&Workload, &[Placement]) -> Curve| -> Vec<(String, Curve)> {
        let schedules = replay.schedules.iter().enumerate();
        schedules
            .map(|(at, schedule)| (format!("p{at}"), curve(workload, schedule)))
            .collect()
    };
    let mut text = format!(
        "<h2>From day {}</h2>{}",
        replay.window.offset_days,
        legend(report)
    );
    let mut add = |title: &str, x_title, y_title, scale, curves: &[(String, Curve)]| {
        let plot = Plot {
            x_title,
            y_title,
            scale,
            curves,
        };
        let figure = [
            "<figure><figcaption>",
            title,
            "</figcaption>",
            &plot.svg(),
            "</figure>",
        ];
        text.extend(figure);
    };
    add(
        "Jobs whose bounded slowdown is at most x, %",
        "bounded slowdown",
        "jobs, %",
        Scale::Logarithmic,
        &curves(&series::distribution),
    );
    add(
        "Processors at work, %",
        "days",
        "processors, %",
        Scale::Linear,
        &curves(&series::utilisation),
    );
    for (home, member) in workload.indices().zip(&workload.members) {
        let waiting =
            |workload: &Workload, schedule: &[Placement]| series::waiting(workload, schedule, home);
        add(
            &format!("Waiting jobs of {}", escaped(&member.name)),
            "days",
            "jobs",
            Scale::Linear,
            &curves(&waiting),
        );
    }
    text
}

fn legend(report: &Report) -> String {
    let policies = report.policies.iter().enumerate();
    let entries = policies.map(|(at, policy)| {
        format!(
            "<span><i class=\"p{at}\"></i>{}</span>",
            escaped(&policy.figures.policy)
        )
    });
    format!("<p class=\"legend\">{}</p>", entries.collect::<String>())
}

fn table(heads: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    let heads = heads.iter().map(|head| format!("<th>{head}</th>"));
    let rows = rows.map(|cells| {
        let cells = cells.iter().map(|cell| format!("<td>{cell}</td>"));
        format!("<tr>{}</tr>\n", cells.collect::<String>())
    });
    format!(
        "<div class=\"wide\"><table><thead><tr>{}</tr></thead><tbody>\n{}</tbody></table></div>",
        heads.collect::<String>(),
        rows.collect::<String>()
    )
}

fn dash() -> String {
    "–".to_owned()
}

/// Text that cannot be taken for markup: member names are file names.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            _ => out.push(character),
        }
    }
    out
}

#[cfg(test)]
mod test {
    use super::*;
    use crate::simulator::reference::Reference;
    use crate::simulator::study::Study;
    use crate::simulator::workload::{Job, LeftOut, Trace, Window};

    #[test]
    fn the_page_stands_alone_and_has_every_plot() {
        let job = |submit| Job {
            submit,
            run: 500,
            requested: None,
            processors: 3,
        };
        let trace = Trace {
            name: "<b>&".to_owned(),
            processors: 4,
            first_submit: 0,
            jobs: (0..50).map(|at| job(at * 100)).collect(),
            left_out: LeftOut::default(),
        };
        let study = Study {
            traces: vec![trace],
            windows: vec![Window::default(), Window::default()],
            policies: vec![Reference::LocalOnly, Reference::Pooled],
            seed: 1,
        };
        let replays = study.run(study.workloads(), &|| {});
        let page = page(&Report::new(&study, &replays), &replays);
        assert_eq!(page.matches("<svg").count(), 3);
        assert_eq!(page.matches("<polyline").count(), 6);
        assert!(page.contains("Waiting jobs of &lt;b&gt;&amp;"));
        for foreign in ["http", "src=", "<script", "NaN"] {
            assert!(!page.contains(foreign), "{foreign}");
        }
    }
}
