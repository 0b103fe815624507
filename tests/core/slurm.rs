//! A slurmctld small enough to be obviously right: it keeps jobs and nodes, starts what fits by
//! priority, and does to a job what an intent says.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use fedsched::model::{
    Action, Allocation, Intent, Job, JobKey, Memory, Node, NodeName, NodeState, Outcome, Partition,
    PartitionName, PartitionState, Phase, TaskSet, Timestamp, Tres, WaitReason,
};

#[derive(Debug, Default)]
pub(crate) struct Slurm {
    pub(crate) jobs: BTreeMap<JobKey, Job>,
    pub(crate) nodes: BTreeMap<NodeName, Node>,
    pub(crate) partitions: BTreeMap<PartitionName, Partition>,
    pub(crate) room: Option<PartitionName>,
    /// What each job holds on each node.
    held: BTreeMap<JobKey, Vec<(NodeName, Tres)>>,
    /// Every start, in order.
    pub(crate) starts: Vec<(JobKey, PartitionName)>,
}

impl Slurm {
    /// Puts a job or a piece of an array into another partition; says whether it was there to be moved.
    pub(crate) fn carry_out(&mut self, intent: &Intent) -> bool {
        let to = match &intent.action {
            Action::Bind { partition, .. } => partition.clone(),
            Action::Return { room, .. } => room.clone(),
            Action::Cancel => return self.end(intent.job, Outcome::Cancelled),
            Action::Hold => return self.hold(intent.job),
        };
        let Some(job) = self.jobs.get_mut(&intent.job) else {
            return false;
        };
        if !matches!(job.phase, Phase::Waiting(_)) || job.mark != intent.mark {
            return false;
        }
        let Some(tasks) = &intent.tasks else {
            moved(job, &to);
            return true;
        };
        for task in tasks.iter() {
            self.split_off(intent.job.id, task);
            if let Some(job) = self.jobs.get_mut(&JobKey::task(intent.job.id, task)) {
                moved(job, &to);
            }
        }
        true
    }

    /// One task of an array becomes a record of its own; the last one takes the array's record with it.
    fn split_off(&mut self, id: u32, task: u32) {
        let key = JobKey::job(id);
        let Some(array) = self.jobs.get_mut(&key) else {
            return;
        };
        let Some(tasks) = array.tasks.clone().filter(|tasks| tasks.contains(task)) else {
            return;
        };
        let mut job = array.clone();
        job.key = JobKey::task(id, task);
        job.tasks = Some(std::iter::once(task).collect());
        let left = tasks.minus(&std::iter::once(task).collect());
        if left.is_empty() {
            self.jobs.remove(&key);
        } else {
            array.tasks = Some(left);
        }
        self.jobs.insert(job.key, job);
    }

    fn hold(&mut self, key: JobKey) -> bool {
        let Some(job) = self.jobs.get_mut(&key) else {
            return false;
        };
        job.priority = 0;
        job.phase = Phase::Waiting(WaitReason::Held("JobHeldAdmin".to_owned()));
        true
    }

    pub(crate) fn end(&mut self, key: JobKey, outcome: Outcome) -> bool {
        for (node, tres) in self.held.remove(&key).unwrap_or_default() {
            if let Some(node) = self.nodes.get_mut(&node) {
                node.used.subtract(&tres);
            }
        }
        let Some(job) = self.jobs.get_mut(&key) else {
            return false;
        };
        job.allocation = None;
        job.phase = Phase::Ended(outcome);
        true
    }

    /// Starts what fits, by priority; says what started.
    pub(crate) fn start(&mut self, now: Timestamp) -> Vec<JobKey> {
        let mut waiting: Vec<(Reverse<u32>, JobKey)> = self
            .jobs
            .values()
            .filter(|job| matches!(job.phase, Phase::Waiting(_)) && job.priority > 0)
            .map(|job| (Reverse(job.priority), job.key))
            .collect();
        waiting.sort_unstable();
        let mut started = Vec::new();
        for (_, key) in waiting {
            let tasks = self.jobs.get(&key).and_then(|job| job.tasks.clone());
            match tasks.filter(|_| key.task.is_none()) {
                None => started.extend(self.start_one(key, now)),
                Some(tasks) => started.extend(self.start_tasks(key.id, &tasks, now)),
            }
        }
        started
    }

