//! A slurmctld behind its slurmrestd, small enough to misbehave on purpose.
//!
//! It knows what matters to a bind: which records an id stands for in each version of the API, what an
//! update of them changes, and the lies that real ones tell about it.

use std::collections::VecDeque;
use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use fedsched::members::slurm::{Client, Options, array_tasks};
use serde_json::{Value, json};
use wiremock::matchers::any;
use wiremock::{Mock, MockServer, Request, Respond, ResponseTemplate};

use crate::replay;

/// What becomes of one update.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Quirk {
    /// `EAGAIN`, nothing changed.
    TryAgain,
    /// Refused, nothing changed.
    Refuse,
    /// "Refused", but changed.
    RefuseButDo,
    /// "Refused", but changed, and the job starts at once.
    RefuseButStart,
    /// No answer from slurmctld, though it changed the job.
    LoseAnswer,
    /// No answer, nothing changed.
    Silent,
    /// "Done", nothing changed.
    Ignore,
    /// Changes only the first of the records.
    DoHalf,
}

/// One job record.
#[derive(Debug, Clone)]
pub(crate) struct Record {
    pub(crate) id: u32,
    pub(crate) array: u32,
    pub(crate) task: Option<u32>,
    pub(crate) rest: &'static str,
    pub(crate) het: u32,
    pub(crate) partition: String,
    pub(crate) state: &'static str,
    pub(crate) reason: &'static str,
    pub(crate) priority: u32,
    pub(crate) restarts: u32,
    pub(crate) limit: Option<u32>,
    pub(crate) comment: &'static str,
    pub(crate) begun_now: bool,
}

impl Record {
    /// A job that waits in the room.
    pub(crate) fn waiting(id: u32) -> Self {
        Self {
            id,
            array: 0,
            task: None,
            rest: "",
            het: 0,
            partition: "federation".to_owned(),
            state: "PENDING",
            reason: "PartitionDown",
            priority: 100,
            restarts: 0,
            limit: None,
            comment: "fedsched:1 00000000000000aa",
            begun_now: false,
        }
    }

    fn to_json(&self) -> Value {
        json!({
            "job_id": self.id,
            "array_job_id": self.array,
            "array_task_id": self.task,
            "array_task_string": self.rest,
            "het_job_id": self.het,
            "het_job_offset": self.id - self.het.min(self.id),
            "partition": self.partition,
            "job_state": self.state.split('+').collect::<Vec<_>>(),
            "state_reason": self.reason,
            "priority": self.priority,
            "restart_cnt": self.restarts,
            "time_limit": self.limit,
            "admin_comment": self.comment,
        })
    }
}

#[derive(Debug, Default)]
struct State {
    jobs: Vec<Record>,
    quirks: VecDeque<Quirk>,
    /// Quirks for reading.
    silent_reads: u32,
    /// Reads after which a job that is being cleared away is so no more.
    clearing_reads: u32,
    /// Lines of the fake scontrol that were carried out.
    scontrol_lines: usize,
    requests: Vec<String>,
}

/// The cluster, its slurmrestd and its scontrol.
pub(crate) struct Controller {
    server: MockServer,
    state: Arc<Mutex<State>>,
    api: &'static str,
    dir: tempfile::TempDir,
}

struct Answers {
    state: Arc<Mutex<State>>,
    api: &'static str,
    scontrol: PathBuf,
}

impl Controller {
    pub(crate) async fn new(api: &'static str, jobs: Vec<Record>) -> Self {
        let server = MockServer::start().await;
        let dir = tempfile::tempdir().unwrap();
        let state = Arc::new(Mutex::new(State {
            jobs,
            ..State::default()
        }));
        let answers = Answers {
            state: state.clone(),
            api,
            scontrol: dir.path().join("scontrol.calls"),
        };
        Mock::given(any())
            .respond_with(answers)
            .mount(&server)
            .await;
        Self {
            server,
            state,
            api,
            dir,
        }
    }

    pub(crate) fn with(self, quirks: &[Quirk]) -> Self {
        self.state.lock().unwrap().quirks.extend(quirks);
        self
    }

    /// The next reads are answered by nobody.
    pub(crate) fn silent_for(self, reads: u32) -> Self {
        self.state.lock().unwrap().silent_reads = reads;
        self
    }

    /// A job that is being cleared away is so for some reads more.
    pub(crate) fn clearing_for(self, reads: u32) -> Self {
        self.state.lock().unwrap().clearing_reads = reads;
        self
    }

