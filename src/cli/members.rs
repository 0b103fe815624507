//! `fedsched members`.

use std::io::Write;

use fedsched_protocol::query::{Answer, Member, Request};

use super::args::Global;
use super::client::Client;
use super::failure::Failure;
use super::output::{Column, Screen, Table, memory};

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
        screen.table(table(&members))?;
    }
    Ok(())
}

/// One line for each member; what is free stands before what there is.
pub(super) fn table(members: &[Member]) -> Table {
    let mut table = Table::new(&[
        Column::Word("MEMBER"),
        Column::Word("STATE"),
        Column::Figure("NODES"),
        Column::Figure("CPUS"),
        Column::Figure("MEMORY"),
        Column::Text("GRES"),
        Column::Figure("BOUND"),
        Column::Figure("RUN"),
        Column::Figure("DIRECT"),
        Column::Text("REASON"),
    ]);
    for member in members {
        let gres: Vec<String> = member
            .gres
            .iter()
            .map(|(name, free, all)| format!("{name} {free}/{all}"))
            .collect();
        table.row([
            member.name.clone(),
            member.state.clone(),
            format!("{}/{}", member.nodes_free, member.nodes),
            format!("{}/{}", member.cpus_free, member.cpus),
            format!(
                "{}/{}",
                memory(member.memory_free_bytes),
                memory(member.memory_bytes)
            ),
            gres.join(", "),
            member.bound.to_string(),
            member.running.to_string(),
            member.direct_waiting.to_string(),
            reason(member),
        ]);
    }
    table
}

/// Why a member is not up, or which of its nodes cannot be used.
fn reason(member: &Member) -> String {
    let lost = member.nodes.saturating_sub(member.nodes_usable);
    let mut reasons = Vec::new();
    if !member.state_reason.is_empty() {
        reasons.push(member.state_reason.clone());
    }
    if lost > 0 {
        reasons.push(format!("{lost} of its nodes cannot take jobs"));
    }
    reasons.join("; ")
}
