//! Tokens: where they come from, and that they are fresh.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use fedsched::members::slurm::{Client, Options, TokenSource};
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation};
use serde::{Deserialize, Serialize};
use wiremock::matchers::any;
use wiremock::{Mock, MockServer, ResponseTemplate};

use crate::replay::{RELEASES, give, options};

const KEY: &[u8] = b"0123456789abcdef0123456789abcdef";

#[derive(Debug, Serialize, Deserialize)]
struct Claims {
    sun: String,
    exp: u64,
    iat: u64,
}

fn now_s() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    since.as_secs()
}

fn token(user: &str, expires: u64) -> String {
    let claims = Claims {
        sun: user.to_owned(),
        exp: expires,
        iat: now_s(),
    };
    let key = EncodingKey::from_secret(KEY).unwrap();
    jsonwebtoken::encode(&Header::new(Algorithm::HS256), &claims, &key).unwrap()
}

/// A server that takes everything, and a client of it with tokens of `source`.
async fn with(source: TokenSource) -> (MockServer, Client) {
    let server = MockServer::start().await;
    give(&server, RELEASES[1], "GET", "ping", "ping").await;
    let client = Client::new(Options {
        token: source,
        ..options(&server)
    });
    (server, client.unwrap())
}

/// User and token of the last request.
async fn last(server: &MockServer) -> (String, String) {
    let requests = server.received_requests().await.unwrap();
    let headers = &requests.last().unwrap().headers;
    let header = |name| headers[name].to_str().unwrap().to_owned();
    (header("X-SLURM-USER-NAME"), header("X-SLURM-USER-TOKEN"))
}

fn file(path: &Path) -> TokenSource {
    TokenSource::File(path.to_owned())
}

#[tokio::test]
async fn a_key_signs_what_slurm_would() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("jwt_hs256.key");
    fs::write(&path, KEY).unwrap();
    let (server, client) = with(TokenSource::Key {
        path,
        user: "fedsched".to_owned(),
        lifespan: Duration::from_secs(1000),
    })
    .await;
    client.server().await.unwrap();
    let (user, token) = last(&server).await;
    assert_eq!(user, "fedsched");
    let key = DecodingKey::from_secret(KEY).unwrap();
    let mut valid = Validation::new(Algorithm::HS256);
    valid.validate_aud = false;
    let claims = jsonwebtoken::decode::<Claims>(&token, &key, &valid)
        .unwrap()
        .claims;
    assert_eq!(claims.sun, "fedsched");
    assert_eq!(claims.exp - claims.iat, 1000);
    client.server().await.unwrap();
    assert_eq!(
        last(&server).await.1,
        token,
        "one token serves for half its life"
    );
}

#[tokio::test]
async fn a_token_past_half_its_life_is_renewed() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("token");
    fs::write(&path, token("a", now_s() + 2)).unwrap();
    let script = format!("cat {}", path.display());
    let command = ["sh", "-c", &script].map(str::to_owned).to_vec();
    let (server, client) = with(TokenSource::Command(command)).await;
    client.server().await.unwrap();
    assert_eq!(last(&server).await.0, "a");
    fs::write(&path, format!("SLURM_JWT={}\n", token("b", now_s() + 999))).unwrap();
    let deadline = SystemTime::now() + Duration::from_secs(10);
    while last(&server).await.0 != "b" {
        assert!(SystemTime::now() < deadline, "the command is asked again");
        client.server().await.unwrap();
        tokio::task::yield_now().await;
    }
    assert_eq!(client.token_alarm().await, None);
}

#[tokio::test]
async fn a_file_is_read_again_when_it_changes() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("token");
    fs::write(&path, token("a", now_s() + 999)).unwrap();
    let (server, client) = with(file(&path)).await;
    client.server().await.unwrap();
    assert_eq!(last(&server).await.0, "a");
    fs::write(&path, token("b", now_s() + 999)).unwrap();
    let later = SystemTime::now() + Duration::from_secs(5);
    fs::File::open(&path).unwrap().set_modified(later).unwrap();
    client.server().await.unwrap();
    assert_eq!(last(&server).await.0, "b");
}

#[tokio::test]
async fn a_source_that_fails_alarms_while_the_old_token_lives() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("token");
    fs::write(&path, token("a", now_s() + 999)).unwrap();
    let (server, client) = with(file(&path)).await;
    client.server().await.unwrap();
    fs::remove_file(&path).unwrap();
    client.server().await.unwrap();
    assert_eq!(last(&server).await.0, "a");
    let alarm = client.token_alarm().await.unwrap();
    assert!(alarm.contains("cannot be read"), "{alarm}");
}

#[tokio::test]
async fn what_is_no_good_token_is_not_sent() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("token");
    for (text, why) in [
        (token("a", now_s() - 60), "expired"),
        ("not a token".to_owned(), "no JSON Web Token"),
        ("x".repeat(100_000), "cannot be read"),
    ] {
        fs::write(&path, text).unwrap();
        let (server, client) = with(file(&path)).await;
        let error = client.server().await.unwrap_err();
        assert_eq!(error.class(), "unauthorized");
        assert!(error.to_string().contains(why), "{error}");
        assert!(server.received_requests().await.unwrap().is_empty());
    }
}

#[tokio::test]
async fn a_command_that_fails_says_why() {
    let command = ["sh", "-c", "echo no slurmctld >&2; exit 1"];
    let source = TokenSource::Command(command.map(str::to_owned).to_vec());
    let (_server, client) = with(source).await;
    let error = client.server().await.unwrap_err().to_string();
    assert!(error.contains("no slurmctld"), "{error}");
    let absent = TokenSource::Command(vec!["/nonexistent/token".to_owned()]);
    let (_server, client) = with(absent).await;
    let error = client.server().await.unwrap_err().to_string();
    assert!(error.contains("/nonexistent/token"), "{error}");
}

#[tokio::test]
async fn a_refused_token_is_replaced_once() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("jwt_hs256.key");
    fs::write(&path, KEY).unwrap();
    let server = MockServer::start().await;
    Mock::given(any())
        .respond_with(ResponseTemplate::new(401))
        .expect(2)
        .mount(&server)
        .await;
    let client = Client::new(Options {
        token: TokenSource::Key {
            path,
            user: "fedsched".to_owned(),
            lifespan: Duration::from_secs(60),
        },
        ..options(&server)
    });
    let error = client.unwrap().server().await.unwrap_err();
    assert_eq!(error.class(), "unauthorized");
}
