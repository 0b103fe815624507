//! `make install`, into a directory of its own.
#![expect(
    clippy::unwrap_used,
    reason = "a test whose own set-up fails should fail"
)]

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// What `make` would have built, and where it is installed to.
struct Site {
    dir: TempDir,
}

impl Site {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let release = dir.path().join("release");
        fs::create_dir(&release).unwrap();
        fs::copy(env!("CARGO_BIN_EXE_fedsched"), release.join("fedsched")).unwrap();
        for name in ["slurm-watch", "libjob_submit_fedsched.so"] {
            fs::write(release.join(name), "built against Slurm").unwrap();
        }
        Self { dir }
    }

    fn root(&self) -> PathBuf {
        self.dir.path().join("root")
    }

    fn make(&self, words: &[&str]) -> Output {
        let output = Command::new("make")
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .arg(format!("RELEASE={}/release", self.dir.path().display()))
            // Where the build script put them.
            .arg(format!("PAGES={}", env!("OUT_DIR")))
            .arg("SLURM_PLUGINDIR=/usr/lib/slurm")
            .args(words)
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        output
    }

    /// Installs under [`root`](Self::root), as a package would.
    fn staged(&self) -> BTreeSet<String> {
        self.make(&["install", &format!("DESTDIR={}", self.root().display())]);
        files(&self.root())
    }
}

/// Every file below `root`, as an absolute path on the host it is meant for.
fn files(root: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut open = vec![root.to_owned()];
    while let Some(dir) = open.pop() {
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                let path = path.strip_prefix(root).unwrap();
                found.insert(format!("/{}", path.display()));
            }
        }
    }
    found
}

#[test]
fn everything_has_its_place() {
    let site = Site::new();
    let files = site.staged();
    for file in [
        "/etc/fedsched/fedsched.toml",
        "/usr/lib/slurm/job_submit_fedsched.so",
        "/usr/local/bin/fedsched",
        "/usr/local/lib/fedsched/slurm-watch",
        "/usr/local/lib/systemd/system/fedsched-slurmrestd.service",
        "/usr/local/lib/systemd/system/fedsched.service",
        "/usr/local/lib/sysusers.d/fedsched.conf",
        "/usr/local/lib/tmpfiles.d/fedsched.conf",
        "/usr/local/share/bash-completion/completions/fedsched",
        "/usr/local/share/fish/vendor_completions.d/fedsched.fish",
        "/usr/local/share/man/man1/fedsched-explain.1",
        "/usr/local/share/man/man1/fedsched.1",
        "/usr/local/share/zsh/site-functions/_fedsched",
    ] {
        assert!(files.contains(file), "no {file} in {files:#?}");
    }
    let mode = |file: &str| {
        let path = site.root().join(file.trim_start_matches('/'));
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    };
    assert_eq!(mode("/usr/local/bin/fedsched"), 0o755);
    assert_eq!(mode("/etc/fedsched/fedsched.toml"), 0o644);
}

#[test]
fn prefix_and_directories_are_honoured_and_no_path_is_left_open() {
    let site = Site::new();
    let destination = format!("DESTDIR={}", site.root().display());
    let directories = [
        "PREFIX=/usr",
        "SYSCONFDIR=/etc/site",
        "UNITDIR=/lib/systemd/system",
    ];
    site.make(&[["install", &destination].as_slice(), &directories].concat());
    let read = |file: &str| fs::read_to_string(site.root().join(file)).unwrap();
    let unit = read("lib/systemd/system/fedsched.service");
    let command = "ExecStart=/usr/bin/fedsched daemon --config /etc/site/fedsched/fedsched.toml";
    assert!(unit.contains(command), "{unit}");
    assert!(
        read("etc/site/fedsched/fedsched.toml").contains("[\"/usr/lib/fedsched/slurm-watch\"]")
    );
    let slurmrestd = read("lib/systemd/system/fedsched-slurmrestd.service");
    for text in [unit, slurmrestd] {
        assert!(!text.contains("dir@"), "a path is open in {text}");
    }
}

#[test]
fn the_installed_configuration_lacks_only_its_members() {
    let site = Site::new();
    site.staged();
    let path = site.root().join("etc/fedsched/fedsched.toml");
    let text = fs::read_to_string(&path).unwrap();
    let with_member = text.replace("# [[member]]\n# name", "[[member]]\nname");
    assert_ne!(text, with_member);
    fs::write(&path, with_member).unwrap();
    let check = Command::new(site.root().join("usr/local/bin/fedsched"))
        .args(["config", "check"])
        .arg(&path)
        .output()
        .unwrap();
    assert!(check.status.success(), "{check:?}");
}

#[test]
fn a_sites_own_configuration_is_never_touched() {
    let site = Site::new();
    let before = site.staged();
    let path = site.root().join("etc/fedsched/fedsched.toml");
    fs::write(&path, "# mine\n").unwrap();
    assert_eq!(site.staged(), before, "installing twice changes nothing");
    assert_eq!(fs::read_to_string(&path).unwrap(), "# mine\n");
    site.make(&["uninstall", &format!("DESTDIR={}", site.root().display())]);
    let left: Vec<String> = files(&site.root()).into_iter().collect();
    assert_eq!(left, ["/etc/fedsched/fedsched.toml"]);
}

/// Whether the host has systemd's tools; without them there is nothing to verify with.
fn systemd_analyze(words: &[&str], manual: &Path) -> Option<Output> {
    let mut command = Command::new("systemd-analyze");
    command.args(words).env("MANPATH", manual);
    command.output().ok()
}

#[test]
fn the_units_are_valid_and_hardened() {
    let site = Site::new();
    // Without DESTDIR: what the units name must be there.
    let prefix = site.root();
    let at = |word: &str, below: &str| format!("{word}={}{below}", prefix.display());
    site.make(&[
        "install",
        &at("PREFIX", ""),
        &at("SYSCONFDIR", "/etc"),
        &at("SLURM_PLUGINDIR", "/lib/slurm"),
    ]);
    let manual = prefix.join("share/man");
    for unit in ["fedsched.service", "fedsched-slurmrestd.service"] {
        let path = prefix.join("lib/systemd/system").join(unit);
        let path = path.to_str().unwrap();
        let Some(verified) = systemd_analyze(&["verify", "--man=no", path], &manual) else {
            return;
        };
        let complaints = String::from_utf8_lossy(&verified.stderr);
        let complaints: Vec<&str> = complaints
            .lines()
            // Slurm need not be installed where this is built.
            .filter(|line| line.contains("fedsched") && !line.contains("/usr/sbin/slurmrestd"))
            .collect();
        assert_eq!(complaints, [""; 0]);
        let words = ["security", "--offline=true", "--threshold=30", path];
        let rated = systemd_analyze(&words, &manual).unwrap();
        assert!(
            rated.status.success(),
            "{}",
            String::from_utf8_lossy(&rated.stdout)
        );
    }
}
