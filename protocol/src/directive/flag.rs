//! The flags, each with what it takes.

use super::value::{self, NotAValue};
use super::{Bandwidth, Directives, Latency, Problem, Split};

struct Flag {
    name: &'static str,
    allowed: &'static str,
    set: fn(&mut Directives, &str) -> Result<(), NotAValue>,
}

const MEMBERS: &str = "names of members separated by commas, such as gpu,k8s-east";

const FLAGS: &[Flag] = &[
    Flag {
        name: "policy",
        allowed: "the name of a policy, such as green",
        set: |directives, text| {
            directives.policy = Some(value::name(text)?);
            Ok(())
        },
    },
    Flag {
        name: "members",
        allowed: MEMBERS,
        set: |directives, text| {
            directives.members = value::list(text, value::name)?;
            Ok(())
        },
    },
    Flag {
        name: "avoid",
        allowed: MEMBERS,
        set: |directives, text| {
            directives.avoid = value::list(text, value::name)?;
            Ok(())
        },
    },
    Flag {
        name: "needs",
        allowed: "absolute paths separated by commas, such as /scratch,/projects",
        set: |directives, text| {
            directives.needs = value::list(text, value::path)?;
            Ok(())
        },
    },
    Flag {
        name: "image",
        allowed: "a container image, such as registry.example.org/pytorch:2.7",
        set: |directives, text| {
            directives.image = Some(value::image(text)?);
            Ok(())
        },
    },
    Flag {
        name: "split",
        allowed: "never, when-needed, nodes or nodes:max=N with N members at most",
        set: |directives, text| {
            directives.split = Some(Split::read(text)?);
            Ok(())
        },
    },
    Flag {
        name: "network",
        allowed: "a bandwidth with its unit (bps, Kbps, Mbps, Gbps, Tbps), such as 25Gbps",
        set: |directives, text| {
            directives.network = Some(Bandwidth::read(text)?);
            Ok(())
        },
    },
    Flag {
        name: "latency",
        allowed: "a time with its unit (ns, us, ms, s), such as 200us",
        set: |directives, text| {
            directives.latency = Some(Latency::read(text)?);
            Ok(())
        },
    },
];

/// Every flag, for people.
pub(super) fn names() -> String {
    let names: Vec<String> = FLAGS
        .iter()
        .map(|flag| format!("--{}", flag.name))
        .collect();
    names.join(", ")
}

/// Takes `--flag=value`, `--flag value` and `flag=value` into `directives`.
pub(super) fn read(words: &[String], directives: &mut Directives) -> Result<(), Problem> {
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let (name, value) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None if word.starts_with("--") => (word.as_str(), None),
            None => return Err(Problem::NotAFlag { word: word.clone() }),
        };
        let flag = find(name)?;
        let value = match value {
            Some(value) => Some(value),
            None => words.next().map(String::as_str),
        };
        let value = value
            .filter(|value| !value.is_empty() && !value.starts_with("--"))
            .ok_or(Problem::NoValue {
                flag: flag.name,
                allowed: flag.allowed,
            })?;
        (flag.set)(directives, value).map_err(|NotAValue { nearest }| Problem::BadValue {
            flag: flag.name,
            value: value.to_owned(),
            nearest,
            allowed: flag.allowed,
        })?;
    }
    Ok(())
}

fn find(written: &str) -> Result<&'static Flag, Problem> {
    let name = written.strip_prefix("--").unwrap_or(written);
    FLAGS
        .iter()
        .find(|flag| flag.name == name)
        .ok_or_else(|| Problem::UnknownFlag {
            flag: written.to_owned(),
            nearest: value::nearest(name, FLAGS.iter().map(|flag| flag.name))
                .map(|name| format!("--{name}")),
        })
}
