//! `fedsched explain`.

use std::io::{self, Write};

use anstyle::Style;
use fedsched_protocol::query::{Answer, Explanation, Refusal, Request};

use super::args::{Global, JobArg};
use super::client::Client;
use super::failure::Failure;
use super::output::{Clock, Column, Screen, Table};

pub(super) fn run(
    global: &Global,
    job: JobArg,
    screen: &mut Screen<impl Write>,
) -> Result<(), Failure> {
    let mut client = Client::connect(&global.socket)?;
    let request = Request::Explain {
        job: job.id,
        task: job.task,
    };
    let explanation = match client.ask(&request)? {
        Answer::Explain(explanation) => explanation,
        Answer::Refused(Refusal::NotReady) => return Err(Failure::NotReady),
        Answer::Refused(_) => return Err(Failure::NoSuchJob(job)),
        _ => return Err(client.unrelated().into()),
    };
    if global.json {
        screen.json(&explanation)?;
    } else {
        show(&explanation, &Clock::local(), screen)?;
    }
    Ok(())
}

fn show(job: &Explanation, clock: &Clock, screen: &mut Screen<impl Write>) -> io::Result<()> {
    let title = format!("\"{}\" of {}: {}", job.name, job.user, job.size);
    screen.labelled(&format!("Job {} ", job.job), Style::new().bold(), &title)?;
    screen.text(&job.summary)?;
    if let Some(expected) = job.expected_ms {
        screen.line(format_args!("Expected start: {}", clock.expected(expected)))?;
    }
    if !job.members.is_empty() {
        screen.line("")?;
        screen.table(&table(job))?;
    }
    if let Some(decided) = job.decided_ms {
        screen.line(format_args!("(as of {})", clock.wall(decided)))?;
    }
    if !job.remedies.is_empty() {
        screen.heading("What would change it")?;
        for remedy in &job.remedies {
            screen.labelled("  - ", Style::new(), remedy)?;
        }
    }
    if !job.history.is_empty() {
        screen.heading("What happened")?;
        for happening in &job.history {
            let when = format!("  {}  ", clock.wall(happening.at_ms));
            screen.labelled(&when, Style::new(), &happening.text)?;
        }
    }
    Ok(())
}

fn table(job: &Explanation) -> Table {
    let columns = [
        Column::word("MEMBER"),
        Column::word("VERDICT"),
        Column::figure("SCORE"),
        Column::text("WHY"),
    ];
    let rows = job.members.iter().map(|member| {
        let score = member.score.map(|score| score.to_string());
        [
            member.member.clone(),
            member.verdict.clone(),
            score.unwrap_or_else(|| "-".to_owned()),
            member.text.clone(),
        ]
    });
    Table::new(columns, rows.collect())
}
