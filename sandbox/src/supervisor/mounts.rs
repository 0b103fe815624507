//! The file system of a sandbox.
//!
//! The host's root or a tree of another release lies below, read-only; what is written goes to
//! memory and is gone with the namespace. Directories that hold state start empty.

use std::{
    fs,
    io::ErrorKind,
    os::{
        fd::{AsRawFd as _, OwnedFd},
        unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, chown, symlink},
    },
    path::{Path, PathBuf},
};

use anyhow::Context as _;
use nix::{
    fcntl::{OFlag, open},
    mount::{MntFlags, MsFlags, mount, umount2},
    sys::stat::{Mode, umask},
    unistd::{chdir, pivot_root},
};

use crate::plan::{Directory, File, Plan};

/// Where the new root is put together; what the host has there is out of sight meanwhile, which
/// is why everything else is opened first.
const STAGE: &str = "/tmp";

/// Devices of the host that are shown inside.
const DEVICES: [&str; 6] = ["null", "zero", "full", "random", "urandom", "tty"];

const NONE: Option<&str> = None;

/// Builds the root of the plan and moves into it.
pub(super) fn enter_root(plan: &Plan) -> anyhow::Result<()> {
    umask(Mode::empty());
    mount(NONE, "/", NONE, MsFlags::MS_REC | MsFlags::MS_PRIVATE, NONE)
        .context("cannot make the mounts private")?;

    let lower = Source::open(&plan.root)?;
    let database = plan.database.as_deref().map(Source::open).transpose()?;
    let binds = plan
        .binds
        .iter()
        .map(|bind| Ok((Source::open(&bind.source)?, bind.target.as_str())))
        .collect::<anyhow::Result<Vec<_>>>()?;

    tmpfs(Path::new(STAGE), 0o755)?;
    let root = overlay(&lower, &Path::new(STAGE).join("root"), 0o755)?;
    kernel_file_systems(&root)?;
    for directory in &plan.private {
        let path = plain_directory(&root, &directory.path)?;
        tmpfs(&path, directory.mode)?;
        chown(&path, Some(directory.owner.uid), Some(directory.owner.gid))?;
    }
    if let Some(database) = &database {
        let path = plain_directory(&root, crate::config::DATABASE_DIRECTORY)?;
        let merged = overlay(database, &Path::new(STAGE).join("database"), 0o755)?;
        bind(&merged, &path)?;
    }
    for (source, target) in &binds {
        let path = below(&root, target);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::File::create(&path).with_context(|| format!("cannot make {}", path.display()))?;
        bind(&source.path(), &path)?;
        let read_only = MsFlags::MS_BIND | MsFlags::MS_REMOUNT | MsFlags::MS_RDONLY;
        mount(NONE, &path, NONE, read_only, NONE)
            .with_context(|| format!("cannot protect {target}"))?;
    }
    move_into(&root)?;

    // From here on paths, links in them too, are those of the sandbox.
    for directory in &plan.directories {
        make(directory).with_context(|| format!("cannot make {}", directory.path))?;
    }
    for (path, target) in &plan.links {
        symlink(target, path).with_context(|| format!("cannot make {path}"))?;
    }
    for file in &plan.files {
        write(file).with_context(|| format!("cannot write {}", file.path))?;
    }
    Ok(())
}

/// Something of the host, held open while its path may be out of sight.
struct Source(OwnedFd);

impl Source {
    fn open(path: &Path) -> anyhow::Result<Self> {
        open(path, OFlag::O_PATH | OFlag::O_CLOEXEC, Mode::empty())
            .map(Self)
            .with_context(|| format!("cannot open {}", path.display()))
    }

    /// A path that names it wherever it is.
    fn path(&self) -> PathBuf {
        format!("/proc/self/fd/{}", self.0.as_raw_fd()).into()
    }
}

/// The path inside the new root that will be `inside` once the root is entered.
fn below(root: &Path, inside: &str) -> PathBuf {
    root.join(inside.trim_start_matches('/'))
}

/// A directory to mount on: made if missing, and made instead of a link that may lead elsewhere.
fn plain_directory(root: &Path, inside: &str) -> anyhow::Result<PathBuf> {
    let path = below(root, inside);
    if path.is_symlink() {
        fs::remove_file(&path)?;
    }
    fs::create_dir_all(&path).with_context(|| format!("cannot make {}", path.display()))?;
    Ok(path)
}

