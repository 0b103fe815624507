//! When the owner is killed, nothing is left.

use std::{
    env, fs,
    io::{BufRead as _, BufReader, Read as _},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use fedsched_sandbox::{Series, running};

use crate::{PATIENCE, plain, run};

/// The part of the owner in [`nothing_outlives_a_killed_owner`]: a process of its own.
#[test]
#[ignore = "runs until killed; another test starts it"]
fn owner() {
    let sandbox = plain(Series::V22_05);
    run(&sandbox, "user1", &["sbatch", "-pcpu", "--wrap=sleep 1000"]);
    eprintln!("\nowns {} {}", sandbox.name(), sandbox.pid());
    let _never_comes = std::io::stdin().read(&mut [0]);
}

#[test]
fn nothing_outlives_a_killed_owner() {
    let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap();
    let mut owner = Command::new(env::current_exe().unwrap())
        .args(["--exact", "owner::owner", "--ignored", "--nocapture"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(owner.stderr.take().unwrap()).lines();
    let line = lines
        .map(Result::unwrap)
        .find(|line| line.starts_with("owns "))
        .unwrap();
    let [_, name, pid] = line.split(' ').collect::<Vec<_>>()[..] else {
        panic!("{line}")
    };

    let namespaces = ["pid", "mnt", "net", "ipc", "uts"]
        .map(|kind| fs::read_link(format!("/proc/{pid}/ns/{kind}")).unwrap());
    assert!(
        members(&namespaces).len() > 10,
        "a sandbox has many processes"
    );
    assert!(running().iter().any(|other| other == name));

    owner.kill().unwrap();
    owner.wait().unwrap();
    let deadline = Instant::now() + PATIENCE;
    while !members(&namespaces).is_empty() {
        assert!(
            Instant::now() < deadline,
            "still there: {:?}",
            members(&namespaces)
        );
        thread::sleep(Duration::from_millis(20));
    }
    assert!(!running().iter().any(|other| other == name));
    assert_eq!(fs::read_to_string("/proc/self/mountinfo").unwrap(), mounts);
}

/// The processes in any of these namespaces.
fn members(namespaces: &[PathBuf]) -> Vec<PathBuf> {
    let is_inside = |process: &Path| {
        ["pid", "mnt", "net", "ipc", "uts"].iter().any(|kind| {
            fs::read_link(process.join("ns").join(kind))
                .is_ok_and(|namespace| namespaces.contains(&namespace))
        })
    };
    fs::read_dir("/proc")
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|process| is_inside(process))
        .collect()
}
