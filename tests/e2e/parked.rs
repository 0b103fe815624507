//! Jobs that are not ready to be placed: held, deferred, dependent.

use crate::site::Site;

#[test]
fn a_job_begins_when_it_said() {
    let site = Site::take();
    let job = site.sbatch("user1", &["-n1", "-t5", "--begin=now+10"], "sleep 600");
    let told = site.wait_explained(job, "begins in about");
    assert_eq!(told.member, None);
    assert_eq!(site.field(job, "Partition"), "federation");
    assert_eq!(site.status().queue.parked, 1);
    site.wait_running(job);
    assert_eq!(site.status().queue.parked, 0);
}

#[test]
fn a_held_job_waits_for_its_release() {
    let site = Site::take();
    let job = site.sbatch("user1", &["-n1", "-t5", "-H"], "sleep 600");
    site.wait_explained(job, "held");
    assert_eq!(site.field(job, "Partition"), "federation");
    site.run("user1", &["scontrol", "release", &job.to_string()]);
    site.wait_running(job);
}

#[test]
fn a_hold_while_it_waits_lets_others_pass() {
    let site = Site::take();
    let full = site.fill_all();
    let held = site.sbatch("user1", &["-n1", "-t5"], "sleep 600");
    let other = site.sbatch("user1", &["-n1", "-t5"], "sleep 600");
    site.wait_explained(other, "No member can start it now");
    site.run("user1", &["scontrol", "hold", &held.to_string()]);
    site.wait_explained(held, "held");
    site.end(full[0]);
    site.wait_running(other);
    assert_eq!(site.field(held, "Reason"), "JobHeldUser");
    assert_eq!(site.field(held, "Partition"), "federation");
    site.run("user1", &["scontrol", "release", &held.to_string()]);
    site.wait_running(held);
}

#[test]
fn dependencies_are_slurms() {
    let site = Site::take();
    let submit = |options: &[&str], command: &str| {
        site.sbatch("user1", &[&["-n1", "-t5"], options].concat(), command)
    };
    let first = submit(&["-Jchain"], "while [ ! -e go ]; do sleep 0.2; done");
    let after_ok = submit(&[&format!("-dafterok:{first}")], "true");
    let after_any = submit(&[&format!("-dafterany:{first}:{after_ok}")], "true");
    let after_start = submit(&[&format!("-dafter:{first}")], "true");
    let not_ok = submit(&[&format!("-dafternotok:{first}")], "true");
    let single = submit(&["-Jchain", "-dsingleton"], "true");
    site.wait_running(first);
    site.wait_completed(after_start);
    for job in [after_ok, after_any, not_ok, single] {
        let told = site.wait_explained(job, "waits for other jobs");
        assert_eq!(told.member, None, "{told:#?}");
        assert!(
            told.members.iter().all(|member| member.verdict != "chosen"),
            "{told:#?}"
        );
        assert_eq!(site.field(job, "Partition"), "federation");
    }
    site.run("user1", &["touch", "go"]);
    for job in [first, after_ok, after_any, single] {
        site.wait_completed(job);
    }
    site.wait_explained(not_ok, "can never be satisfied");
    site.run("user1", &["scancel", &not_ok.to_string()]);
    site.run("user1", &["rm", "go"]);
}
