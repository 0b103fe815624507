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
    let columns = [
        Column::word("JOB"),
        Column::word("USER"),
        Column::text("NAME").expendable(3),
        Column::figure("PRIORITY").expendable(1),
        Column::text("SIZE"),
        Column::figure("WAITS"),
        Column::word("QUEUE"),
        Column::word("EXPECTED").expendable(2),
        Column::text("REASON"),
    ];
    let rows = jobs.iter().map(|job| {
        let expected = job.expected_ms.map(|expected| clock.wall(expected));
        [
            job.job.clone(),
            job.user.clone(),
            job.name.clone(),
            job.priority.to_string(),
            job.size.clone(),
            clock.since(job.submitted_ms),
            job.queue.clone(),
            expected.unwrap_or_else(|| "-".to_owned()),
            job.reason.clone(),
        ]
    });
    screen.table(&Table::new(columns, rows.collect()))
}
