//! `fedsched config`.

use std::io::Write;

use super::args::ConfigCommand;
use super::failure::Failure;
use super::output::{Screen, amount};
use crate::config::{Config, DEFAULTS};

pub(super) fn run(command: &ConfigCommand, screen: &mut Screen<impl Write>) -> Result<(), Failure> {
    match command {
        ConfigCommand::Check { file } => {
            let config = Config::load(file)?;
            let members = amount(config.settings.members.len() as u64, "member");
            screen.line(format_args!("{}: valid, {members}", file.display()))?;
        }
        ConfigCommand::Defaults => screen.line(DEFAULTS.trim_end())?,
    }
    Ok(())
}