    pub(crate) fn client(&self) -> Client {
        let script = r#"echo "$2" "$3" "$4" "$5" >> "$0""#;
        let calls = self.dir.path().join("scontrol.calls");
        Client::new(Options {
            scontrol: ["sh", "-c", script, calls.to_str().unwrap()]
                .map(str::to_owned)
                .to_vec(),
            action_time_max: Duration::from_secs(5),
            ..replay::options(&self.server)
        })
        .unwrap()
    }

    /// The record with this id.
    pub(crate) fn record(&self, id: u32) -> Record {
        let state = self.state.lock().unwrap();
        let record = state.jobs.iter().find(|job| job.id == id);
        record.cloned().unwrap()
    }

    /// Partition of each record, by id.
    pub(crate) fn partitions(&self) -> Vec<(u32, String)> {
        let state = self.state.lock().unwrap();
        let place = |job: &Record| (job.id, job.partition.clone());
        state.jobs.iter().map(place).collect()
    }

    /// What was asked about jobs: verb and id.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.state.lock().unwrap().requests.clone()
    }

    /// API version.
    pub(crate) fn api(&self) -> &'static str {
        self.api
    }
}

impl Respond for Answers {
    fn respond(&self, request: &Request) -> ResponseTemplate {
        let path = request.url.path();
        let Some(path) = path.strip_prefix(&format!("/slurm/{}/", self.api)) else {
            return ResponseTemplate::new(404).set_body_string("Unable to find requested URL");
        };
        let path = path.trim_end_matches('/');
        let body: Value = request.body_json().unwrap_or_default();
        let mut state = self.state.lock().unwrap();
        state.run_scontrol(&self.scontrol);
        match (request.method.as_str(), path.strip_prefix("job/")) {
            ("GET", None) if path == "ping" => ok(&json!({"pings": [{"pinged": "UP"}]})),
            ("GET", None) if path == "partitions" => ok(&partitions()),
            ("GET", Some(job)) => state.read(job),
            ("POST", Some(job)) => state.update(self.api, &decoded(job), &body),
            ("DELETE", Some(job)) => state.cancel(self.api, &decoded(job)),
            ("DELETE", None) if path == "jobs" => {
                let job = body["jobs"][0].as_str().unwrap_or_default().to_owned();
                state.cancel("scontrol", &job)
            }
            other => panic!("{other:?}"),
        }
    }
}

fn decoded(job: &str) -> String {
    job.replace("%5B", "[")
        .replace("%5D", "]")
        .replace("%2C", ",")
}

fn ok(body: &Value) -> ResponseTemplate {
    ResponseTemplate::new(200).set_body_json(body)
}

fn error(number: i64, text: &str) -> ResponseTemplate {
    let body = json!({"errors": [{"error_number": number, "error": text}]});
    ResponseTemplate::new(500).set_body_json(body)
}

/// `cpu` has a default time limit, `gpu` has none.
fn partitions() -> Value {
    json!({"partitions": [
        {"name": "cpu", "default_time_limit": 60, "defaults": {"time": 60}},
        {"name": "gpu"},
        {"name": "federation"},
    ]})
}

impl State {
    fn read(&mut self, job: &str) -> ResponseTemplate {
        self.requests.push(format!("GET {job}"));
        if self.silent_reads > 0 {
            self.silent_reads -= 1;
            return error(-1, "Unspecified error");
        }
        if self.clearing_reads > 0 {
            self.clearing_reads -= 1;
        } else {
            for job in &mut self.jobs {
                if job.state.ends_with("COMPLETING") {
                    job.state = "PENDING";
                }
            }
        }
        let base: u32 = job.split('_').next().unwrap().parse().unwrap();
        let under =
            |record: &&Record| record.id == base || record.array == base || record.het == base;
        let records: Vec<Value> = self
            .jobs
            .iter()
            .filter(under)
            .map(Record::to_json)
            .collect();
        if records.is_empty() {
            return error(2017, "Invalid job id specified");
        }
        ok(&json!({"jobs": records, "errors": []}))
    }

