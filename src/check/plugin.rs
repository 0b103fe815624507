//! What was built against Slurm: the job_submit plugin and `slurm-watch`.

use std::path::Path;

use fedsched_protocol::query::Finding;

use super::finding::{error, ok, warning};
use crate::config::Config;
use crate::site::{Error, Plugin, Site};

/// The plugin that slurmctld would load. One that was built for another release keeps slurmctld from
/// starting at all, so this is looked at before it is loaded.
pub fn installed(site: &Site, plugin: Option<&Plugin>) -> Finding {
    const SUBJECT: &str = "plugin";
    let running = site.config.get("SLURM_VERSION").unwrap_or("unknown");
    let Some(plugin) = plugin else {
        let directories = site.config.get("PluginDir").unwrap_or("PluginDir");
        return error(
            SUBJECT,
            format!("there is no job_submit_fedsched.so in {directories}"),
            format!("`make install SLURM_PLUGINDIR=…` on a host with the headers of {running}"),
        );
    };
    let path = plugin.path.display();
    match plugin.slurm.as_deref() {
        Some(built) if built == running => ok(SUBJECT, format!("{path}, built for {built}")),
        Some(built) => error(
            SUBJECT,
            format!(
                "{path} was built for {built} and slurmctld is {running}: the next start of \
                 slurmctld will fail"
            ),
            format!("build and install it again with the headers of {running}"),
        ),
        None => error(
            SUBJECT,
            format!("{path} is no Slurm plugin: slurmctld will not start with it"),
            format!("build and install it again with the headers of {running}"),
        ),
    }
}

/// The plugin is there and cannot be read.
pub fn unreadable_plugin(failure: &std::io::Error) -> Finding {
    error("plugin", failure.to_string(), "run this as root")
}

/// Keys of the plugin's own file.
const KEYS: [&str; 8] = [
    "Socket",
    "DeadlineMs",
    "QueuePartition",
    "FallbackPartition",
    "ReservedPartitions",
    "DaemonUser",
    "BreakerFailures",
    "BreakerCooldownMs",
];

/// The plugin's own file, beside slurm.conf; `None` if there is none, which is as good as an empty
/// one. It and the daemon's configuration must agree.
pub fn plugin_conf(config: &Config, path: &Path, text: Option<&str>) -> Finding {
    const SUBJECT: &str = "fedsched.conf";
    let file = path.display();
    let mut socket = "/run/fedsched/plugin.sock";
    let mut queue = "federation";
    for (number, line) in (1..).zip(text.unwrap_or_default().lines()) {
        let line = line.split('#').next().unwrap_or_default().trim();
        let Some((key, value)) = line.split_once('=') else {
            if line.is_empty() {
                continue;
            }
            return unusable(&format!("{file}:{number}: \"{line}\" is not Key=Value"));
        };
        match KEYS
            .iter()
            .find(|known| known.eq_ignore_ascii_case(key.trim()))
        {
            Some(&"Socket") => socket = value.trim(),
            Some(&"QueuePartition") => queue = value.trim(),
            Some(_) => {}
            None => return unusable(&format!("{file}:{number}: there is no key {}", key.trim())),
        }
    }
    let remedy = format!("make {file} and {} agree", config.path.display());
    if Path::new(socket) != config.daemon.plugin_socket {
        let ours = config.daemon.plugin_socket.display();
        let text = format!("{file} says Socket={socket}, the daemon listens at {ours}");
        return error(SUBJECT, text, remedy);
    }
    if queue != config.settings.queue_partition.as_str() {
        let ours = &config.settings.queue_partition;
        let text = format!("{file} says QueuePartition={queue}, the daemon serves {ours}");
        return error(SUBJECT, text, remedy);
    }
    ok(
        SUBJECT,
        match text {
            Some(_) => format!("{file} and the daemon's configuration agree"),
            None => "there is none: the plugin's defaults, which the daemon agrees with".to_owned(),
        },
    )
}

fn unusable(text: &str) -> Finding {
    error(
        "fedsched.conf",
        format!("{text}: the plugin stays idle"),
        format!("keys are {}", KEYS.join(", ")),
    )
}

/// What `slurm-watch --version` printed; `None` if the configuration lists through slurmrestd.
pub fn watch(site: Option<&Site>, printed: Option<&Result<String, Error>>) -> Finding {
    const SUBJECT: &str = "slurm-watch";
    const REBUILD: &str = "build and install it again with the headers of this Slurm";
    let printed = match printed {
        None => {
            return warning(
                SUBJECT,
                "not used: listing through slurmrestd costs far more on a busy site",
                "set slurm.watch to the command",
            );
        }
        Some(Err(failure)) => return error(SUBJECT, failure.to_string(), REBUILD),
        Some(Ok(printed)) => printed.trim(),
    };
    let running = site.and_then(|site| site.config.get("SLURM_VERSION"));
    let built = printed
        .split_once("(Slurm ")
        .and_then(|(_, rest)| rest.strip_suffix(')'));
    match (built, running) {
        (None, _) => error(SUBJECT, format!("\"{printed}\" is no release"), REBUILD),
        (Some(built), Some(running)) if series(built) != series(running) => error(
            SUBJECT,
            format!("built for Slurm {built}, and slurmctld is {running}"),
            REBUILD,
        ),
        _ if !printed.contains(&format!(" {} ", env!("CARGO_PKG_VERSION"))) => warning(
            SUBJECT,
            format!(
                "{printed} is of another release than {}",
                env!("CARGO_PKG_VERSION")
            ),
            "install all parts of fedsched together",
        ),
        _ => ok(SUBJECT, printed),
    }
}

/// `22.05` of `22.05.8`: within a series libslurm and slurmctld understand each other.
fn series(release: &str) -> &str {
    release
        .rsplit_once('.')
        .map_or(release, |(series, _)| series)
}