    fn start_tasks(&mut self, id: u32, tasks: &TaskSet, now: Timestamp) -> Vec<JobKey> {
        let mut started = Vec::new();
        for task in tasks.iter() {
            let Some(array) = self.jobs.get(&JobKey::job(id)) else {
                break;
            };
            let running = self
                .jobs
                .range(JobKey::job(id)..=JobKey::task(id, u32::MAX));
            let running = running
                .filter(|(_, job)| job.phase == Phase::Running)
                .count();
            let most = array.tasks_running_max.unwrap_or(u32::MAX);
            if running >= most as usize || self.find(array).is_none() {
                break;
            }
            self.split_off(id, task);
            started.extend(self.start_one(JobKey::task(id, task), now));
        }
        started
    }

    fn start_one(&mut self, key: JobKey, now: Timestamp) -> Option<JobKey> {
        let job = self.jobs.get(&key)?;
        let nodes = self.find(job)?;
        let partition = job.partitions[0].clone();
        let length = job.request.time_limit;
        let mut sum = Tres::default();
        for (name, tres) in &nodes {
            sum.add(tres);
            self.nodes.get_mut(name)?.used.add(tres);
        }
        let job = self.jobs.get_mut(&key)?;
        job.phase = Phase::Running;
        job.allocation = Some(Allocation {
            nodes: nodes.iter().map(|(name, _)| name.clone()).collect(),
            tres: sum,
            start: now,
            end: length.map_or(Timestamp::NEVER, |length| now + length),
        });
        self.held.insert(key, nodes);
        self.starts.push((key, partition));
        Some(key)
    }

    /// Nodes on which the job could start now, one task on each or all on one.
    fn find(&self, job: &Job) -> Option<Vec<(NodeName, Tres)>> {
        let [partition] = &job.partitions[..] else {
            return None;
        };
        let up = self.partitions.get(partition)?.state == PartitionState::Up;
        if !up || Some(partition) == self.room.as_ref() {
            return None;
        }
        let part = &job.request.parts[0];
        let on_each = if part.tasks_per_node == Some(1) {
            1
        } else {
            part.tasks
        };
        let count = if part.tasks_per_node == Some(1) {
            part.nodes_min
        } else {
            1
        };
        let mut tres = Tres::cpus(u64::from(on_each * part.cpus_per_task));
        tres.memory_bytes = match part.memory {
            Memory::PerNode(bytes) => bytes,
            Memory::PerCpu(bytes) => bytes * tres.cpu_milli / 1000,
            Memory::Default => tres.cpu_milli / 1000 * super::build::GIB,
        };
        for (kind, count) in &part.gres_per_node {
            tres.gres.add(kind, *count);
        }
        let found: Vec<(NodeName, Tres)> = self
            .nodes
            .values()
            .filter(|node| node.partitions.contains(partition) && node.state == NodeState::Up)
            .filter(|node| !part.excluded_nodes.contains(&node.name))
            .filter(|node| {
                part.required_nodes.is_empty() || part.required_nodes.contains(&node.name)
            })
            .filter(|node| {
                let mut free = node.total.clone();
                free.subtract(&node.used);
                free.covers(&tres)
            })
            .take(count as usize)
            .map(|node| (node.name.clone(), tres.clone()))
            .collect();
        (found.len() == count as usize).then_some(found)
    }

    /// The invariant of every node.
    pub(crate) fn assert_nothing_overcommitted(&self) {
        for node in self.nodes.values() {
            assert!(node.total.covers(&node.used), "{node:?}");
        }
    }
}

fn moved(job: &mut Job, to: &PartitionName) {
    job.partitions = vec![to.clone()];
    if job.priority > 0 {
        job.phase = Phase::Waiting(WaitReason::Turn("None".to_owned()));
    }
}
