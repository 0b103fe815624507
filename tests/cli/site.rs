//! `check` and `slurm-conf` beside Slurm commands that print what a real Slurm printed.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Output;

use fedsched_protocol::query::{Answer, Finding, Grade, Status};
use tempfile::TempDir;

use crate::fake::Daemon;
use crate::{fedsched, text};

/// A host with a configuration, and commands that know their lines.
struct Host {
    dir: TempDir,
}

impl Host {
    fn new(socket: &Path) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let state = dir.path().join("state");
        fs::create_dir(&state).unwrap();
        let watch = dir.path().join("slurm-watch");
        let config = format!(
            "[slurm]\nwatch = \"{}\"\n[daemon]\nsocket = \"{}\"\nstate_dir = \"{}\"\n\
             [[member]]\nname = \"cpu\"\n[[member]]\nname = \"gpu\"\n",
            watch.display(),
            socket.display(),
            state.display()
        );
        fs::write(dir.path().join("fedsched.toml"), config).unwrap();
        let release = env!("CARGO_PKG_VERSION");
        let host = Self { dir };
        host.command(
            "slurm-watch",
            &format!("echo 'slurm-watch {release} (Slurm 22.05.8)'"),
        );
        host
    }

    fn with_slurm(self) -> Self {
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/site/test/22.05");
        let fixtures = fixtures.display();
        self.command(
            "scontrol",
            &format!(
                "case \"$*\" in *config) exec /bin/cat {fixtures}/config.txt;; *partition) exec /bin/cat \
                 {fixtures}/partitions.txt;; *node) exec /bin/cat {fixtures}/nodes.txt;; esac; exit 1"
            ),
        );
        self.command(
            "sacctmgr",
            "case \"$*\" in *qos*) echo 'normal||';; *) echo 'nobody|Operator';; esac",
        );
        self
    }

    fn command(&self, name: &str, script: &str) {
        let path = self.dir.path().join(name);
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn run(&self, words: &[&str]) -> Output {
        fedsched(Path::new("/nonexistent"))
            .env("PATH", self.dir.path())
            .args(words)
            .arg("--config")
            .arg(self.dir.path().join("fedsched.toml"))
            .output()
            .unwrap()
    }
}

fn status() -> Answer {
    Answer::Status(Status {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        ..Status::default()
    })
}

fn own() -> Answer {
    Answer::Check(vec![Finding {
        subject: "store".to_owned(),
        grade: Grade::Warning,
        text: "told by the daemon".to_owned(),
        remedy: "do nothing".to_owned(),
    }])
}

#[test]
fn a_check_gathers_what_the_daemon_slurm_and_this_host_say() {
    let daemon = Daemon::answering_all(&[status(), own()]);
    let host = Host::new(daemon.socket()).with_slurm();
    let output = host.run(&["check"]);
    let report = text(&output.stdout);
    for line in [
        "ok       daemon                      answers, release",
        "warning  store                       told by the daemon",
        "→ do nothing",
        "ok       slurm-watch                 slurm-watch",
        "error    JobSubmitPlugins            fedsched is not among them",
        "ok       member gpu                  gpu is UP, 2 nodes",
        "no Operator in slurmdbd",
    ] {
        assert!(report.contains(line), "no {line:?} in\n{report}");
    }
    assert_eq!(output.status.code(), Some(1), "errors were found");
    assert_eq!(text(&output.stderr), "");
}

#[test]
fn a_check_in_json_is_the_same_findings() {
    let daemon = Daemon::answering_all(&[status(), own()]);
    let host = Host::new(daemon.socket()).with_slurm();
    let output = host.run(&["check", "--json"]);
    let findings: Vec<Finding> = serde_json::from_slice(&output.stdout).unwrap();
    assert!(findings.iter().any(|one| one.text == "told by the daemon"));
    assert!(findings.iter().any(|one| one.grade == Grade::Error));
    for finding in findings.iter().filter(|one| one.grade != Grade::Ok) {
        assert!(!finding.remedy.is_empty(), "{finding:?}");
    }
}

#[test]
fn a_check_goes_on_where_nothing_answers() {
    let host = Host::new(Path::new("/nonexistent/fedsched.sock"));
    let output = host.run(&["check"]);
    let report = text(&output.stdout);
    for line in [
        "error    daemon             no daemon answers at /nonexistent/fedsched.sock",
        "error    slurmctld          cannot run scontrol show config",
        "error    slurmrestd socket  unix:/run/fedsched/slurmrestd.sock",
    ] {
        assert!(report.contains(line), "no {line:?} in\n{report}");
    }
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn slurm_conf_is_made_of_what_slurmctld_says() {
    let host = Host::new(Path::new("/nonexistent")).with_slurm();
    let output = host.run(&["slurm-conf"]);
    let lines = text(&output.stdout);
    assert!(lines.contains("\nJobSubmitPlugins=fedsched\n"), "{lines}");
    assert!(lines.contains("Nodes=cpu[1-4],gpu[1-2]\n"), "{lines}");
    assert!(lines.contains(" State=DOWN "), "{lines}");
    let output = host.run(&["slurm-conf", "--room", "qos"]);
    let lines = text(&output.stdout);
    assert!(lines.contains(" State=UP QOS=federation "), "{lines}");
    assert!(
        lines.contains("\nAccountingStorageEnforce=limits,qos\n"),
        "{lines}"
    );
}

#[test]
fn slurm_conf_has_gaps_where_slurmctld_does_not_answer() {
    let host = Host::new(Path::new("/nonexistent"));
    let output = host.run(&["slurm-conf"]);
    assert!(output.status.success());
    let lines = text(&output.stdout);
    assert!(
        lines.starts_with("# cannot run scontrol show config"),
        "{lines}"
    );
    assert!(lines.contains("Nodes=…"), "{lines}");
}
