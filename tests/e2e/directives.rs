//! What users ask of the federation, in `#FED` lines and in comments.

use crate::site::Site;
use fedsched_sandbox::Service;

impl Site {
    /// Submits a script with these lines after `#!/bin/sh`, and options.
    fn submit_script(&self, lines: &str, options: &[&str]) -> u32 {
        let script = self.script(lines);
        self.submit("user1", &[&["-n1", "-t5"], options, &[&script]].concat())
    }

    fn script(&self, lines: &str) -> String {
        let text = format!("#!/bin/sh\n{lines}\nsleep 600\n");
        let path = self
            .sandbox()
            .write_file("user1", "directives.sh", text)
            .unwrap();
        path.to_str().unwrap().to_owned()
    }
}

#[expect(clippy::too_many_lines, reason = "a table of cases")]
#[test]
fn a_wrong_directive_is_refused_with_one_line_that_says_what_is_allowed() {
    let site = Site::take();
    let cases = [
        (
            "#FED --membres=cpu",
            "",
            "line 2 (#FED): there is no flag \"--membres\", did you mean --members?",
        ),
        (
            "#FED --members=cpuu",
            "",
            "there is no cpuu (did you mean cpu?); allowed: big, cpu, gpu",
        ),
        (
            "#FED --avoid=nowhere",
            "",
            "there is no nowhere; allowed: big, cpu, gpu",
        ),
        (
            "#FED --policy=defualt",
            "",
            "there is no defualt (did you mean default?); allowed: default",
        ),
        (
            "#FED --split=maybe",
            "",
            "Allowed is never, when-needed, nodes",
        ),
        ("#FED --needs=scratch", "", "Allowed is absolute paths"),
        (
            "#FED --network=fast",
            "",
            "Allowed is a bandwidth with its unit",
        ),
        (
            "#FED --members=cpu --avoid=cpu",
            "",
            "cpu is both in --members and in --avoid",
        ),
        ("#FED --members='cpu", "", "a quote (') is not closed"),
        ("#FED cpu", "", "is not of the form --flag=value"),
        (
            "",
            "fed: polcy=default",
            "there is no flag \"polcy\", did you mean --policy?",
        ),
        (
            "",
            "fed: members=cpuu",
            "there is no cpuu (did you mean cpu?); allowed: big, cpu, gpu",
        ),
        (
            "#FED --members=cpu",
            "fed: avoid=cpu",
            "cpu is both in --members and in --avoid",
        ),
    ];
    for (line, comment, wanted) in cases {
        let script = site.script(line);
        let comment = format!("--comment={comment}");
        let told = site.refused("user1", &["sbatch", "-n1", &comment, &script]);
        let ours: Vec<&str> = told
            .lines()
            .filter(|line| line.contains("fedsched:"))
            .collect();
        assert_eq!(ours.len(), 1, "{line} {comment}: {told}");
        assert!(ours[0].contains(wanted), "{line} {comment}: {told}");
        assert_eq!(
            told.lines().count(),
            2,
            "one line of ours, one of sbatch's: {told}"
        );
    }
    for command in ["srun", "salloc"] {
        let told = site.refused(
            "user1",
            &[command, "-n1", "--comment=fed: members=cpuu", "true"],
        );
        assert!(told.contains("did you mean cpu?"), "{told}");
    }
    assert_eq!(site.squeue(None, "%i"), Vec::<String>::new());
}

#[test]
fn what_is_asked_is_done() {
    let site = Site::take();
    let cases = [
        ("#FED --members=gpu", "", "gpu"),
        ("#FED --avoid=cpu,gpu", "", "big"),
        ("#FED --members=big\n#FED --members=gpu", "", "gpu"),
        ("", "fed: members=big", "big"),
        ("#FED --members=cpu", "fed: members=gpu", "gpu"),
        (
            "# FED --members=nowhere\n#FED --policy=default --members=big # mine",
            "",
            "big",
        ),
        ("true\n#FED --nonsense", "fed: --members=gpu", "gpu"),
    ];
    for (line, comment, wanted) in cases {
        let job = site.submit_script(line, &[&format!("--comment={comment}")]);
        assert_eq!(site.wait_running(job), wanted, "{line} {comment}");
        site.run("root", &["scancel", &job.to_string()]);
    }
    // Any other comment is the user's own.
    let job = site.submit_script("#FED --members=gpu", &["--comment=federated learning"]);
    assert_eq!(site.wait_running(job), "gpu");
    assert_eq!(
        site.field(job, "Comment"),
        "federated",
        "scontrol's fields end at blanks"
    );
}

#[test]
fn members_that_are_not_asked_are_explained_with_what_would_change_it() {
    let site = Site::take();
    let full = site.fill("cpu");
    let job = site.submit_script("#FED --members=cpu", &[]);
    let told = site.wait_explained(job, "No member can start it now");
    assert!(
        told.remedies
            .contains(&"With big among --members it could also go there.".to_owned()),
        "{told:#?}"
    );
    site.end(full);
    site.wait_running(job);
}

#[test]
fn what_is_asked_survives_every_restart() {
    let site = Site::own(fedsched_sandbox::Options::default());
    let full = site.fill_all();
    let job = site.submit_script("#FED --members=gpu --avoid=cpu", &[]);
    site.wait_explained(job, "No member can start it now");
    let mark = site.admin_comment(job);
    assert!(mark.starts_with("fedsched:1 "), "{mark}");
    assert!(mark.ends_with(" --members=gpu --avoid=cpu"), "{mark}");

    site.sandbox()
        .service(Service::Slurmctld)
        .restart()
        .unwrap();
    site.sandbox().service(Service::Fedsched).restart().unwrap();
    site.wait_ready();
    assert_eq!(site.admin_comment(job), mark);
    for other in &full[..2] {
        site.end(*other);
    }
    site.wait_member("cpu", |cpu| cpu.nodes_free == 4);
    let told = site.wait_explained(job, "No member can start it now");
    let verdicts: Vec<&str> = told
        .members
        .iter()
        .map(|member| member.verdict.as_str())
        .collect();
    assert_eq!(verdicts, ["refused", "refused", "later"], "{told:#?}");
    site.end(full[2]);
    assert_eq!(site.wait_running(job), "gpu");
    assert_eq!(site.admin_comment(job), mark);

    // And a requeue.
    site.run("root", &["scontrol", "requeue", &job.to_string()]);
    site.wait_field(job, "Restarts", "1");
    assert_eq!(site.wait_running(job), "gpu");
    assert_eq!(site.admin_comment(job), mark);
}
