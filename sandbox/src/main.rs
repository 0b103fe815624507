//! The command `sandbox`: see [`cli`].

#![forbid(unsafe_code)]

mod cli;

use std::process::ExitCode;

use clap::Parser as _;

fn main() -> ExitCode {
    cli::Cli::parse().run().unwrap_or_else(|error| {
        eprintln!("sandbox: {error:#}");
        ExitCode::FAILURE
    })
}
