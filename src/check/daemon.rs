//! What the daemon finds when it looks at itself.

use std::time::Duration;

use fedsched_protocol::query::Finding;

use super::finding::{error, ok, warning};

/// What the daemon knows of its own connections.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// Now, milliseconds since 1970.
    pub now_ms: i64,
    /// Time between two listings.
    pub poll: Duration,
    /// Last complete listing, milliseconds since 1970.
    pub heard_ms: Option<i64>,
    /// Where listings come from.
    pub feed: Feed,
    /// slurmrestd, or why it does not answer.
    pub restd: Result<Restd, String>,
    /// The plugin that said hello last.
    pub plugin: Option<Greeting>,
}

/// Where listings come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Feed {
    /// slurm-watch.
    Watch,
    /// slurmrestd.
    Restd,
}

/// What slurmrestd says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restd {
    /// API version in use, such as `v0.0.42`.
    pub api: String,
    /// Slurm release, such as `24.11.5`.
    pub slurm: String,
}

/// What a plugin says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Greeting {
    /// Release of the plugin.
    pub plugin: String,
    /// Slurm release it was built for.
    pub slurm: String,
}

/// A listing this many polls old is late.
const POLLS_MISSED_MAX: u32 = 10;

/// The daemon's part of `fedsched check`.
pub fn daemon(facts: &Facts) -> Vec<Finding> {
    vec![listing(facts), restd(facts), plugin(facts.plugin.as_ref())]
}

fn listing(facts: &Facts) -> Finding {
    const SUBJECT: &str = "listings";
    let from = match facts.feed {
        Feed::Watch => "slurm-watch",
        Feed::Restd => "slurmrestd",
    };
    let Some(heard) = facts.heard_ms else {
        return error(
            SUBJECT,
            format!("none has come from {from} yet"),
            "wait for a few seconds; then look into the daemon's log",
        );
    };
    let age = Duration::from_millis(u64::try_from(facts.now_ms - heard).unwrap_or(0));
    if age > facts.poll * POLLS_MISSED_MAX {
        return error(
            SUBJECT,
            format!("the last one from {from} is {} seconds old", age.as_secs()),
            "check that slurmctld answers (scontrol ping)",
        );
    }
    ok(
        SUBJECT,
        format!("from {from}, {:.1} s ago", age.as_secs_f64()),
    )
}

fn restd(facts: &Facts) -> Finding {
    const SUBJECT: &str = "slurmrestd";
    let restd = match &facts.restd {
        Ok(restd) => restd,
        Err(failure) => {
            return error(
                SUBJECT,
                failure.clone(),
                "check slurm.restd, its token, and `systemctl status fedsched-slurmrestd`",
            );
        }
    };
    ok(SUBJECT, format!("Slurm {}, API {}", restd.slurm, restd.api))
}

fn plugin(plugin: Option<&Greeting>) -> Finding {
    const SUBJECT: &str = "plugin's connection";
    let ours = env!("CARGO_PKG_VERSION");
    match plugin {
        None => warning(
            SUBJECT,
            "no plugin has connected since the daemon started",
            "submit a job; if it stays so, slurmctld's log says why",
        ),
        Some(Greeting { plugin, slurm }) if plugin == ours => ok(
            SUBJECT,
            format!("connected, release {plugin}, built for Slurm {slurm}"),
        ),
        Some(Greeting { plugin, .. }) => error(
            SUBJECT,
            format!("the plugin is release {plugin}, the daemon {ours}"),
            "install all parts of fedsched together, and restart slurmctld",
        ),
    }
}
