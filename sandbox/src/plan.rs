//! What a sandbox is made of, as plain data: worked out by the caller, carried out by the
//! supervisor, which takes no decision of its own.

use std::{collections::BTreeMap, path::PathBuf};

use serde::{Deserialize, Serialize};

use crate::{accounts::User, service::Service};

/// Everything the supervisor needs to know.
#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct Plan {
    /// Full version of the Slurm inside, for example `22.05.8`.
    pub(crate) slurm: String,
    /// The directory that becomes the root file system; never written to.
    pub(crate) root: PathBuf,
    /// A database directory made before, to begin with; never written to.
    pub(crate) database: Option<PathBuf>,
    /// Directories that are empty at the start and exist only inside.
    pub(crate) private: Vec<Directory>,
    /// Files of the host shown inside, read-only.
    pub(crate) binds: Vec<Bind>,
    /// Directories to make.
    pub(crate) directories: Vec<Directory>,
    /// Symbolic links to make: path inside and what it points to.
    pub(crate) links: Vec<(String, String)>,
    /// Files to write.
    pub(crate) files: Vec<File>,
    /// How to start each service.
    pub(crate) programs: BTreeMap<Service, Program>,
}

/// Numeric owner of a file or process.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub(crate) struct Owner {
    pub(crate) uid: u32,
    pub(crate) gid: u32,
}

impl Owner {
    pub(crate) const ROOT: Self = Self { uid: 0, gid: 0 };
}

impl From<&User> for Owner {
    fn from(user: &User) -> Self {
        Self {
            uid: user.uid,
            gid: user.gid,
        }
    }
}

/// A directory inside the sandbox.
#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct Directory {
    /// Absolute path inside.
    pub(crate) path: String,
    pub(crate) owner: Owner,
    pub(crate) mode: u32,
}

/// A file of the host that is to be seen inside.
#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct Bind {
    /// Path on the host.
    pub(crate) source: PathBuf,
    /// Absolute path inside.
    pub(crate) target: String,
}

/// A file to write inside the sandbox.
#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct File {
    /// Absolute path inside.
    pub(crate) path: String,
    pub(crate) owner: Owner,
    pub(crate) mode: u32,
    pub(crate) text: String,
}

/// How to start a service.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Program {
    /// Absolute path and arguments.
    pub(crate) command: Vec<String>,
    pub(crate) owner: Owner,
    /// Added to the clean environment.
    pub(crate) environment: BTreeMap<String, String>,
}
