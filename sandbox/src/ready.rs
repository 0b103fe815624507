//! When a service is of use: each has a condition that can be looked at from outside.

use std::{fs, os::unix::net::UnixStream, path::Path, time::Duration};

use crate::{
    command::tail,
    config,
    control::ServiceState,
    error::{Error, Result},
    sandbox::Sandbox,
    service::Service,
};

/// How long a service may take to become ready. A start takes a second or two; a machine that
/// builds and tests at the same time may be twenty times slower.
const START_TIMEOUT: Duration = Duration::from_secs(60);

/// How much of a log an error shows, in bytes.
const LOG_BYTES_MAX: usize = 2000;

/// The state of a listening socket in `/proc/net/tcp`.
const TCP_LISTEN: &str = "0A";

impl Sandbox {
    /// Waits until these services are ready; fails at once if one of them has ended.
    pub(crate) fn wait_ready(&self, services: &[Service]) -> Result<()> {
        let what = services
            .iter()
            .map(Service::to_string)
            .collect::<Vec<_>>()
            .join(", ");
        let what = format!("{what} to be ready");
        let mut ended = None;
        let outcome = self.wait_until(START_TIMEOUT, &what, || {
            match self.first_ended(services) {
                Ok(None) => self.all_ready(services),
                // The condition is over, only not in the way that was hoped for.
                Ok(Some(error)) | Err(error) => {
                    ended = Some(error);
                    Ok(())
                }
            }
        });
        ended.map_or(outcome, Err)
    }

    /// The error that says which of these services has ended.
    fn first_ended(&self, services: &[Service]) -> Result<Option<Error>> {
        let states = self.status()?.services;
        Ok(services
            .iter()
            .find_map(|service| match states.get(service) {
                Some(ServiceState::Ended { how }) => Some(Error::ServiceEnded {
                    service: service.clone(),
                    ending: how.clone(),
                    log: self.log_tail(service),
                }),
                _ => None,
            }))
    }

    fn all_ready(&self, services: &[Service]) -> Result<(), String> {
        let mut nodes = Vec::new();
        for service in services {
            match service {
                Service::Munged => self.accepts(config::MUNGE_SOCKET)?,
                Service::Mariadbd => self.accepts(config::DATABASE_SOCKET)?,
                Service::Slurmdbd => self.listens(config::SLURMDBD_PORT)?,
                Service::Slurmctld => self.listens(config::SLURMCTLD_PORT)?,
                Service::Slurmrestd => self.accepts(config::SLURMRESTD_SOCKET)?,
                Service::SlurmrestdTcp => self.listens(config::SLURMRESTD_PORT)?,
                Service::Fedsched => self.accepts(config::PLUGIN_SOCKET)?,
                Service::Slurmd(node) => nodes.push(node.as_str()),
            }
        }
        if nodes.is_empty() {
            Ok(())
        } else {
            self.nodes_answer(&nodes)
        }
    }

    fn accepts(&self, socket: &str) -> Result<(), String> {
        UnixStream::connect(self.path(socket))
            .map(drop)
            .map_err(|error| format!("{socket}: {error}"))
    }

    fn listens(&self, port: u16) -> Result<(), String> {
        let listening = ["tcp", "tcp6"].iter().any(|table| {
            let path = format!("/proc/{}/net/{table}", self.pid());
            fs::read_to_string(path).is_ok_and(|table| has_listener(&table, port))
        });
        if listening {
            Ok(())
        } else {
            Err(format!("nobody listens on port {port}"))
        }
    }

    /// Whether slurmctld has heard from these nodes and would give them jobs.
    fn nodes_answer(&self, nodes: &[&str]) -> Result<(), String> {
        let output = self
            .exec("root", ["sinfo", "--noheader", "--Node", "--format=%N %T"])
            .map_err(|error| error.to_string())?;
        let text = String::from_utf8_lossy(&output.stdout);
        let missing: Vec<&str> = nodes
            .iter()
            .copied()
            .filter(|node| !is_up(&text, node))
            .collect();
        if missing.is_empty() {
            return Ok(());
        }
        Err(format!(
            "not up: {}; sinfo says: {} {}",
            missing.join(","),
            text.trim().replace('\n', ", "),
            String::from_utf8_lossy(&output.stderr).trim()
        ))
    }

    /// The end of a service's log and of what it printed, for messages.
    pub(crate) fn log_tail(&self, service: &Service) -> String {
        let mut files = vec![service.output(), service.log()];
        files.dedup();
        files
            .iter()
            .map(|file| end_of(&self.path(file)))
            .filter(|text| !text.is_empty())
            .collect::<Vec<_>>()
            .join("\n")
    }
}

fn end_of(path: &Path) -> String {
    let text = fs::read(path).unwrap_or_default();
    tail(&String::from_utf8_lossy(&text), LOG_BYTES_MAX).to_owned()
}

/// Whether a table of `/proc/net/tcp` has a socket that listens on the port.
fn has_listener(table: &str, port: u16) -> bool {
    let suffix = format!(":{port:04X}");
    table.lines().any(|line| {
        let mut fields = line.split_whitespace().skip(1);
        let local = fields
            .next()
            .is_some_and(|address| address.ends_with(&suffix));
        local && fields.nth(1) == Some(TCP_LISTEN)
    })
}

/// Whether `sinfo --Node --format="%N %T"` says that the node is in use or could be.
fn is_up(sinfo: &str, node: &str) -> bool {
    let mut states = sinfo
        .lines()
        .filter_map(|line| line.split_once(' '))
        .filter(|(name, _)| *name == node);
    let usable = |state: &str| {
        [
            "idle",
            "mixed",
            "allocated",
            "completing",
            "drained",
            "draining",
        ]
        .contains(&state)
    };
    states.next().is_some_and(|(_, state)| usable(state.trim()))
}

#[cfg(test)]
mod test {
    use super::*;

    #[test]
    fn a_listener_is_found_in_the_kernels_table() {
        let table = "  sl  local_address rem_address   st tx_queue\n\
                        0: 0100007F:1AA1 00000000:0000 0A 00000000:00000000\n\
                        1: 0100007F:1AA2 0100007F:9C40 01 00000000:00000000\n";
        assert!(has_listener(table, 6817));
        assert!(!has_listener(table, 6818), "connected is not listening");
    }

    #[test]
    fn a_node_that_does_not_answer_is_not_up() {
        let sinfo = "cpu1 idle\ncpu2 idle*\nbig1 unknown\n";
        assert!(is_up(sinfo, "cpu1"));
        assert!(!is_up(sinfo, "cpu2"));
        assert!(!is_up(sinfo, "big1"));
        assert!(!is_up(sinfo, "gpu1"));
    }
}
