//! The machine a sandbox runs on: is it one we know, and does it have what is needed?

use std::{env, fs, os::unix::fs::PermissionsExt as _, path::Path, process::Command};

use crate::{
    command::checked,
    dpkg::Packages,
    error::{Error, Result},
};

/// The oldest Debian release that has what the sandbox needs.
const DEBIAN_OLDEST: u32 = 12;

/// Packages of a cluster, on the host or in a tree.
pub(crate) const SLURM_PACKAGES: [&str; 11] = [
    "slurmctld",
    "slurmd",
    "slurm-client",
    "slurmrestd",
    "slurmdbd",
    "slurm-wlm-jwt-plugin",
    "libslurm-dev",
    "munge",
    "mariadb-server",
    "iproute2",
    "procps",
];

/// What it takes to build the plugin.
const BUILD_PACKAGES: [&str; 3] = ["clang", "libclang-dev", "libc6-dev"];

/// Where a site's policy on starting services is kept.
const SERVICE_POLICY: &str = "/usr/sbin/policy-rc.d";

/// An error unless the caller is root.
pub(crate) fn require_root() -> Result<()> {
    if nix::unistd::geteuid().is_root() {
        Ok(())
    } else {
        Err(Error::NotRoot)
    }
}

/// The code name of the host's Debian release; an error on any other system.
pub fn suite() -> Result<String> {
    let path = Path::new("/etc/os-release");
    suite_of(&fs::read_to_string(path).map_err(Error::io("read", path))?)
}

fn suite_of(os_release: &str) -> Result<String> {
    let field = |name: &str| {
        os_release
            .lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix('='))
            .map(|value| value.trim_matches('"'))
    };
    // Testing and unstable have no VERSION_ID yet.
    let recent = field("VERSION_ID").is_none_or(|version| {
        version
            .parse()
            .is_ok_and(|number: u32| number >= DEBIAN_OLDEST)
    });
    match field("VERSION_CODENAME") {
        Some(suite) if field("ID") == Some("debian") && recent => Ok(suite.to_owned()),
        _ => Err(Error::UnsupportedSystem {
            found: field("PRETTY_NAME")
                .unwrap_or("an unknown system")
                .to_owned(),
        }),
    }
}

/// Installs Slurm and what it needs, if missing.
pub(crate) fn ensure_slurm() -> Result<()> {
    ensure(&SLURM_PACKAGES)
}

/// Installs what makes trees of other releases, if missing.
pub(crate) fn ensure_debootstrap() -> Result<()> {
    ensure(&["debootstrap", "debian-archive-keyring"])
}

/// Installs what builds the plugin, if missing.
pub(crate) fn ensure_build_tools() -> Result<()> {
    ensure(&BUILD_PACKAGES)
}

/// Installs packages from the host's own sources without starting the services in them.
fn ensure(wanted: &[&str]) -> Result<()> {
    let missing = Packages::read(Path::new("/"))?.missing(wanted);
    if missing.is_empty() {
        return Ok(());
    }
    eprintln!(
        "sandbox: installing {} (services in them are not started)",
        missing.join(" ")
    );
    let _policy = NoServices::declare()?;
    let apt = |arguments: &[&str]| {
        checked(
            Command::new("apt-get")
                .args(["-qq", "-y", "--no-install-recommends"])
                // Somebody else may be installing.
                .arg("-oDPkg::Lock::Timeout=300")
                .args(arguments)
                .env("DEBIAN_FRONTEND", "noninteractive"),
        )
    };
    let install = [&["install"], missing.as_slice()].concat();
    apt(&["update"])
        .and_then(|_| apt(&install))
        .map(drop)
        .map_err(|error| Error::MissingPackages {
            packages: missing.join(" "),
            source: Box::new(error),
        })
}

/// While it lives, packages start no service on this machine.
struct NoServices {
    ours: bool,
}

