use std::path::Path;
use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::members::slurm::TokenSource;
use crate::model::{MemberKind, PolicyName, Split, Term};

const MEMBER: &str = "[[member]]\nname = \"cpu\"\n";

fn parse(text: &str) -> Result<Config, Error> {
    Config::parse(Path::new("fedsched.toml"), text)
}

fn faults(text: &str) -> String {
    parse(text).unwrap_err().to_string()
}

#[test]
fn one_member_is_enough() {
    let config = parse(MEMBER).unwrap();
    assert_eq!(config.settings.queue_partition.as_str(), "federation");
    assert!(!config.settings.rehearsal);
    assert_eq!(config.slurm.token, TokenSource::None);
    assert_eq!(
        config.slurm.restd.to_string(),
        "unix:/run/fedsched/slurmrestd.sock"
    );
    assert_eq!(config.slurm.poll, Duration::from_secs(1));
    assert_eq!(config.daemon.http, Some("127.0.0.1:9815".parse().unwrap()));
    let [cpu] = config.settings.members.as_slice() else {
        panic!("{:?}", config.settings.members)
    };
    assert_eq!(cpu.partition.as_str(), "cpu");
    assert_eq!(cpu.kind, MemberKind::SlurmPartition);
    assert_eq!(cpu.paths, None);
    let policy = &config.settings.policies[&config.settings.default_policy];
    assert_eq!(policy.score[&Term::Start], 5);
    assert!(
        !policy.score.contains_key(&Term::Spread),
        "a weight of 0 does not count"
    );
}

/// The documentation of the file is the file: what it shows commented out must be valid too.
#[test]
fn every_documented_line_is_valid() {
    let uncommented: Vec<&str> = DEFAULTS
        .lines()
        .map(|line| {
            let example = line.strip_prefix("# ").filter(|rest| {
                rest.starts_with("[[member]]") || rest.split_once(" = ").is_some_and(is_member_key)
            });
            example.unwrap_or(line)
        })
        .collect();
    let text = uncommented.join("\n");
    let config = parse(&text).unwrap();
    assert_eq!(
        config.settings.members[0].home_accounts[0].as_str(),
        "physics"
    );
    for token in ["#token_file", "#token_command", "#jwt_key"] {
        let text = text.replace(token, token.trim_start_matches('#'));
        assert_ne!(
            parse(&text).unwrap().slurm.token,
            TokenSource::None,
            "{token}"
        );
    }
}

#[test]
fn every_key_is_in_the_manual() {
    let manual = include_str!("../../docs/configuration.md");
    let lines = DEFAULTS
        .lines()
        .map(|line| line.trim_start_matches(['#', ' ']));
    let keys = lines.filter_map(|line| Some(line.split_once(" = ")?.0));
    let keys: Vec<&str> = keys.filter(|key| !key.contains(' ')).collect();
    assert!(keys.len() > 30, "{keys:?}");
    for key in keys {
        assert!(manual.contains(&format!("`{key}`")), "no `{key}`");
    }
}

fn is_member_key((key, _): (&str, &str)) -> bool {
    let keys = "name kind partition labels home_accounts home_groups paths drained";
    keys.split(' ').any(|known| known == key)
}

#[test]
fn what_a_policy_leaves_out_it_takes_from_the_default_one() {
    let config = parse(&format!(
        "default_policy = \"soon\"\n{MEMBER}[policy.soon]\nscore = {{ start = 9 }}\n"
    ))
    .unwrap();
    assert_eq!(config.settings.default_policy, PolicyName::from("soon"));
    let soon = &config.settings.policies[&PolicyName::from("soon")];
    assert_eq!(soon.score, [(Term::Start, 9)].into());
    assert_eq!(soon.patience, Duration::from_secs(120));
    assert_eq!(soon.split, Split::WhenNeeded);
    assert!(
        config
            .settings
            .policies
            .contains_key(&PolicyName::from("default"))
    );
}

#[test]
fn members_come_sorted_whatever_their_order() {
    let ab = parse("[[member]]\nname = \"a\"\n[[member]]\nname = \"b\"\n").unwrap();
    let ba = parse("[[member]]\nname = \"b\"\n[[member]]\nname = \"a\"\n").unwrap();
    assert_eq!(ab.settings, ba.settings);
}

