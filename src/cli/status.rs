//! `fedsched status`.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use fedsched_protocol::query::{Answer, Request, Status};

use super::args::Global;
use super::client::Client;
use super::failure::Failure;
use super::members;
use super::output::{Clock, Screen};

/// Complaints are red where there are colours.
const ALARM: Style = AnsiColor::Red.on_default().bold();

pub(super) fn run(global: &Global, screen: &mut Screen<impl Write>) -> Result<(), Failure> {
    let mut client = Client::connect(&global.socket)?;
    let status = match client.ask(&Request::Status)? {
        Answer::Status(status) => status,
        Answer::Refused(refusal) => return Err(Failure::of(refusal)),
        _ => return Err(client.unrelated().into()),
    };
    if global.json {
        screen.json(&status)?;
    } else {
        show(&status, &Clock::local(), screen)?;
    }
    Ok(())
}

fn show(status: &Status, clock: &Clock, screen: &mut Screen<impl Write>) -> io::Result<()> {
    let heard = status
        .heard_ms
        .map_or_else(|| "never".to_owned(), |heard| clock.ago(heard));
    screen.line(format_args!(
        "fedsched {}, up {}, heard of Slurm {heard}",
        status.version,
        clock.since(status.started_ms)
    ))?;
    if status.rehearsal {
        screen.line("rehearsal: decides and explains, but changes no job")?;
    }
    for alarm in &status.alarms {
        screen.labelled("alarm: ", ALARM, alarm)?;
    }
    let queue = status.queue;
    let totals = status.totals;
    screen.line("")?;
    screen.text(&format!(
        "waiting in {}: {} pending, {} unschedulable, {} to reschedule, {} parked",
        status.queue_partition, queue.pending, queue.unschedulable, queue.reschedule, queue.parked
    ))?;
    screen.text(&format!(
        "at members: {} bound, {} running",
        status.bound, status.running
    ))?;
    screen.text(&format!(
        "since the start: {} submitted ({} placed at once, {} refused), {} bound, {} returned",
        totals.submitted, totals.placed_at_once, totals.refused, totals.bound, totals.returned
    ))?;
    screen.line("")?;
    members::show(&status.members, screen)
}
