//! Arrays: one identity in Slurm, tasks on several members.

use std::collections::{BTreeMap, BTreeSet};

use crate::site::Site;

/// Writes who ran into the user's home, one line for each run of a task.
const NOTE: &str = "echo $SLURM_ARRAY_TASK_ID ${SLURM_RESTART_COUNT:-0} >> ran.$SLURM_ARRAY_JOB_ID";

impl Site {
    /// State and partition of every task of an array that squeue shows.
    fn tasks(&self, array: u32) -> BTreeMap<u32, (String, String)> {
        let lines = self.squeue(Some(array), "%K|%T|%P");
        let tasks = lines.iter().map(|line| {
            let words: Vec<&str> = line.split('|').collect();
            (
                words[0].parse().unwrap(),
                (words[1].to_owned(), words[2].to_owned()),
            )
        });
        tasks.collect()
    }

    /// Waits until so many tasks run, and returns where each is.
    fn wait_tasks_running(&self, array: u32, count: usize) -> BTreeMap<u32, String> {
        self.wait(&format!("{count} tasks of {array} to run"), || {
            let tasks = self.tasks(array);
            let running = tasks.iter().filter(|(_, (state, _))| state == "RUNNING");
            let running: BTreeMap<u32, String> = running
                .map(|(task, (_, place))| (*task, place.clone()))
                .collect();
            if running.len() == count {
                Ok(running)
            } else {
                Err(format!("{tasks:?}"))
            }
        })
    }

    /// Waits until no task is left.
    fn wait_no_tasks(&self, array: u32) {
        self.wait(&format!("array {array} to end"), || {
            let tasks = self.tasks(array);
            if tasks.is_empty() {
                Ok(())
            } else {
                Err(format!("{tasks:?}"))
            }
        });
    }

    /// The runs that the tasks noted, sorted.
    fn runs(&self, user: &str, array: u32) -> Vec<String> {
        let noted = self.read(&format!("/home/{user}/ran.{array}"));
        let mut runs: Vec<String> = noted.lines().map(str::to_owned).collect();
        runs.sort();
        runs
    }
}

#[test]
fn an_array_spreads_over_all_members_and_each_task_runs_once() {
    let site = Site::take();
    // A task takes a whole node of cpu, half a node of gpu, or a quarter of one of big: 16 start.
    let command = format!("{NOTE}; while [ ! -e go ]; do sleep 0.2; done");
    site.run("user1", &["rm", "-f", "go"]);
    let array = site.sbatch("user1", &["--array=0-19", "-c8", "-t5"], &command);
    let running = site.wait_tasks_running(array, 16);
    let places: BTreeSet<&str> = running.values().map(String::as_str).collect();
    assert_eq!(places, BTreeSet::from(["big", "cpu", "gpu"]));
    // What cannot start stays the array's own record.
    let left = site.run(
        "root",
        &["squeue", "-hao%i|%P", "-tPD", &format!("-j{array}")],
    );
    assert_eq!(left.lines().count(), 1, "{left}");
    assert!(left.ends_with("|federation"), "{left}");
    let told = site.wait_explained(array, "No member can start it now");
    assert!(told.job.contains('['), "the tasks that wait: {}", told.job);

    site.run("user1", &["touch", "go"]);
    site.wait_no_tasks(array);
    let mut wanted: Vec<String> = (0..20).map(|task| format!("{task} 0")).collect();
    wanted.sort();
    assert_eq!(site.runs("user1", array), wanted);
    site.run("user1", &["rm", "go"]);
}

#[test]
fn a_task_is_explained_by_its_own_story() {
    let site = Site::take();
    let array = site.sbatch("user1", &["--array=0-11", "-c8", "-t5"], "sleep 600");
    let running = site.wait_tasks_running(array, 12);
    for (task, place) in running {
        let told = site.wait_explained(format!("{array}_{task}"), "It runs at");
        assert_eq!(told.member.as_ref(), Some(&place));
        let bound: Vec<&str> = told
            .history
            .iter()
            .map(|happening| happening.text.as_str())
            .filter(|text| text.starts_with("bound") || text.starts_with("sent"))
            .collect();
        assert_eq!(bound, [format!("bound to {place}")], "{told:#?}");
    }
}

#[test]
fn a_small_array_is_sent_whole_with_its_submission() {
    let site = Site::take();
    let array = site.sbatch("user1", &["--array=3,7,9", "-n1", "-t5"], "sleep 600");
    let running = site.wait_tasks_running(array, 3);
    assert_eq!(
        running.values().collect::<BTreeSet<_>>().len(),
        1,
        "{running:?}"
    );
    assert_eq!(site.status().totals.placed_at_once, 1);
}

