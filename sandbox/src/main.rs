//! The command `sandbox`: see [`cli`].

#![forbid(unsafe_code)]

mod cli;

use std::{io::ErrorKind, process::ExitCode};

use clap::Parser as _;

fn main() -> ExitCode {
    cli::Cli::parse().run().unwrap_or_else(|error| {
        // Whoever read the output has seen enough.
        let cause = error.root_cause().downcast_ref::<std::io::Error>();
        if cause.is_some_and(|cause| cause.kind() == ErrorKind::BrokenPipe) {
            return ExitCode::SUCCESS;
        }
        eprintln!("sandbox: {error:#}");
        ExitCode::FAILURE
    })
}
