//! Man pages and shell completions, from the command line itself: `$OUT_DIR/man` and
//! `$OUT_DIR/completions`, where `make` takes them from.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::PathBuf;

use clap::CommandFactory;
use clap_complete::{Shell, generate_to};

#[path = "src/cli/args.rs"]
#[expect(
    unreachable_pub,
    reason = "the same file is a public module of the program"
)]
mod args;

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=src/cli/args.rs");
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_else(|| OsString::from(".")));
    let man = out.join("man");
    fs::create_dir_all(&man)?;
    clap_mangen::generate_to(args::Cli::command(), &man)?;
    let completions = out.join("completions");
    fs::create_dir_all(&completions)?;
    for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
        generate_to(shell, &mut args::Cli::command(), "fedsched", &completions)?;
    }
    Ok(())
}
