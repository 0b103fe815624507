//! The binding cycle against a slurmctld that lies.

use std::time::Duration;

use fedsched::bind::Binder;
use fedsched::model::{
    Action, BindError, Declaration, Event, Intent, IntentId, JobKey, Limits, MemberKind, Original,
    Settings, TaskSet, Timestamp,
};
use fedsched_protocol::mark::Mark;
use tokio::sync::mpsc;

use crate::controller::{Controller, Quirk, Record};

const APIS: [&str; 2] = ["v0.0.38", "v0.0.42"];

fn member(name: &str) -> Declaration {
    Declaration {
        name: name.into(),
        kind: MemberKind::SlurmPartition,
        partition: name.into(),
        labels: std::collections::BTreeMap::new(),
        home_accounts: Vec::new(),
        home_groups: Vec::new(),
        paths: None,
        drained: false,
    }
}

fn settings() -> Settings {
    Settings {
        queue_partition: "federation".into(),
        rehearsal: false,
        members: vec![member("cpu"), member("gpu")],
        policies: std::collections::BTreeMap::new(),
        default_policy: "default".into(),
        limits: Limits {
            backoff_first: Duration::from_secs(1),
            backoff_max: Duration::from_secs(1),
            remember: Duration::from_secs(1),
            assume_max: Duration::from_secs(1),
            pass_jobs_max: 1,
            vanish_percent_max: 50,
            vanish_jobs_min: 10,
        },
    }
}

fn intent(job: JobKey, action: Action) -> Intent {
    Intent {
        id: IntentId(1),
        job,
        mark: Some(Mark(0xaa)),
        tasks: None,
        action,
        decided: Timestamp(0),
        original: Original::default(),
    }
}

fn bind(job: JobKey, to: &str) -> Intent {
    let action = Action::Bind {
        member: to.into(),
        partition: to.into(),
    };
    intent(job, action)
}

fn bring_back(job: JobKey, from: &str) -> Intent {
    let action = Action::Return {
        room: "federation".into(),
        from: from.into(),
    };
    intent(job, action)
}

fn set(tasks: &[u32]) -> TaskSet {
    tasks.iter().copied().collect()
}

/// Carries an intent out.
async fn carry_out(controller: &Controller, intent: Intent) -> Result<(), BindError> {
    let (results, mut outcomes) = mpsc::channel(1);
    let binder = Binder::spawn(controller.client(), &settings(), results);
    binder.act(intent);
    match outcomes.recv().await.unwrap() {
        Event::Done(IntentId(1)) => Ok(()),
        Event::Failed {
            intent: IntentId(1),
            error,
        } => Err(error),
        other => panic!("{other:?}"),
    }
}

fn is_overtaken(result: &Result<(), BindError>, why: &str) -> bool {
    matches!(result, Err(BindError::Overtaken(text)) if text.contains(why))
}

#[tokio::test]
async fn a_plain_bind_costs_three_requests() {
    for api in APIS {
        let controller = Controller::new(api, vec![Record::waiting(7)]).await;
        carry_out(&controller, bind(JobKey::job(7), "gpu"))
            .await
            .unwrap();
        assert_eq!(controller.record(7).partition, "gpu");
        assert_eq!(controller.record(7).limit, None, "gpu has no default");
        assert_eq!(controller.requests(), ["GET 7", "POST 7", "GET 7"]);
    }
}

#[tokio::test]
async fn the_default_time_limit_is_given_only_to_who_has_none() {
    for api in APIS {
        for (own, after) in [(None, Some(60)), (Some(5), Some(5))] {
            let job = Record {
                limit: own,
                ..Record::waiting(7)
            };
            let controller = Controller::new(api, vec![job]).await;
            let mut intent = bind(JobKey::job(7), "cpu");
            intent.original.time_limit_min = own;
            carry_out(&controller, intent).await.unwrap();
            assert_eq!(controller.record(7).limit, after);
        }
    }
}

#[tokio::test]
async fn try_again_is_tried_again() {
    let quirks = [Quirk::TryAgain; 3];
    let controller = Controller::new(APIS[0], vec![Record::waiting(7)]).await;
    let controller = controller.with(&quirks);
    carry_out(&controller, bind(JobKey::job(7), "cpu"))
        .await
        .unwrap();
    assert_eq!(controller.record(7).partition, "cpu");
}

