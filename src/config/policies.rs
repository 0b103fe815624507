//! `[policy.NAME]`: how the members that can take a job are compared.

use std::collections::BTreeMap;
use std::time::Duration;

use toml::de::DeValue;

use super::section::{Section, allowed};
use super::value::{choice, count, duration, name};
use crate::model::{Policy, PolicyName, Split, Term};

const TERMS: &[(&str, Term)] = &[
    ("start", Term::Start),
    ("fit", Term::Fit),
    ("locality", Term::Locality),
    ("spread", Term::Spread),
    ("history", Term::History),
];

const SPLITS: &[(&str, Split)] = &[
    ("never", Split::Never),
    ("when-needed", Split::WhenNeeded),
    ("nodes", Split::Nodes),
];

/// The policy that is always there, and that others take from what they leave out.
const DEFAULT: &str = "default";

/// Largest weight of a term.
const WEIGHT_MAX: u32 = 1000;

/// Reads every policy, and which of them is that of jobs that name none.
pub(super) fn read(root: &mut Section<'_, '_>) -> (BTreeMap<PolicyName, Policy>, PolicyName) {
    let default_policy: PolicyName = root.value("default_policy", name);
    let policies = policies(root);
    if !policies.contains_key(&default_policy) {
        let known: Vec<&str> = policies.keys().map(PolicyName::as_str).collect();
        let near = allowed(default_policy.as_str(), &known, "the file has");
        root.fault(
            "default_policy",
            format!("there is no [policy.{default_policy}]; {near}"),
        );
    }
    (policies, default_policy)
}

fn policies(root: &mut Section<'_, '_>) -> BTreeMap<PolicyName, Policy> {
    let built_in = root.default("policy").and_then(DeValue::as_table);
    let defaults = built_in
        .and_then(|policies| policies.get(DEFAULT))
        .and_then(|policy| policy.get_ref().as_table());
    let mut policies = BTreeMap::new();
    let found = root.find("policy");
    let written = found.and_then(|value| value.get_ref().as_table());
    let mut all = root.under("policy", found, defaults);
    for (key, value) in written.into_iter().flatten() {
        match name::<PolicyName>(&DeValue::String(key.get_ref().clone())) {
            Ok(name) => {
                let section = all.under(name.as_str(), Some(value), defaults);
                policies.insert(name.clone(), policy(name, section));
            }
            Err(text) => all.fault(key.get_ref(), text),
        }
    }
    policies
        .entry(PolicyName::from(DEFAULT))
        .or_insert_with_key(|name| policy(name.clone(), all.under(DEFAULT, None, defaults)));
    policies
}

fn policy(name: PolicyName, mut section: Section<'_, '_>) -> Policy {
    let policy = Policy {
        name,
        score: score(&mut section),
        patience: section.value(
            "patience",
            duration(Duration::from_secs(1)..=Duration::from_secs(7 * 24 * 60 * 60)),
        ),
        split: section.value("split", choice(SPLITS)),
    };
    section.finish();
    policy
}

/// A site's own score replaces the default one as a whole: a weight it leaves out is 0.
fn score(section: &mut Section<'_, '_>) -> BTreeMap<Term, u32> {
    let found = section.find("score");
    let written = found.is_some_and(|value| value.get_ref().is_table());
    let defaults = match found {
        Some(_) => None,
        None => section.default("score").and_then(DeValue::as_table),
    };
    let mut weights = section.under("score", found, defaults);
    let score: BTreeMap<Term, u32> = TERMS
        .iter()
        .map(|(word, term)| {
            (
                *term,
                weights.either(word, count(0..=WEIGHT_MAX)).unwrap_or(0),
            )
        })
        .filter(|(_, weight)| *weight > 0)
        .collect();
    weights.finish();
    if score.is_empty() && written {
        section.fault("score", "at least one term must have a weight above 0");
    }
    score
}
