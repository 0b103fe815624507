//! `fedsched explain`.

use std::io::{self, Write};

use anstyle::Style;
use fedsched_protocol::query::{Answer, Explanation, Refusal, Request};

use super::args::{Global, JobArg};
use super::client::Client;
use super::failure::Failure;
use super::output::{Clock, Column, Screen, Table};

const HEADING: Style = Style::new().bold();

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
    screen.line(format_args!(
        "{HEADING}Job {}{HEADING:#} \"{}\" of {}: {}",
        job.job, job.name, job.user, job.size
    ))?;
    screen.text(&job.summary, "", "")?;
    if let Some(expected) = job.expected_ms {
        screen.line(format_args!("Expected start: {}", clock.expected(expected)))?;
    }
    if !job.members.is_empty() {
        screen.line("")?;
        screen.table(table(job))?;
    }
    if let Some(decided) = job.decided_ms {
        screen.line(format_args!("(as of {})", clock.wall(decided)))?;
    }
    if !job.remedies.is_empty() {
        screen.line(format_args!("\n{HEADING}What would change it{HEADING:#}"))?;
        for remedy in &job.remedies {
            screen.text(remedy, "  - ", "    ")?;
        }
    }
    if !job.history.is_empty() {
        screen.line(format_args!("\n{HEADING}What happened{HEADING:#}"))?;
        for happening in &job.history {
            let when = clock.wall(happening.at_ms);
            let hang = " ".repeat(when.len() + 4);
            screen.text(&happening.text, &format!("  {when}  "), &hang)?;
        }
    }
    Ok(())
}

fn table(job: &Explanation) -> Table {
    let mut table = Table::new(&[
        Column::Word("MEMBER"),
        Column::Word("VERDICT"),
        Column::Figure("SCORE"),
        Column::Text("WHY"),
    ]);
    for member in &job.members {
        table.row([
            member.member.clone(),
            member.verdict.clone(),
            member
                .score
                .map_or_else(|| "-".to_owned(), |score| score.to_string()),
            member.text.clone(),
        ]);
    }
    table
}
