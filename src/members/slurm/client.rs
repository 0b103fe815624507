//! The client: what the daemon asks of slurmrestd, whatever the version.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use fedsched_protocol::slurm;
use reqwest::{Method, StatusCode};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tracing::info;

use super::change::Change;
use super::dialect::Dialect;
use super::endpoint::Endpoint;
use super::error::{Error, classify, classify_bare};
use super::scontrol;
use super::target::{self, Target};
use super::token::TokenSource;
use super::transport::{Reply, Request, Transport};
use super::wire::{self, Answer, Greeting};
use crate::model::{JobKey, TaskSet};

/// How to reach slurmrestd, and how far to trust it.
#[derive(Debug, Clone)]
pub struct Options {
    /// Where it listens.
    pub endpoint: Endpoint,
    /// Who the daemon is there.
    pub token: TokenSource,
    /// `scontrol` with its first arguments; empty: there is none.
    pub scontrol: Vec<String>,
    /// Longest wait for an action or a single job. slurmrestd itself waits 10 to 20 s for a slurmctld
    /// that does not answer.
    pub action_time_max: Duration,
    /// Longest wait for a listing.
    pub listing_time_max: Duration,
    /// Largest answer, in bytes.
    pub body_bytes_max: usize,
}

impl Options {
    /// The usual bounds for a slurmrestd at `endpoint`.
    pub fn new(endpoint: Endpoint, token: TokenSource) -> Self {
        Self {
            endpoint,
            token,
            scontrol: vec!["scontrol".to_owned()],
            action_time_max: Duration::from_secs(30),
            listing_time_max: Duration::from_secs(120),
            body_bytes_max: 1 << 30,
        }
    }
}

/// What a listing brought.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Listing<T> {
    /// Nothing changed since the time given.
    Unchanged,
    /// Every record.
    Full {
        /// The records.
        records: Vec<T>,
        /// When slurmctld made the listing, to be given with the next request; v0.0.38 does not say.
        made: Option<i64>,
    },
}

/// Who answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Server {
    /// API version in use.
    pub dialect: Dialect,
    /// Release of slurmrestd, such as `22.05.8`.
    pub release: String,
    /// Name of the cluster, where slurmrestd says it.
    pub cluster: Option<String>,
    /// A slurmctld answers slurmrestd.
    pub controller_up: bool,
}

/// A client of one slurmrestd. Clones share its connections, token and counters.
#[derive(Debug, Clone)]
pub struct Client(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    transport: Transport,
    options: Options,
    /// The version in use; forgotten whenever the server was away, for another may have come back.
    dialect: Mutex<Option<Dialect>>,
}

impl Client {
    /// A client; nothing is sent yet.
    pub fn new(options: Options) -> Result<Self, Error> {
        let transport = Transport::new(
            &options.endpoint,
            options.token.clone(),
            options.body_bytes_max,
        )?;
        Ok(Self(Arc::new(Inner {
            transport,
            options,
            dialect: Mutex::new(None),
        })))
    }

    /// Who answers, asked anew.
    pub async fn server(&self) -> Result<Server, Error> {
        self.use_dialect(None);
        for dialect in Dialect::ALL {
            let path = dialect.collection("ping");
            let reply = self.get(&path).await?;
            // Any other status says that the path exists: slurmctld may just be away.
            if reply.status == StatusCode::NOT_FOUND {
                continue;
            }
            let Ok(greeting) = serde_json::from_slice::<Greeting>(&reply.body) else {
                return Err(classify_bare(reply.status, &path, &reply.body));
            };
            self.use_dialect(Some(dialect));
            let server = Server {
                dialect,
                release: greeting.release().to_owned(),
                cluster: greeting.cluster().map(ToOwned::to_owned),
                controller_up: greeting.controller_up(),
            };
            info!(release = server.release, api = %dialect, "slurmrestd answers");
            return Ok(server);
        }
        Err(Error::Version)
    }

    /// The API version in use, negotiated first if need be.
    pub async fn dialect(&self) -> Result<Dialect, Error> {
        let known = *self.known_dialect();
        match known {
            Some(dialect) => Ok(dialect),
            None => Ok(self.server().await?.dialect),
        }
    }

