//! Whether what a user asks of the federation names things that there are.

use fedsched_protocol::directive::Directives;

use crate::model::{PolicyName, Settings};

/// Greatest distance at which a name is taken for a misspelling, as a share of 1.
const NEAR: f64 = 0.7;

/// One line for the user if a name is wrong: what, what is allowed, the nearest.
pub(super) fn check(directives: &Directives, settings: &Settings) -> Result<(), String> {
    let policies: Vec<&str> = settings.policies.keys().map(PolicyName::as_str).collect();
    if let Some(policy) = &directives.policy {
        known("policy", policy, &policies)?;
    }
    let members: Vec<&str> = settings
        .members
        .iter()
        .map(|member| member.name.as_str())
        .collect();
    for member in &directives.members {
        known("members", member, &members)?;
    }
    for member in &directives.avoid {
        known("avoid", member, &members)?;
    }
    Ok(())
}

fn known(flag: &str, name: &str, allowed: &[&str]) -> Result<(), String> {
    if allowed.contains(&name) {
        return Ok(());
    }
    let near = allowed
        .iter()
        .map(|other| (strsim::jaro_winkler(name, other), other))
        .filter(|(likeness, _)| *likeness >= NEAR)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map_or_else(String::new, |(_, other)| {
            format!(" (did you mean {other}?)")
        });
    let list = allowed.join(", ");
    Err(format!(
        "#FED --{flag}={name}: there is no {name}{near}; allowed: {list}"
    ))
}
