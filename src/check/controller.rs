//! Values of slurm.conf that concern everybody.

use std::time::Duration;

use fedsched_protocol::query::{Finding, Status};

use super::finding::{error, ok, warning};
use crate::config::Config;
use crate::site::Site;

/// A job that has ended must still be listed when the daemon looks next, whatever goes wrong once.
const MIN_JOB_AGE_S: u64 = 60;

pub(super) fn controller(config: &Config, site: &Site, status: Option<&Status>) -> Vec<Finding> {
    vec![
        release(site),
        job_submit(site),
        accounting(site),
        priority(site),
        ageing(site),
        record_age(site),
        room_for_jobs(site, status),
        part_limits(site),
        slurm_user(config, site),
    ]
}

fn release(site: &Site) -> Finding {
    const SERIES: [&str; 3] = ["22.05.", "24.11.", "26.05."];
    let release = site.config.get("SLURM_VERSION").unwrap_or("unknown");
    if SERIES.iter().any(|series| release.starts_with(series)) {
        ok("slurmctld", format!("answers, release {release}"))
    } else {
        warning(
            "slurmctld",
            format!("release {release} is none that fedsched is tested with"),
            "use 22.05, 24.11 or 26.05, or try it with `rehearsal = true` first",
        )
    }
}

fn job_submit(site: &Site) -> Finding {
    const SUBJECT: &str = "JobSubmitPlugins";
    let plugins: Vec<&str> = site.config.list(SUBJECT).collect();
    match plugins.iter().position(|name| *name == "fedsched") {
        None => error(
            SUBJECT,
            "fedsched is not among them: jobs get no mark and no answer at submission",
            "add the lines of `fedsched slurm-conf` to slurm.conf and restart slurmctld",
        ),
        // A plugin after it could move a job that was placed already.
        Some(place) if place + 1 < plugins.len() => warning(
            SUBJECT,
            format!("{} comes after fedsched", plugins[place + 1..].join(", ")),
            "put fedsched last, so that it sees what the others changed",
        ),
        Some(_) => ok(SUBJECT, plugins.join(",")),
    }
}

/// Without slurmdbd there are no Operators, and nothing ages.
fn accounting(site: &Site) -> Finding {
    const SUBJECT: &str = "AccountingStorageType";
    match site.config.get(SUBJECT) {
        Some("accounting_storage/slurmdbd") => ok(SUBJECT, "accounting_storage/slurmdbd"),
        other => error(
            SUBJECT,
            format!("{} has no Operators and no ageing", other.unwrap_or("none")),
            "set up slurmdbd and AccountingStorageType=accounting_storage/slurmdbd",
        ),
    }
}

fn priority(site: &Site) -> Finding {
    const SUBJECT: &str = "PriorityType";
    match site.config.get(SUBJECT) {
        Some("priority/multifactor") => ok(SUBJECT, "priority/multifactor"),
        other => warning(
            SUBJECT,
            format!(
                "{}: the federation's queue is first come, first served, without fairshare",
                other.unwrap_or("priority/basic")
            ),
            "set PriorityType=priority/multifactor",
        ),
    }
}

/// Every change of partition resets a job's age until the next calculation.
fn ageing(site: &Site) -> Finding {
    const SUBJECT: &str = "PriorityCalcPeriod";
    match site.config.span(SUBJECT) {
        Some(period) if period > Duration::from_secs(60) => warning(
            SUBJECT,
            format!(
                "{} minutes: a job that was bound or taken back loses its age for so long",
                period.as_secs().div_ceil(60)
            ),
            "set PriorityCalcPeriod=1",
        ),
        _ => ok(SUBJECT, "at most a minute"),
    }
}

fn record_age(site: &Site) -> Finding {
    const SUBJECT: &str = "MinJobAge";
    match site.config.number(SUBJECT) {
        Some(age) if age < MIN_JOB_AGE_S => warning(
            SUBJECT,
            format!("{age} seconds: jobs may vanish before the daemon saw how they ended"),
            format!("set MinJobAge={MIN_JOB_AGE_S} or more (Slurm's default is 300)"),
        ),
        Some(age) => ok(SUBJECT, format!("{age} seconds")),
        None => ok(SUBJECT, "jobs are kept"),
    }
}

/// Every waiting job of the federation is a record of slurmctld.
fn room_for_jobs(site: &Site, status: Option<&Status>) -> Finding {
    const SUBJECT: &str = "MaxJobCount";
    let Some(max) = site.config.number(SUBJECT) else {
        return ok(SUBJECT, "Slurm's default");
    };
    let jobs = status.map_or(0, |status| {
        let queue = status.queue;
        let waiting = queue.pending + queue.unschedulable + queue.reschedule + queue.parked;
        u64::from(waiting + status.bound + status.running)
    });
    // Ended jobs count too, for MinJobAge.
    if jobs * 4 > max * 3 {
        warning(
            SUBJECT,
            format!("{max}, and the federation alone has {jobs} jobs: soon sbatch will refuse"),
            format!(
                "set MaxJobCount={} and restart slurmctld",
                jobs.max(max) * 2
            ),
        )
    } else {
        ok(SUBJECT, format!("{max}, the federation has {jobs} jobs"))
    }
}

/// Only the waiting room's own limits are enforced at submission, whichever it is.
fn part_limits(site: &Site) -> Finding {
    const SUBJECT: &str = "EnforcePartLimits";
    let value = site.config.get(SUBJECT).unwrap_or("NO");
    let beyond = if value == "NO" { "wait" } else { "are refused" };
    ok(
        SUBJECT,
        format!("{value}: jobs beyond the waiting room's own limits {beyond}"),
    )
}

/// The plugin connects as the user slurmctld runs as.
fn slurm_user(config: &Config, site: &Site) -> Finding {
    const SUBJECT: &str = "SlurmUser";
    let user = site.config.get(SUBJECT).unwrap_or("root");
    let user = user.split('(').next().unwrap_or(user);
    let allowed = &config.daemon.plugin_users;
    if allowed.iter().any(|allowed| allowed.as_str() == user) {
        ok(
            SUBJECT,
            format!("{user} may connect to the plugin's socket"),
        )
    } else {
        error(
            SUBJECT,
            format!("{user} may not connect to the plugin's socket"),
            format!("add \"{user}\" to daemon.plugin_users and restart the daemon"),
        )
    }
}
