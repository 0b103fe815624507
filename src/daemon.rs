//! The composition root of the daemon.

use crate::config::Config;

/// Runs the daemon until it is told to stop.
pub fn run(config: Config) -> anyhow::Result<()> {
    let path = config.path;
    anyhow::bail!("{}: the daemon has no parts yet", path.display())
}
