//! Who sees what: the job's owner, another user, an operator; text and JSON; exit codes.

use fedsched_protocol::query::{Explanation, Member, Status, Waiting};

use crate::site::{MEMBERS, Site};

#[test]
fn a_job_is_explained_to_its_owner_and_to_operators() {
    let site = Site::take();
    let full = site.fill_all();
    let job = site
        .sbatch("user1", &["-n1", "-t5", "-Jmine"], "sleep 600")
        .to_string();
    site.wait_explained(&job, "No member can start it now");
    for user in ["user1", "operator", "root"] {
        let told: Explanation = site.ask(user, &["explain", &job]).unwrap();
        assert_eq!(
            (told.job.as_str(), told.name.as_str(), told.user.as_str()),
            (&*job, "mine", "user1")
        );
        let text = site.run(user, &["fedsched", "explain", &job]);
        for member in MEMBERS {
            let lines = text.lines().filter(|line| line.starts_with(member)).count();
            assert_eq!(lines, 1, "one line for each member: {text}");
        }
    }
    // To others it is as if there were no such job.
    let hidden = site.try_run("user2", &["fedsched", "explain", &job]);
    let missing = site.try_run("user2", &["fedsched", "explain", "99999"]);
    assert_eq!((hidden.code, missing.code), (4, 4));
    assert_eq!(hidden.err.replace(&job, "99999"), missing.err);
    for job in full {
        site.end(job);
    }
}

#[test]
fn users_see_their_own_jobs_in_the_queue_and_operators_all() {
    let site = Site::take();
    let full = site.fill_all();
    let mine = site.sbatch("user1", &["-n1", "-t5"], "true").to_string();
    let yours = site.sbatch("user2", &["-n1", "-t5"], "true").to_string();
    site.wait_explained(&mine, "No member can start it now");
    site.wait_explained(&yours, "No member can start it now");
    let seen = |user: &str| {
        let mut jobs: Vec<String> = site
            .queue(user)
            .into_iter()
            .map(|waiting| waiting.job)
            .collect();
        jobs.sort();
        jobs
    };
    assert_eq!(seen("user1"), std::slice::from_ref(&mine));
    assert_eq!(seen("user2"), std::slice::from_ref(&yours));
    assert_eq!(seen("operator"), [mine.clone(), yours]);
    let only: Vec<Waiting> = site.ask("operator", &["queue", "-u", "user1"]).unwrap();
    assert_eq!(
        only.iter()
            .map(|waiting| waiting.job.as_str())
            .collect::<Vec<_>>(),
        [mine]
    );
    for job in full {
        site.end(job);
    }
}

#[test]
fn everybody_sees_the_federation() {
    let site = Site::take();
    let status: Status = site.ask("user1", &["status"]).unwrap();
    assert_eq!(
        status.alarms,
        Vec::<String>::new(),
        "nothing is wrong with a new site"
    );
    let members: Vec<Member> = site.ask("user2", &["members"]).unwrap();
    let cpus: Vec<(&str, u32, u32)> = members
        .iter()
        .map(|member| (member.name.as_str(), member.nodes, member.cpus))
        .collect();
    assert_eq!(cpus, [("big", 2, 64), ("cpu", 4, 32), ("gpu", 2, 32)]);
    let gpu = members.iter().find(|member| member.name == "gpu").unwrap();
    let gres = [("gpu:a100", 4, 4), ("gpu:h200", 4, 4)]
        .map(|(name, free, all)| (name.to_owned(), free, all));
    assert_eq!(gpu.gres, gres);

    let job = site.sbatch(
        "user1",
        &["-N1", "-n3", "--gres=gpu:a100:1", "-t5"],
        "sleep 600",
    );
    site.wait_running(job);
    let gpu = site.wait_member("gpu", |gpu| gpu.running == 1);
    assert_eq!((gpu.cpus_free, gpu.nodes_free), (29, 1));
    assert_eq!(gpu.gres[0].1, 3);
}

#[test]
fn exit_codes_are_as_documented() {
    let site = Site::take();
    let code = |words: &[&str]| site.try_run("user1", &[&["fedsched"], words].concat()).code;
    assert_eq!(code(&["status"]), 0);
    assert_eq!(code(&["queue", "--json"]), 0);
    assert_eq!(code(&["explain", "not-a-job"]), 2);
    assert_eq!(code(&["nonsense"]), 2);
    assert_eq!(code(&["config", "check", "/nowhere"]), 2);
    assert_eq!(code(&["status", "--socket", "/nowhere"]), 3);
    assert_eq!(code(&["explain", "99999"]), 4);
    let told = site.refused("user1", &["fedsched", "status", "--socket", "/nowhere"]);
    assert!(
        told.contains("/nowhere") && told.contains("systemctl start fedsched"),
        "{told}"
    );
}

#[test]
fn a_job_that_ended_is_explained_while_slurm_knows_it() {
    let site = Site::take();
    let done = site.sbatch("user1", &["-n1", "-t5"], "true");
    let failed = site.sbatch("user1", &["-n1", "-t5"], "exit 3");
    let member = site.wait_completed(done);
    site.wait_field(failed, "JobState", "FAILED");
    let told = site.wait_explained(done, "completed");
    assert_eq!(told.summary, format!("It ran at {member} and completed."));
    site.wait_explained(failed, "and failed");
}
