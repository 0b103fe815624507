//! Things to say about a site, in few words.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use fedsched::model::{
    Access, AccountName, Constraint, Declaration, Feature, Geometry, GresKind, GroupName, Job,
    JobKey, Limits, MemberKind, MemberName, Memory, Node, NodeName, NodeState, Partition,
    PartitionName, PartitionState, Phase, Policy, PolicyName, QosName, Request, Settings, Split,
    TaskSet, Term, Timestamp, Tres, UserId, UserName, WaitReason,
};
use fedsched_protocol::directive::Directives;
use fedsched_protocol::mark::Mark;

pub(crate) const GIB: u64 = 1 << 30;

/// A resource by its name as in `gpu` or `gpu:a100`.
pub(crate) fn gres(text: &str) -> GresKind {
    let (name, kind) = match text.split_once(':') {
        Some((name, kind)) => (name, Some(kind.into())),
        None => (text, None),
    };
    GresKind {
        name: name.into(),
        kind,
    }
}

/// What a node has.
pub(crate) fn cpus(count: u64) -> Tres {
    Tres {
        memory_bytes: 4 * count * GIB,
        ..Tres::cpus(count)
    }
}

pub(crate) fn with_gres(mut tres: Tres, kind: &str, count: u64) -> Tres {
    tres.gres.add(&gres(kind), count);
    tres
}

/// `count` nodes `prefix1`, `prefix2`, …
pub(crate) fn nodes(prefix: &str, count: usize, total: &Tres) -> Vec<Node> {
    (1..=count)
        .map(|number| Node {
            name: NodeName::from(format!("{prefix}{number}").as_str()),
            partitions: Vec::new(),
            state: NodeState::Up,
            reason: String::new(),
            total: total.clone(),
            used: Tres::default(),
            features: Vec::new(),
            watts: None,
            weight: 1,
        })
        .collect()
}

pub(crate) fn featured(mut nodes: Vec<Node>, features: &[&str]) -> Vec<Node> {
    for node in &mut nodes {
        node.features = features.iter().map(|name| Feature::from(*name)).collect();
    }
    nodes
}

pub(crate) fn partition(name: &str) -> Partition {
    Partition {
        name: PartitionName::from(name),
        state: PartitionState::Up,
        time_max: None,
        time_default: None,
        nodes_max: None,
        nodes_min: 0,
        node_cpus_max: None,
        memory_default: Memory::PerCpu(GIB),
        memory_max: Memory::Default,
        access: Access::default(),
        exclusive: false,
    }
}

pub(crate) fn declaration(name: &str) -> Declaration {
    Declaration {
        name: MemberName::from(name),
        kind: MemberKind::SlurmPartition,
        partition: PartitionName::from(name),
        labels: BTreeMap::new(),
        home_accounts: Vec::new(),
        home_groups: Vec::new(),
        paths: None,
        drained: false,
    }
}

pub(crate) fn policy(name: &str) -> Policy {
    Policy {
        name: PolicyName::from(name),
        score: BTreeMap::from([(Term::Start, 5), (Term::Fit, 1)]),
        patience: Duration::from_secs(60),
        split: Split::WhenNeeded,
    }
}

pub(crate) fn settings() -> Settings {
    Settings {
        queue_partition: PartitionName::from("federation"),
        rehearsal: false,
        members: Vec::new(),
        policies: BTreeMap::from([(PolicyName::from("default"), policy("default"))]),
        default_policy: PolicyName::from("default"),
        limits: Limits {
            backoff_first: Duration::from_secs(5),
            backoff_max: Duration::from_secs(300),
            remember: Duration::from_secs(600),
            assume_max: Duration::from_secs(60),
            pass_jobs_max: 1000,
            vanish_percent_max: 50,
            vanish_jobs_min: 20,
        },
    }
}

/// A job that can be spelt out.
#[derive(Debug, Clone)]
pub(crate) struct Ask(pub(crate) Job);

