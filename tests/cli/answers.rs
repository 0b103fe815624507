//! What a daemon of a small site says.

use std::time::{SystemTime, UNIX_EPOCH};

use fedsched_protocol::query::{
    Explanation, Happening, Judgement, Member, QueueCounts, Status, Totals, Waiting,
};

const HOUR_MS: i64 = 60 * 60 * 1000;
const GIB: u64 = 1 << 30;

/// Some time on 1 March 2026: never today, so that the date is shown.
const THEN_MS: i64 = 1_772_359_200_000;

/// Half a second more than a whole span ago, so that a slow test still prints that span.
fn ago_ms(span_ms: i64) -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    i64::try_from(now.as_millis()).unwrap() - span_ms
}

pub(crate) fn members() -> Vec<Member> {
    let cpu = Member {
        name: "cpu".to_owned(),
        kind: "slurm-partition".to_owned(),
        state: "up".to_owned(),
        partition: "cpu".to_owned(),
        nodes_usable: 4,
        nodes: 4,
        nodes_free: 1,
        cpus_free: 11,
        cpus: 32,
        memory_free_bytes: 22 * GIB + GIB / 2,
        memory_bytes: 64 * GIB,
        bound: 2,
        running: 5,
        direct_waiting: 1,
        ..Member::default()
    };
    let gpu = Member {
        name: "gpu-long-name".to_owned(),
        kind: "slurm-partition".to_owned(),
        state: "drained".to_owned(),
        state_reason: "partition state is DRAIN: firmware update until noon".to_owned(),
        partition: "gpu".to_owned(),
        nodes_usable: 1,
        nodes: 2,
        cpus: 2048,
        cpus_free: 1024,
        memory_bytes: 3 << 40,
        gres: vec![("gpu:a100".to_owned(), 4, 4), ("gpu:h200".to_owned(), 0, 4)],
        ..Member::default()
    };
    vec![cpu, gpu]
}

pub(crate) fn status() -> Status {
    Status {
        version: "0.1.0".to_owned(),
        rehearsal: true,
        started_ms: ago_ms(26 * HOUR_MS),
        heard_ms: Some(ago_ms(2 * HOUR_MS)),
        alarms: vec![
            "slurmctld has not been heard for 2h 0m: nothing is placed".to_owned(),
            "the token expires in 3 minutes and cannot be renewed: No such file or directory \
             (/etc/fedsched/token)"
                .to_owned(),
        ],
        queue_partition: "federation".to_owned(),
        queue: QueueCounts {
            pending: 12,
            unschedulable: 3,
            reschedule: 1,
            parked: 40,
        },
        bound: 2,
        running: 5,
        totals: Totals {
            submitted: 1234,
            placed_at_once: 1100,
            refused: 2,
            bound: 130,
            returned: 4,
        },
        members: members(),
    }
}

pub(crate) fn queue() -> Vec<Waiting> {
    let array = Waiting {
        job: "117_[3-9]".to_owned(),
        user: "user1".to_owned(),
        name: "sweep over everything".to_owned(),
        priority: 4111,
        size: "2 nodes, 8 CPUs each, gpu:2 each".to_owned(),
        submitted_ms: ago_ms(26 * HOUR_MS),
        queue: "pending".to_owned(),
        reason: "next to be placed".to_owned(),
        expected_ms: None,
    };
    let large = Waiting {
        job: "118".to_owned(),
        user: "user2".to_owned(),
        name: "large".to_owned(),
        priority: 17,
        size: "40 nodes, 32 CPUs each".to_owned(),
        submitted_ms: ago_ms(2 * HOUR_MS),
        queue: "unschedulable".to_owned(),
        reason: "no member has 40 nodes: cpu has 4, gpu has 2".to_owned(),
        expected_ms: Some(THEN_MS),
    };
    vec![array, large]
}

pub(crate) fn explanation() -> Explanation {
    Explanation {
        job: "117_3".to_owned(),
        name: "sweep".to_owned(),
        user: "user1".to_owned(),
        size: "2 nodes, 8 CPUs each, gpu:2 each".to_owned(),
        summary: "Waits in the federation's queue: no member can start it now, and two jobs of \
                  higher priority wait before it."
            .to_owned(),
        member: None,
        decided_ms: Some(THEN_MS),
        expected_ms: None,
        members: vec![
            Judgement {
                member: "cpu".to_owned(),
                verdict: "refused".to_owned(),
                score: None,
                text: "wants gpu:2 on each node, the nodes here have none".to_owned(),
            },
            Judgement {
                member: "gpu".to_owned(),
                verdict: "later".to_owned(),
                score: Some(87),
                text: "1 of 2 nodes is free now (gpu2); gpu1 is expected to be free when job 99 \
                       ends, at 14:05"
                    .to_owned(),
            },
        ],
        remedies: vec![
            "It starts by itself when gpu1 is free.".to_owned(),
            "With one node (-N1) it could start now on gpu.".to_owned(),
        ],
        history: vec![
            Happening {
                at_ms: THEN_MS - HOUR_MS,
                text: "queued".to_owned(),
            },
            Happening {
                at_ms: THEN_MS,
                text: "bound to cpu, did not start within 2m (Resources), taken back; cpu is not \
                       tried again for 30m"
                    .to_owned(),
            },
        ],
    }
}
