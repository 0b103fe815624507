//! The `fedsched` command.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    fedsched::cli::run()
}
