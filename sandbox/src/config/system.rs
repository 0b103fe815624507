//! Names of users and hosts, and the keys of the sandbox.

use std::{fs, io::Read as _, path::Path};

use super::{HOST_ADDRESS, HOST_NAME, Owners, file};
use crate::{
    error::{Error, Result},
    hex::hex,
    plan::{File, Owner},
};

/// Bytes of randomness in each key.
const KEY_BYTES: usize = 32;

/// Where slurmctld and slurmdbd find the key that signs tokens.
pub(super) const TOKEN_KEY: &str = "/var/lib/slurm/jwt_hs256.key";

pub(super) fn files(owners: &Owners) -> Result<Vec<File>> {
    let root = Owner::ROOT;
    Ok(vec![
        file("/etc/passwd", root, 0o644, owners.accounts.passwd()),
        file("/etc/group", root, 0o644, owners.accounts.group()),
        file("/etc/hostname", root, 0o644, format!("{HOST_NAME}\n")),
        file(
            "/etc/hosts",
            root,
            0o644,
            format!("127.0.0.1 localhost\n{HOST_ADDRESS} {HOST_NAME}\n"),
        ),
        // Nothing beyond the files: there is no network to ask.
        file(
            "/etc/nsswitch.conf",
            root,
            0o644,
            "passwd: files\ngroup: files\nhosts: files\n",
        ),
        file("/etc/resolv.conf", root, 0o644, ""),
        file("/etc/munge/munge.key", owners.munge, 0o400, key()?),
        file(TOKEN_KEY, owners.slurm, 0o600, key()?),
    ])
}

/// A new secret, as text.
fn key() -> Result<String> {
    let path = Path::new("/dev/urandom");
    let mut bytes = [0; KEY_BYTES];
    fs::File::open(path)
        .and_then(|mut source| source.read_exact(&mut bytes))
        .map_err(Error::io("read", path))?;
    Ok(hex(&bytes))
}
