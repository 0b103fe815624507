//! The database, slurmdbd, and what is recorded in them before the cluster starts.

use super::{DATABASE_SOCKET, HOST_NAME, Owners, SLURMDBD_PORT, file, program, system::TOKEN_KEY};
use crate::{
    cluster::PEOPLE,
    plan::{File, Owner, Program},
};

/// Where the database keeps its files.
pub(crate) const DATABASE_DIRECTORY: &str = "/var/lib/mysql";

/// Changes whenever a database made by an older version of this program must not be used.
pub(crate) const RECIPE: &str = "1";

const DATABASE_CONFIG: &str = "/etc/fedsched/mariadb.cnf";

/// Small and fast: a sandbox's accounting is never recovered after a crash of the machine.
const MARIADB: &str = "\
[mariadbd]
datadir = /var/lib/mysql
skip-networking
skip-log-bin
performance-schema = off
max-connections = 32
table-open-cache = 200
key-buffer-size = 1M
aria-pagecache-buffer-size = 8M
innodb-buffer-pool-size = 24M
innodb-log-file-size = 8M
innodb-log-buffer-size = 1M
innodb-flush-log-at-trx-commit = 0
innodb-flush-method = nosync
innodb-doublewrite = 0
innodb-use-native-aio = 0
innodb-lock-wait-timeout = 900
loose-innodb-snapshot-isolation = 0
";

pub(super) fn files(owners: &Owners) -> Vec<File> {
    let slurmdbd = format!(
        "AuthType=auth/munge\n\
         AuthAltTypes=auth/jwt\n\
         AuthAltParameters=jwt_key={TOKEN_KEY}\n\
         DbdHost=localhost\n\
         DbdPort={SLURMDBD_PORT}\n\
         SlurmUser=slurm\n\
         StorageType=accounting_storage/mysql\n\
         StorageUser=slurm\n\
         StorageLoc=slurm_acct_db\n\
         LogFile=/var/log/slurm/slurmdbd.log\n\
         PidFile=/run/slurm/slurmdbd.pid\n\
         DebugLevel=info\n"
    );
    vec![
        file(DATABASE_CONFIG, Owner::ROOT, 0o644, MARIADB),
        file("/etc/slurm/slurmdbd.conf", owners.slurm, 0o600, slurmdbd),
    ]
}

pub(super) fn mariadbd(owners: &Owners) -> Program {
    let defaults = format!("--defaults-file={DATABASE_CONFIG}");
    let socket = format!("--socket={DATABASE_SOCKET}");
    program(owners.mysql, &["/usr/sbin/mariadbd", &defaults, &socket])
}

/// The commands that make a database, in three stages: before mariadbd runs, while it runs, and
/// while slurmdbd runs as well. All are run by root, in the shell.
pub(crate) fn initialise() -> [String; 3] {
    let install = format!(
        "mariadb-install-db --defaults-file={DATABASE_CONFIG} --user=mysql --skip-test-db \
         --auth-root-authentication-method=socket"
    );
    // The schema must exist: MariaDB's client library 11.8.9 returns no rows after a connection
    // that failed for want of it, which is how slurmdbd finds out that it has to make one.
    let grant = String::from(
        "mariadb -e \"CREATE DATABASE slurm_acct_db; \
         CREATE USER slurm@localhost IDENTIFIED VIA unix_socket; \
         GRANT ALL ON slurm_acct_db.* TO slurm@localhost\"",
    );
    [install, grant, accounting_commands().join(" && ")]
}

/// The cluster, its accounts and people, and the QOS of the waiting room.
fn accounting_commands() -> Vec<String> {
    let mut commands = vec![
        format!("cluster {HOST_NAME}"),
        String::from("qos federation GrpJobs=0"),
    ];
    let mut accounts: Vec<&str> = PEOPLE.iter().map(|person| person.account).collect();
    accounts.dedup();
    commands.push(format!("account {}", accounts.join(",")));
    for person in &PEOPLE {
        let level = if person.operator {
            " AdminLevel=Operator"
        } else {
            ""
        };
        commands.push(format!(
            "user {} Account={}{level}",
            person.name, person.account
        ));
    }
    commands
        .iter()
        .map(|what| format!("sacctmgr -i add {what}"))
        .collect()
}