    fn update(&mut self, api: &str, job: &str, body: &Value) -> ResponseTemplate {
        self.requests.push(format!("POST {job}"));
        let quirk = self.quirks.pop_front();
        let change = |state: &mut Self, most: usize| state.change(api, job, body, most);
        match quirk {
            Some(Quirk::TryAgain) => error(11, "Resource temporarily unavailable"),
            Some(Quirk::Refuse) => error(2045, "Invalid account"),
            Some(Quirk::Silent) => error(1000, "Unexpected message received"),
            Some(Quirk::Ignore) => ok(&json!({"errors": []})),
            Some(Quirk::RefuseButDo) => {
                change(self, usize::MAX);
                error(2045, "Invalid account")
            }
            Some(Quirk::RefuseButStart) => {
                change(self, usize::MAX);
                self.jobs.iter_mut().for_each(|job| job.state = "RUNNING");
                error(2029, "Invalid feature specification")
            }
            Some(Quirk::LoseAnswer) => {
                change(self, usize::MAX);
                error(1000, "Unexpected message received")
            }
            Some(Quirk::DoHalf) => {
                change(self, 1);
                error(2045, "Invalid account")
            }
            None if change(self, usize::MAX) == 0 => error(2017, "Invalid job id specified"),
            // What v0.0.38 says of an array that it changed.
            None => ok(&json!({"errors": [{"description": "job array update failed"}]})),
        }
    }

    /// Changes up to `most` of the records that `job` stands for; how many there were.
    fn change(&mut self, api: &str, job: &str, body: &Value, most: usize) -> usize {
        self.split(job);
        let meant = |record: &&mut Record| stands_for(api, job, record);
        let mut changed = 0;
        for record in self.jobs.iter_mut().filter(meant).take(most) {
            changed += 1;
            if let Some(partition) = body["partition"].as_str() {
                partition.clone_into(&mut record.partition);
            }
            let limit = &body["time_limit"];
            let number = limit.as_u64().or(limit["number"].as_u64());
            if limit == "UNLIMITED" || limit["infinite"] == true {
                record.limit = None;
            } else if let Some(minutes) = number {
                record.limit = u32::try_from(minutes).ok();
            }
            if body["hold"] == true {
                record.priority = 0;
            }
            record.begun_now |= !body["begin_time"].is_null();
        }
        changed
    }

    /// Gives the tasks that `job` names records of their own, as slurmctld does.
    fn split(&mut self, job: &str) {
        let Some((array, tasks)) = job.split_once('_') else {
            return;
        };
        let array: u32 = array.parse().unwrap();
        let named = array_tasks(tasks.trim_matches(['[', ']']));
        let Some(at) = self
            .jobs
            .iter()
            .position(|job| job.array == array && job.task.is_none())
        else {
            return;
        };
        let rest = array_tasks(self.jobs[at].rest);
        for task in rest.iter().filter(|&task| named.contains(task)) {
            let own = Record {
                id: 1000 + task,
                task: Some(task),
                rest: "",
                ..self.jobs[at].clone()
            };
            self.jobs.push(own);
        }
        let left: fedsched::model::TaskSet = rest.iter().filter(|&t| !named.contains(t)).collect();
        self.jobs[at].rest = left.to_string().leak();
        if left.is_empty() {
            self.jobs.remove(at);
        }
    }

    fn cancel(&mut self, api: &str, job: &str) -> ResponseTemplate {
        self.requests.push(format!("DELETE {job}"));
        self.split(job);
        let meant = |record: &&mut Record| stands_for(api, job, record);
        for record in self.jobs.iter_mut().filter(meant) {
            record.state = "CANCELLED";
        }
        ok(&json!({"errors": []}))
    }

    fn run_scontrol(&mut self, calls: &std::path::Path) {
        let text = fs::read_to_string(calls).unwrap_or_default();
        let lines: Vec<&str> = text.lines().skip(self.scontrol_lines).collect();
        self.scontrol_lines += lines.len();
        for line in lines {
            let mut words = line
                .split_whitespace()
                .filter_map(|word| word.split_once('='));
            let (_, job) = words.next().unwrap();
            let mut body = json!({});
            for (key, value) in words {
                match key {
                    "timelimit" => body["time_limit"] = value.parse::<u32>().unwrap().into(),
                    _ => body[key] = value.into(),
                }
            }
            self.requests.push(format!("scontrol {job}"));
            self.change("scontrol", job, &body, usize::MAX);
        }
    }
}

/// Whether an update of `job` is one of `record`, too.
fn stands_for(api: &str, job: &str, record: &Record) -> bool {
    if let Some((array, tasks)) = job.split_once('_') {
        assert_ne!(api, "v0.0.42", "this version rejects tasks in a path");
        let named = array_tasks(tasks.trim_matches(['[', ']']));
        return record.array == array.parse::<u32>().unwrap()
            && record.task.is_some_and(|task| named.contains(task));
    }
    let id: u32 = job.parse().unwrap();
    match api {
        "v0.0.42" => record.id == id,
        _ => record.id == id || record.array == id || record.het == id,
    }
}
