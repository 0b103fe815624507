//! Trees: root directories of other Debian releases, kept in the cache.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::{
    cache,
    command::checked,
    error::{Error, Result},
    host::{self, SLURM_PACKAGES},
    options::Series,
};

/// Changes whenever trees made by an older version of this program must not be used.
const RECIPE: &str = "1";

/// The tree of the Debian release that has this series; made if there is none yet.
pub(crate) fn ensure(series: Series) -> Result<PathBuf> {
    let suite = series.suite();
    let packages = SLURM_PACKAGES.join(",");
    cache::entry(
        "trees",
        suite,
        &format!("{RECIPE} {suite} {packages}"),
        |directory| {
            eprintln!(
                "sandbox: making a tree of Debian {suite} for Slurm {series} \
             (about a minute, 650 MB, once)"
            );
            let mirror = host::mirror()?;
            checked(
                Command::new("debootstrap")
                    .args(["--variant=minbase", &format!("--include={packages}"), suite])
                    .arg(directory)
                    .arg(&mirror),
            )?;
            remove_downloads(&directory.join("var/cache/apt/archives"))
        },
    )
}

/// The packages are unpacked: their archives are of no more use.
fn remove_downloads(archives: &Path) -> Result<()> {
    let files = fs::read_dir(archives).map_err(Error::io("read", archives))?;
    for path in files.filter_map(Result::ok).map(|entry| entry.path()) {
        if path.extension().is_some_and(|extension| extension == "deb") {
            fs::remove_file(&path).map_err(Error::io("remove", &path))?;
        }
    }
    Ok(())
}
