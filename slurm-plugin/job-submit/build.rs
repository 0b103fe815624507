//! Passes on which Slurm this is built for, and keeps the plugin loaded once it is.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(slurm_22_05)");
    if let Ok(cfg) = env::var("DEP_SLURM_HEADERS_CFG")
        && cfg == "slurm_22_05"
    {
        println!("cargo::rustc-cfg={cfg}");
    }
    // Where the tests' stand-in for slurmctld finds the headers.
    if let Ok(include) = env::var("DEP_SLURM_HEADERS_INCLUDE") {
        println!("cargo::rustc-env=SLURM_INCLUDE={include}");
    }
    // slurmctld 22.05 unloads plugins on a reconfiguration, while Rust's runtime has no way to take
    // back what it registered with the process.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
}
