//! `[[member]]`: what the federation is made of.

use std::collections::BTreeMap;

use toml::Spanned;
use toml::de::DeValue;

use super::section::Section;
use super::value::{choice, foreign_name, labels, list, name, prefix, switch};
use crate::model::{Declaration, MemberKind, MemberName, PartitionName};

const KINDS: &[(&str, MemberKind)] = &[(
    MemberKind::SlurmPartition.as_str(),
    MemberKind::SlurmPartition,
)];

/// What only one member can have, and the line of the one that has it.
#[derive(Default)]
struct Taken {
    /// By what it is (`name`, `account`, …) and how it is called.
    lines: BTreeMap<(&'static str, String), usize>,
}

impl Taken {
    /// Complains at `key` if another member has `what` of this name.
    fn claim(&mut self, section: &mut Section<'_, '_>, what: &'static str, key: &str, name: &str) {
        let line = section.line(key);
        let first = *self.lines.entry((what, name.to_owned())).or_insert(line);
        if first != line {
            let text = format!("the {what} \"{name}\" is another member's already (line {first})");
            section.fault(key, text);
        }
    }
}

/// Reads every member, sorted by name.
pub(super) fn read(
    root: &mut Section<'_, '_>,
    queue_partition: &PartitionName,
) -> Vec<Declaration> {
    let mut members = Vec::new();
    let mut taken = Taken::default();
    for value in tables(root) {
        let mut section = root.under("member", Some(value), None);
        if value.get_ref().is_table() {
            members.extend(member(&mut section, queue_partition, &mut taken));
            section.finish();
        }
    }
    members.sort_by(|a: &Declaration, b| a.name.cmp(&b.name));
    members
}

/// The tables under `member`, at least one.
fn tables<'a>(root: &mut Section<'_, 'a>) -> &'a [Spanned<DeValue<'a>>] {
    let found = root.find("member").map(Spanned::get_ref);
    match found {
        Some(DeValue::Array(array)) if !array.is_empty() => array,
        Some(DeValue::Table(_)) => {
            root.fault(
                "member",
                "write [[member]] with two brackets: there can be several",
            );
            &[]
        }
        _ => {
            root.fault(
                "member",
                "there must be at least one: add [[member]] and name = \"…\"",
            );
            &[]
        }
    }
}

fn member(
    section: &mut Section<'_, '_>,
    queue_partition: &PartitionName,
    taken: &mut Taken,
) -> Option<Declaration> {
    let name: Option<MemberName> = section.required("name", name);
    if let Some(name) = &name {
        section.rename(format!("member \"{name}\""));
        taken.claim(section, "name", "name", name.as_str());
    }
    let kind = section.optional("kind", choice(KINDS));
    let partition: Option<PartitionName> = section.optional("partition", foreign_name);
    let partition = partition.or_else(|| Some(PartitionName::from(name.as_ref()?.as_str())));
    if let Some(partition) = &partition {
        taken.claim(section, "partition", "partition", partition.as_str());
        if partition == queue_partition {
            section.fault(
                "partition",
                format!("\"{partition}\" is the waiting room (slurm.queue_partition), where nothing may start"),
            );
        }
    }
    let home_accounts = section.optional("home_accounts", list(foreign_name));
    let home_groups = section.optional("home_groups", list(foreign_name));
    let declaration = Declaration {
        name: name?,
        kind: kind.unwrap_or(MemberKind::SlurmPartition),
        partition: partition?,
        labels: BTreeMap::new(),
        home_accounts: home_accounts.unwrap_or_default(),
        home_groups: home_groups.unwrap_or_default(),
        paths: None,
        drained: false,
    };
    for account in &declaration.home_accounts {
        taken.claim(section, "account", "home_accounts", account.as_str());
    }
    for group in &declaration.home_groups {
        taken.claim(section, "group", "home_groups", group.as_str());
    }
    Some(Declaration {
        labels: section.optional("labels", labels).unwrap_or_default(),
        paths: section.optional("paths", list(prefix)),
        drained: section.optional("drained", switch).unwrap_or(false),
        ..declaration
    })
}
