//! `fedsched slurm-conf`: the lines that make a site ready for the federation, each with its reason.

mod lines;

use std::io::Write;
use std::path::Path;

use super::args::RoomArg;
use super::failure::Failure;
use super::output::Screen;
use crate::config::Config;
use crate::site::Site;
use lines::{Lines, Lock};

pub(super) fn run(
    path: &Path,
    room: RoomArg,
    screen: &mut Screen<impl Write>,
) -> Result<(), Failure> {
    let config = Config::load(path)?;
    let site = Site::ask();
    if let Err(failure) = &site {
        screen.line(format_args!("# {failure}"))?;
        screen.line("# Fill in what stands as … below.")?;
    }
    let site = site.ok();
    let lock = match room {
        RoomArg::Qos => Lock::Qos,
        RoomArg::Down => Lock::Down,
        RoomArg::Auto => Lock::of(site.as_ref()),
    };
    screen.line(Lines::of(&config, site.as_ref(), lock))?;
    Ok(())
}
