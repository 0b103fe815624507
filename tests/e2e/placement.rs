//! Where jobs go.

use crate::site::Site;

#[test]
fn a_job_that_can_start_goes_straight_to_a_member() {
    let site = Site::start();
    site.wait_ready();
    let job = site.sbatch("user1", &["-n1", "-t5"], "sleep 30");
    let fields = site.fields(&job.to_string());
    assert_eq!(fields["Partition"], "cpu", "answered at submission");
    assert!(fields["AdminComment"].starts_with("fedsched:1"), "{fields:?}");
    site.wait_running(job);
    let told = site.wait_explained(job, "cpu");
    assert!(told.contains("runs"), "{told}");
}
