//! The command line: one file for each command, one for each way of showing things.
//!
//! Every command but `daemon` and `config` asks the daemon over its socket, with the types of
//! `fedsched_protocol::query`; `--json` prints those as they are.

pub mod args;
mod check;
mod client;
mod config;
mod daemon;
pub mod exit;
mod explain;
mod failure;
mod members;
mod output;
mod queue;
mod simulate;
mod slurm_conf;
mod status;

use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Command};
use failure::Failure;
use output::Screen;

/// Runs the command line of this process.
pub fn run() -> ExitCode {
    let cli = Cli::parse();
    match dispatch(&cli) {
        Ok(()) => ExitCode::from(exit::DONE),
        // Who piped us into `head` has seen enough.
        Err(failure) if failure.is_broken_pipe() => ExitCode::from(exit::DONE),
        Err(failure) => {
            failure.tell();
            ExitCode::from(failure.code())
        }
    }
}

fn dispatch(cli: &Cli) -> Result<(), Failure> {
    let global = &cli.global;
    match &cli.command {
        Command::Status => status::run(global, &mut Screen::stdout()),
        Command::Members => members::run(global, &mut Screen::stdout()),
        Command::Queue { user } => queue::run(global, user.as_deref(), &mut Screen::stdout()),
        Command::Explain { job } => explain::run(global, *job, &mut Screen::stdout()),
        Command::Simulate(args) => simulate::run(global, args, &mut Screen::stdout()),
        Command::Check { config } => check::run(global, &config.path, &mut Screen::stdout()),
        Command::SlurmConf { config, room } => {
            slurm_conf::run(&config.path, *room, &mut Screen::stdout())
        }
        Command::Config(command) => config::run(command, &mut Screen::stdout()),
        Command::Daemon { config, log } => daemon::run(&config.path, *log),
    }
}
