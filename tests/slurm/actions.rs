//! What the binder does to jobs.

use fedsched::model::{Action, BindError, JobKey};
use fedsched_protocol::slurm::Job;
use fedsched_sandbox::Service;

use crate::site::{Site, bind, bring_back};

fn all_in(partition: &'static str) -> impl Fn(&[Job]) -> bool {
    move |records| records.iter().all(|job| job.partition == partition)
}

fn all_run(records: &[Job]) -> bool {
    records.iter().all(|job| job.state == "RUNNING")
}

pub(crate) async fn a_job_is_bound_and_runs(site: &Site) {
    let job = site.submit(&["--time=7"]);
    let mut intent = site.intent(JobKey::job(job), bind("cpu")).await;
    assert!(intent.mark.is_some(), "the plugin marks it");
    intent.original.time_limit_min = Some(7);
    let before = site.client.calls();
    assert_eq!(site.carry_out(vec![intent.clone()]).await, [Ok(())]);
    assert_eq!(site.client.calls() - before, 3);
    let records = site.wait_for(job, "running", all_run).await;
    assert_eq!(records[0].partition, "cpu");
    assert_eq!(records[0].time_limit_min, Some(7));
    // The same intent after a crash: already so.
    assert_eq!(site.carry_out(vec![intent]).await, [Ok(())]);
    site.clear();
}

pub(crate) async fn a_job_without_a_limit_gets_the_partitions(site: &Site) {
    site.run(
        "root",
        &["scontrol", "update", "partition=cpu", "DefaultTime=30"],
    );
    let job = site.submit(&[]);
    let intent = site.intent(JobKey::job(job), bind("cpu")).await;
    assert_eq!(site.records(job).await[0].time_limit_min, None);
    assert_eq!(site.carry_out(vec![intent]).await, [Ok(())]);
    let records = site.wait_for(job, "running", all_run).await;
    assert_eq!(records[0].time_limit_min, Some(30));
    site.clear();
}

pub(crate) async fn portions_of_an_array_go_their_own_ways(site: &Site) {
    let job = site.submit(&["--array=0-7"]);
    let mut intent = site.intent(JobKey::job(job), bind("cpu")).await;
    intent.tasks = Some([0, 1, 5].into_iter().collect());
    assert_eq!(site.carry_out(vec![intent]).await, [Ok(())]);
    let records = site.records(job).await;
    let mut moved: Vec<u32> = records
        .iter()
        .filter(|record| record.partition == "cpu")
        .filter_map(|record| record.array_task)
        .collect();
    moved.sort_unstable();
    assert_eq!(moved, [0, 1, 5]);

    // All that remains, without taking the others along.
    let rest = site.intent(JobKey::job(job), bind("big")).await;
    assert_eq!(site.carry_out(vec![rest]).await, [Ok(())]);
    let records = site.wait_for(job, "running", all_run).await;
    let in_cpu = records.iter().filter(|record| record.partition == "cpu");
    assert_eq!((records.len(), in_cpu.count()), (8, 3));
    site.clear();
}

pub(crate) async fn a_heterogeneous_job_is_bound_whole(site: &Site) {
    let job = site.submit(&["--ntasks=1", ":", "--ntasks=2"]);
    let intent = site.intent(JobKey::job(job), bind("cpu")).await;
    assert_eq!(site.carry_out(vec![intent]).await, [Ok(())]);
    let records = site.wait_for(job, "running", all_run).await;
    assert_eq!(records.len(), 2);
    assert!(all_in("cpu")(&records), "{records:#?}");
    site.clear();
}

pub(crate) async fn a_refused_job_stays_at_home(site: &Site) {
    let job = site.submit(&[]);
    let intent = site.intent(JobKey::job(job), bind("nowhere")).await;
    let outcome = site.carry_out(vec![intent]).await;
    assert!(
        matches!(&outcome[0], Err(BindError::Refused(why)) if why.contains("Invalid partition")),
        "{outcome:?}"
    );
    assert!(all_in("federation")(&site.records(job).await));
    site.clear();
}