/// One task of one CPU for an hour, by user 1001 in account `none`.
pub(crate) fn job(id: u32) -> Ask {
    Ask(Job {
        key: JobKey::job(id),
        mark: Some(Mark(u64::from(id) + 0x1000)),
        tasks: None,
        tasks_running_max: None,
        name: "job".into(),
        user: UserId(1001),
        user_name: UserName::from("user1"),
        groups: Arc::from([GroupName::from("users")]),
        account: AccountName::from("none"),
        qos: QosName::from("normal"),
        partitions: vec![PartitionName::from("federation")],
        phase: Phase::Waiting(WaitReason::Turn("PartitionDown".to_owned())),
        priority: 1000,
        submitted: Timestamp(0),
        eligible: Some(Timestamp(0)),
        deadline: None,
        dependency: String::new(),
        reserved: false,
        request: Arc::new(Request {
            parts: vec![Geometry {
                nodes_min: 1,
                tasks: 1,
                cpus_per_task: 1,
                ..Geometry::default()
            }],
            time_limit: Some(Duration::from_secs(3600)),
            ..Request::default()
        }),
        directives: Arc::new(Directives::default()),
        allocation: None,
        requeue: true,
        restarts: 0,
    })
}

impl Ask {
    pub(crate) fn request(mut self, change: impl FnOnce(&mut Request)) -> Self {
        change(Arc::make_mut(&mut self.0.request));
        self
    }

    pub(crate) fn geometry(self, change: impl FnOnce(&mut Geometry)) -> Self {
        self.request(|request| change(&mut request.parts[0]))
    }

    /// `-n tasks`.
    pub(crate) fn tasks(self, tasks: u32) -> Self {
        self.geometry(|part| part.tasks = tasks)
    }

    /// `-N nodes --ntasks-per-node=1 -c cpus`.
    pub(crate) fn nodes(self, nodes: u32, cpus: u32) -> Self {
        self.geometry(|part| {
            part.nodes_min = nodes;
            part.nodes_max = Some(nodes);
            part.tasks = nodes;
            part.tasks_per_node = Some(1);
            part.cpus_per_task = cpus;
        })
    }

    /// `-c cpus`.
    pub(crate) fn cpus(self, cpus: u32) -> Self {
        self.geometry(|part| part.cpus_per_task = cpus)
    }

    pub(crate) fn gres(self, kind: &str, count: u64) -> Self {
        self.geometry(|part| part.gres_per_node.push((gres(kind), count)))
    }

    pub(crate) fn features(self, all: &[&str]) -> Self {
        let all = all.iter().map(|name| Feature::from(*name)).collect();
        self.geometry(|part| part.constraint = Constraint::OneOf(vec![all]))
    }

    pub(crate) fn minutes(self, minutes: u64) -> Self {
        self.request(|request| request.time_limit = Some(Duration::from_secs(60 * minutes)))
    }

    pub(crate) fn priority(mut self, priority: u32) -> Self {
        self.0.priority = priority;
        self
    }

    pub(crate) fn account(mut self, account: &str) -> Self {
        self.0.account = AccountName::from(account);
        self
    }

    pub(crate) fn partition(mut self, partition: &str) -> Self {
        self.0.partitions = vec![PartitionName::from(partition)];
        self
    }

    pub(crate) fn directives(mut self, change: impl FnOnce(&mut Directives)) -> Self {
        change(Arc::make_mut(&mut self.0.directives));
        self
    }

    pub(crate) fn array(mut self, tasks: std::ops::Range<u32>) -> Self {
        self.0.tasks = Some(tasks.collect::<TaskSet>());
        self
    }

    pub(crate) fn at_once(mut self, most: u32) -> Self {
        self.0.tasks_running_max = Some(most);
        self
    }

    pub(crate) fn waits(mut self, reason: WaitReason) -> Self {
        self.0.phase = Phase::Waiting(reason);
        self
    }

    pub(crate) fn unmarked(mut self) -> Self {
        self.0.mark = None;
        self
    }
}
