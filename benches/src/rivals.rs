//! The C sources beside this program, compiled for the Slurm they will meet.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use fedsched_sandbox::Development;
use tempfile::TempDir;

/// The plugins and the submitter, as files on the host.
#[derive(Debug)]
pub(crate) struct Rivals {
    directory: TempDir,
}

/// Table of `job_submit/lua`.
pub(crate) const ROUTE_LUA: &str = include_str!("../rivals/route.lua");

impl Rivals {
    /// Compiles them all.
    pub(crate) fn build(slurm: &Development) -> Result<Self> {
        let rivals = Self {
            directory: TempDir::with_prefix("fedsched-bench-")?,
        };
        // A directory of Slurm's headers alone: beside them may lie those of another C library.
        let include = rivals.directory.path().join("include");
        fs::create_dir(&include)?;
        symlink(slurm.include.join("slurm"), include.join("slurm"))?;
        rivals.compile("switch.c", &rivals.switch(), &["-shared", "-fPIC"])?;
        rivals.compile("noop.c", &rivals.noop(), &["-shared", "-fPIC"])?;
        let library = slurm.libraries.join("libslurm.so");
        let library = library.to_str().context("a path that is not UTF-8")?;
        // What libslurm itself needs is there where the program runs, not where it is built.
        let flags = [library, "-Wl,--allow-shlib-undefined"];
        rivals.compile("submit.c", &rivals.submitter(), &flags)?;
        Ok(rivals)
    }

    /// The plugin that chooses among plugins.
    pub(crate) fn switch(&self) -> PathBuf {
        self.directory.path().join("job_submit_bench.so")
    }

    /// The plugin that does nothing.
    pub(crate) fn noop(&self) -> PathBuf {
        self.directory.path().join("job_submit_noop.so")
    }

    /// The program that submits.
    pub(crate) fn submitter(&self) -> PathBuf {
        self.directory.path().join("submit")
    }

    fn compile(&self, source: &str, output: &Path, flags: &[&str]) -> Result<()> {
        let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("rivals");
        let compiled = Command::new("cc")
            .args(["-std=gnu11", "-O2", "-Wall", "-Wextra", "-I"])
            .arg(self.directory.path().join("include"))
            .arg("-o")
            .arg(output)
            .arg(sources.join(source))
            .args(flags)
            .output()
            .context("cannot run cc: install gcc")?;
        ensure!(
            compiled.status.success(),
            "{source} does not compile:\n{}",
            String::from_utf8_lossy(&compiled.stderr)
        );
        Ok(())
    }
}