pub(crate) async fn a_waiting_job_is_brought_back(site: &Site) {
    site.run(
        "root",
        &["scontrol", "update", "partition=cpu", "state=DOWN"],
    );
    let job = site.submit(&[]);
    let there = site.intent(JobKey::job(job), bind("cpu")).await;
    let back = site.intent(JobKey::job(job), bring_back("cpu")).await;
    assert_eq!(site.carry_out(vec![there]).await, [Ok(())]);
    assert_eq!(site.records(job).await[0].time_limit_min, Some(30));
    assert_eq!(site.carry_out(vec![back]).await, [Ok(())]);
    let records = site.records(job).await;
    assert!(all_in("federation")(&records));
    assert_eq!(records[0].time_limit_min, None);
    site.run("root", &["scontrol", "update", "partition=cpu", "state=UP"]);
    site.clear();
}

pub(crate) async fn a_requeued_job_is_brought_back(site: &Site) {
    let job = site.submit(&["--time=7"]);
    let mut there = site.intent(JobKey::job(job), bind("cpu")).await;
    there.original.time_limit_min = Some(7);
    let mut back = site.intent(JobKey::job(job), bring_back("cpu")).await;
    back.original.time_limit_min = Some(7);
    assert_eq!(site.carry_out(vec![there]).await, [Ok(())]);
    site.wait_for(job, "running", all_run).await;
    site.run("root", &["scontrol", "requeue", &job.to_string()]);
    // Its last run is still being cleared away: the binder waits for that by itself.
    assert_eq!(site.carry_out(vec![back]).await, [Ok(())]);
    let eligible = |records: &[Job]| {
        let job = &records[0];
        job.partition == "federation" && job.reason != "BeginTime" && job.priority > 0
    };
    let records = site.wait_for(job, "eligible at home", eligible).await;
    assert_eq!(records[0].restarts, 1);
    site.clear();
}

pub(crate) async fn a_job_is_held_and_ended(site: &Site) {
    let job = site.submit(&["--array=0-3"]);
    for _ in 0..2 {
        let hold = site.intent(JobKey::job(job), Action::Hold).await;
        assert_eq!(site.carry_out(vec![hold]).await, [Ok(())]);
    }
    let records = site.records(job).await;
    assert!(records.iter().all(|job| job.reason == "JobHeldAdmin"));
    let held = site.intent(JobKey::job(job), bind("cpu")).await;
    let outcome = site.carry_out(vec![held]).await;
    assert!(matches!(&outcome[0], Err(BindError::Overtaken(_))));
    let cancel = site.intent(JobKey::job(job), Action::Cancel).await;
    assert_eq!(site.carry_out(vec![cancel]).await, [Ok(())]);
    let over = |records: &[Job]| records.iter().all(|job| job.state == "CANCELLED");
    site.wait_for(job, "over", over).await;
    site.clear();
}

pub(crate) async fn a_bind_survives_the_controller(site: &Site) {
    let job = site.submit(&[]);
    let intent = site.intent(JobKey::job(job), bind("cpu")).await;
    // Not killed: a job that slurmctld has not saved yet would be lost with it.
    site.sandbox.service(Service::Slurmctld).stop().unwrap();
    let started = async {
        tokio::task::yield_now().await;
        site.sandbox.service(Service::Slurmctld).start().unwrap();
    };
    let (outcome, ()) = tokio::join!(site.carry_out(vec![intent]), started);
    assert_eq!(outcome, [Ok(())]);
    let records = site.wait_for(job, "running", all_run).await;
    assert!(all_in("cpu")(&records));
    site.clear();
}

pub(crate) async fn many_jobs_are_bound_at_once(site: &Site) {
    const JOBS: usize = 60;
    let jobs: Vec<u32> = (0..JOBS).map(|_| site.submit(&["--time=7"])).collect();
    let mut intents = Vec::new();
    for &job in &jobs {
        let mut intent = site.intent(JobKey::job(job), bind("big")).await;
        intent.original.time_limit_min = Some(7);
        intents.push(intent);
    }
    let before = site.client.calls();
    let outcomes = site.carry_out(intents).await;
    let calls = usize::try_from(site.client.calls() - before).unwrap();
    assert!(outcomes.iter().all(Result::is_ok), "{outcomes:?}");
    // Three each, and one more for each time slurmctld said "try again".
    assert!((3 * JOBS..=6 * JOBS).contains(&calls), "{calls} requests");
    for job in jobs {
        assert!(all_in("big")(&site.records(job).await));
    }
    site.clear();
}
