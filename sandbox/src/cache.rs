//! The one directory of the host that the sandbox writes to: `${XDG_CACHE_HOME:-~/.cache}/fedsched`.
//!
//! Every entry is named by what it was made from, made under another name and renamed when it is
//! complete, so that whatever is found under its name can be used.

use std::{
    env, fs,
    os::unix::fs::chown,
    path::{Path, PathBuf},
};

use nix::fcntl::{Flock, FlockArg};
use sha2::{Digest as _, Sha256};

use crate::{
    error::{Error, Result},
    hex::hex,
    host,
};

/// Hexadecimal digits of the digest in a name.
const KEY_LENGTH: usize = 12;

/// The cache directory, made if missing.
fn directory() -> Result<PathBuf> {
    let base = env::var_os("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .filter(|path| path.is_absolute());
    let home = || Path::new(&env::var_os("HOME").unwrap_or_else(|| "/root".into())).join(".cache");
    let path = base.unwrap_or_else(home).join("fedsched");
    fs::create_dir_all(&path).map_err(Error::io("make", &path))?;
    if let Some((uid, gid)) = host::caller_before_sudo() {
        chown(&path, Some(uid), Some(gid)).map_err(Error::io("hand over", &path))?;
    }
    Ok(path)
}

/// The entry of this kind made from this recipe; `make` fills a new directory if there is none.
///
/// Others who want the same entry meanwhile wait for this one to be made.
pub(crate) fn entry(
    kind: &str,
    label: &str,
    recipe: &str,
    make: impl FnOnce(&Path) -> Result<()>,
) -> Result<PathBuf> {
    let parent = directory()?.join(kind);
    fs::create_dir_all(&parent).map_err(Error::io("make", &parent))?;
    let name = format!("{label}-{}", key(recipe));
    let path = parent.join(&name);
    if path.is_dir() {
        return Ok(path);
    }
    let _lock = lock(&parent.join(format!(".{name}.lock")))?;
    if path.is_dir() {
        return Ok(path);
    }
    let partial = parent.join(format!(".{name}.partial"));
    if partial.exists() {
        fs::remove_dir_all(&partial).map_err(Error::io("remove", &partial))?;
    }
    fs::create_dir(&partial).map_err(Error::io("make", &partial))?;
    make(&partial)?;
    fs::rename(&partial, &path).map_err(Error::io("complete", &path))?;
    Ok(path)
}

/// A short name for a text.
fn key(recipe: &str) -> String {
    hex(&Sha256::digest(recipe.as_bytes()))
        .chars()
        .take(KEY_LENGTH)
        .collect()
}

/// Waits until nobody else has the file locked.
fn lock(path: &Path) -> Result<Flock<fs::File>> {
    let file = fs::File::create(path).map_err(Error::io("make", path))?;
    Flock::lock(file, FlockArg::LockExclusive)
        .map_err(|(_file, errno)| Error::io("lock", path)(errno.into()))
}

#[cfg(test)]
mod test {
    use super::*;

    #[test]
    fn the_key_follows_the_recipe_only() {
        assert_eq!(key("one"), key("one"));
        assert_ne!(key("one"), key("two"));
        assert_eq!(key("").len(), KEY_LENGTH);
    }
}
