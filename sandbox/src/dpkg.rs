//! Which Debian packages a root directory has, read from dpkg's own record.

use std::{collections::BTreeMap, fs, path::Path};

use crate::error::{Error, Result};

/// The installed packages of a root directory and their versions.
#[derive(Debug)]
pub(crate) struct Packages(BTreeMap<String, String>);

impl Packages {
    /// Reads `var/lib/dpkg/status` under `root`.
    pub(crate) fn read(root: &Path) -> Result<Self> {
        let path = root.join("var/lib/dpkg/status");
        let status = fs::read_to_string(&path).map_err(Error::io("read", &path))?;
        Ok(Self(status.split("\n\n").filter_map(installed).collect()))
    }

    /// The version of a package, without the epoch and the Debian revision: `22.05.8`.
    pub(crate) fn upstream_version(&self, package: &str) -> Option<&str> {
        let version = self.0.get(package)?;
        let version = version
            .split_once(':')
            .map_or(version.as_str(), |(_epoch, rest)| rest);
        Some(
            version
                .rsplit_once('-')
                .map_or(version, |(upstream, _revision)| upstream),
        )
    }

    /// The whole version of a package.
    pub(crate) fn version(&self, package: &str) -> Option<&str> {
        self.0.get(package).map(String::as_str)
    }

    /// Those of `wanted` that are not installed.
    pub(crate) fn missing<'a>(&self, wanted: &[&'a str]) -> Vec<&'a str> {
        wanted
            .iter()
            .copied()
            .filter(|package| !self.0.contains_key(*package))
            .collect()
    }
}

/// Name and version of the package of one paragraph, if it is installed.
fn installed(paragraph: &str) -> Option<(String, String)> {
    let field = |name: &str| paragraph.lines().find_map(|line| line.strip_prefix(name));
    field("Status: ")?.ends_with(" installed").then_some(())?;
    Some((
        field("Package: ")?.to_owned(),
        field("Version: ")?.to_owned(),
    ))
}

#[cfg(test)]
mod test {
    use super::*;

    #[test]
    fn versions_lose_epoch_and_revision() {
        let paragraphs = [
            "Package: slurmctld\nStatus: install ok installed\nVersion: 22.05.8-4+deb12u3",
            "Package: mariadb-server\nStatus: install ok installed\nVersion: 1:10.11.19-0+deb12u1",
            "Package: gone\nStatus: deinstall ok config-files\nVersion: 1",
        ];
        let packages = Packages(
            paragraphs
                .iter()
                .filter_map(|text| installed(text))
                .collect(),
        );
        assert_eq!(packages.upstream_version("slurmctld"), Some("22.05.8"));
        assert_eq!(
            packages.upstream_version("mariadb-server"),
            Some("10.11.19")
        );
        assert_eq!(packages.missing(&["slurmctld", "gone"]), ["gone"]);
    }
}
