//! `fedsched simulate` on small traces: what it prints, and that it prints it again.
#![expect(
    clippy::unwrap_used,
    reason = "a test whose own set-up fails should fail"
)]

use std::fmt::Write;
use std::fs;
use std::process::{Command, Output};

use tempfile::TempDir;

/// Three days of jobs, so many seconds apart: a busy member and an idle one.
fn swf(processors: u64, apart: u64) -> String {
    let mut text = format!("; MaxProcs: {processors}\n");
    for at in 0..(3 * 86_400 / apart) {
        let size = at * 7 % processors + 1;
        let run = (at * 131 % 40 + 1) * 60;
        writeln!(
            text,
            "{at} {} -1 {run} {size} -1 -1 {size} {} -1 1 -1 -1 -1 -1 -1 -1 -1",
            at * apart,
            run * 2
        )
        .unwrap();
    }
    text
}

fn traces() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("busy.swf"), swf(16, 960)).unwrap();
    fs::write(dir.path().join("idle.swf"), swf(32, 4800)).unwrap();
    dir
}

fn simulate(dir: &TempDir, words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_fedsched"))
        .env_clear()
        .current_dir(dir.path())
        .arg("simulate")
        .args(words)
        .output()
        .unwrap()
}

fn text(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn refusal(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(output.stdout.is_empty());
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn policies_are_compared_in_a_table() {
    let dir = traces();
    let words = [
        "--offset-days",
        "0,1",
        "--days",
        "2",
        "busy.swf",
        "idle.swf",
    ];
    insta::assert_snapshot!(text(&simulate(&dir, &words)));
}

#[test]
fn figures_do_not_change_from_run_to_run_or_from_machine_to_machine() {
    let dir = traces();
    let words = [
        "--json",
        "--policy=local-only,random,siblings",
        "--offset-days=0,1",
        "--days=2",
        "--seed=7",
        "busy.swf=24",
        "idle.swf",
    ];
    let first = text(&simulate(&dir, &words));
    assert_eq!(first, text(&simulate(&dir, &words)));
    insta::assert_snapshot!(first);
}

#[test]
fn the_page_is_written() {
    let dir = traces();
    let output = simulate(&dir, &["--html", "page.html", "busy.swf", "idle.swf"]);
    assert!(output.status.success());
    let page = fs::read_to_string(dir.path().join("page.html")).unwrap();
    assert!(page.starts_with("<!doctype html>") && page.ends_with("</html>\n"));
}

#[test]
fn what_cannot_be_replayed_is_said_with_its_remedy() {
    let dir = traces();
    fs::write(dir.path().join("sized.swf"), "1 0 0 9 1 0 0 1 9\n").unwrap();
    let refused = |words: &[&str]| refusal(&simulate(&dir, words));
    insta::assert_snapshot!(refused(&["--policy=sibling", "busy.swf"]), @"fedsched: policy `sibling` is not known: did you mean `siblings`?; known are local-only, random, round-robin, least-loaded, earliest-start, siblings, pooled");
    insta::assert_snapshot!(refused(&["none.swf"]), @"fedsched: none.swf: cannot be opened: No such file or directory (os error 2)");
    insta::assert_snapshot!(refused(&["sized.swf"]), @"fedsched: sized.swf: does not say how many processors its machine has; add them: sized.swf=PROCESSORS");
    insta::assert_snapshot!(refused(&["--offset-days=9", "busy.swf"]), @"fedsched: no trace has a job in the window from day 9: the longest ends on day 2");
    assert!(refused(&["busy.swf=0"]).contains("`0` is no number of processors"));
}
