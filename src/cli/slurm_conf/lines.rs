//! The lines, from the configuration and what the site has.

use std::collections::BTreeSet;
use std::fmt;
use std::time::Duration;

use crate::config::Config;
use crate::members::slurm::TokenSource;
use crate::site::{Partition, Site};

/// What a reader has to fill in where slurmctld could not be asked.
const GAP: &str = "…";

/// Default memory of the room where no member has one, MiB for each CPU: small, so that a job that
/// asks for none is not refused for asking too much; the member's own default holds at the start.
const ROOM_MEMORY_MIB: u64 = 1000;

/// What keeps jobs from starting in the waiting room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lock {
    /// `State=UP` under a QOS with `GrpJobs=0`.
    Qos,
    /// `State=DOWN`.
    Down,
}

impl Lock {
    /// A QOS where the site enforces limits: there jobs age, deadlines hold, and users see no
    /// "Partition in DOWN state".
    pub(super) fn of(site: Option<&Site>) -> Self {
        if site.is_some_and(enforces_qos) {
            Self::Qos
        } else {
            Self::Down
        }
    }
}

/// A QOS holds jobs only where its limits are enforced.
fn enforces_qos(site: &Site) -> bool {
    let items: BTreeSet<&str> = site.config.list("AccountingStorageEnforce").collect();
    let has = |words: &[&str]| words.iter().any(|word| items.contains(word));
    has(&["limits", "safe", "all"]) && has(&["qos", "all"])
}

/// Everything to add to a site, in the order it is to be done.
#[derive(Debug)]
pub(super) struct Lines {
    lines: Vec<String>,
}

impl fmt::Display for Lines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.lines.join("\n"))
    }
}

impl Lines {
    pub(super) fn of(config: &Config, site: Option<&Site>, lock: Lock) -> Self {
        let mut lines = Self { lines: Vec::new() };
        lines.commands(config, site, lock);
        lines.controller(site, lock);
        lines.room(config, site, lock);
        if let Some(site) = site {
            lines.others(config, site);
        }
        lines.plugin(config, site);
        lines
    }

    fn add(&mut self, line: impl Into<String>) {
        self.lines.push(line.into());
    }

    fn heading(&mut self, text: &str) {
        if !self.lines.is_empty() {
            self.add("");
        }
        self.add(format!("# ---- {text}"));
    }

    /// What slurmdbd must know before slurmctld reads the rest.
    fn commands(&mut self, config: &Config, site: Option<&Site>, lock: Lock) {
        self.heading("once, as root, before slurm.conf is changed");
        let user = match config.slurm.token {
            TokenSource::None => "fedsched",
            _ => config.slurm.user.as_str(),
        };
        self.add(format!(
            "# {user} moves other users' jobs, so it must be an Operator:"
        ));
        self.add(format!(
            "#   sacctmgr -i add user {user} account=root adminlevel=operator"
        ));
        if lock == Lock::Qos || site.is_some_and(enforces_qos) {
            let room = &config.settings.queue_partition;
            self.add("# The QOS that lets no job start in the waiting room:");
            self.add(format!("#   sacctmgr -i add qos {room}"));
            self.add(format!("#   sacctmgr -i modify qos {room} set GrpJobs=0"));
        }
    }

    /// Values that concern everybody; what is right already is left out.
    fn controller(&mut self, site: Option<&Site>, lock: Lock) {
        self.heading(&format!("{}: restart slurmctld after it", slurm_conf(site)));
        let plugins = site.map(|site| site.config.list("JobSubmitPlugins"));
        let mut plugins: Vec<&str> = plugins.into_iter().flatten().collect();
        plugins.retain(|name| *name != "fedsched");
        plugins.push("fedsched");
        self.add(
            "# Last, so that it sees what other plugins changed. Without this line, and after a",
        );
        self.add("# restart, the site is as it was before.");
        self.add(format!("JobSubmitPlugins={}", plugins.join(",")));
        if let Some(directories) = site.and_then(|site| site.config.get("PluginDir")) {
            self.add(format!(
                "# The plugin is looked for in PluginDir, which is {directories}"
            ));
        }
        let is =
            |key: &str, value: &str| site.is_some_and(|site| site.config.get(key) == Some(value));
        if !is("AccountingStorageType", "accounting_storage/slurmdbd") {
            self.add("# Without slurmdbd there are no Operators, and waiting jobs do not age.");
            self.add("AccountingStorageType=accounting_storage/slurmdbd");
        }
        if !is("PriorityType", "priority/multifactor") {
            self.add("# The federation's queue is in the order of Slurm's own priority.");
            self.add("PriorityType=priority/multifactor");
        }
        let period = site.and_then(|site| site.config.span("PriorityCalcPeriod"));
        if period.is_none_or(|period| period > Duration::from_secs(60)) {
            self.add("# Minutes. Every change of partition resets a job's age until the next calculation.");
            self.add("PriorityCalcPeriod=1");
        }
        if lock == Lock::Qos && !site.is_some_and(enforces_qos) {
            self.add("# Without these the waiting room's QOS holds nothing back. They enforce limits for the");
            self.add("# whole site, and refuse users without an association: `--room down` needs neither.");
            self.add(format!("AccountingStorageEnforce={}", enforcement(site)));
        }
    }

