//! The binaries of this workspace that go into a sandbox, built when needed.

use std::{
    collections::BTreeMap,
    env,
    ffi::OsString,
    fs,
    io::IsTerminal as _,
    os::unix::process::CommandExt as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{Mutex, PoisonError},
};

use serde::Deserialize;

use crate::{
    command::checked,
    error::{Error, Result},
    host,
    options::{JobSubmit, Options},
    root::Root,
};

/// What was built for a sandbox.
#[derive(Debug, Default)]
pub(crate) struct Artifacts {
    /// The daemon and command line.
    pub(crate) fedsched: Option<PathBuf>,
    /// What depends on the version of Slurm.
    pub(crate) for_slurm: Option<ForSlurm>,
}

/// What is built against the headers of one version of Slurm.
#[derive(Clone, Debug)]
pub(crate) struct ForSlurm {
    /// The plugin of slurmctld.
    pub(crate) job_submit: PathBuf,
    /// The lister.
    pub(crate) watch: PathBuf,
}

impl Artifacts {
    /// Builds what a sandbox of these options needs.
    pub(crate) fn build(options: &Options, root: &Root) -> Result<Self> {
        let fedsched = match &options.fedsched {
            Some(path) => Some(path.clone()),
            None if options.daemon => Some(binary("fedsched", "fedsched")?),
            None => None,
        };
        let needed = options.daemon || options.job_submit == JobSubmit::Fedsched;
        let for_slurm = needed.then(|| for_slurm(root)).transpose()?;
        Ok(Self {
            fedsched,
            for_slurm,
        })
    }
}

/// The `sandbox` command: this very program, or the one beside the tests that use the library.
pub(crate) fn sandbox() -> Result<PathBuf> {
    let this = env::current_exe().map_err(Error::io("find", Path::new("this program")))?;
    if this.file_name().is_some_and(|name| name == "sandbox") {
        return Ok(this);
    }
    binary("fedsched-sandbox", "sandbox")
}

/// Results of this process's builds: cargo need not look for changes more than once.
static BUILT: Mutex<BTreeMap<String, PathBuf>> = Mutex::new(BTreeMap::new());

/// Builds a binary of the workspace in the profile this library was built in.
fn binary(package: &str, name: &str) -> Result<PathBuf> {
    let mut built = BUILT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(path) = built.get(name) {
        return Ok(path.clone());
    }
    let mut command = cargo("build");
    command.args(["--package", package, "--bin", name]);
    if !cfg!(debug_assertions) {
        command.arg("--release");
    }
    let path = build(command, &[name])?.remove(0);
    built.insert(name.to_owned(), path.clone());
    Ok(path)
}

/// Builds the plugin and the lister against the Slurm of a root.
///
/// Each version has a target directory of its own, `<target>/slurm/<version>`, so that going from
/// one to another builds nothing again; the results are copied to its top.
fn for_slurm(root: &Root) -> Result<ForSlurm> {
    let version = root.slurm_version();
    let mut built = BUILT.lock().unwrap_or_else(PoisonError::into_inner);
    let key = |name: &str| format!("{name} {version}");
    if let (Some(job_submit), Some(watch)) = (
        built.get(&key("job_submit")).cloned(),
        built.get(&key("watch")).cloned(),
    ) {
        return Ok(ForSlurm { job_submit, watch });
    }
    host::ensure_build_tools()?;
    let directory = target_directory()?.join("slurm").join(version);
    let mut command = cargo("build");
    command
        .args(["--release", "--package", "fedsched-slurm-job-submit"])
        .args(["--package", "fedsched-slurm-watch", "--target-dir"])
        .arg(&directory)
        .env("SLURM_INCLUDE_DIR", root.include_directory())
        .env("SLURM_LIB_DIR", root.library_directory());
    let paths = build(command, &["job_submit_fedsched", "slurm-watch"])?;
    let job_submit = copy(&paths[0], &directory.join("job_submit_fedsched.so"))?;
    let watch = copy(&paths[1], &directory.join("slurm-watch"))?;
    built.insert(key("job_submit"), job_submit.clone());
    built.insert(key("watch"), watch.clone());
    Ok(ForSlurm { job_submit, watch })
}

/// Copies a file under a new inode: the old one may be loaded in a running sandbox.
fn copy(from: &Path, to: &Path) -> Result<PathBuf> {
    let partial = to.with_extension("partial");
    fs::copy(from, &partial)
        .and_then(|_bytes| fs::rename(&partial, to))
        .map_err(Error::io("write", to))?;
    Ok(to.to_owned())
}

/// A cargo command in the workspace, as whoever called sudo if somebody did: what cargo writes
/// must stay theirs.
fn cargo(verb: &str) -> Command {
    let program = env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let mut command = Command::new(program);
    command.arg(verb).current_dir(workspace());
    if let Some((uid, gid)) = host::caller_before_sudo() {
        command.uid(uid).gid(gid);
    }
    command
}

/// The root of the workspace this library was built from.
fn workspace() -> &'static Path {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.parent().unwrap_or(package)
}

fn target_directory() -> Result<PathBuf> {
    #[derive(Deserialize)]
    struct Metadata {
        target_directory: PathBuf,
    }
    let output = checked(cargo("metadata").args(["--no-deps", "--format-version=1"]))?;
    serde_json::from_slice::<Metadata>(&output.stdout)
        .map(|metadata| metadata.target_directory)
        .map_err(|source| Error::Run {
            command: String::from("cargo metadata"),
            source: source.into(),
        })
}

/// Runs a build and finds the files it made of these targets, in the same order.
fn build(mut command: Command, targets: &[&str]) -> Result<Vec<PathBuf>> {
    #[derive(Deserialize)]
    struct Message {
        target: Option<Target>,
        #[serde(default)]
        filenames: Vec<PathBuf>,
    }
    #[derive(Deserialize)]
    struct Target {
        name: String,
        kind: Vec<String>,
    }
    command.arg("--message-format=json-render-diagnostics");
    // Whoever watches sees how far a long build is; a log has no use for it.
    if std::io::stderr().is_terminal() {
        command.stderr(Stdio::inherit());
    } else {
        command.arg("--quiet");
    }
    let output = checked(&mut command)?;
    let messages: Vec<Message> = output
        .stdout
        .split(|&byte| byte == b'\n')
        .filter_map(|line| serde_json::from_slice(line).ok())
        .collect();
    let find = |wanted: &str| {
        messages
            .iter()
            .find(|message| {
                message.target.as_ref().is_some_and(|target| {
                    target.name == wanted
                        && target
                            .kind
                            .iter()
                            .any(|kind| kind == "bin" || kind == "cdylib")
                })
            })
            .and_then(|message| message.filenames.first().cloned())
            .ok_or_else(|| Error::NotBuilt {
                target: wanted.to_owned(),
            })
    };
    targets.iter().map(|target| find(target)).collect()
}
