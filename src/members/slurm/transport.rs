//! HTTP to slurmrestd: one request, one bounded answer.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use reqwest::{Method, StatusCode};
use serde_json::Value;

use super::endpoint::Endpoint;
use super::error::Error;
use super::token::{TokenSource, Tokens};

/// Headers of rest_auth/jwt.
const USER_HEADER: &str = "X-SLURM-USER-NAME";
const TOKEN_HEADER: &str = "X-SLURM-USER-TOKEN";

/// How long connecting may take.
const CONNECT_TIME_MAX: Duration = Duration::from_secs(5);

/// The connection to one slurmrestd.
#[derive(Debug)]
pub(super) struct Transport {
    http: reqwest::Client,
    base: String,
    tokens: Tokens,
    body_bytes_max: usize,
    calls: AtomicU64,
}

/// A request.
#[derive(Debug)]
pub(super) struct Request<'a> {
    pub(super) method: Method,
    pub(super) path: &'a str,
    pub(super) body: Option<&'a Value>,
    pub(super) time_max: Duration,
}

/// An answer.
#[derive(Debug)]
pub(super) struct Reply {
    pub(super) status: StatusCode,
    pub(super) body: Vec<u8>,
}

impl Reply {
    /// The path itself is unknown; a job that is not there is told in JSON.
    pub(super) fn is_of_no_such_path(&self) -> bool {
        self.status == StatusCode::NOT_FOUND && self.body.first() != Some(&b'{')
    }
}

impl Transport {
    pub(super) fn new(
        endpoint: &Endpoint,
        token: TokenSource,
        body_bytes_max: usize,
    ) -> Result<Self, Error> {
        let builder = reqwest::Client::builder()
            .connect_timeout(CONNECT_TIME_MAX)
            // A proxy of the environment must not see the token.
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none());
        // Without TLS the host's authorities are not asked for: it may have none.
        let builder = match endpoint {
            Endpoint::Unix(path) => builder.unix_socket(path.as_path()).tls_certs_only([]),
            Endpoint::Http(url) if url.scheme() == "http" => builder.tls_certs_only([]),
            Endpoint::Http(_) => builder,
        };
        Ok(Self {
            http: builder
                .build()
                .map_err(|error| Error::Unreachable(chain(&error)))?,
            base: endpoint.base(),
            tokens: Tokens::new(token),
            body_bytes_max,
            calls: AtomicU64::new(0),
        })
    }

    /// Sends a request; with a new token once more if the first was refused.
    pub(super) async fn send(&self, request: &Request<'_>) -> Result<Reply, Error> {
        let reply = self.send_once(request).await?;
        if reply.status != StatusCode::UNAUTHORIZED {
            return Ok(reply);
        }
        self.tokens.distrust().await;
        self.send_once(request).await
    }

    async fn send_once(&self, request: &Request<'_>) -> Result<Reply, Error> {
        let token = self.tokens.get().await?;
        let url = format!("{}{}", self.base, request.path);
        let mut builder = self
            .http
            .request(request.method.clone(), url)
            .timeout(request.time_max);
        if let Some(token) = &token {
            builder = builder.header(TOKEN_HEADER, token.expose());
            if let Some(user) = &token.user {
                builder = builder.header(USER_HEADER, user);
            }
        }
        if let Some(body) = request.body {
            builder = builder.json(body);
        }
        self.calls.fetch_add(1, Ordering::Relaxed);
        let response = builder
            .send()
            .await
            .map_err(|error| Error::Unreachable(chain(&error)))?;
        self.read(response, request.path).await
    }

    /// Reads no more than the bound, whatever length is announced.
    async fn read(&self, mut response: reqwest::Response, what: &str) -> Result<Reply, Error> {
        let status = response.status();
        let mut body = Vec::new();
        while let Some(chunk) = response
            .chunk()
            .await
            .map_err(|error| Error::Unreachable(chain(&error)))?
        {
            if body.len() + chunk.len() > self.body_bytes_max {
                return Err(Error::BadAnswer {
                    what: what.to_owned(),
                    why: format!("it is longer than {} bytes", self.body_bytes_max),
                });
            }
            body.extend_from_slice(&chunk);
        }
        Ok(Reply { status, body })
    }

    /// How many requests were sent.
    pub(super) fn calls(&self) -> u64 {
        self.calls.load(Ordering::Relaxed)
    }

    /// See [`Tokens::alarm`].
    pub(super) async fn token_alarm(&self) -> Option<String> {
        self.tokens.alarm().await
    }
}

/// An error with its causes on one line: reqwest's own text names none of them.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        text.push_str(": ");
        text.push_str(&inner.to_string());
        cause = inner.source();
    }
    text
}
