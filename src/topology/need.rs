//! What a job asks of each node of one member: its geometry, with that member's defaults and bounds.

use crate::model::{Constraint, Geometry, Gres, GresKind, Memory, NodeName, Partition, Tres};

/// A geometry as one partition would serve it.
///
/// Every node of the job takes `per_node` and, for each of its tasks, `per_task`. Generic resources
/// for each node, each task and the whole job are conditions on the same devices: they do not add up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Need {
    /// Least number of nodes, at least 1.
    pub nodes_min: u32,
    /// Most nodes.
    pub nodes_max: u32,
    /// Tasks, at least one for each node.
    pub tasks: u32,
    /// For each task.
    pub per_task: Tres,
    /// For each node.
    pub per_node: Tres,
    /// For the whole job, on any of its nodes; each must have some of it.
    pub per_job: Vec<(GresKind, u64)>,
    /// Most tasks on a node.
    pub node_tasks_max: u32,
    /// Least CPUs on a node, thousandths.
    pub node_cpu_min: u64,
    /// Most CPUs on a node, thousandths.
    pub node_cpu_max: u64,
    /// Whole nodes only.
    pub whole: bool,
    /// All memory of each node.
    pub all_memory: bool,
    /// Features.
    pub constraint: Constraint,
    /// Nodes it must get.
    pub required: Vec<NodeName>,
    /// Nodes it must not get.
    pub excluded: Vec<NodeName>,
}

impl Need {
    /// What `geometry` needs at `partition`.
    pub fn new(geometry: &Geometry, partition: &Partition) -> Self {
        let nodes_min = geometry.nodes_min.max(1);
        let tasks = geometry.tasks.max(nodes_min).max(
            geometry
                .tasks_per_node
                .unwrap_or(0)
                .saturating_mul(nodes_min),
        );
        let mut need = Self {
            nodes_min,
            nodes_max: geometry
                .nodes_max
                .unwrap_or(u32::MAX)
                .min(partition.nodes_max.unwrap_or(u32::MAX)),
            tasks,
            per_task: Tres {
                gres: geometry.gres_per_task.iter().cloned().collect(),
                ..Tres::cpus(geometry.cpus_per_task.max(1).into())
            },
            per_node: Tres {
                disk_bytes: geometry.disk_bytes,
                gres: geometry.gres_per_node.iter().cloned().collect(),
                ..Tres::default()
            },
            per_job: geometry.gres_per_job.clone(),
            node_tasks_max: geometry.tasks_per_node.unwrap_or(u32::MAX),
            node_cpu_min: u64::from(geometry.node_cpus_min) * 1000,
            node_cpu_max: partition
                .node_cpus_max
                .map_or(u64::MAX, |cpus| u64::from(cpus) * 1000),
            whole: geometry.exclusive || partition.exclusive,
            all_memory: false,
            constraint: geometry.constraint.clone(),
            required: geometry.required_nodes.clone(),
            excluded: geometry.excluded_nodes.clone(),
        };
        let memory = match geometry.memory {
            Memory::Default => partition.memory_default,
            asked => asked,
        };
        need.ask_memory(memory, partition.memory_max);
        need
    }

    fn ask_memory(&mut self, memory: Memory, max: Memory) {
        match memory {
            // Where neither user nor partition says anything a job can have what is there, but
            // not where nothing is.
            Memory::Default => self.per_node.memory_bytes = 1,
            Memory::PerNode(0) => self.all_memory = true,
            Memory::PerNode(bytes) => self.per_node.memory_bytes = bytes,
            Memory::PerCpu(bytes) => {
                let cpus = self.per_task.cpu_milli / 1000;
                self.per_task.memory_bytes = bytes.saturating_mul(cpus);
                // Slurm gives a job as many CPUs as its memory needs under `MaxMemPerCPU`.
                if let Memory::PerCpu(most) = max
                    && most > 0
                    && bytes > most
                {
                    self.per_task.cpu_milli = self
                        .per_task
                        .memory_bytes
                        .div_ceil(most)
                        .saturating_mul(1000);
                }
            }
        }
    }

    /// How many of the tasks a node with this much free can take; 0: it cannot be among the job's nodes.
    pub fn tasks_on(&self, free: &Tres, total: &Tres) -> u32 {
        let used = free != total;
        let memory_used = free.memory_bytes != total.memory_bytes;
        if (self.whole && used)
            || (self.all_memory && (memory_used || total.memory_bytes == 0))
            || free.cpu_milli < self.node_cpu_min
            || !free.covers(&self.per_node)
            || self.per_job.iter().any(|(kind, _)| free.gres(kind) == 0)
        {
            return 0;
        }
        let cpu = free.cpu_milli.min(self.node_cpu_max);
        let mut tasks = u64::from(self.node_tasks_max);
        limit(&mut tasks, cpu, self.per_task.cpu_milli);
        let memory = free.memory_bytes - self.per_node.memory_bytes;
        limit(&mut tasks, memory, self.per_task.memory_bytes);
        for (kind, each) in self.per_task.gres.iter() {
            limit(&mut tasks, free.gres(kind), each);
        }
        u32::try_from(tasks).unwrap_or(u32::MAX)
    }

    /// What `tasks` tasks take on a node with this much in all.
    pub fn take(&self, tasks: u32, total: &Tres) -> Tres {
        if self.whole {
            return total.clone();
        }
        let tasks = u64::from(tasks);
        let mut take = self.per_node.clone();
        take.cpu_milli = self
            .per_task
            .cpu_milli
            .saturating_mul(tasks)
            .max(self.node_cpu_min);
        take.memory_bytes = if self.all_memory {
            total.memory_bytes
        } else {
            let per_task = self.per_task.memory_bytes.saturating_mul(tasks);
            take.memory_bytes.saturating_add(per_task)
        };
        for (kind, each) in self.per_task.gres.iter() {
            raise(&mut take.gres, kind, each.saturating_mul(tasks));
        }
        take
    }

    /// How much of what the whole job wants a node with this much free could give.
    pub(super) fn devices(&self, free: &Tres) -> u64 {
        let wanted = self.per_job.iter();
        wanted
            .map(|(kind, count)| free.gres(kind).min(*count))
            .sum()
    }

    /// How many tasks its largest node must take at least, even if it gets as many nodes as it may.
    pub fn tasks_on_largest(&self) -> u32 {
        let spread = self.tasks.div_ceil(self.nodes_max.max(1));
        spread.min(self.node_tasks_max).max(1)
    }
}

/// Sees to it that there are `count` of a kind, those of any type counting for those of one.
pub(super) fn raise(gres: &mut Gres, kind: &GresKind, count: u64) {
    let same = |other: &GresKind| {
        other.name == kind.name
            && (other.kind == kind.kind || other.kind.is_none() || kind.kind.is_none())
    };
    let has: u64 = gres
        .iter()
        .filter(|(other, _)| same(other))
        .map(|(_, count)| count)
        .sum();
    gres.add(kind, count.saturating_sub(has));
}

fn limit(tasks: &mut u64, has: u64, each: u64) {
    if let Some(most) = has.checked_div(each) {
        *tasks = (*tasks).min(most);
    }
}