proptest! {
    /// The daemon's own file with a hole and something else in it.
    #[test]
    fn a_mutilated_file_is_read_or_refused(
        from in 0..DEFAULTS.len(),
        length in 0..200_usize,
        inserted in "[ -~\n]{0,20}",
    ) {
        let bytes = DEFAULTS.as_bytes();
        let end = (from + length).min(bytes.len());
        let text = [&bytes[..from], inserted.as_bytes(), &bytes[end..]].concat();
        let text = format!("{}\n{MEMBER}", String::from_utf8_lossy(&text));
        if let Err(error) = parse(&text) {
            let lines = text.lines().count();
            let Error::Invalid { faults, .. } = error else { panic!("{error}") };
            prop_assert!(!faults.is_empty());
            for fault in faults {
                prop_assert!(fault.line <= lines + 1 && !fault.text.is_empty(), "{fault:?}");
            }
        }
    }

    #[test]
    fn any_text_is_read_or_refused(text in "(?s).{0,200}") {
        prop_assert!(parse(&text).is_err(), "it has no member");
    }
}

#[test]
fn tcp_needs_exactly_one_source_of_tokens() {
    let slurm = |rest: &str| {
        parse(&format!(
            "{MEMBER}[slurm]\nrestd = \"http://c1:6820\"\n{rest}"
        ))
    };
    let none = slurm("").unwrap_err().to_string();
    assert!(none.contains("slurm.restd: over TCP"), "{none}");
    let two = slurm("token_file = \"/t\"\njwt_key = \"/k\"\n")
        .unwrap_err()
        .to_string();
    assert!(two.contains(":6: slurm.jwt_key: only one of"), "{two}");
    let one = slurm("jwt_key = \"/k\"\n").unwrap().slurm;
    assert!(
        matches!(&one.token, TokenSource::Key { path, user, .. } if path == Path::new("/k") && user == "fedsched"),
        "{:?}",
        one.token
    );
    assert_eq!(one.restd.to_string(), "http://c1:6820");
}

#[test]
fn every_fault_is_told_at_once_with_its_line() {
    insta::assert_snapshot!(faults(include_str!("test/faults.toml")));
}

#[test]
fn text_that_is_no_toml_is_told_with_its_lines() {
    insta::assert_snapshot!(faults("[slurm\npoll = \"1s\"\n[daemon]\nhttp = off\n"));
}

#[test]
fn a_file_without_members_is_refused() {
    insta::assert_snapshot!(faults("# nothing yet\n"));
}

#[test]
fn a_missing_file_is_told_with_its_path() {
    let error = Config::load(Path::new("/nonexistent/fedsched.toml")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "/nonexistent/fedsched.toml: cannot be read: No such file or directory (os error 2)"
    );
}

/// A file that a running daemon uses.
fn running(text: &str) -> (tempfile::TempDir, Config) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("fedsched.toml");
    fs::write(&path, text).unwrap();
    let config = Config::load(&path).unwrap();
    (dir, config)
}

#[test]
fn a_reload_takes_over_what_decisions_depend_on() {
    let (_dir, config) = running(MEMBER);
    let new = format!(
        "{MEMBER}[[member]]\nname = \"gpu\"\n[daemon]\nrehearsal = true\n\
         [limits]\nremember = \"1h\"\n[policy.soon]\nscore = {{ start = 1 }}\n"
    );
    fs::write(&config.path, new).unwrap();
    let new = config.reload().unwrap();
    assert_eq!(new.settings.members.len(), 2);
    assert!(new.settings.rehearsal);
    assert_eq!(new.settings.limits.remember, Duration::from_secs(3600));
}

#[test]
fn a_reload_that_needs_a_restart_is_refused_with_its_keys() {
    let (_dir, config) = running(MEMBER);
    let changes = [
        ("slurm", "queue_partition", "\"room\""),
        ("slurm", "restd", "\"unix:/r\""),
        ("slurm", "user", "\"fed\""),
        ("slurm", "token_file", "\"/t\""),
        ("slurm", "watch", "\"off\""),
        ("slurm", "poll", "\"2s\""),
        ("slurm", "hint_gap", "\"50ms\""),
        ("daemon", "plugin_socket", "\"/p\""),
        ("daemon", "plugin_users", "[\"root\"]"),
        ("daemon", "socket", "\"/s\""),
        ("daemon", "operators", "[\"slurm\"]"),
        ("daemon", "state_dir", "\"/v\""),
        ("daemon", "http", "\"off\""),
        ("daemon", "log", "\"debug\""),
    ];
    for (section, key, value) in changes {
        fs::write(
            &config.path,
            format!("{MEMBER}[{section}]\n{key} = {value}\n"),
        )
        .unwrap();
        match config.reload() {
            Err(Error::Restart { keys, .. }) => {
                let [found] = keys.as_slice() else {
                    panic!("{key}: {keys:?}")
                };
                assert!(found.contains(key), "{key}: {found}");
            }
            other => panic!("{key}: {other:?}"),
        }
    }
}

#[test]
fn a_reload_of_a_wrong_file_is_refused_whole() {
    let (_dir, config) = running(MEMBER);
    fs::write(&config.path, format!("{MEMBER}[limits]\nremember = 5\n")).unwrap();
    assert!(matches!(config.reload(), Err(Error::Invalid { .. })));
}
