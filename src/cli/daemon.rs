//! `fedsched daemon`.

use std::path::Path;

use super::args::LogArg;
use super::failure::Failure;
use crate::config::Config;
use crate::telemetry::{self, Sink};

pub(super) fn run(path: &Path, log: LogArg) -> Result<(), Failure> {
    let config = Config::load(path)?;
    let sink = match log {
        LogArg::Auto => Sink::Auto,
        LogArg::Text => Sink::Text,
        LogArg::Json => Sink::Json,
    };
    telemetry::start(sink, config.daemon.log).map_err(|error| Failure::Run(error.into()))?;
    crate::daemon::run(config).map_err(Failure::Run)
}
