//! A sandbox sees nothing of another one, and the host nothing of either.

use std::{fs, io::Write as _, path::Path, process::Stdio};

use fedsched_sandbox::{Error, Options, Sandbox, Series, running};

use crate::{plain, run, without_fedsched};

#[test]
fn two_sandboxes_do_not_meet() {
    let (one, other) = (plain(Series::V22_05), plain(Series::V22_05));
    assert!(
        [&one, &other]
            .iter()
            .all(|sandbox| running().iter().any(|n| n == sandbox.name()))
    );
    run(&one, "user1", &["sbatch", "--hold", "--wrap=hostname"]);
    assert_eq!(run(&one, "user2", &["squeue", "-ho%i %T"]), "1 PENDING");
    assert_eq!(run(&other, "user2", &["squeue", "-ho%i %T"]), "");

    let again = Options {
        name: Some(one.name().to_owned()),
        ..without_fedsched(Series::V22_05)
    };
    let error = Sandbox::start(&again).unwrap_err();
    assert!(matches!(error, Error::NameTaken { .. }), "{error}");

    let name = one.name().to_owned();
    one.down().unwrap();
    assert!(!running().contains(&name));
    assert!(matches!(
        Sandbox::attach(&name).unwrap_err(),
        Error::NotRunning { .. }
    ));
    assert_eq!(run(&other, "user2", &["squeue", "-ho%i %T"]), "");
}

#[test]
fn the_host_is_out_of_reach() {
    let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap();
    let passwd = fs::read_to_string("/etc/passwd").unwrap();
    let sandbox = plain(Series::V22_05);
    let everywhere = "for place in /etc /usr/local /opt /srv /home /tmp /run /dev/shm; do \
                      echo seen > $place/fedsched-sandbox-was-here; done";
    run(&sandbox, "root", &["sh", "-c", everywhere]);
    for place in [
        "/etc",
        "/usr/local",
        "/opt",
        "/srv",
        "/home",
        "/tmp",
        "/run",
        "/dev/shm",
    ] {
        let file = Path::new(place).join("fedsched-sandbox-was-here");
        assert!(!file.exists(), "{}", file.display());
        assert!(sandbox.path(&file).exists(), "{}", file.display());
    }
    assert_eq!(fs::read_to_string("/proc/self/mountinfo").unwrap(), mounts);
    assert_eq!(fs::read_to_string("/etc/passwd").unwrap(), passwd);
    assert_eq!(
        run(&sandbox, "user1", &["sh", "-c", "ls /sys/class/net"]),
        "lo"
    );
    assert_eq!(
        run(
            &sandbox,
            "user1",
            &["sh", "-c", "ls -d /proc/1/root 2>&1; echo $$"]
        )
        .lines()
        .count(),
        2
    );
}

#[test]
fn a_command_is_its_users_and_ends_as_it_does() {
    let sandbox = plain(Series::V22_05);
    assert_eq!(
        run(&sandbox, "user1", &["sh", "-c", "id -un; id -Gn; pwd"]),
        "user1\nuser1\n/home/user1"
    );
    let code = |script| {
        sandbox
            .exec("user2", ["sh", "-c", script])
            .unwrap()
            .status
            .code()
    };
    assert_eq!(code("exit 7"), Some(7));
    assert_eq!(code("kill -9 $$"), Some(128 + 9));

    let mut cat = sandbox.command("user1", ["cat"]);
    let mut cat = cat
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    cat.stdin.take().unwrap().write_all(b"through").unwrap();
    assert_eq!(cat.wait_with_output().unwrap().stdout, b"through");

    let mut sleep = sandbox.spawn("user1", ["sleep", "1234.5"]).unwrap();
    let find = ["pgrep", "-fx", "sleep 1234.5"];
    let found = || sandbox.exec("root", find).unwrap().status.success();
    let state = |wanted: bool| {
        if found() == wanted {
            Ok(())
        } else {
            Err(format!("found: {}", !wanted))
        }
    };
    sandbox
        .wait_until(crate::PATIENCE, "sleep to run", || state(true))
        .unwrap();
    sleep.kill().unwrap();
    sleep.wait().unwrap();
    sandbox
        .wait_until(crate::PATIENCE, "sleep to end", || state(false))
        .unwrap();

    let error = sandbox.exec("nobody-knows", ["true"]).unwrap();
    assert!(
        String::from_utf8_lossy(&error.stderr).contains("use one of root, user1"),
        "{error:?}"
    );
}
