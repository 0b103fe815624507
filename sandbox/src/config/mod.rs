//! Every file inside a sandbox, and how each service is started: the plan of a cluster.

mod accounting;
mod federation;
mod slurm;
mod system;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

pub(crate) use self::accounting::{DATABASE_DIRECTORY, RECIPE, initialise};
use crate::{
    accounts::{Accounts, User},
    artifacts::Artifacts,
    cluster::{self, PEOPLE},
    error::Result,
    options::{JobSubmit, Options},
    plan::{Bind, Directory, File, Owner, Plan, Program},
    root::Root,
    service::Service,
};

/// Host name of a sandbox, and the address of every Slurm daemon in it.
pub(crate) const HOST_NAME: &str = "sandbox";

/// Its address: one of those set apart for documentation, on the loopback device.
pub(crate) const HOST_ADDRESS: &str = "192.0.2.1";

/// Where fedsched's own binaries appear.
const LIBRARY_DIRECTORY: &str = "/usr/local/lib/fedsched";

/// Port of slurmdbd.
pub(crate) const SLURMDBD_PORT: u16 = 6819;

/// Port of slurmctld.
pub(crate) const SLURMCTLD_PORT: u16 = 6817;

/// Loopback port of slurmrestd, for tokens.
pub(crate) const SLURMRESTD_PORT: u16 = 6820;

/// Unix socket of slurmrestd, for the user `fedsched`.
pub(crate) const SLURMRESTD_SOCKET: &str = "/run/fedsched/slurmrestd.sock";

/// Socket on which the daemon awaits the plugin.
pub(crate) const PLUGIN_SOCKET: &str = "/run/fedsched/plugin.sock";

/// Socket of munged; compiled into Slurm.
pub(crate) const MUNGE_SOCKET: &str = "/run/munge/munge.socket.2";

/// Socket of the database; compiled into its client library, which in newer releases looks into
/// `/run/mariadbd`.
pub(crate) const DATABASE_SOCKET: &str = "/run/mysqld/mysqld.sock";

/// The users of one root directory, as numbers.
#[derive(Debug)]
pub(crate) struct Owners {
    accounts: Accounts,
    slurm: Owner,
    munge: Owner,
    mysql: Owner,
    fedsched: Owner,
}

impl Owners {
    /// The users of the root, and the people of the sandbox added to them.
    pub(crate) fn new(root: &Root) -> Result<Self> {
        let mut accounts = Accounts::read(root.path())?;
        for person in &PEOPLE {
            accounts.add(User {
                name: person.name.to_owned(),
                uid: person.id,
                gid: person.id,
                home: person.home.to_owned(),
                shell: String::from("/bin/bash"),
            });
        }
        let owner = |name| accounts.user(name).map(Owner::from);
        Ok(Self {
            slurm: owner("slurm")?,
            munge: owner("munge")?,
            mysql: owner("mysql")?,
            fedsched: owner("fedsched")?,
            accounts,
        })
    }
}

/// The whole plan of a sandbox.
pub(crate) fn plan(
    root: &Root,
    options: &Options,
    artifacts: &Artifacts,
    database: Option<PathBuf>,
) -> Result<Plan> {
    let owners = Owners::new(root)?;
    let mut files = system::files(&owners)?;
    files.extend(accounting::files(&owners));
    files.extend(slurm::files(root, options, &owners));
    files.extend(federation::files(options, &owners)?);
    Ok(Plan {
        slurm: root.slurm_version().to_owned(),
        root: root.path().to_owned(),
        private: private_directories(&owners, database.is_none()),
        database,
        binds: binds(options, artifacts),
        directories: directories(&owners),
        links: vec![(String::from("/run/mariadbd"), String::from("mysqld"))],
        files,
        programs: programs(root, options, &owners),
    })
}

/// State of the services, and what a host's users would not want to be seen or touched.
fn private_directories(owners: &Owners, fresh_database: bool) -> Vec<Directory> {
    let root = Owner::ROOT;
    let mut all = vec![
        directory("/etc/fedsched", root, 0o755),
        directory("/etc/munge", owners.munge, 0o700),
        directory("/etc/slurm", root, 0o755),
        directory("/home", root, 0o755),
        directory("/media", root, 0o755),
        directory("/mnt", root, 0o755),
        directory("/root", root, 0o700),
        directory("/run", root, 0o755),
        directory("/tmp", root, 0o1777),
        directory("/usr/local/lib/fedsched", root, 0o755),
        directory("/var/lib/fedsched", owners.fedsched, 0o700),
        directory("/var/lib/munge", owners.munge, 0o711),
        directory("/var/lib/slurm", owners.slurm, 0o755),
        directory("/var/log", root, 0o755),
        directory("/var/spool", root, 0o755),
        directory("/var/tmp", root, 0o1777),
    ];
    if fresh_database {
        all.push(directory(DATABASE_DIRECTORY, owners.mysql, 0o755));
    }
    all
}

