//! `fedsched check`: finds out what `crate::check` judges.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use anstyle::{AnsiColor, Style};
use fedsched_protocol::query::{Answer, Finding, Grade, Request, Status};
use jiff::Timestamp;
use nix::sys::statvfs::statvfs;
use nix::unistd::{Uid, User};

use super::args::Global;
use super::client::{self, Client};
use super::failure::Failure;
use super::output::{Screen, amount};
use crate::check;
use crate::config::Config;
use crate::members::slurm::Endpoint;
use crate::site::{self, Accounting, Plugin, Site};

/// The daemon's user where no daemon runs: that of the systemd unit.
const DAEMON_USER: &str = "fedsched";

pub(super) fn run(
    global: &Global,
    path: &Path,
    screen: &mut Screen<impl Write>,
) -> Result<(), Failure> {
    // Without a valid configuration nobody knows what to look at.
    let config = Config::load(path)?;
    let daemon = Daemon::ask(&config.daemon.socket);
    let mut findings = vec![check::configuration(&config)];
    findings.extend(host(&config, &daemon.user));
    findings.extend(slurm(&config, &daemon));
    findings.extend(daemon.findings);
    if global.json {
        screen.json(&findings)?;
    } else {
        show(&findings, screen)?;
    }
    if findings.iter().any(|finding| finding.grade == Grade::Error) {
        return Err(Failure::Checked);
    }
    Ok(())
}

/// What is known of the daemon, whether it answers or not.
struct Daemon {
    user: String,
    status: Option<Status>,
    findings: Vec<Finding>,
}

impl Daemon {
    fn ask(socket: &Path) -> Self {
        let mut daemon = Self {
            user: DAEMON_USER.to_owned(),
            status: None,
            findings: Vec::new(),
        };
        if let Err(failure) = daemon.question(socket) {
            let finding = check::silent(&failure.to_string(), failure.remedy());
            daemon.findings.push(finding);
        }
        daemon
    }

    fn question(&mut self, socket: &Path) -> Result<(), client::Error> {
        let mut client = Client::connect(socket)?;
        if let Some(user) = client.peer() {
            self.user = user_name(user);
        }
        match client.ask(&Request::Status)? {
            Answer::Status(status) => {
                let now_ms = Timestamp::now().as_millisecond();
                self.findings.extend(check::answering(&status, now_ms));
                self.status = Some(status);
            }
            Answer::Refused(refusal) => self.findings.push(check::refused(refusal)),
            _ => return Err(client.unrelated()),
        }
        match client.ask(&Request::Check)? {
            Answer::Check(own) => self.findings.extend(own),
            Answer::Refused(refusal) => self.findings.push(check::refused(refusal)),
            _ => return Err(client.unrelated()),
        }
        Ok(())
    }
}

/// Sockets and directories of this host.
fn host(config: &Config, user: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    if let Endpoint::Unix(path) = &config.slurm.restd {
        let connected = UnixStream::connect(path).map(drop);
        findings.push(check::endpoint(&config.slurm.restd, connected));
    }
    let dir = &config.daemon.state_dir;
    let owner = fs::metadata(dir).map(|about| user_name(Uid::from_raw(about.uid())));
    let space = statvfs(dir).map(|about| about.blocks_available() * about.fragment_size());
    findings.push(match (owner, space) {
        (Ok(owner), Ok(space)) => check::state_dir(dir, &owner, user, space),
        (Err(failure), _) => check::no_state_dir(dir, &failure),
        (_, Err(failure)) => check::no_state_dir(dir, &io::Error::from(failure)),
    });
    findings
}

/// slurm.conf, partitions, rights, and what was built against Slurm.
fn slurm(config: &Config, daemon: &Daemon) -> Vec<Finding> {
    let site = Site::ask();
    let watch = config
        .slurm
        .watch
        .as_deref()
        .and_then(<[String]>::split_first);
    let watch = watch.map(|(program, words)| {
        let words = words.iter().map(String::as_str).chain(["--version"]);
        site::output(program, words)
    });
    let mut findings = vec![check::watch(site.as_ref().ok(), watch.as_ref())];
    let site = match site {
        Ok(site) => site,
        Err(failure) => {
            findings.push(check::slurm_unreachable(&failure));
            return findings;
        }
    };
    findings.push(match Plugin::find(&site) {
        Ok(plugin) => check::installed(&site, plugin.as_ref()),
        Err(failure) => check::unreadable_plugin(&failure),
    });
    let conf = plugin_conf(&site);
    let text = fs::read_to_string(&conf).ok();
    findings.push(check::plugin_conf(config, &conf, text.as_deref()));
    let accounting = Accounting::ask();
    let status = daemon.status.as_ref();
    findings.extend(check::slurm(
        config,
        &site,
        accounting.as_ref().ok(),
        status,
    ));
    findings.push(match &accounting {
        Ok(accounting) => check::rights(config, accounting, &daemon.user),
        Err(failure) => check::accounting_unreachable(failure),
    });
    findings
}

/// The plugin's own file stands beside slurm.conf.
fn plugin_conf(site: &Site) -> PathBuf {
    let slurm_conf = site
        .config
        .get("SLURM_CONF")
        .unwrap_or("/etc/slurm/slurm.conf");
    Path::new(slurm_conf).with_file_name("fedsched.conf")
}

fn user_name(uid: Uid) -> String {
    match User::from_uid(uid) {
        Ok(Some(user)) => user.name,
        _ => uid.to_string(),
    }
}

fn show(findings: &[Finding], screen: &mut Screen<impl Write>) -> io::Result<()> {
    let subjects = findings
        .iter()
        .map(|finding| finding.subject.chars().count());
    let width = subjects.max().unwrap_or(0);
    for finding in findings {
        let (word, style) = match finding.grade {
            Grade::Ok => ("ok     ", AnsiColor::Green.on_default()),
            Grade::Warning => ("warning", AnsiColor::Yellow.on_default().bold()),
            Grade::Error => ("error  ", AnsiColor::Red.on_default().bold()),
        };
        let label = format!("{word}  {:width$}  ", finding.subject);
        screen.labelled(&label, style, &finding.text)?;
        if !finding.remedy.is_empty() {
            let indent = " ".repeat(word.len() + width + 4);
            screen.labelled(&format!("{indent}→ "), Style::new(), &finding.remedy)?;
        }
    }
    let count = |grade| {
        findings
            .iter()
            .filter(|finding| finding.grade == grade)
            .count() as u64
    };
    screen.line(format_args!(
        "{}, {}, {} ok",
        amount(count(Grade::Error), "error"),
        amount(count(Grade::Warning), "warning"),
        count(Grade::Ok)
    ))
}
