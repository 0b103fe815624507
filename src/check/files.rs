//! Files, sockets and directories of this host.

use std::io;
use std::path::Path;

use fedsched_protocol::query::Finding;

use super::finding::{error, ok, warning};
use crate::config::Config;
use crate::members::slurm::Endpoint;

/// Least space for the store that is worth no word, bytes.
const SPACE_MIN_BYTES: u64 = 256 << 20;

/// A configuration that is valid.
pub fn configuration(config: &Config) -> Finding {
    const SUBJECT: &str = "configuration";
    let file = config.path.display();
    let members = config.settings.members.len();
    let text = format!("{file} is valid, members: {members}");
    match &config.slurm.restd {
        Endpoint::Http(url) if url.scheme() == "http" && !is_local(url.host_str()) => warning(
            SUBJECT,
            format!("{text}; the token goes over the network as plain text"),
            "use https:// or a Unix socket for slurm.restd",
        ),
        _ if config.settings.rehearsal => warning(
            SUBJECT,
            format!("{text}; it is a rehearsal, no job is moved"),
            "set daemon.rehearsal = false when you like what `fedsched explain` says",
        ),
        _ => ok(SUBJECT, text),
    }
}

fn is_local(host: Option<&str>) -> bool {
    host.is_some_and(|host| ["localhost", "[::1]"].contains(&host) || host.starts_with("127."))
}

/// slurmrestd's Unix socket, as somebody who connects to it finds it.
pub fn endpoint(endpoint: &Endpoint, connected: io::Result<()>) -> Finding {
    const SUBJECT: &str = "slurmrestd socket";
    match connected {
        Ok(()) => ok(SUBJECT, format!("{endpoint} answers")),
        // It lets its own user in, and root.
        Err(failure) if failure.kind() == io::ErrorKind::PermissionDenied => warning(
            SUBJECT,
            format!("{endpoint} lets nobody but its own user in, so it is not tried"),
            "run this as root",
        ),
        Err(failure) => error(
            SUBJECT,
            format!("{endpoint}: {failure}"),
            "`systemctl enable --now fedsched-slurmrestd`, or correct slurm.restd",
        ),
    }
}

/// The store's directory cannot be looked at.
pub fn no_state_dir(dir: &Path, failure: &io::Error) -> Finding {
    error(
        "state directory",
        format!("{}: {failure}", dir.display()),
        "start the daemon's systemd unit, which makes it, or make it for the daemon's user",
    )
}

/// The store's directory: whose it is, and how much space is left.
pub fn state_dir(dir: &Path, owner: &str, daemon_user: &str, free_bytes: u64) -> Finding {
    const SUBJECT: &str = "state directory";
    let shown = dir.display();
    if owner != daemon_user {
        return error(
            SUBJECT,
            format!("{shown} belongs to {owner}, and the daemon runs as {daemon_user}"),
            format!("`chown -R {daemon_user} {shown}`"),
        );
    }
    let mebibytes = free_bytes >> 20;
    if free_bytes < SPACE_MIN_BYTES {
        return warning(
            SUBJECT,
            format!("{mebibytes} MiB left at {shown}; without space nothing is placed"),
            "make space on that file system",
        );
    }
    ok(SUBJECT, format!("{shown}, {mebibytes} MiB left"))
}