    /// Every job. `since`: the time of the last listing.
    pub async fn jobs(&self, since: Option<i64>) -> Result<Listing<slurm::Job>, Error> {
        self.list("jobs", since, wire::Job::into_record).await
    }

    /// Every node.
    pub async fn nodes(&self, since: Option<i64>) -> Result<Listing<slurm::Node>, Error> {
        self.list("nodes", since, wire::Node::into_record).await
    }

    /// Every partition.
    pub async fn partitions(&self, since: Option<i64>) -> Result<Listing<slurm::Partition>, Error> {
        match self.dialect().await? {
            Dialect::V38 => {
                self.list("partitions", since, wire::Partition38::into_record)
                    .await
            }
            Dialect::V42 => {
                self.list("partitions", since, wire::Partition42::into_record)
                    .await
            }
        }
    }

    /// Every reservation.
    pub async fn reservations(
        &self,
        since: Option<i64>,
    ) -> Result<Listing<slurm::Reservation>, Error> {
        self.list("reservations", since, wire::Reservation::into_record)
            .await
    }

    /// The records under a job's id: one, those of an array, or the components of a heterogeneous job.
    /// Of an array task, the records among which it is to be looked for.
    pub async fn records(&self, job: JobKey) -> Result<Vec<slurm::Job>, Error> {
        // v0.0.38 knows a task's own record by its name and nothing of a task that has none; v0.0.42
        // answers with the whole array to either.
        if let (Dialect::V38, Some(_)) = (self.dialect().await?, job.task) {
            match self.records_named(&job.to_string()).await {
                Err(Error::NotFound(_)) => {}
                answer => return answer,
            }
        }
        self.records_named(&job.id.to_string()).await
    }

    async fn records_named(&self, name: &str) -> Result<Vec<slurm::Job>, Error> {
        let path = self.dialect().await?.job(name);
        let reply = self.get(&path).await?;
        let answer: Answer<wire::Job> = decode(&reply, &path)?;
        let records = records(answer, &path)?;
        let records: Vec<_> = records
            .into_iter()
            .filter_map(wire::Job::into_record)
            .collect();
        if records.is_empty() {
            return Err(Error::NotFound(format!("job {name}")));
        }
        Ok(records)
    }