fn tmpfs(path: &Path, mode: u32) -> anyhow::Result<()> {
    let options = format!("mode={mode:o}");
    mount(
        Some("tmpfs"),
        path,
        Some("tmpfs"),
        MsFlags::empty(),
        Some(options.as_str()),
    )
    .with_context(|| format!("cannot mount a tmpfs on {}", path.display()))
}

fn bind(source: &Path, target: &Path) -> anyhow::Result<()> {
    mount(Some(source), target, NONE, MsFlags::MS_BIND, NONE)
        .with_context(|| format!("cannot show {} as {}", source.display(), target.display()))
}

/// Mounts `lower` at `path`; what is written there goes to memory beside it.
fn overlay(lower: &Source, path: &Path, mode: u32) -> anyhow::Result<PathBuf> {
    let (upper, work) = (path.with_extension("upper"), path.with_extension("work"));
    for directory in [path, &upper, &work] {
        fs::DirBuilder::new().mode(mode).create(directory)?;
    }
    let owner = nix::sys::stat::stat(&lower.path())?;
    chown(&upper, Some(owner.st_uid), Some(owner.st_gid))?;
    let options = format!(
        "lowerdir={},upperdir={},workdir={}",
        lower.path().display(),
        upper.display(),
        work.display()
    );
    mount(
        Some("overlay"),
        path,
        Some("overlay"),
        MsFlags::empty(),
        Some(options.as_str()),
    )
    .context(
        "cannot mount an overlay: the kernel lacks overlayfs, or this is an unprivileged container",
    )?;
    Ok(path.to_owned())
}

/// `/proc`, `/sys` and a small `/dev`. `/sys` shows this network only and no control groups:
/// Slurm is told to use none, so that the sandbox is the same on every host.
fn kernel_file_systems(root: &Path) -> anyhow::Result<()> {
    let safe = MsFlags::MS_NOSUID | MsFlags::MS_NODEV | MsFlags::MS_NOEXEC;
    let proc = plain_directory(root, "/proc")?;
    mount(Some("proc"), &proc, Some("proc"), safe, NONE).context("cannot mount /proc")?;
    let sys = plain_directory(root, "/sys")?;
    mount(
        Some("sysfs"),
        &sys,
        Some("sysfs"),
        safe | MsFlags::MS_RDONLY,
        NONE,
    )
    .context("cannot mount /sys")?;

    let dev = plain_directory(root, "/dev")?;
    tmpfs(&dev, 0o755)?;
    for device in DEVICES {
        fs::File::create(dev.join(device))?;
        bind(&Path::new("/dev").join(device), &dev.join(device))?;
    }
    for directory in ["pts", "shm"] {
        fs::create_dir(dev.join(directory))?;
    }
    tmpfs(&dev.join("shm"), 0o1777)?;
    let options = Some("newinstance,mode=620,ptmxmode=666,gid=5");
    mount(
        Some("devpts"),
        &dev.join("pts"),
        Some("devpts"),
        MsFlags::MS_NOSUID,
        options,
    )
    .context("cannot mount /dev/pts")?;
    for (link, target) in [
        ("ptmx", "pts/ptmx"),
        ("fd", "/proc/self/fd"),
        ("stdin", "/proc/self/fd/0"),
        ("stdout", "/proc/self/fd/1"),
        ("stderr", "/proc/self/fd/2"),
    ] {
        symlink(target, dev.join(link))?;
    }
    Ok(())
}

/// Makes `root` the root of this process and lets go of the old one.
fn move_into(root: &Path) -> anyhow::Result<()> {
    chdir(root)?;
    // The idiom of pivot_root(2): the old root ends up on top of the new one and is taken off.
    pivot_root(".", ".").context("cannot move into the new root")?;
    umount2(".", MntFlags::MNT_DETACH).context("cannot leave the old root")?;
    chdir("/")?;
    Ok(())
}

fn make(directory: &Directory) -> std::io::Result<()> {
    let path = Path::new(&directory.path);
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o755)
        .create(path)?;
    fs::set_permissions(
        path,
        std::os::unix::fs::PermissionsExt::from_mode(directory.mode),
    )?;
    chown(path, Some(directory.owner.uid), Some(directory.owner.gid))
}

fn write(file: &File) -> anyhow::Result<()> {
    let path = Path::new(&file.path);
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error.into()),
        _ => {}
    }
    let mut target = fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(file.mode)
        .open(path)?;
    std::io::Write::write_all(&mut target, file.text.as_bytes())?;
    std::os::unix::fs::fchown(&target, Some(file.owner.uid), Some(file.owner.gid))?;
    Ok(())
}
