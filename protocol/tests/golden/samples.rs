//! One of each message, no two fields of a type alike, so that the golden bytes show a swap.

use fedsched_protocol::mark::Mark;
use fedsched_protocol::query::{
    Explanation, Finding, Grade, Happening, Judgement, Member, QueueCounts, Status, Totals, Waiting,
};
use fedsched_protocol::slurm::{Job, Node, Partition, Reservation};
use fedsched_protocol::submit::Submission;
use fedsched_protocol::watch::Gone;

pub(crate) fn status() -> Status {
    Status {
        version: "version".into(),
        rehearsal: false,
        started_ms: 1003,
        heard_ms: Some(1005),
        alarms: vec!["alarms".into()],
        queue_partition: "queue_partition".into(),
        queue: QueueCounts {
            pending: 1009,
            unschedulable: 1010,
            reschedule: 1011,
            parked: 1012,
        },
        bound: 1013,
        running: 1014,
        totals: Totals {
            submitted: 1016,
            placed_at_once: 1017,
            refused: 1018,
            bound: 1019,
            returned: 1020,
        },
        members: vec![member()],
    }
}

pub(crate) fn member() -> Member {
    Member {
        name: "name".into(),
        kind: "kind".into(),
        state: "state".into(),
        state_reason: "state_reason".into(),
        partition: "partition".into(),
        nodes_usable: 1006,
        nodes: 1007,
        nodes_free: 1008,
        cpus_free: 1009,
        cpus: 1010,
        memory_free_bytes: 1011,
        memory_bytes: 1012,
        gres: vec![("gpu".into(), 1013, 2013)],
        bound: 1014,
        running: 1015,
        direct_waiting: 1016,
    }
}

pub(crate) fn waiting() -> Waiting {
    Waiting {
        job: "job".into(),
        user: "user".into(),
        name: "name".into(),
        priority: 1004,
        size: "size".into(),
        submitted_ms: 1006,
        queue: "queue".into(),
        reason: "reason".into(),
        expected_ms: Some(1010),
    }
}

pub(crate) fn explanation() -> Explanation {
    Explanation {
        job: "job".into(),
        name: "name".into(),
        user: "user".into(),
        size: "size".into(),
        summary: "summary".into(),
        member: Some("member".into()),
        decided_ms: Some(1008),
        expected_ms: Some(1010),
        members: vec![judgement()],
        remedies: vec!["remedies".into()],
        history: vec![happening()],
    }
}

pub(crate) fn judgement() -> Judgement {
    Judgement {
        member: "member".into(),
        verdict: "verdict".into(),
        score: Some(1004),
        text: "text".into(),
    }
}

pub(crate) fn happening() -> Happening {
    Happening {
        at_ms: 1001,
        text: "text".into(),
    }
}

pub(crate) fn finding() -> Finding {
    Finding {
        subject: "subject".into(),
        grade: Grade::Warning,
        text: "text".into(),
        remedy: "remedy".into(),
    }
}

pub(crate) fn job() -> Job {
    Job {
        id: 1001,
        array_id: 1002,
        array_task: Some(1004),
        array_tasks: Some("array_tasks".into()),
        array_running_max: 1006,
        het_id: 1007,
        het_offset: 1008,
        name: "name".into(),
        user_id: 1010,
        group_id: 1011,
        account: "account".into(),
        qos: "qos".into(),
        partition: "partition".into(),
        state: "state".into(),
        flags: vec!["flags".into()],
        reason: "reason".into(),
        reason_text: "reason_text".into(),
        priority: 1019,
        submit_s: Some(1021),
        eligible_s: Some(1023),
        start_s: Some(1025),
        end_s: Some(1027),
        deadline_s: Some(1029),
        time_limit_min: Some(1031),
        restarts: 1032,
        requeue: true,
        batch: false,
        nodes_min: 1035,
        nodes_max: 1036,
        tasks: 1037,
        cpus_min: 1038,
        cpus_per_task: 1039,
        tasks_per_node: 1040,
        node_cpus_min: 1041,
        memory: Some(1042),
        tmp_disk_mib: 1043,
        tres_per_job: "tres_per_job".into(),
        tres_per_node: "tres_per_node".into(),
        tres_per_task: "tres_per_task".into(),
        tres_per_socket: "tres_per_socket".into(),
        cpus_per_tres: "cpus_per_tres".into(),
        memory_per_tres: "memory_per_tres".into(),
        shared: 1050,
        contiguous: true,
        features: "features".into(),
        licenses: "licenses".into(),
        required_nodes: "required_nodes".into(),
        excluded_nodes: "excluded_nodes".into(),
        reservation: "reservation".into(),
        dependency: "dependency".into(),
        work_dir: "work_dir".into(),
        comment: "comment".into(),
        admin_comment: "admin_comment".into(),
        nodes: "nodes".into(),
        tres_allocated: "tres_allocated".into(),
    }
}

