//! A partition, in the words of `scontrol show partition`.

use super::Values;

/// What an administrator says of a partition.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Partition {
    /// Name.
    pub name: String,
    /// `UP`, `DOWN`, `DRAIN` or `INACTIVE`.
    pub state: String,
    /// It is the default partition.
    pub is_default: bool,
    /// Its nodes, a host list.
    pub nodes: String,
    /// QOS of the partition itself.
    pub qos: Option<String>,
    /// `MaxTime`, `None` if unlimited.
    pub time_max: Option<String>,
    /// `MaxNodes`, `None` if unlimited.
    pub nodes_max: Option<String>,
    /// `DefMemPerCPU`, `DefMemPerNode` or `DefMemPerGPU` with its value, `None` if a job that asks
    /// for none gets all memory of its nodes.
    pub memory_default: Option<String>,
    /// `MaxMemPerCPU` or `MaxMemPerNode` with its value.
    pub memory_max: Option<String>,
    /// What keeps users out, such as `AllowAccounts=physics`.
    pub restrictions: Vec<String>,
    /// Does not show in sinfo and squeue.
    pub hidden: bool,
    /// Nobody but root, or only jobs with a reservation, may use it.
    pub closed: bool,
    /// `PriorityTier`.
    pub priority_tier: u64,
    /// `PreemptMode`, `None` if off.
    pub preempt_mode: Option<String>,
}

/// Keys that keep users out, and the word of each for "nobody is kept out".
const RESTRICTIONS: [(&str, &str); 7] = [
    ("AllowAccounts", "ALL"),
    ("AllowGroups", "ALL"),
    ("AllowQos", "ALL"),
    ("AllocNodes", "ALL"),
    ("DenyAccounts", ""),
    ("DenyGroups", ""),
    ("DenyQos", ""),
];

impl Partition {
    /// From its line; `None` if it is the line of something else.
    pub(super) fn parse(line: &str) -> Option<Self> {
        let values = Values::of_words(line);
        let is = |key: &str| values.get(key) == Some("YES");
        let first = |keys: &[&str]| {
            let found = keys.iter().find_map(|&key| Some((key, values.limit(key)?)));
            found.map(|(key, value)| format!("{key}={value}"))
        };
        let restrictions = RESTRICTIONS.iter().filter_map(|(key, open)| {
            let value = values.get(key).filter(|value| value != open)?;
            Some(format!("{key}={value}"))
        });
        Some(Self {
            name: values.get("PartitionName")?.to_owned(),
            state: values.get("State").unwrap_or_default().to_owned(),
            is_default: is("Default"),
            nodes: values.get("Nodes").unwrap_or_default().to_owned(),
            qos: values.limit("QoS").map(str::to_owned),
            time_max: values.limit("MaxTime").map(str::to_owned),
            nodes_max: values.limit("MaxNodes").map(str::to_owned),
            memory_default: first(&["DefMemPerCPU", "DefMemPerNode", "DefMemPerGPU"]),
            memory_max: first(&["MaxMemPerCPU", "MaxMemPerNode"]),
            restrictions: restrictions.collect(),
            hidden: is("Hidden"),
            closed: is("RootOnly") || is("ReqResv"),
            priority_tier: values.number("PriorityTier").unwrap_or(1),
            preempt_mode: values
                .get("PreemptMode")
                .filter(|mode| *mode != "OFF")
                .map(str::to_owned),
        })
    }
}