#[test]
fn no_more_tasks_are_out_than_the_array_allows() {
    let site = Site::take();
    let array = site.sbatch("user1", &["--array=0-7%3", "-n1", "-t5"], NOTE);
    let mut most = 0;
    site.wait("the array to end", || {
        let tasks = site.tasks(array);
        let out = tasks
            .values()
            .filter(|(_, place)| place != "federation")
            .count();
        most = most.max(out);
        if tasks.is_empty() {
            Ok(())
        } else {
            Err(format!("{tasks:?}"))
        }
    });
    assert!(most <= 3, "{most} tasks were out of the room at once");
    assert_eq!(site.runs("user1", array).len(), 8);

    let array = site.sbatch("user1", &["--array=0-7%3", "-n1", "-t5"], "sleep 600");
    let running = site.wait_tasks_running(array, 3);
    site.run(
        "user1",
        &[
            "scontrol",
            "update",
            &format!("jobid={array}"),
            "arraytaskthrottle=5",
        ],
    );
    assert!(site.wait_tasks_running(array, 5).len() > running.len());
}

#[test]
fn tasks_wait_for_the_tasks_they_correspond_to() {
    let site = Site::take();
    let first = site.sbatch(
        "user1",
        &["--array=0-3", "-n1", "-t5"],
        "sleep $SLURM_ARRAY_TASK_ID; date +%s > first.$SLURM_ARRAY_TASK_ID",
    );
    let after = format!("-daftercorr:{first}");
    let command = format!("test -s first.$SLURM_ARRAY_TASK_ID && {NOTE}");
    let second = site.sbatch("user1", &["--array=0-3", "-n1", "-t5", &after], &command);
    site.wait_no_tasks(second);
    assert_eq!(site.runs("user1", second), ["0 0", "1 0", "2 0", "3 0"]);
    site.run("user1", &["sh", "-c", "rm first.*"]);
}

#[test]
fn tasks_are_cancelled_one_by_one_wherever_they_are() {
    let site = Site::take();
    let array = site.sbatch("user1", &["--array=0-19", "-c8", "-t5"], "sleep 600");
    let running = site.wait_tasks_running(array, 16);
    let waiting: Vec<u32> = (0..20).filter(|task| !running.contains_key(task)).collect();
    // A task that waits.
    site.run("user1", &["scancel", &format!("{array}_{}", waiting[0])]);
    site.wait("it to be gone", || {
        let tasks = site.tasks(array);
        if tasks.contains_key(&waiting[0]) {
            Err(format!("{tasks:?}"))
        } else {
            Ok(())
        }
    });
    // A task that runs: one that waits takes its place, wherever that is.
    let (ended, place) = running.iter().next().unwrap();
    site.run("user1", &["scancel", &format!("{array}_{ended}")]);
    site.wait("another to take its place", || {
        let tasks = site.tasks(array);
        let others = waiting.iter().filter_map(|task| tasks.get(task));
        let took = others
            .clone()
            .any(|(state, at)| state == "RUNNING" && at == place);
        if took {
            Ok(())
        } else {
            Err(format!("{tasks:?}"))
        }
    });
    // All the rest.
    site.run("user1", &["scancel", &array.to_string()]);
    site.wait_no_tasks(array);
    site.wait_idle();
}

#[test]
fn a_requeued_task_runs_again_and_no_other_does() {
    let site = Site::take();
    let command = format!("{NOTE}; while [ ! -e go ]; do sleep 0.2; done");
    site.run("user1", &["rm", "-f", "go"]);
    let array = site.sbatch(
        "user1",
        &["--array=0-2", "-n1", "-t5", "--requeue"],
        &command,
    );
    site.wait_tasks_running(array, 3);
    site.wait("three to have begun", || {
        let runs = site.runs("user1", array);
        if runs.len() == 3 {
            Ok(())
        } else {
            Err(format!("{runs:?}"))
        }
    });
    site.run("root", &["scontrol", "requeue", &format!("{array}_1")]);
    site.wait("the second run of task 1", || {
        let runs = site.runs("user1", array);
        if runs.len() == 4 {
            Ok(())
        } else {
            Err(format!("{runs:?}, {:?}", site.tasks(array)))
        }
    });
    site.run("user1", &["touch", "go"]);
    site.wait_no_tasks(array);
    assert_eq!(site.runs("user1", array), ["0 0", "1 0", "1 1", "2 0"]);
    site.run("user1", &["rm", "go"]);
}

#[test]
fn a_large_array_is_bound_as_room_allows() {
    let site = Site::take();
    let array = site.sbatch("user1", &["--array=0-299", "-n1", "-t5"], NOTE);
    site.wait_no_tasks(array);
    let runs: BTreeSet<String> = site.runs("user1", array).into_iter().collect();
    assert_eq!(runs.len(), 300, "each once");
    assert_eq!(site.runs("user1", array).len(), 300, "none twice");
}
