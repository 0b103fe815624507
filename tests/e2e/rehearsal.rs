//! Rehearsal: everything is decided and told, and nothing is changed.

use crate::site::{MEMBERS, Site};
use fedsched_sandbox::Options;

#[test]
fn a_rehearsal_decides_and_changes_nothing_until_it_is_over() {
    let site = Site::own(Options {
        daemon_config: "[daemon]\nrehearsal = true\n".to_owned(),
        ..Options::default()
    });
    assert!(site.status().rehearsal);
    let job = site.sbatch("user1", &["-n1", "-t5"], "sleep 600");
    let array = site.sbatch("user1", &["-n1", "-t5", "--array=0-3"], "sleep 600");
    let big = site.sbatch("user1", &["-N1", "-n20", "-t5"], "sleep 600");
    let told = site.wait_explained(big, "Rehearsal: it would be bound to big now");
    assert_eq!(told.member, None);
    assert!(
        told.members
            .iter()
            .any(|member| member.member == "big" && member.verdict == "chosen")
    );
    site.wait_explained(job, "Rehearsal: it would be bound to");
    site.wait_explained(array, "Rehearsal: it would be bound to");
    // Many polls and passes later everything is still where it was.
    for _ in 0..3 {
        site.wait_polled();
    }
    for job in [job, array, big] {
        assert_eq!(site.field(job, "Partition"), "federation");
        assert_eq!(site.field(job, "JobState"), "PENDING");
    }
    let status = site.status();
    assert_eq!(
        (
            status.totals.bound,
            status.totals.placed_at_once,
            status.bound
        ),
        (0, 0, 0)
    );
    let shown = site.run("user1", &["fedsched", "status"]);
    assert!(shown.contains("rehearsal"), "{shown}");

    let text = site
        .configuration()
        .replace("rehearsal = true", "rehearsal = false");
    site.configure(&text);
    site.reload();
    assert!(MEMBERS.contains(&site.wait_running(job).as_str()));
    assert_eq!(site.wait_running(big), "big");
    site.wait_running(format!("{array}_3").as_str());
    assert!(!site.status().rehearsal);
}
