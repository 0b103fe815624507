//! Metrics and health over HTTP, for scrapers and probes on this host.
//!
//! | path | answer |
//! |---|---|
//! | `/metrics` | every metric, `OpenMetrics` text |
//! | `/healthz` | 200 while the daemon's loop turns |
//! | `/readyz` | 200 while it also hears of Slurm and can place jobs, else 503 with the reason |

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::time::Instant;

use crate::metrics::Metrics;

/// A loop that has not turned for so long is stuck: it wakes at least every second.
const BEAT_MAX: Duration = Duration::from_secs(30);

/// What the format of `/metrics` is called.
const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Why nobody can be served.
#[derive(Debug, thiserror::Error)]
#[error("cannot listen on http address {address}: {source}")]
pub struct ListenError {
    address: SocketAddr,
    source: io::Error,
}

/// What the daemon's loop says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Health {
    /// When it last turned.
    pub beat: Instant,
    /// Why jobs cannot be placed; `None`: they can.
    pub unready: Option<String>,
}

/// What every request needs.
#[derive(Debug, Clone)]
pub struct Desk {
    /// What `/metrics` prints.
    pub metrics: Arc<Metrics>,
    /// What the probes read.
    pub health: watch::Receiver<Health>,
}

/// Takes the address, so that a failure is known before the daemon says it is up.
pub async fn listen(address: SocketAddr) -> Result<TcpListener, ListenError> {
    let listener = TcpListener::bind(address).await;
    listener.map_err(|source| ListenError { address, source })
}

/// Serves until the task is dropped.
pub async fn serve(listener: TcpListener, desk: Desk) -> io::Result<()> {
    let router = Router::new()
        .route("/metrics", get(metrics))
        .route("/healthz", get(healthz))
        .route("/readyz", get(readyz))
        .with_state(desk);
    axum::serve(listener, router).await
}

async fn metrics(State(desk): State<Desk>) -> Response {
    match desk.metrics.text() {
        Ok(text) => ([(header::CONTENT_TYPE, OPEN_METRICS)], text).into_response(),
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()).into_response(),
    }
}

async fn healthz(State(desk): State<Desk>) -> Response {
    match stuck(&desk.health.borrow()) {
        Some(reason) => (StatusCode::SERVICE_UNAVAILABLE, reason).into_response(),
        None => "ok\n".into_response(),
    }
}

async fn readyz(State(desk): State<Desk>) -> Response {
    let health = desk.health.borrow().clone();
    let reason = stuck(&health).or_else(|| health.unready.map(|reason| format!("{reason}\n")));
    match reason {
        Some(reason) => (StatusCode::SERVICE_UNAVAILABLE, reason).into_response(),
        None => "ok\n".into_response(),
    }
}

fn stuck(health: &Health) -> Option<String> {
    let silent = health.beat.elapsed();
    (silent > BEAT_MAX).then(|| format!("the loop has not turned for {}s\n", silent.as_secs()))
}

#[cfg(test)]
mod test {
    use super::*;

    /// Status code and text of a path.
    async fn get(address: SocketAddr, path: &str) -> (u16, String) {
        let answer = reqwest::get(format!("http://{address}{path}"))
            .await
            .unwrap();
        (answer.status().as_u16(), answer.text().await.unwrap())
    }

    async fn served(health: Health) -> (SocketAddr, watch::Sender<Health>) {
        let listener = listen("127.0.0.1:0".parse().unwrap()).await.unwrap();
        let address = listener.local_addr().unwrap();
        let (sender, receiver) = watch::channel(health);
        let desk = Desk {
            metrics: Arc::new(Metrics::new()),
            health: receiver,
        };
        tokio::spawn(serve(listener, desk));
        (address, sender)
    }

    #[tokio::test]
    async fn probes_tell_alive_from_ready() {
        let (address, health) = served(Health {
            beat: Instant::now(),
            unready: Some("no listing yet".to_owned()),
        })
        .await;
        assert_eq!(get(address, "/healthz").await, (200, "ok\n".to_owned()));
        assert_eq!(
            get(address, "/readyz").await,
            (503, "no listing yet\n".to_owned())
        );
        health.send_modify(|health| health.unready = None);
        assert_eq!(get(address, "/readyz").await, (200, "ok\n".to_owned()));
        health.send_modify(|health| health.beat = Instant::now() - 2 * BEAT_MAX);
        assert_eq!(get(address, "/healthz").await.0, 503);
        assert_eq!(get(address, "/readyz").await.0, 503);
        assert_eq!(get(address, "/nothing").await.0, 404);
    }

    #[tokio::test]
    async fn metrics_are_served() {
        let (address, _health) = served(Health {
            beat: Instant::now(),
            unready: None,
        })
        .await;
        let (code, text) = get(address, "/metrics").await;
        assert_eq!(code, 200);
        assert!(text.contains("fedsched_build_info"), "{text}");
        assert!(text.ends_with("# EOF\n"), "{text}");
    }

    #[tokio::test]
    async fn an_address_in_use_is_told() {
        let taken = listen("127.0.0.1:0".parse().unwrap()).await.unwrap();
        let address = taken.local_addr().unwrap();
        let error = listen(address).await.unwrap_err().to_string();
        assert!(error.contains(&address.to_string()), "{error}");
    }
}
