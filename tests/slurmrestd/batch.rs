//! A batch of events as text, one line each.

use std::fmt::Write;

use fedsched::model::{
    Change, Constraint, Event, Feature, Geometry, Gres, GresKind, Job, Node, NodeName,
    PartitionName, Tres,
};

/// Every event on a line of its own.
pub(crate) fn lines(batch: &[Event]) -> String {
    let mut text = String::new();
    for event in batch {
        let line = match event {
            Event::Job(Change::Applied(job)) => job_line(job),
            Event::Node(Change::Applied(node)) => node_line(node),
            other => format!("{other:?}"),
        };
        text.push_str(&line);
        text.push('\n');
    }
    text
}

fn job_line(job: &Job) -> String {
    let mut line = format!("job {} {:?} user {}", job.key, job.name, job.user.0);
    let partitions: Vec<&str> = job.partitions.iter().map(PartitionName::as_str).collect();
    write!(
        line,
        " {}/{} in {} {:?} priority {}",
        job.account,
        job.qos,
        partitions.join(","),
        job.phase,
        job.priority
    )
    .unwrap();
    if let Some(tasks) = &job.tasks {
        write!(line, " tasks {tasks}").unwrap();
    }
    if let Some(most) = job.tasks_running_max {
        write!(line, " at most {most}").unwrap();
    }
    if let Some(mark) = job.mark {
        write!(line, " mark {mark} {:?}", job.directives.policy).unwrap();
    }
    for part in &job.request.parts {
        write!(line, " [{}]", geometry(part)).unwrap();
    }
    let request = &job.request;
    if let Some(limit) = request.time_limit {
        write!(line, " {} min", limit.as_secs() / 60).unwrap();
    }
    if !request.licenses.is_empty() {
        write!(line, " licences {:?}", request.licenses).unwrap();
    }
    if !request.beyond_us.is_empty() {
        write!(line, " beyond us {:?}", request.beyond_us).unwrap();
    }
    if job.deadline.is_some() {
        line.push_str(" deadline");
    }
    if job.eligible.is_none() {
        line.push_str(" not eligible");
    }
    if !job.dependency.is_empty() {
        write!(line, " {}", job.dependency).unwrap();
    }
    if let Some(held) = &job.allocation {
        let nodes: Vec<&str> = held.nodes.iter().map(NodeName::as_str).collect();
        let span = held.end.since(held.start).as_secs() / 60;
        write!(
            line,
            " holds {} {} for {span} min",
            nodes.join(","),
            tres(&held.tres)
        )
        .unwrap();
    }
    line
}

fn geometry(part: &Geometry) -> String {
    let mut text = format!(
        "{}-{} nodes {} tasks of {} cpu {:?}",
        part.nodes_min,
        part.nodes_max
            .map_or(String::new(), |most| most.to_string()),
        part.tasks,
        part.cpus_per_task,
        part.memory
    );
    if let Some(tasks) = part.tasks_per_node {
        write!(text, " {tasks}/node").unwrap();
    }
    if part.node_cpus_min > part.cpus_per_task {
        write!(text, " {} cpu/node", part.node_cpus_min).unwrap();
    }
    if part.disk_bytes > 0 {
        write!(text, " disk {}", part.disk_bytes).unwrap();
    }
    for (per, gres) in [
        ("node", &part.gres_per_node),
        ("task", &part.gres_per_task),
        ("job", &part.gres_per_job),
    ] {
        for (kind, count) in gres {
            write!(text, " {kind}:{count}/{per}").unwrap();
        }
    }
    if part.constraint != Constraint::Any {
        write!(text, " {:?}", part.constraint).unwrap();
    }
    for (is, word) in [
        (part.exclusive, "exclusive"),
        (part.contiguous, "contiguous"),
    ] {
        if is {
            write!(text, " {word}").unwrap();
        }
    }
    if !part.required_nodes.is_empty() || !part.excluded_nodes.is_empty() {
        write!(
            text,
            " +{:?} -{:?}",
            part.required_nodes, part.excluded_nodes
        )
        .unwrap();
    }
    text
}

fn node_line(node: &Node) -> String {
    let partitions: Vec<&str> = node.partitions.iter().map(PartitionName::as_str).collect();
    let features: Vec<&str> = node.features.iter().map(Feature::as_str).collect();
    format!(
        "node {} in {} {:?} {:?} has {} uses {} features {} weight {}",
        node.name,
        partitions.join(","),
        node.state,
        node.reason,
        tres(&node.total),
        tres(&node.used),
        features.join(","),
        node.weight
    )
}

fn tres(tres: &Tres) -> String {
    let mut text = format!("{}m cpu {} MiB", tres.cpu_milli, tres.memory_bytes >> 20);
    if tres.disk_bytes > 0 {
        write!(text, " {} MiB disk", tres.disk_bytes >> 20).unwrap();
    }
    text.push_str(&gres(&tres.gres));
    text
}

fn gres(gres: &Gres) -> String {
    gres.iter().fold(
        String::new(),
        |mut text, (kind, count): (&GresKind, u64)| {
            write!(text, " {kind}:{count}").unwrap();
            text
        },
    )
}
