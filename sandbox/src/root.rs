//! A root directory that has Slurm: the host's own, or a tree of another Debian release.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::{
    dpkg::Packages,
    error::{Error, Result},
    host,
    options::Series,
    tree,
};

/// Where programs that are to meet the Slurm of a sandbox find its headers and library, on the host.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Development {
    /// The directory that holds `slurm/slurm.h`, and other headers of the same release.
    pub include: PathBuf,
    /// The directory that holds `libslurm.so`.
    pub libraries: PathBuf,
}

impl Development {
    /// Of this series; whatever is missing is installed or downloaded first.
    pub fn of(series: Series) -> Result<Self> {
        let root = Root::for_series(series)?;
        Ok(Self {
            include: root.include_directory(),
            libraries: root.library_directory(),
        })
    }
}

/// A root directory and the Slurm in it.
#[derive(Debug)]
pub(crate) struct Root {
    path: PathBuf,
    slurm_version: String,
    /// Slurm's and the database's packages, to tell one set of them from another.
    fingerprint: String,
    /// The directory of libraries of this architecture, without the root: `/usr/lib/<triplet>`.
    libraries: PathBuf,
}

impl Root {
    /// The root to run this series from; whatever is missing is installed or downloaded first.
    pub(crate) fn for_series(series: Series) -> Result<Self> {
        let path = if host::suite()? == series.suite() {
            host::ensure_slurm()?;
            PathBuf::from("/")
        } else {
            host::ensure_debootstrap()?;
            tree::ensure(series)?
        };
        Self::open(path)
    }

    fn open(path: PathBuf) -> Result<Self> {
        let packages = Packages::read(&path)?;
        let lacking = |what| Error::NotARoot {
            root: path.clone(),
            what,
        };
        let slurm_version = packages
            .upstream_version("slurmctld")
            .ok_or_else(|| lacking("slurmctld"))?
            .to_owned();
        let fingerprint = ["slurmctld", "slurmdbd", "mariadb-server"]
            .map(|package| {
                format!(
                    "{package} {}\n",
                    packages.version(package).unwrap_or("none")
                )
            })
            .concat();
        let parent = path.join("usr/lib");
        let libraries = fs::read_dir(&parent)
            .map_err(Error::io("read", &parent))?
            .filter_map(Result::ok)
            .find(|entry| entry.path().join("slurm-wlm").is_dir())
            .map(|entry| Path::new("/usr/lib").join(entry.file_name()))
            .ok_or_else(|| lacking("Slurm plugins"))?;
        Ok(Self {
            path,
            slurm_version,
            fingerprint,
            libraries,
        })
    }

    /// Where the root is on the host.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// For example `22.05.8`.
    pub(crate) fn slurm_version(&self) -> &str {
        &self.slurm_version
    }

    /// Whether its Slurm is of this series.
    pub(crate) fn is_slurm(&self, series: &str) -> bool {
        self.slurm_version.starts_with(&format!("{series}."))
    }

    /// The exact packages that make a database what it is.
    pub(crate) fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// Where Slurm's plugins are, inside the root.
    pub(crate) fn plugin_directory(&self) -> PathBuf {
        self.libraries.join("slurm-wlm")
    }

    /// Slurm's headers, on the host.
    pub(crate) fn include_directory(&self) -> PathBuf {
        self.path.join("usr/include")
    }

    /// Slurm's library, on the host.
    pub(crate) fn library_directory(&self) -> PathBuf {
        // An absolute path would replace the root it is joined to.
        let inside = self.libraries.strip_prefix("/").unwrap_or(&self.libraries);
        self.path.join(inside)
    }
}
