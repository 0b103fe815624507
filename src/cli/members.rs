//! `fedsched members`.

use std::io::{self, Write};

use fedsched_protocol::query::{Answer, Member, Request};

use anstyle::Style;

use super::args::Global;
use super::client::Client;
use super::failure::Failure;
use super::output::{Column, Screen, Table, amount, memory};

pub(super) fn run(global: &Global, screen: &mut Screen<impl Write>) -> Result<(), Failure> {
    let mut client = Client::connect(&global.socket)?;
    let members = match client.ask(&Request::Members)? {
        Answer::Members(members) => members,
        Answer::Refused(refusal) => return Err(Failure::of(refusal)),
        _ => return Err(client.unrelated().into()),
    };
    if global.json {
        screen.json(&members)?;
    } else {
        show(&members, screen)?;
    }
    Ok(())
}

/// One line for each member, and what is wrong with it below.
pub(super) fn show(members: &[Member], screen: &mut Screen<impl Write>) -> io::Result<()> {
    screen.table(&table(members))?;
    for member in members {
        for complaint in complaints(member) {
            screen.labelled(&format!("{}: ", member.name), Style::new(), &complaint)?;
        }
    }
    Ok(())
}

/// What is free stands before what there is.
fn table(members: &[Member]) -> Table {
    let columns = [
        Column::word("MEMBER"),
        Column::word("STATE"),
        Column::figure("NODES"),
        Column::figure("CPUS"),
        Column::figure("MEMORY"),
        Column::figure("RUN"),
        Column::figure("BOUND"),
        Column::figure("DIRECT").expendable(1),
        Column::text("GRES").expendable(2),
    ];
    let rows = members.iter().map(|member| {
        let gres = member.gres.iter();
        let gres: Vec<String> = gres
            .map(|(name, free, all)| format!("{name} {free}/{all}"))
            .collect();
        let memory = format!(
            "{}/{}",
            memory(member.memory_free_bytes),
            memory(member.memory_bytes)
        );
        [
            member.name.clone(),
            member.state.clone(),
            format!("{}/{}", member.nodes_free, member.nodes),
            format!("{}/{}", member.cpus_free, member.cpus),
            memory,
            member.running.to_string(),
            member.bound.to_string(),
            member.direct_waiting.to_string(),
            gres.join(", "),
        ]
    });
    Table::new(columns, rows.collect())
}

/// Why it is not up, and which of its nodes cannot be used.
fn complaints(member: &Member) -> Vec<String> {
    let mut complaints = Vec::new();
    if !member.state_reason.is_empty() {
        complaints.push(member.state_reason.clone());
    }
    let lost = member.nodes.saturating_sub(member.nodes_usable);
    if lost > 0 {
        complaints.push(format!(
            "{lost} of {} cannot take jobs (sinfo -R says why)",
            amount(member.nodes.into(), "node")
        ));
    }
    complaints
}
