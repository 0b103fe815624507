//! Users change their minds while the federation acts.

use fedsched_protocol::query::QueueCounts;

use crate::site::Site;

#[test]
fn jobs_cancelled_or_changed_while_they_are_being_bound_leave_nothing_behind() {
    let site = Site::take();
    let mut ended = Vec::new();
    for round in 0..15_u32 {
        // Not for the fast path, so that the daemon binds it a moment later.
        let job = site.sbatch("user1", &["-n1", "-t1", "-a0-1"], "sleep 1");
        let words = match round % 3 {
            0 => vec!["scancel".to_owned(), job.to_string()],
            1 => vec!["scontrol".to_owned(), "hold".to_owned(), job.to_string()],
            _ => ["scontrol", "update", &format!("jobid={job}"), "timelimit=2"]
                .map(str::to_owned)
                .to_vec(),
        };
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        // A change may come too late, and then Slurm refuses it.
        site.try_run("user1", &words);
        site.try_run("user1", &["scontrol", "release", &job.to_string()]);
        ended.push(job);
    }
    for job in ended {
        site.wait(&format!("every task of {job} to end"), || {
            let left = site.squeue(Some(job), "%i %P %T %r");
            let left: Vec<_> = left
                .iter()
                .filter(|line| !line.contains("COMPLETED") && !line.contains("CANCELLED"))
                .collect();
            if left.is_empty() {
                Ok(())
            } else {
                Err(format!("{left:?}"))
            }
        });
    }
    site.wait("nothing to be under way", || {
        let status = site.status();
        if status.bound == 0 && status.queue == QueueCounts::default() {
            Ok(())
        } else {
            Err(format!("{status:?}"))
        }
    });
}
