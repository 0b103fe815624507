//! Generates bindings from the headers of the Slurm version to build for.
//!
//! `SLURM_INCLUDE_DIR` is the directory that holds `slurm/slurm.h`; `/usr/include` by default.

use std::path::{Path, PathBuf};
use std::{env, fs};

use bindgen::callbacks::{IntKind, ParseCallbacks};

/// The series whose structures were checked (`src/layout.rs`), with the cfg that stands for each.
const SERIES: &[(u32, &str)] = &[
    (0x16_05, "slurm_22_05"),
    (0x18_0b, "slurm_24_11"),
    (0x1a_05, "slurm_26_05"),
];

const TYPES: &[&str] = &[
    "job_desc_msg_t",
    "job_info_msg_t",
    "node_info_msg_t",
    "partition_info_msg_t",
    "reserve_info_msg_t",
    "job_states",
    "node_states",
    "select_nodedata_type",
    "slurm_err_t",
];

const FUNCTIONS: &[&str] = &[
    "slurm_init",
    "slurm_load_(jobs|node|partitions|reservations)",
    "slurm_free_(job_info|node_info|partition_info|reservation_info)_msg",
    "slurm_get_select_nodeinfo",
    "slurm_strerror",
];

const CONSTANTS: &[&str] = &[
    "SLURM_VERSION_NUMBER",
    "SLURM_SUCCESS",
    "NO_VAL(16|64)?",
    "INFINITE(16|64)?",
    "CRON_JOB",
    "EXTERNAL_JOB",
    "SHOW_(ALL|DETAIL|LOCAL)",
    "JOB_.*",
    "NODE_(STATE_.*|RESUME)",
    "PARTITION_(UP|DOWN|DRAIN|INACTIVE)",
    "PART_FLAG_(DEFAULT|ROOT_ONLY|REQ_RESV)",
    "RESERVE_FLAG_.*",
];

/// Macros have no type of their own: these stand for values of fields this wide.
#[derive(Debug)]
struct Widths;

impl ParseCallbacks for Widths {
    fn int_macro(&self, name: &str, _value: i64) -> Option<IntKind> {
        if name == "NO_VAL16" || name.starts_with("SHOW_") {
            Some(IntKind::U16)
        } else if name == "NO_VAL64" || name.starts_with("RESERVE_FLAG_") {
            Some(IntKind::U64)
        } else {
            None
        }
    }
}

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=wrapper.h");
    println!("cargo::rerun-if-env-changed=SLURM_INCLUDE_DIR");
    for (_, cfg) in SERIES {
        println!("cargo::rustc-check-cfg=cfg({cfg})");
    }
    if let Err(message) = generate() {
        println!("cargo::error={message}");
    }
}

fn generate() -> Result<(), String> {
    let headers = env::var_os("SLURM_INCLUDE_DIR")
        .map_or_else(|| PathBuf::from("/usr/include"), PathBuf::from)
        .join("slurm");
    let version = version(&headers)?;
    announce(version)?;
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("cargo sets no OUT_DIR")?);
    let include = include_only(&headers, &out)?;
    println!("cargo::metadata=include={}", include.display());
    let mut builder = bindgen::Builder::default()
        .header("wrapper.h")
        .clang_arg(format!("-I{}", include.display()))
        .rust_edition(bindgen::RustEdition::Edition2024)
        .default_enum_style(bindgen::EnumVariation::Consts)
        .prepend_enum_name(false)
        .derive_debug(false)
        .derive_default(false)
        .parse_callbacks(Box::new(Widths))
        .clang_macro_fallback()
        .clang_macro_fallback_build_dir(&out);
    for name in TYPES {
        builder = builder.allowlist_type(name);
    }
    for name in FUNCTIONS {
        builder = builder.allowlist_function(name);
    }
    for name in CONSTANTS {
        builder = builder.allowlist_var(name);
    }
    let bindings = builder
        .generate()
        .map_err(|error| format!("no bindings for {}: {error}", headers.display()))?;
    bindings
        .write_to_file(out.join("bindings.rs"))
        .map_err(|error| format!("bindings.rs cannot be written: {error}"))
}

/// `SLURM_VERSION_NUMBER`: major, minor and micro release, a byte each.
fn version(headers: &Path) -> Result<u32, String> {
    let file = headers.join("slurm_version.h");
    println!("cargo::rerun-if-changed={}", file.display());
    println!(
        "cargo::rerun-if-changed={}",
        headers.join("slurm.h").display()
    );
    let text = fs::read_to_string(&file).map_err(|error| {
        format!(
            "{}: {error}. Install Slurm's headers (Debian: libslurm-dev), or name the directory \
             that holds slurm/slurm.h in SLURM_INCLUDE_DIR",
            file.display()
        )
    })?;
    text.lines()
        .find_map(|line| line.strip_prefix("#define SLURM_VERSION_NUMBER 0x"))
        .and_then(|digits| u32::from_str_radix(digits.trim(), 16).ok())
        .ok_or_else(|| format!("{} defines no SLURM_VERSION_NUMBER", file.display()))
}

/// Tells this crate and those that depend on it which Slurm they are built for.
fn announce(version: u32) -> Result<(), String> {
    let series = version >> 8;
    let name = format!("{}.{:02}.{}", version >> 16, series & 0xff, version & 0xff);
    let Some((_, cfg)) = SERIES.iter().find(|(known, _)| *known == series) else {
        return Err(format!(
            "Slurm {name} is not supported: fedsched knows the structures of Slurm 22.05, 24.11 \
             and 26.05. Set SLURM_INCLUDE_DIR to the headers of one of them"
        ));
    };
    println!("cargo::rustc-cfg={cfg}");
    println!("cargo::rustc-env=SLURM_VERSION={name}");
    println!("cargo::metadata=cfg={cfg}");
    Ok(())
}

/// A directory with Slurm's headers and nothing else: those of another system's C library, which may
/// lie beside them, must not come before this one's.
fn include_only(headers: &Path, out: &Path) -> Result<PathBuf, String> {
    let include = out.join("include");
    let link = include.join("slurm");
    let fail = |error: std::io::Error| format!("{}: {error}", link.display());
    fs::create_dir_all(&include).map_err(fail)?;
    match fs::remove_file(&link) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(fail(error)),
        _ => {}
    }
    std::os::unix::fs::symlink(fs::canonicalize(headers).map_err(fail)?, &link).map_err(fail)?;
    Ok(include)
}
