//! What each member has.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use fedsched_protocol::query::Member;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::{Registry, Unit};

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct MemberLabel {
    member: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct GresLabel {
    member: String,
    gres: String,
}

type MemberGauge = Family<MemberLabel, Gauge>;

/// What each member has.
#[derive(Default)]
pub(super) struct Members {
    up: MemberGauge,
    nodes: MemberGauge,
    nodes_usable: MemberGauge,
    nodes_free: MemberGauge,
    cpus: MemberGauge,
    cpus_free: MemberGauge,
    memory: MemberGauge,
    memory_free: MemberGauge,
    bound: MemberGauge,
    running: MemberGauge,
    direct_waiting: MemberGauge,
    gres: Family<GresLabel, Gauge>,
    gres_free: Family<GresLabel, Gauge>,
    /// Series that exist, so that those of a member that is gone can go.
    known: Mutex<BTreeSet<(String, Option<String>)>>,
}

impl Members {
    pub(super) fn register(&self, registry: &mut Registry) {
        let registry = registry.sub_registry_with_prefix("member");
        for (name, help, family) in [
            ("up", "Whether it takes jobs", &self.up),
            ("nodes", "Nodes in all", &self.nodes),
            (
                "nodes_usable",
                "Nodes that can take jobs",
                &self.nodes_usable,
            ),
            ("nodes_free", "Nodes that nobody uses", &self.nodes_free),
            ("cpus", "CPUs in all", &self.cpus),
            ("cpus_free", "CPUs free", &self.cpus_free),
            (
                "jobs_bound",
                "The federation's jobs that wait here",
                &self.bound,
            ),
            (
                "jobs_running",
                "The federation's jobs that run here",
                &self.running,
            ),
            (
                "jobs_direct_waiting",
                "Jobs that users sent here directly and that wait",
                &self.direct_waiting,
            ),
        ] {
            registry.register(name, help, family.clone());
        }
        for (name, help, family) in [
            ("memory", "Memory in all", &self.memory),
            ("memory_free", "Memory free", &self.memory_free),
        ] {
            registry.register_with_unit(name, help, Unit::Bytes, family.clone());
        }
        registry.register("gres", "Generic resources in all", self.gres.clone());
        registry.register(
            "gres_free",
            "Generic resources free",
            self.gres_free.clone(),
        );
    }

    pub(super) fn show(&self, members: &[Member]) {
        let mut seen = BTreeSet::new();
        for member in members {
            self.show_one(member);
            seen.insert((member.name.clone(), None));
            for (gres, free, all) in &member.gres {
                let label = GresLabel {
                    member: member.name.clone(),
                    gres: gres.clone(),
                };
                self.gres_free.get_or_create(&label).set(signed(*free));
                self.gres.get_or_create(&label).set(signed(*all));
                seen.insert((member.name.clone(), Some(gres.clone())));
            }
        }
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        for (member, gres) in known.difference(&seen) {
            self.remove(member, gres.as_deref());
        }
        *known = seen;
    }

    fn show_one(&self, member: &Member) {
        for (family, value) in [
            (&self.up, i64::from(member.state == "up")),
            (&self.nodes, member.nodes.into()),
            (&self.nodes_usable, member.nodes_usable.into()),
            (&self.nodes_free, member.nodes_free.into()),
            (&self.cpus, member.cpus.into()),
            (&self.cpus_free, member.cpus_free.into()),
            (&self.memory, signed(member.memory_bytes)),
            (&self.memory_free, signed(member.memory_free_bytes)),
            (&self.bound, member.bound.into()),
            (&self.running, member.running.into()),
            (&self.direct_waiting, member.direct_waiting.into()),
        ] {
            let label = MemberLabel {
                member: member.name.clone(),
            };
            family.get_or_create(&label).set(value);
        }
    }

    fn remove(&self, member: &str, gres: Option<&str>) {
        let member = member.to_owned();
        if let Some(gres) = gres {
            let gres = gres.to_owned();
            let label = GresLabel { member, gres };
            self.gres.remove(&label);
            self.gres_free.remove(&label);
            return;
        }
        let label = MemberLabel { member };
        for family in [
            &self.up,
            &self.nodes,
            &self.nodes_usable,
            &self.nodes_free,
            &self.cpus,
            &self.cpus_free,
            &self.memory,
            &self.memory_free,
            &self.bound,
            &self.running,
            &self.direct_waiting,
        ] {
            family.remove(&label);
        }
    }
}

fn signed(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