impl NoServices {
    fn declare() -> Result<Self> {
        let path = Path::new(SERVICE_POLICY);
        if path.exists() {
            return Ok(Self { ours: false });
        }
        // 101: the action is forbidden by policy.
        fs::write(path, "#!/bin/sh\nexit 101\n")
            .and_then(|()| fs::set_permissions(path, fs::Permissions::from_mode(0o755)))
            .map_err(Error::io("write", path))?;
        Ok(Self { ours: true })
    }
}

impl Drop for NoServices {
    fn drop(&mut self) {
        if self.ours
            && let Err(error) = fs::remove_file(SERVICE_POLICY)
        {
            eprintln!("sandbox: cannot remove {SERVICE_POLICY}, do so: {error}");
        }
    }
}

/// The Debian mirror the host itself uses, from its apt sources.
pub(crate) fn mirror() -> Result<String> {
    let suite = suite()?;
    let directory = Path::new("/etc/apt");
    let mut files = vec![directory.join("sources.list")];
    if let Ok(parts) = fs::read_dir(directory.join("sources.list.d")) {
        files.extend(parts.filter_map(Result::ok).map(|entry| entry.path()));
    }
    files.sort();
    files
        .iter()
        .filter_map(|file| fs::read_to_string(file).ok())
        .find_map(|text| mirror_in(&text, &suite))
        .ok_or(Error::NoMirror { suite })
}

/// The address beside `suite` in the text of one file of apt sources, of either format.
fn mirror_in(sources: &str, suite: &str) -> Option<String> {
    let one_line = sources.lines().find_map(|line| {
        let line = line.trim().strip_prefix("deb ")?;
        // Options may stand in brackets before the address.
        let line = line.rsplit_once(']').map_or(line, |(_options, rest)| rest);
        let mut words = line.split_whitespace();
        let address = words.next()?;
        (words.next() == Some(suite)).then(|| address.to_owned())
    });
    one_line.or_else(|| {
        // deb822: fields in paragraphs.
        sources.split("\n\n").find_map(|paragraph| {
            let field = |name: &str| paragraph.lines().find_map(|line| line.strip_prefix(name));
            let suites = field("Suites:")?;
            let address = field("URIs:")?.split_whitespace().next()?;
            suites
                .split_whitespace()
                .any(|word| word == suite)
                .then(|| address.to_owned())
        })
    })
}

/// Who called through sudo: their id and group id.
pub(crate) fn caller_before_sudo() -> Option<(u32, u32)> {
    let id = |name| env::var(name).ok()?.parse().ok();
    let caller = (id("SUDO_UID")?, id("SUDO_GID")?);
    (caller.0 != 0).then_some(caller)
}

#[cfg(test)]
mod test {
    use super::*;

    #[test]
    fn only_recent_debian_will_do() {
        let debian = |version| {
            format!(
                "ID=debian\nVERSION_ID=\"{version}\"\nVERSION_CODENAME=x\nPRETTY_NAME=\"Debian\""
            )
        };
        assert_eq!(suite_of(&debian(13)).unwrap(), "x");
        assert!(suite_of(&debian(11)).is_err());
        assert_eq!(
            suite_of("ID=debian\nVERSION_CODENAME=forky").unwrap(),
            "forky"
        );
        let error = suite_of("ID=fedora\nPRETTY_NAME=\"Fedora Linux 44\"")
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("Fedora Linux 44") && error.contains("Debian 12"),
            "{error}"
        );
    }

    #[test]
    fn the_mirror_is_found_in_both_formats() {
        let one_line =
            "# deb http://no.example/ x\ndeb [signed-by=/k.gpg] http://a.example/d x main";
        assert_eq!(
            mirror_in(one_line, "x").as_deref(),
            Some("http://a.example/d")
        );
        assert_eq!(mirror_in(one_line, "y"), None);
        let paragraphs = "Types: deb\nURIs: http://s.example/\nSuites: x-security\n\n\
                          Types: deb\n# comment\nURIs: http://b.example/d\nSuites: x x-updates\n";
        assert_eq!(
            mirror_in(paragraphs, "x").as_deref(),
            Some("http://b.example/d")
        );
    }
}
