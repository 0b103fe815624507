//! `fedsched queue`.

use std::io::{self, Write};

use fedsched_protocol::query::{Answer, Request, Waiting};

use super::args::Global;
use super::client::Client;
use super::failure::Failure;
use super::output::{Clock, Column, Screen, Table};

pub(super) fn run(
    global: &Global,
    user: Option<&str>,
    screen: &mut Screen<impl Write>,
) -> Result<(), Failure> {
    let mut client = Client::connect(&global.socket)?;
    let mut jobs = match client.ask(&Request::Queue)? {
        Answer::Queue(jobs) => jobs,
        Answer::Refused(refusal) => return Err(Failure::of(refusal)),
        _ => return Err(client.unrelated().into()),
    };
    jobs.retain(|job| user.is_none_or(|user| job.user == user));
    if global.json {
        screen.json(&jobs)?;
    } else {
        show(&jobs, &Clock::local(), screen)?;
    }
    Ok(())
}

fn show(jobs: &[Waiting], clock: &Clock, screen: &mut Screen<impl Write>) -> io::Result<()> {
    let mut table = Table::new(&[
        Column::Word("JOB"),
        Column::Word("USER"),
        Column::Text("NAME"),
        Column::Figure("PRIORITY"),
        Column::Text("SIZE"),
        Column::Figure("WAITS"),
        Column::Word("QUEUE"),
        Column::Text("EXPECTED"),
        Column::Text("REASON"),
    ]);
    for job in jobs {
        table.row([
            job.job.clone(),
            job.user.clone(),
            job.name.clone(),
            job.priority.to_string(),
            job.size.clone(),
            clock.since(job.submitted_ms),
            job.queue.clone(),
            job.expected_ms
                .map_or_else(|| "-".to_owned(), |expected| clock.wall(expected)),
            job.reason.clone(),
        ]);
    }
    screen.table(table)
}
