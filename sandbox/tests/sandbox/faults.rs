//! Services can be killed, stopped and started again.

use fedsched_sandbox::{Error, Series, Service, ServiceState, Signal};

use crate::{plain, run, wait_for};

#[test]
fn a_job_outlives_the_controller() {
    let sandbox = plain(Series::V22_05);
    let submit = ["sbatch", "--parsable", "-pbig", "--wrap=sleep 1000"];
    let job = run(&sandbox, "user1", &submit);
    let state = ["squeue", "-ho%T", "-j", &job];
    wait_for(&sandbox, &state, "RUNNING");

    let slurmctld = sandbox.service(Service::Slurmctld);
    slurmctld.stop().unwrap();
    assert_eq!(slurmctld.pid().unwrap(), None);
    run(&sandbox, "root", &["pgrep", "-fx", "sleep 1000"]);
    slurmctld.start().unwrap();
    wait_for(&sandbox, &state, "RUNNING");
}

#[test]
fn a_killed_service_is_noticed() {
    let sandbox = plain(Series::V22_05);
    let slurmctld = sandbox.service(Service::Slurmctld);
    let before = slurmctld.pid().unwrap().unwrap();
    slurmctld.kill(Signal::SIGKILL).unwrap();
    let killed = ServiceState::Ended {
        how: String::from("signal SIGKILL"),
    };
    assert_eq!(slurmctld.state().unwrap(), killed);
    assert_eq!(slurmctld.pid().unwrap(), None);
    slurmctld.start().unwrap();
    assert_ne!(slurmctld.pid().unwrap().unwrap(), before);
    run(&sandbox, "user1", &["srun", "-pcpu", "true"]);
}

#[test]
fn every_service_comes_back() {
    let sandbox = plain(Series::V22_05);
    for (service, state) in sandbox.services().unwrap() {
        assert!(
            matches!(state, ServiceState::Running { .. }),
            "{service}: {state:?}"
        );
        let handle = sandbox.service(service.clone());
        assert!(
            handle.proc().unwrap().unwrap().join("status").exists(),
            "{service}"
        );
        assert!(handle.log_path().exists(), "{service}");
        handle.restart().unwrap();
    }
    run(&sandbox, "user1", &["srun", "-pgpu", "-wgpu2", "true"]);
}

#[test]
fn a_stopped_process_goes_on_where_it_was() {
    let sandbox = plain(Series::V22_05);
    let slurmctld = sandbox.service(Service::Slurmctld);
    slurmctld.kill(Signal::SIGSTOP).unwrap();
    let status = std::fs::read_to_string(slurmctld.proc().unwrap().unwrap().join("status"));
    assert!(status.unwrap().contains("State:\tT (stopped)"));
    slurmctld.kill(Signal::SIGCONT).unwrap();
    run(&sandbox, "user1", &["squeue"]);
}

#[test]
fn a_service_that_cannot_start_says_why() {
    let sandbox = plain(Series::V22_05);
    let slurmctld = sandbox.service(Service::Slurmctld);
    slurmctld.stop().unwrap();
    let conf = sandbox.path("/etc/slurm/slurm.conf");
    let text = std::fs::read_to_string(&conf).unwrap();
    std::fs::write(&conf, text + "\nNoSuchParameter=1\n").unwrap();
    let error = slurmctld.start().unwrap_err();
    assert!(matches!(error, Error::ServiceEnded { .. }), "{error}");
    assert!(error.to_string().contains("NoSuchParameter"), "{error}");
    let missing = sandbox
        .service(Service::Fedsched)
        .start()
        .unwrap_err()
        .to_string();
    assert!(
        missing.contains("fedsched is not part of this sandbox"),
        "{missing}"
    );
}
