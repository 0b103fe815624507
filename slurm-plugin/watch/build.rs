//! Links libslurm of the Slurm version to build for.
//!
//! `SLURM_LIB_DIR` is the directory that holds `libslurm.so`; the linker's own places by default.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=SLURM_LIB_DIR");
    println!("cargo::rustc-link-lib=slurm");
    // libslurm of a later Debian needs a later C library than the one here; the one it will find
    // where it runs is new enough.
    println!("cargo::rustc-link-arg=-Wl,--allow-shlib-undefined");
    let Some(lib) = env::var_os("SLURM_LIB_DIR").filter(|lib| !lib.is_empty()) else {
        return;
    };
    let lib = PathBuf::from(lib).join("libslurm.so");
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    match search_only(&lib, &out) {
        Ok(()) => println!("cargo::rustc-link-search=native={}", out.display()),
        Err(error) => println!(
            "cargo::error={}: {error}. Install libslurm-dev there, or name the directory that \
             holds libslurm.so in SLURM_LIB_DIR",
            lib.display()
        ),
    }
}

/// A directory with libslurm and nothing else: another system's C library, which may lie beside it,
/// must not come before this one's.
fn search_only(lib: &Path, out: &Path) -> io::Result<()> {
    let link = out.join("libslurm.so");
    match fs::remove_file(&link) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    std::os::unix::fs::symlink(fs::canonicalize(lib)?, link)
}
