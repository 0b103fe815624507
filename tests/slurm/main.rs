//! The Slurm side of the daemon on real servers of every release: listed, bound, brought back. The
//! daemon itself does not run here; its plugin does, and marks the jobs. Needs root.
#![expect(clippy::unwrap_used, reason = "what fails in a test fails the test")]

mod actions;
mod feeds;
mod site;

use fedsched_sandbox::Series;

use crate::site::Site;

/// Everything on one sandbox of a release, for starting one takes longer than using it.
async fn everything_on(slurm: Series) {
    let site = Site::start(slurm);
    feeds::both_tell_the_same(&site).await;
    actions::a_job_is_bound_and_runs(&site).await;
    actions::a_job_without_a_limit_gets_the_partitions(&site).await;
    actions::portions_of_an_array_go_their_own_ways(&site).await;
    actions::a_heterogeneous_job_is_bound_whole(&site).await;
    actions::a_refused_job_stays_at_home(&site).await;
    actions::a_waiting_job_is_brought_back(&site).await;
    actions::a_requeued_job_is_brought_back(&site).await;
    actions::a_job_is_held_and_ended(&site).await;
    actions::a_bind_survives_the_controller(&site).await;
    actions::many_jobs_are_bound_at_once(&site).await;
    feeds::both_tell_the_same(&site).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn slurm_22_05() {
    everything_on(Series::V22_05).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn slurm_24_11() {
    everything_on(Series::V24_11).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn slurm_26_05() {
    everything_on(Series::V26_05).await;
}
