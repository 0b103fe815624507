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
    /// How listings come, or why they do not.
    pub listing: Result<Listing, String>,
    /// slurmrestd, or why it does not answer.
    pub restd: Result<Restd, String>,
    /// The plugin that said hello last.
    pub plugin: Option<Greeting>,
    /// The store takes batches, or why it does not.
    pub store: Result<(), String>,
}

/// How listings come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Listing {
    /// From slurm-watch.
    Watch {
        /// Its release.
        watch: String,
        /// Slurm release it was built for.
        slurm: String,
    },
    /// From slurmrestd.
    Restd,
}

/// What slurmrestd says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restd {
    /// API version in use, such as `v0.0.42`.
    pub api: String,
    /// Slurm release, such as `24.11.5`.
    pub slurm: String,
    /// End of the token in use, milliseconds since 1970; `None` if there is no token, or it does
    /// not say.
    pub token_until_ms: Option<i64>,
}

/// What a plugin says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Greeting {
    /// Release of the plugin.
    pub plugin: String,
    /// Slurm release it was built for.
    pub slurm: String,
}

/// A token that ends sooner should have been renewed, milliseconds.
const TOKEN_LEFT_MIN_MS: i64 = 60_000;

/// A listing this many polls old is late.
const POLLS_MISSED_MAX: u32 = 10;

/// The daemon's part of `fedsched check`.
pub fn daemon(facts: &Facts) -> Vec<Finding> {
    vec![
        listing(facts),
        restd(facts),
        plugin(facts.plugin.as_ref()),
        store(&facts.store),
    ]
}

fn listing(facts: &Facts) -> Finding {
    const SUBJECT: &str = "listings";
    let from = match &facts.listing {
        Ok(Listing::Watch { watch, slurm }) => format!("slurm-watch {watch} (Slurm {slurm})"),
        Ok(Listing::Restd) => "slurmrestd".to_owned(),
        Err(failure) => {
            return error(
                SUBJECT,
                failure.clone(),
                "check that slurmctld is up and slurm.watch names the slurm-watch of its release",
            );
        }
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
    let text = format!("Slurm {}, API {}", restd.slurm, restd.api);
    match restd.token_until_ms.map(|until| until - facts.now_ms) {
        Some(left) if left <= 0 => error(
            SUBJECT,
            format!("{text}; its token ended {} seconds ago", -left / 1000),
            "renew the token: slurm.token_file, slurm.token_command or slurm.jwt_key",
        ),
        Some(left) if left < TOKEN_LEFT_MIN_MS => warning(
            SUBJECT,
            format!("{text}; its token ends in {} seconds", left / 1000),
            "see the daemon's log for why it is not renewed",
        ),
        Some(left) => ok(
            SUBJECT,
            format!("{text}; its token ends in {} minutes", left / 60_000),
        ),
        None => ok(SUBJECT, text),
    }
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

fn store(store: &Result<(), String>) -> Finding {
    const SUBJECT: &str = "store";
    match store {
        Ok(()) => ok(SUBJECT, "takes what it is given"),
        Err(failure) => error(
            SUBJECT,
            format!("{failure}; nothing is placed"),
            "make space, or look at the disk; the daemon goes on by itself",
        ),
    }
}
