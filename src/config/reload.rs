//! What a running daemon can take over from a new configuration, and what only a start can.

use super::{Config, Daemon, Slurm};

/// Keys in which two configurations differ and that only a start can change.
pub(super) fn fixed_keys(old: &Config, new: &Config) -> Vec<&'static str> {
    let Config {
        path: _,
        settings,
        slurm,
        daemon,
    } = old;
    let room = (
        "slurm.queue_partition",
        settings.queue_partition == new.settings.queue_partition,
    );
    [room]
        .into_iter()
        .chain(slurm_keys(slurm, &new.slurm))
        .chain(daemon_keys(daemon, &new.daemon))
        .filter(|(_, same)| !same)
        .map(|(key, _)| key)
        .collect()
}

/// Each key of `[slurm]`, and whether it stayed.
fn slurm_keys(old: &Slurm, new: &Slurm) -> [(&'static str, bool); 6] {
    // Taken apart, so that a new key cannot be forgotten here.
    let Slurm {
        restd,
        user,
        token,
        watch,
        poll,
        hint_gap,
    } = old;
    [
        ("slurm.restd", *restd == new.restd),
        ("slurm.user", *user == new.user),
        (
            "slurm.token_file, token_command or jwt_key",
            *token == new.token,
        ),
        ("slurm.watch", *watch == new.watch),
        ("slurm.poll", *poll == new.poll),
        ("slurm.hint_gap", *hint_gap == new.hint_gap),
    ]
}

/// Each key of `[daemon]` but `rehearsal`, and whether it stayed.
fn daemon_keys(old: &Daemon, new: &Daemon) -> [(&'static str, bool); 7] {
    let Daemon {
        plugin_socket,
        plugin_users,
        socket,
        operators,
        state_dir,
        http,
        log,
    } = old;
    [
        ("daemon.plugin_socket", *plugin_socket == new.plugin_socket),
        ("daemon.plugin_users", *plugin_users == new.plugin_users),
        ("daemon.socket", *socket == new.socket),
        ("daemon.operators", *operators == new.operators),
        ("daemon.state_dir", *state_dir == new.state_dir),
        ("daemon.http", *http == new.http),
        ("daemon.log", *log == new.log),
    ]
}