#[tokio::test]
async fn what_moved_in_spite_of_a_refusal_goes_home() {
    for api in APIS {
        let controller = Controller::new(api, vec![Record::waiting(7)]).await;
        let controller = controller.with(&[Quirk::RefuseButDo]);
        let result = carry_out(&controller, bind(JobKey::job(7), "cpu")).await;
        assert_eq!(
            result,
            Err(BindError::Refused("Invalid account".to_owned()))
        );
        let job = controller.record(7);
        assert_eq!((job.partition.as_str(), job.limit), ("federation", None));
    }
}

#[tokio::test]
async fn what_began_in_spite_of_a_refusal_is_done() {
    let controller = Controller::new(APIS[1], vec![Record::waiting(7)]).await;
    let controller = controller.with(&[Quirk::RefuseButStart]);
    let result = carry_out(&controller, bind(JobKey::job(7), "cpu")).await;
    assert_eq!(result, Ok(()));
    assert_eq!(controller.record(7).partition, "cpu");
}

#[tokio::test]
async fn a_lost_answer_is_looked_up() {
    for (quirk, moved) in [(Quirk::LoseAnswer, true), (Quirk::Silent, false)] {
        let controller = Controller::new(APIS[0], vec![Record::waiting(7)]).await;
        let controller = controller.with(&[quirk]);
        let result = carry_out(&controller, bind(JobKey::job(7), "cpu")).await;
        assert_eq!(result.is_ok(), moved);
        assert_eq!(controller.record(7).partition == "cpu", moved);
        if let Err(error) = result {
            assert!(matches!(error, BindError::Unreachable(_)), "{error}");
        }
    }
}

#[tokio::test]
async fn a_refusal_is_a_refusal() {
    for quirk in [Quirk::Refuse, Quirk::Ignore] {
        let controller = Controller::new(APIS[1], vec![Record::waiting(7)]).await;
        let controller = controller.with(&[quirk]);
        let result = carry_out(&controller, bind(JobKey::job(7), "cpu")).await;
        assert!(matches!(result, Err(BindError::Refused(_))), "{result:?}");
        assert_eq!(controller.record(7).partition, "federation");
    }
}

#[tokio::test]
async fn a_silent_controller_is_waited_for() {
    let controller = Controller::new(APIS[0], vec![Record::waiting(7)]).await;
    let controller = controller.silent_for(2);
    carry_out(&controller, bind(JobKey::job(7), "cpu"))
        .await
        .unwrap();
    assert_eq!(controller.record(7).partition, "cpu");
}

#[tokio::test]
async fn what_somebody_did_meanwhile_stands() {
    let base = Record::waiting(7);
    for (job, why) in [
        (
            Record {
                comment: "fedsched:1 00000000000000bb",
                ..base.clone()
            },
            "another job",
        ),
        (
            Record {
                comment: "",
                ..base.clone()
            },
            "another job",
        ),
        (
            Record {
                state: "RUNNING",
                partition: "gpu".to_owned(),
                ..base.clone()
            },
            "started in gpu",
        ),
        (
            Record {
                partition: "gpu".to_owned(),
                ..base.clone()
            },
            "in gpu now",
        ),
        (
            Record {
                priority: 0,
                reason: "JobHeldUser",
                ..base.clone()
            },
            "held",
        ),
    ] {
        let partition = job.partition.clone();
        let controller = Controller::new(APIS[1], vec![job]).await;
        let result = carry_out(&controller, bind(JobKey::job(7), "cpu")).await;
        assert!(is_overtaken(&result, why), "{why}: {result:?}");
        assert_eq!(controller.record(7).partition, partition);
        assert_eq!(controller.requests(), ["GET 7"]);
    }
    let controller = Controller::new(APIS[1], vec![]).await;
    let result = carry_out(&controller, bind(JobKey::job(7), "cpu")).await;
    assert!(is_overtaken(&result, "no longer there"), "{result:?}");
}