    /// Whether slurmdbd gives a user the operator's or administrator's level; without slurmdbd, an
    /// error.
    pub async fn is_operator(&self, user: &str) -> Result<bool, Error> {
        let path = self.dialect().await?.user(user);
        let reply = self.get(&path).await?;
        match decode::<wire::User>(&reply, &path).and_then(|answer| records(answer, &path)) {
            Ok(users) => Ok(users.iter().any(wire::User::is_operator)),
            Err(Error::NotFound(_)) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// The requests that together change `chosen`, of `all` the records under one id, and nothing
    /// else; of an array's remaining tasks only `wanted`, or all.
    pub async fn targets(
        &self,
        all: &[slurm::Job],
        chosen: &[&slurm::Job],
        wanted: Option<&TaskSet>,
    ) -> Result<Vec<Target>, Error> {
        Ok(target::targets(self.dialect().await?, all, chosen, wanted))
    }

    /// Changes a waiting job. An error does not say that nothing was changed: read it back.
    pub async fn update(&self, target: &Target, change: &Change) -> Result<(), Error> {
        let dialect = self.dialect().await?;
        if let (Dialect::V42, Target::Tasks { .. }) = (dialect, target) {
            return scontrol::update(&self.0.options.scontrol, target, change).await;
        }
        let path = dialect.job(&target.to_string());
        let body = change.to_json(dialect);
        self.act(Method::POST, &path, Some(&body)).await
    }

    /// Ends a job.
    pub async fn cancel(&self, target: &Target) -> Result<(), Error> {
        match (self.dialect().await?, target) {
            (dialect @ Dialect::V42, Target::Tasks { .. }) => {
                let path = dialect.collection("jobs");
                let body = json!({"jobs": [target.to_string()]});
                self.act(Method::DELETE, &path, Some(&body)).await
            }
            (dialect, _) => {
                let path = dialect.job(&target.to_string());
                self.act(Method::DELETE, &path, None).await
            }
        }
    }

    /// How many requests were sent so far.
    pub fn calls(&self) -> u64 {
        self.0.transport.calls()
    }

    /// Why the token cannot be renewed, while that is so: it still works, but not for long.
    pub async fn token_alarm(&self) -> Option<String> {
        self.0.transport.token_alarm().await
    }

    /// Lists; if `since` is given and the answer is a failure, once more without: 24.11 now and then
    /// mistakes "nothing changed" for an error without a name.
    async fn list<W: DeserializeOwned, R>(
        &self,
        name: &str,
        since: Option<i64>,
        into_record: fn(W) -> Option<R>,
    ) -> Result<Listing<R>, Error> {
        let path = self.dialect().await?.collection(name);
        if let Some(since) = since {
            let newer = format!("{path}?update_time={since}");
            match self.list_at(&newer, into_record).await {
                Err(Error::Unreachable(_)) => {}
                answer => return answer,
            }
        }
        self.list_at(&path, into_record).await
    }

    async fn list_at<W: DeserializeOwned, R>(
        &self,
        path: &str,
        into_record: fn(W) -> Option<R>,
    ) -> Result<Listing<R>, Error> {
        let reply = self
            .send(&Request {
                method: Method::GET,
                path,
                body: None,
                time_max: self.0.options.listing_time_max,
            })
            .await?;
        if reply.status == StatusCode::NOT_MODIFIED {
            return Ok(Listing::Unchanged);
        }
        let answer: Answer<W> = decode(&reply, path)?;
        if answer.is_unchanged() {
            return Ok(Listing::Unchanged);
        }
        let made = answer.made();
        let records = records(answer, path)?;
        Ok(Listing::Full {
            records: records.into_iter().filter_map(into_record).collect(),
            made,
        })
    }

    async fn get(&self, path: &str) -> Result<Reply, Error> {
        self.send(&Request {
            method: Method::GET,
            path,
            body: None,
            time_max: self.0.options.action_time_max,
        })
        .await
    }

    async fn act(&self, method: Method, path: &str, body: Option<&Value>) -> Result<(), Error> {
        let reply = self
            .send(&Request {
                method,
                path,
                body,
                time_max: self.0.options.action_time_max,
            })
            .await?;
        decode::<Value>(&reply, path).map(drop)
    }

    async fn send(&self, request: &Request<'_>) -> Result<Reply, Error> {
        let reply = self.0.transport.send(request).await;
        let another = match &reply {
            Ok(reply) => reply.is_of_no_such_path(),
            Err(error) => matches!(error, Error::Unreachable(_)),
        };
        if another {
            self.use_dialect(None);
        }
        reply
    }

    fn use_dialect(&self, dialect: Option<Dialect>) {
        *self.known_dialect() = dialect;
    }

    fn known_dialect(&self) -> std::sync::MutexGuard<'_, Option<Dialect>> {
        // The guarded value is a plain copy: no panic can leave it half-written.
        self.0
            .dialect
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// The answer in a reply, unless it tells of a fault.
fn decode<T: DeserializeOwned>(reply: &Reply, what: &str) -> Result<Answer<T>, Error> {
    let answer: Answer<T> = match serde_json::from_slice(&reply.body) {
        Ok(answer) => answer,
        Err(error) if reply.status.is_success() => {
            return Err(Error::BadAnswer {
                what: what.to_owned(),
                why: error.to_string(),
            });
        }
        Err(_) => return Err(classify_bare(reply.status, what, &reply.body)),
    };
    match answer.fault() {
        Some(fault) => Err(classify(&fault)),
        None if reply.status.is_success() => Ok(answer),
        None => Err(classify_bare(reply.status, what, &reply.body)),
    }
}

fn records<T>(answer: Answer<T>, what: &str) -> Result<Vec<T>, Error> {
    answer.records.ok_or_else(|| Error::BadAnswer {
        what: what.to_owned(),
        why: "it holds no records".to_owned(),
    })
}