    fn room(&mut self, config: &Config, site: Option<&Site>, lock: Lock) {
        let name = &config.settings.queue_partition;
        let nodes = site.map_or_else(|| GAP.to_owned(), |site| nodes(config, site));
        let memory = site.and_then(|site| memory(config, site));
        let state = match lock {
            Lock::Qos => format!("State=UP QOS={name}"),
            // A second lock, in case somebody sets the partition UP by mistake.
            Lock::Down if site.is_some_and(enforces_qos) => format!("State=DOWN QOS={name}"),
            Lock::Down => "State=DOWN".to_owned(),
        };
        self.add("");
        self.add("# The waiting room: it accepts every job and starts none.");
        self.add(match lock {
            Lock::Qos => "# The QOS lets nothing start; jobs age and deadlines hold all the same.",
            Lock::Down => {
                "# DOWN lets nothing start. NEVER set it UP: everything would start at once."
            }
        });
        self.add(
            "# Nodes are the members', so that what no member could hold is refused at submission.",
        );
        self.add(
            "# No limits of its own: the member's hold. The small default memory keeps a job that",
        );
        self.add("# asks for none from counting as a whole node.");
        self.add(format!(
            "PartitionName={name} Default=YES {state} MaxTime=INFINITE DefMemPerCPU={} Nodes={nodes}",
            memory.unwrap_or(ROOM_MEMORY_MIB)
        ));
    }

    /// What other partitions have to change.
    fn others(&mut self, config: &Config, site: &Site) {
        let room = config.settings.queue_partition.as_str();
        let default = site
            .partitions
            .values()
            .find(|other| other.is_default && other.name != room);
        if let Some(other) = default {
            self.add("");
            self.add(format!(
                "# {} is the default now: take Default=YES from it. With it, heterogeneous jobs and",
                other.name
            ));
            self.add("# all jobs while the plugin is not loaded would pass the federation by.");
        }
        for partition in members(config, site).filter(|one| one.memory_default.is_none()) {
            self.add("");
            self.add(format!(
                "# {} has no default memory: a job that asks for none takes whole nodes there. Add",
                partition.name
            ));
            self.add(format!("#   DefMemPerCPU={ROOM_MEMORY_MIB}"));
        }
    }

    /// The plugin's own file.
    fn plugin(&mut self, config: &Config, site: Option<&Site>) {
        let path = slurm_conf(site).replace("slurm.conf", "fedsched.conf");
        self.heading(&format!(
            "{path}: beside slurm.conf, on the host of slurmctld"
        ));
        self.add("# Where the daemon listens (daemon.plugin_socket).");
        self.add(format!("Socket={}", config.daemon.plugin_socket.display()));
        self.add("# Longest time a submission may take for it, milliseconds.");
        self.add("DeadlineMs=50");
        self.add("# Where jobs wait (slurm.queue_partition).");
        self.add(format!(
            "QueuePartition={}",
            config.settings.queue_partition
        ));
        self.add("# Where they go instead while the daemon does not answer; by default they wait.");
        self.add(format!("#FallbackPartition={}", fallback(config)));
        self.add("# Partitions that nobody but the daemon sends jobs to.");
        self.add("#ReservedPartitions=");
        self.add("# The daemon's user.");
        self.add("DaemonUser=fedsched");
        self.add(
            "# After how many failures in a row the daemon is not asked for a while, and for how",
        );
        self.add("# long at first, milliseconds.");
        self.add("BreakerFailures=3");
        self.add("BreakerCooldownMs=1000");
    }
}

fn slurm_conf(site: Option<&Site>) -> &str {
    let known = site.and_then(|site| site.config.get("SLURM_CONF"));
    known.unwrap_or("/etc/slurm/slurm.conf")
}

/// What is enforced now, and what a QOS needs.
fn enforcement(site: Option<&Site>) -> String {
    let now = site.map(|site| site.config.list("AccountingStorageEnforce"));
    let mut items: Vec<&str> = now.into_iter().flatten().collect();
    items.retain(|item| *item != "none");
    for needed in ["limits", "qos"] {
        if !items.contains(&needed) {
            items.push(needed);
        }
    }
    items.join(",")
}

fn members<'s>(config: &'s Config, site: &'s Site) -> impl Iterator<Item = &'s Partition> {
    let members = config.settings.members.iter();
    members.filter_map(|member| site.partitions.get(member.partition.as_str()))
}

/// The members' host lists, each once. Slurm takes a node that is in several as one.
fn nodes(config: &Config, site: &Site) -> String {
    let lists: BTreeSet<&str> = members(config, site)
        .map(|partition| partition.nodes.as_str())
        .filter(|nodes| !nodes.is_empty())
        .collect();
    if lists.is_empty() {
        return GAP.to_owned();
    }
    lists.into_iter().collect::<Vec<_>>().join(",")
}

/// The members' smallest default memory for a CPU, MiB.
fn memory(config: &Config, site: &Site) -> Option<u64> {
    members(config, site)
        .filter_map(|partition| partition.memory_default.as_deref())
        .filter_map(|default| default.strip_prefix("DefMemPerCPU=")?.parse().ok())
        .min()
}

fn fallback(config: &Config) -> &str {
    let first = config.settings.members.first();
    first.map_or(GAP, |member| member.partition.as_str())
}

#[cfg(test)]
mod test {
    use super::*;
    use crate::site::test::site;

    fn config() -> Config {
        let members =
            "[[member]]\nname = \"cpu\"\n[[member]]\nname = \"big\"\n[[member]]\nname = \"gpu\"\n";
        Config::parse("/etc/fedsched/fedsched.toml".as_ref(), members).unwrap()
    }

    #[test]
    fn a_site_without_limits_gets_a_room_that_is_down() {
        let site = site();
        assert_eq!(Lock::of(Some(&site)), Lock::Down);
        insta::assert_snapshot!(Lines::of(&config(), Some(&site), Lock::Down));
    }

    #[test]
    fn a_room_under_a_qos_needs_enforcement() {
        insta::assert_snapshot!(Lines::of(&config(), Some(&site()), Lock::Qos));
    }

    #[test]
    fn without_slurmctld_there_are_gaps() {
        insta::assert_snapshot!(Lines::of(&config(), None, Lock::of(None)));
    }
}