#[tokio::test]
async fn an_intent_carried_out_twice_is_done_twice() {
    let controller = Controller::new(APIS[0], vec![Record::waiting(7)]).await;
    for _ in 0..2 {
        carry_out(&controller, bind(JobKey::job(7), "cpu"))
            .await
            .unwrap();
    }
    let posts = controller.requests();
    let posts = posts.iter().filter(|request| request.starts_with("POST"));
    assert_eq!(posts.count(), 1);
}

fn array(rest: &'static str) -> Record {
    Record {
        array: 5,
        rest,
        ..Record::waiting(5)
    }
}

fn task(task: u32, partition: &str) -> Record {
    Record {
        id: 20 + task,
        array: 5,
        task: Some(task),
        partition: partition.to_owned(),
        ..Record::waiting(0)
    }
}

#[tokio::test]
async fn a_portion_of_an_array_moves_alone() {
    for api in APIS {
        let controller = Controller::new(api, vec![array("0-5")]).await;
        let intent = Intent {
            tasks: Some(set(&[0, 1, 4])),
            ..bind(JobKey::job(5), "cpu")
        };
        carry_out(&controller, intent).await.unwrap();
        let mut moved: Vec<u32> = controller
            .partitions()
            .into_iter()
            .filter(|(_, partition)| partition == "cpu")
            .map(|(id, _)| id)
            .collect();
        moved.sort_unstable();
        assert_eq!(moved, [1000, 1001, 1004], "{}", controller.api());
        assert_eq!(controller.record(5).rest, "2-3,5");
    }
}

#[tokio::test]
async fn the_rest_of_an_array_moves_without_its_other_tasks() {
    for api in APIS {
        let jobs = vec![array("2-3"), task(0, "gpu"), task(1, "gpu")];
        let controller = Controller::new(api, jobs).await;
        carry_out(&controller, bind(JobKey::job(5), "cpu"))
            .await
            .unwrap();
        for (id, partition) in controller.partitions() {
            let expected = if [20, 21].contains(&id) { "gpu" } else { "cpu" };
            assert_eq!(partition, expected, "{api} {id}");
        }
    }
}

#[tokio::test]
async fn a_whole_array_stays_one_record() {
    for api in APIS {
        let controller = Controller::new(api, vec![array("0-999")]).await;
        carry_out(&controller, bind(JobKey::job(5), "cpu"))
            .await
            .unwrap();
        assert_eq!(controller.partitions(), [(5, "cpu".to_owned())]);
    }
}

#[tokio::test]
async fn one_task_comes_back_alone() {
    for api in APIS {
        let jobs = vec![array("2-3"), task(0, "cpu"), task(1, "cpu")];
        let controller = Controller::new(api, jobs).await;
        carry_out(&controller, bring_back(JobKey::task(5, 1), "cpu"))
            .await
            .unwrap();
        assert_eq!(controller.record(21).partition, "federation");
        assert_eq!(controller.record(20).partition, "cpu");
    }
}

#[tokio::test]
async fn a_portion_that_moved_in_part_says_how_much() {
    let jobs = vec![task(0, "federation"), task(1, "federation")];
    let controller = Controller::new(APIS[0], jobs).await;
    let controller = controller.with(&[Quirk::DoHalf]);
    let intent = Intent {
        tasks: Some(set(&[0, 1])),
        ..bind(JobKey::job(5), "cpu")
    };
    let result = carry_out(&controller, intent).await;
    assert!(matches!(result, Err(BindError::Refused(_))), "{result:?}");
}

#[tokio::test]
async fn a_heterogeneous_job_moves_whole() {
    for api in APIS {
        let component = |id| Record {
            het: 11,
            comment: "",
            ..Record::waiting(id)
        };
        let controller = Controller::new(api, vec![component(11), component(12)]).await;
        let intent = Intent {
            mark: None,
            ..bind(JobKey::job(11), "cpu")
        };
        carry_out(&controller, intent).await.unwrap();
        let cpu = || "cpu".to_owned();
        assert_eq!(controller.partitions(), [(11, cpu()), (12, cpu())]);
    }
}

