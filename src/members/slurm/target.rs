//! Which records a change is for, in the words that each API version understands.
//!
//! | | v0.0.38 | v0.0.42 |
//! |---|---|---|
//! | a job's id | that job | that record |
//! | the base id of an array | **every task, those bound elsewhere too** | the record of the remaining tasks |
//! | `117_[0-4]` | those tasks | refused: `scontrol` must do it |
//! | the leader's id of a heterogeneous job | every component | the leader alone |

use std::fmt;

use fedsched_protocol::slurm::Job;

use super::dialect::Dialect;
use super::tasks::{array_tasks, is_cut};
use crate::model::TaskSet;

/// One thing that can be changed or ended by one request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// A record, by its id.
    Record(u32),
    /// Tasks of an array.
    Tasks {
        /// Base id of the array.
        array: u32,
        /// Which; never empty.
        tasks: TaskSet,
    },
}

impl fmt::Display for Target {
    /// As Slurm's commands take it: `117`, `117_3`, `117_[0-4,9]`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Record(id) => write!(f, "{id}"),
            Self::Tasks { array, tasks } if tasks.len() == 1 => write!(f, "{array}_{tasks}"),
            Self::Tasks { array, tasks } => write!(f, "{array}_[{tasks}]"),
        }
    }
}

/// The requests that together change `chosen` and nothing else. `all` is every record under the same
/// id; of an array's remaining tasks only `wanted` are meant, or all.
pub(super) fn targets(
    dialect: Dialect,
    all: &[Job],
    chosen: &[&Job],
    wanted: Option<&TaskSet>,
) -> Vec<Target> {
    match dialect {
        Dialect::V38 => targets_by_name(all, chosen, wanted),
        Dialect::V42 => chosen
            .iter()
            .map(|job| match some_of(job, wanted) {
                Some(tasks) => Target::Tasks {
                    array: job.array_id,
                    tasks,
                },
                None => Target::Record(job.id),
            })
            .collect(),
    }
}

/// v0.0.38 takes what `scontrol` takes.
fn targets_by_name(all: &[Job], chosen: &[&Job], wanted: Option<&TaskSet>) -> Vec<Target> {
    let Some(first) = chosen.first() else {
        return Vec::new();
    };
    if first.het_id != 0 {
        return vec![Target::Record(first.het_id)];
    }
    let array = first.array_id;
    if array == 0 {
        return chosen.iter().map(|job| Target::Record(job.id)).collect();
    }
    // A task that became a record of its own may be all that was asked for, and not all there is.
    let alone = all.len() == 1 && first.array_task.is_none();
    if alone && some_of(first, wanted).is_none() {
        return vec![Target::Record(array)];
    }
    let tasks: TaskSet = chosen
        .iter()
        .flat_map(|job| {
            let tasks = some_of(job, wanted).unwrap_or_else(|| tasks_of(job));
            tasks.iter().collect::<Vec<u32>>()
        })
        .collect();
    if tasks.is_empty() {
        Vec::new()
    } else {
        vec![Target::Tasks { array, tasks }]
    }
}

/// The tasks in a record.
pub(super) fn tasks_of(job: &Job) -> TaskSet {
    match (job.array_task, &job.array_tasks) {
        (Some(task), _) => [task].into_iter().collect(),
        (None, Some(text)) => array_tasks(text),
        (None, None) => TaskSet::default(),
    }
}

/// The wanted tasks of a record that holds others, too; `None` where the whole record is meant.
fn some_of(job: &Job, wanted: Option<&TaskSet>) -> Option<TaskSet> {
    let wanted = wanted?;
    if job.array_task.is_some() {
        return None;
    }
    // It holds more than it says: to take it whole would move tasks that nobody meant.
    if job.array_tasks.as_deref().is_some_and(is_cut) {
        return Some(wanted.clone());
    }
    let all = tasks_of(job);
    let some: TaskSet = all.iter().filter(|&task| wanted.contains(task)).collect();
    (some.len() < all.len()).then_some(some)
}

#[cfg(test)]
mod test {
    use super::*;

    fn set(tasks: &[u32]) -> TaskSet {
        tasks.iter().copied().collect()
    }

    fn task(id: u32, task: u32) -> Job {
        Job {
            id,
            array_id: 5,
            array_task: Some(task),
            ..Job::default()
        }
    }

    fn rest(tasks: &str) -> Job {
        Job {
            id: 5,
            array_id: 5,
            array_tasks: Some(tasks.to_owned()),
            ..Job::default()
        }
    }

    fn named(dialect: Dialect, all: &[Job], wanted: Option<&TaskSet>) -> Vec<String> {
        let chosen: Vec<&Job> = all.iter().collect();
        let targets = targets(dialect, all, &chosen, wanted);
        targets.iter().map(Target::to_string).collect()
    }

    #[test]
    fn an_array_alone_is_meant_by_its_base_id() {
        for dialect in [Dialect::V38, Dialect::V42] {
            assert_eq!(named(dialect, &[rest("0-9%2")], None), ["5"]);
            assert_eq!(
                named(dialect, &[rest("0-4")], Some(&set(&[0, 1, 2, 3, 4]))),
                ["5"]
            );
            assert_eq!(
                named(dialect, &[rest("0-9")], Some(&set(&[0, 1, 7]))),
                ["5_[0-1,7]"]
            );
        }
    }

    #[test]
    fn a_record_that_names_not_all_of_its_tasks_is_not_taken_whole() {
        for dialect in [Dialect::V38, Dialect::V42] {
            let cut = rest("1-2,5,9,2...");
            assert_eq!(
                named(
                    dialect,
                    std::slice::from_ref(&cut),
                    Some(&set(&[1, 2, 5, 9, 200]))
                ),
                ["5_[1-2,5,9,200]"]
            );
            assert_eq!(named(dialect, &[cut], None), ["5"]);
        }
    }

    #[test]
    fn the_rest_of_an_array_never_moves_its_other_tasks() {
        let all = [rest("6-9"), task(27, 0)];
        let chosen = [&all[0]];
        let v38 = targets(Dialect::V38, &all, &chosen, None);
        assert_eq!(v38[0].to_string(), "5_[6-9]");
        let v42 = targets(Dialect::V42, &all, &chosen, None);
        assert_eq!(v42, [Target::Record(5)]);
    }

    #[test]
    fn single_tasks_go_by_name_or_by_record() {
        let all = [task(27, 0), task(28, 2)];
        assert_eq!(named(Dialect::V38, &all, None), ["5_[0,2]"]);
        assert_eq!(named(Dialect::V42, &all, None), ["27", "28"]);
        // Read alone, a task says nothing of the others under its array's id.
        assert_eq!(named(Dialect::V38, &[task(27, 0)], None), ["5_0"]);
        // The last task of an array has the base id as its own, which means all of them.
        assert_eq!(named(Dialect::V38, &[task(5, 9)], None), ["5_9"]);
        assert_eq!(named(Dialect::V42, &[task(5, 9)], None), ["5"]);
    }

    #[test]
    fn heterogeneous_components_move_together() {
        let component = |id, offset| Job {
            id,
            het_id: 11,
            het_offset: offset,
            ..Job::default()
        };
        let all = [component(11, 0), component(12, 1)];
        assert_eq!(named(Dialect::V38, &all, None), ["11"]);
        assert_eq!(named(Dialect::V42, &all, None), ["11", "12"]);
    }
}
