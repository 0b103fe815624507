//! slurmrestd answers on its Unix socket and, to tokens, on its port.

use fedsched_sandbox::{Sandbox, Series};

use crate::{plain, run};

#[test]
fn rest_answers_on_22_05() {
    rest_answers(Series::V22_05, "v0.0.38");
}

#[test]
fn rest_answers_on_24_11() {
    rest_answers(Series::V24_11, "v0.0.42");
}

#[test]
fn rest_answers_on_26_05() {
    rest_answers(Series::V26_05, "v0.0.42");
}

fn rest_answers(series: Series, version: &str) {
    let sandbox = plain(series);
    let request = |headers: &str| {
        format!(
            "GET /slurm/{version}/partitions HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{headers}\r\n"
        )
    };
    let answer = ask_socket(&sandbox, &request(""));
    assert!(
        answer.contains("200 OK") && answer.contains("federation"),
        "{answer}"
    );

    let token = run(
        &sandbox,
        "slurm",
        &["scontrol", "token", "username=fedsched"],
    );
    let token = token.strip_prefix("SLURM_JWT=").unwrap();
    let with_token = request(&format!(
        "X-SLURM-USER-NAME: fedsched\r\nX-SLURM-USER-TOKEN: {token}\r\n"
    ));
    let answer = ask_port(&sandbox, &with_token);
    assert!(
        answer.contains("200 OK") && answer.contains("federation"),
        "{answer}"
    );
    let refused = ask_port(&sandbox, &request(""));
    assert!(!refused.contains("federation"), "{refused}");
}

/// Sends a request to the Unix socket of slurmrestd, as the only user it answers to.
fn ask_socket(sandbox: &Sandbox, request: &str) -> String {
    let script = "my $socket = IO::Socket::UNIX->new('/run/fedsched/slurmrestd.sock') or die $!; \
                  print $socket $ARGV[0]; $socket->flush; print <$socket>";
    run(
        sandbox,
        "fedsched",
        &["perl", "-MIO::Socket::UNIX", "-e", script, request],
    )
}

/// Sends a request to the port of slurmrestd, which only the inside can reach.
fn ask_port(sandbox: &Sandbox, request: &str) -> String {
    let script = "exec 3<>/dev/tcp/127.0.0.1/6820 && printf %s \"$0\" >&3 && cat <&3";
    run(sandbox, "user1", &["bash", "-c", script, request])
}
