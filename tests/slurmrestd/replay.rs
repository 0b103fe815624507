//! Recorded answers, and a server that gives them.

use std::fs;
use std::path::Path;

use fedsched::members::slurm::{Client, Endpoint, Options, TokenSource};
use wiremock::matchers::{method, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

/// Releases whose answers are recorded, with the API version they were asked in.
pub(crate) const RELEASES: [(&str, &str); 3] = [
    ("22.05", "v0.0.38"),
    ("24.11", "v0.0.42"),
    ("26.05", "v0.0.42"),
];

/// The recorded answer `name` of a release.
pub(crate) fn recorded(release: &str, name: &str) -> ResponseTemplate {
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures/slurmrestd")
        .join(release)
        .join(format!("{name}.http"));
    let text = fs::read_to_string(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    let (status, body) = text.split_once('\n').unwrap();
    ResponseTemplate::new(status.parse::<u16>().unwrap()).set_body_raw(body, "application/json")
}

/// Path of a collection or job in an API version.
pub(crate) fn at(api: &str, what: &str) -> String {
    let slash = if api == "v0.0.42" && !what.contains('/') {
        "/"
    } else {
        ""
    };
    format!("/slurm/{api}/{what}{slash}")
}

/// Has `server` answer `verb what` with the recorded answer `name`.
pub(crate) async fn give(
    server: &MockServer,
    (release, api): (&str, &str),
    verb: &str,
    what: &str,
    name: &str,
) {
    Mock::given(method(verb))
        .and(path(at(api, what)))
        .respond_with(recorded(release, name))
        .mount(server)
        .await;
}

/// A server that answers a ping and the listings as `release` does, and 404 to everything else.
pub(crate) async fn server(release: (&str, &str)) -> MockServer {
    let server = MockServer::start().await;
    for what in ["ping", "partitions", "reservations", "jobs", "nodes"] {
        give(&server, release, "GET", what, what).await;
    }
    server
}

/// Options for a client of `server`, without a token.
pub(crate) fn options(server: &MockServer) -> Options {
    let endpoint: Endpoint = server.uri().parse().unwrap();
    Options::new(endpoint, TokenSource::None)
}

/// A client of `server`, without a token.
pub(crate) fn client(server: &MockServer) -> Client {
    Client::new(options(server)).unwrap()
}