fn directories(owners: &Owners) -> Vec<Directory> {
    let mut all = vec![
        directory("/run/fedsched", owners.fedsched, 0o755),
        directory("/run/munge", owners.munge, 0o755),
        directory("/run/mysqld", owners.mysql, 0o755),
        directory("/run/slurm", owners.slurm, 0o755),
        directory("/var/lib/slurm/slurmctld", owners.slurm, 0o700),
        directory("/var/log/munge", owners.munge, 0o700),
        directory("/var/log/sandbox", Owner::ROOT, 0o755),
        directory("/var/log/slurm", owners.slurm, 0o755),
        directory("/var/spool/slurm", Owner::ROOT, 0o755),
    ];
    for node in cluster::node_names() {
        all.push(directory(
            &format!("/var/spool/slurm/{node}"),
            Owner::ROOT,
            0o755,
        ));
    }
    for person in PEOPLE
        .iter()
        .filter(|person| person.home.starts_with("/home"))
    {
        let owner = Owner {
            uid: person.id,
            gid: person.id,
        };
        all.push(directory(person.home, owner, 0o755));
    }
    all
}

/// The binaries of this workspace, where an installation would have them, and fake GPUs.
fn binds(options: &Options, artifacts: &Artifacts) -> Vec<Bind> {
    let bind = |source: &Path, target: String| Bind {
        source: source.to_owned(),
        target,
    };
    let mut all: Vec<Bind> = cluster::gpu_devices()
        .map(|device| bind(Path::new("/dev/null"), device))
        .collect();
    if let Some(fedsched) = &artifacts.fedsched {
        all.push(bind(fedsched, String::from("/usr/local/bin/fedsched")));
    }
    if let Some(built) = &artifacts.for_slurm {
        all.push(bind(
            &built.watch,
            format!("{LIBRARY_DIRECTORY}/slurm-watch"),
        ));
        all.push(bind(
            &built.job_submit,
            format!("{LIBRARY_DIRECTORY}/job_submit_fedsched.so"),
        ));
    }
    if let JobSubmit::Other { name, file } = &options.job_submit {
        all.push(bind(
            file,
            format!("{LIBRARY_DIRECTORY}/job_submit_{name}.so"),
        ));
    }
    all
}

/// How each service is started. All stay in the foreground, as children of the supervisor.
fn programs(root: &Root, options: &Options, owners: &Owners) -> BTreeMap<Service, Program> {
    let mut all = BTreeMap::from([
        (
            Service::Munged,
            program(
                owners.munge,
                &["/usr/sbin/munged", "--foreground", "--num-threads=2"],
            ),
        ),
        (Service::Mariadbd, accounting::mariadbd(owners)),
        (
            Service::Slurmdbd,
            program(owners.slurm, &["/usr/sbin/slurmdbd", "-D"]),
        ),
        (
            Service::Slurmctld,
            program(owners.slurm, &["/usr/sbin/slurmctld", "-D"]),
        ),
        (Service::Slurmrestd, slurm::slurmrestd(root, owners)),
        (Service::SlurmrestdTcp, slurm::slurmrestd_tcp(root, owners)),
    ]);
    for node in cluster::node_names() {
        let slurmd = program(Owner::ROOT, &["/usr/sbin/slurmd", "-D", "-N", &node]);
        all.insert(Service::Slurmd(node), slurmd);
    }
    if options.daemon {
        all.insert(Service::Fedsched, federation::daemon(owners));
    }
    all
}

fn program(owner: Owner, command: &[&str]) -> Program {
    Program {
        command: command.iter().map(|&word| word.to_owned()).collect(),
        owner,
        environment: BTreeMap::new(),
    }
}

fn directory(path: &str, owner: Owner, mode: u32) -> Directory {
    Directory {
        path: path.to_owned(),
        owner,
        mode,
    }
}

fn file(path: &str, owner: Owner, mode: u32, text: impl Into<String>) -> File {
    File {
        path: path.to_owned(),
        owner,
        mode,
        text: text.into(),
    }
}