#[tokio::test]
async fn a_requeued_job_comes_home_once_it_is_cleared_away() {
    // v0.0.38 shows one word only.
    for (api, state) in APIS.into_iter().zip(["COMPLETING", "PENDING+COMPLETING"]) {
        let job = Record {
            partition: "cpu".to_owned(),
            state,
            reason: "BeginTime",
            restarts: 1,
            limit: Some(60),
            ..Record::waiting(7)
        };
        let controller = Controller::new(api, vec![job]).await.clearing_for(3);
        carry_out(&controller, bring_back(JobKey::job(7), "cpu"))
            .await
            .unwrap();
        let job = controller.record(7);
        assert_eq!(job.partition, "federation");
        assert!(job.begun_now, "Slurm's two minutes are taken back");
        assert_eq!(job.limit, None, "the limit of cpu was not its own");
        let posts = controller.requests();
        let first = posts.iter().position(|request| request.starts_with("POST"));
        assert!(first >= Some(3), "nothing is changed before: {posts:?}");
    }
}

#[tokio::test]
async fn a_limit_of_ones_own_comes_home() {
    let job = Record {
        partition: "cpu".to_owned(),
        limit: Some(5),
        ..Record::waiting(7)
    };
    let controller = Controller::new(APIS[0], vec![job]).await;
    carry_out(&controller, bring_back(JobKey::job(7), "cpu"))
        .await
        .unwrap();
    assert_eq!(controller.record(7).limit, Some(5));
    assert!(
        !controller.record(7).begun_now,
        "a --begin of its own stays"
    );
}

#[tokio::test]
async fn a_job_is_held_and_ended_once() {
    for api in APIS {
        let controller = Controller::new(api, vec![Record::waiting(7)]).await;
        for _ in 0..2 {
            let hold = intent(JobKey::job(7), Action::Hold);
            carry_out(&controller, hold).await.unwrap();
        }
        assert_eq!(controller.record(7).priority, 0);
        for _ in 0..2 {
            let cancel = intent(JobKey::job(7), Action::Cancel);
            carry_out(&controller, cancel).await.unwrap();
        }
        assert_eq!(controller.record(7).state, "CANCELLED");
        let changes = controller.requests();
        let changes: Vec<_> = changes.iter().filter(|r| !r.starts_with("GET")).collect();
        assert_eq!(changes, ["POST 7", "DELETE 7"]);
    }
}

#[tokio::test]
async fn only_waiting_tasks_are_ended() {
    for api in APIS {
        let running = Record {
            state: "RUNNING",
            ..task(0, "cpu")
        };
        let controller = Controller::new(api, vec![array("2-3"), running]).await;
        let cancel = intent(JobKey::job(5), Action::Cancel);
        carry_out(&controller, cancel).await.unwrap();
        assert_eq!(controller.record(20).state, "RUNNING", "{api}");
    }
}

#[tokio::test]
async fn what_has_begun_is_neither_held_nor_ended() {
    for action in [Action::Hold, Action::Cancel] {
        let job = Record {
            state: "RUNNING",
            ..Record::waiting(7)
        };
        let controller = Controller::new(APIS[0], vec![job]).await;
        let result = carry_out(&controller, intent(JobKey::job(7), action)).await;
        assert!(is_overtaken(&result, "started"), "{result:?}");
        assert_eq!(controller.record(7).state, "RUNNING");
    }
}

#[tokio::test]
async fn a_thousand_intents_all_have_an_outcome() {
    let jobs = (1..=200).map(Record::waiting).collect();
    let controller = Controller::new(APIS[1], jobs).await;
    let (results, mut outcomes) = mpsc::channel(4);
    let binder = Binder::spawn(controller.client(), &settings(), results);
    for job in 1..=1000 {
        binder.act(Intent {
            id: IntentId(job),
            ..bind(JobKey::job(u32::try_from(job).unwrap()), "gpu")
        });
    }
    let (mut done, mut failed) = (0, 0);
    while done + failed < 1000 {
        match outcomes.recv().await.unwrap() {
            Event::Done(_) => done += 1,
            Event::Failed { .. } => failed += 1,
            other => panic!("{other:?}"),
        }
    }
    assert_eq!((done, failed), (200, 800));
    binder.drain(Duration::from_secs(10)).await;
}
