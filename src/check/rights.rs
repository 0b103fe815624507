//! Whether the daemon may do what it does.

use fedsched_protocol::query::Finding;

use super::finding::{error, ok, warning};
use crate::config::Config;
use crate::members::slurm::TokenSource;
use crate::site::{Accounting, Error};

const SUBJECT: &str = "rights";

/// `daemon_user` is the user that the daemon runs as.
///
/// Over a Unix socket slurmctld sees slurmrestd's own user, which must be the daemon's; with a
/// token it sees the token's.
pub fn rights(config: &Config, accounting: &Accounting, daemon_user: &str) -> Finding {
    let user = match config.slurm.token {
        TokenSource::None => daemon_user,
        _ => config.slurm.user.as_str(),
    };
    if accounting.is_operator(user) {
        ok(SUBJECT, format!("{user} is an Operator in slurmdbd"))
    } else {
        error(
            SUBJECT,
            format!("{user} is no Operator in slurmdbd: it cannot move other users' jobs"),
            format!(
                "`sacctmgr add user {user} account=root adminlevel=operator`, or `sacctmgr modify \
                 user {user} set adminlevel=operator`"
            ),
        )
    }
}

/// slurmdbd could not be asked.
pub fn unreachable(error: &Error) -> Finding {
    warning(
        SUBJECT,
        format!("slurmdbd cannot be asked for QOS and rights: {error}"),
        "run this as root on the host of slurmctld while slurmdbd is up",
    )
}