pub(crate) fn node() -> Node {
    Node {
        name: "name".into(),
        state: "state".into(),
        flags: vec!["flags".into()],
        reason: "reason".into(),
        cpus: 1005,
        cpus_allocated: 1006,
        memory_mib: 1007,
        memory_allocated_mib: 1008,
        memory_reserved_mib: 1009,
        tmp_disk_mib: 1010,
        gres: "gres".into(),
        gres_used: "gres_used".into(),
        features: "features".into(),
        watts: Some(1015),
        weight: 1016,
    }
}

pub(crate) fn partition() -> Partition {
    Partition {
        name: "name".into(),
        state: "state".into(),
        default: true,
        nodes: "nodes".into(),
        time_max_min: Some(1006),
        time_default_min: Some(1008),
        nodes_max: Some(1010),
        nodes_min: 1011,
        node_cpus_max: Some(1013),
        memory_default: 1014,
        memory_max: 1015,
        accounts_allowed: "accounts_allowed".into(),
        accounts_denied: "accounts_denied".into(),
        groups_allowed: "groups_allowed".into(),
        qos_allowed: "qos_allowed".into(),
        qos_denied: "qos_denied".into(),
        qos: "qos".into(),
        root_only: false,
        reservation_required: true,
        exclusive: false,
        priority_tier: 1025,
    }
}

pub(crate) fn reservation() -> Reservation {
    Reservation {
        name: "name".into(),
        start_s: 1002,
        end_s: 1003,
        nodes: "nodes".into(),
        flags: vec!["flags".into()],
    }
}

pub(crate) fn submission() -> Submission {
    Submission {
        mark: Some(Mark(0x9f86_d081_884c_7d65)),
        directives: "directives".into(),
        user_id: 1004,
        group_id: 1005,
        account: Some("account".into()),
        qos: Some("qos".into()),
        name: Some("name".into()),
        work_dir: Some("work_dir".into()),
        batch: false,
        array: Some("array".into()),
        deferred: false,
        dependency: Some("dependency".into()),
        nodes_min: Some(1015),
        nodes_max: Some(1017),
        tasks: Some(1019),
        cpus_min: Some(1021),
        cpus_per_task: Some(1023),
        tasks_per_node: Some(1025),
        node_cpus_min: Some(1027),
        memory: Some(1029),
        tmp_disk_mib: Some(1031),
        tres_per_job: Some("tres_per_job".into()),
        tres_per_node: Some("tres_per_node".into()),
        tres_per_task: Some("tres_per_task".into()),
        tres_per_socket: Some("tres_per_socket".into()),
        cpus_per_tres: Some("cpus_per_tres".into()),
        memory_per_tres: Some("memory_per_tres".into()),
        shared: Some(1039),
        contiguous: false,
        features: Some("features".into()),
        licenses: Some("licenses".into()),
        required_nodes: Some("required_nodes".into()),
        excluded_nodes: Some("excluded_nodes".into()),
        time_limit_min: Some(1046),
        time_min_min: Some(1048),
        deadline_s: Some(1050),
    }
}

pub(crate) fn gone() -> Gone {
    Gone {
        jobs: vec![1001],
        nodes: vec!["nodes".into()],
        partitions: vec!["partitions".into()],
        reservations: vec!["reservations".into()],
    }
}
