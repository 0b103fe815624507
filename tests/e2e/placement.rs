//! Where jobs go.

use crate::site::Site;

#[test]
fn a_job_that_can_start_is_sent_to_a_member_with_its_submission() {
    let site = Site::take();
    let before = site.status().totals.placed_at_once;
    let job = site.sbatch("user1", &["-n1", "-t5"], "sleep 60");
    let partition = site.field(job, "Partition");
    assert!(
        ["big", "cpu", "gpu"].contains(&partition.as_str()),
        "{partition}"
    );
    assert_eq!(site.wait_running(job), partition);
    let told = site.wait_explained(job, "It runs at");
    assert_eq!(told.member, Some(partition));
    assert_eq!(told.members.len(), 3, "one line for each member: {told:#?}");
    assert_eq!(site.status().totals.placed_at_once, before + 1);
}
