//! Keeps the arrows of ARCHITECTURE.md true: a module may name only the modules listed for it.
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot read the sources should fail"
)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// A module, and the modules of this crate that it may import.
const ALLOWED: &[(&str, &[&str])] = &[
    ("model", &[]),
    ("topology", &["model"]),
    ("queue", &["model"]),
    ("scheduler", &["model", "topology"]),
    ("engine", &["model", "queue", "topology", "scheduler"]),
    (
        "report",
        &["model", "queue", "topology", "scheduler", "engine"],
    ),
    (
        "simulator",
        &["model", "queue", "topology", "scheduler", "engine"],
    ),
    ("members", &["model"]),
    ("events", &["model", "members"]),
    ("store", &["model"]),
    ("site", &["model"]),
    ("check", &["model", "config", "members", "site"]),
    ("bind", &["model", "members"]),
    ("metrics", &["model"]),
    ("config", &["model", "members"]),
    ("telemetry", &["config"]),
    ("clock", &["model"]),
    ("ipc", &["model", "clock", "events", "members", "metrics"]),
    (
        "cli",
        &[
            "model",
            "config",
            "check",
            "daemon",
            "members",
            "simulator",
            "site",
            "telemetry",
        ],
    ),
    (
        "reactor",
        &[
            "model", "clock", "engine", "report", "bind", "store", "ipc", "metrics", "events",
        ],
    ),
];

/// Modules that may name everything: they put the program together.
const ROOTS: &[&str] = &["daemon", "lib", "main"];

/// Modules without I/O, clock, locks, randomness and threads.
const PURE: &[&str] = &["model", "topology", "queue", "scheduler", "engine"];

/// What a pure module must not name, beside what clippy denies there.
const IMPURE: &[&str] = &[
    "tokio",
    "std::fs",
    "std::net",
    "std::thread",
    "std::process",
    "std::io",
    "std::env",
    "async ",
];

/// A line of code and where it stands.
struct Line {
    module: String,
    place: String,
    text: String,
}

fn files(path: &Path, out: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(path).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, out);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            out.push(path);
        }
    }
}

fn src() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// Each line of the crate, comments left out.
fn lines() -> Vec<Line> {
    let mut all = Vec::new();
    files(&src(), &mut all);
    let mut lines = Vec::new();
    for file in all {
        let relative = file.strip_prefix(src()).unwrap();
        let stem = relative.with_extension("");
        let module = stem.iter().next().unwrap().to_str().unwrap();
        for (at, text) in fs::read_to_string(&file).unwrap().lines().enumerate() {
            if !text.trim_start().starts_with("//") {
                lines.push(Line {
                    module: module.to_owned(),
                    place: format!("src/{}:{}", relative.display(), at + 1),
                    text: text.to_owned(),
                });
            }
        }
    }
    lines
}

fn assert_none(wrong: &BTreeSet<String>) {
    let list: Vec<&str> = wrong.iter().map(String::as_str).collect();
    assert!(wrong.is_empty(), "\n{}", list.join("\n"));
}

#[test]
fn modules_import_only_what_the_architecture_allows() {
    let mut wrong = BTreeSet::new();
    for Line {
        module,
        place,
        text,
    } in lines()
    {
        if text.contains("crate::{") {
            wrong.insert(format!(
                "{place}: write one `use crate::module::…` for each module"
            ));
        }
        let Some((_, allowed)) = ALLOWED.iter().find(|(name, _)| *name == module) else {
            continue;
        };
        for part in text.split("crate::").skip(1) {
            let target: String = part
                .chars()
                .take_while(|c| c.is_alphanumeric() || *c == '_')
                .collect();
            if target != module && !target.is_empty() && !allowed.contains(&target.as_str()) {
                wrong.insert(format!("{place}: `{module}` must not import `{target}`"));
            }
        }
    }
    assert_none(&wrong);
}

#[test]
fn the_core_is_pure() {
    let mut wrong = BTreeSet::new();
    for Line {
        module,
        place,
        text,
    } in lines()
    {
        if PURE.contains(&module.as_str()) {
            for word in IMPURE.iter().filter(|word| text.contains(**word)) {
                wrong.insert(format!(
                    "{place}: `{module}` is pure and must not name `{word}`"
                ));
            }
        }
    }
    for module in PURE {
        let file = src().join(module).join("mod.rs");
        let denied = "#![deny(clippy::disallowed_methods, clippy::disallowed_types)]";
        if !fs::read_to_string(&file).unwrap().contains(denied) {
            wrong.insert(format!(
                "src/{module}/mod.rs: must deny clippy's disallowed lists"
            ));
        }
    }
    assert_none(&wrong);
}

#[test]
fn every_module_has_its_place() {
    let unknown: BTreeSet<String> = lines()
        .into_iter()
        .map(|line| line.module)
        .filter(|module| !ROOTS.contains(&module.as_str()))
        .filter(|module| !ALLOWED.iter().any(|(name, _)| name == module))
        .map(|module| format!("src/{module}: has no row in ALLOWED"))
        .collect();
    assert_none(&unknown);
}
