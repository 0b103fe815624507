//! Every crate that is linked has a licence that `deny.toml` allows. cargo-deny says the same and more;
//! this holds where it is not at hand.
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot read the lists should fail"
)]

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use spdx::{Expression, ParseMode};

/// Licences allowed for all, and more for some.
struct Policy {
    all: Vec<String>,
    exceptions: BTreeMap<String, Vec<String>>,
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn strings(value: &toml::Value) -> Vec<String> {
    let words = value.as_array().unwrap().iter();
    words
        .map(|word| word.as_str().unwrap().to_owned())
        .collect()
}

fn policy() -> Policy {
    let text = std::fs::read_to_string(root().join("deny.toml")).unwrap();
    let document: toml::Table = text.parse().unwrap();
    let licences = &document["licenses"];
    let exceptions = licences["exceptions"].as_array().unwrap().iter();
    Policy {
        all: strings(&licences["allow"]),
        exceptions: exceptions
            .map(|one| {
                let name = one["crate"].as_str().unwrap().to_owned();
                (name, strings(&one["allow"]))
            })
            .collect(),
    }
}

/// What a command of the toolchain prints.
fn printed(program: &str, words: &[&str]) -> String {
    let output = Command::new(program)
        .args(words)
        .current_dir(root())
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

/// Name and licence of every crate that this host's builds may use.
fn crates() -> Vec<(String, String)> {
    let rustc = printed("rustc", &["-vV"]);
    let host = rustc.lines().find_map(|line| line.strip_prefix("host: "));
    let words = [
        "metadata",
        "--format-version=1",
        "--offline",
        "--filter-platform",
    ];
    let metadata = printed(
        env!("CARGO"),
        &[words.as_slice(), &[host.unwrap()]].concat(),
    );
    let metadata: Value = serde_json::from_str(&metadata).unwrap();
    let packages = metadata["packages"].as_array().unwrap().iter();
    packages
        .map(|package| {
            let text = |key: &str| package[key].as_str().unwrap_or_default().to_owned();
            (text("name"), text("license"))
        })
        .collect()
}

#[test]
fn every_crate_has_a_licence_that_is_allowed() {
    let policy = policy();
    let crates = crates();
    assert!(crates.len() > 50, "the list of crates is not whole");
    let refused: Vec<String> = crates
        .iter()
        .filter(|(name, licence)| {
            let more = policy.exceptions.get(name);
            let allowed: Vec<&String> = policy
                .all
                .iter()
                .chain(more.into_iter().flatten())
                .collect();
            let expression = Expression::parse_mode(licence, ParseMode::LAX);
            !expression.is_ok_and(|expression| {
                expression.evaluate(|need| allowed.contains(&&need.to_string()))
            })
        })
        .map(|(name, licence)| format!("{name}: {licence:?} is not in deny.toml"))
        .collect();
    assert!(refused.is_empty(), "\n{}", refused.join("\n"));
}
