//! TRES and GRES strings. Slurm spells them in two ways, `gres:gpu:a100:2` up to 22.05 and
//! `gres/gpu:a100=2` or `gres/gpu:a100:2` later; both are read everywhere.

use std::sync::Arc;

use crate::model::{Gres, GresKind, Tres};

const MIB: u64 = 1 << 20;

/// What a request asks for in one of its `tres_per_…` strings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Asked {
    /// Generic resources.
    pub(super) gres: Vec<(GresKind, u64)>,
    /// `cpu=`, as newer versions write into `tres_per_task`.
    pub(super) cpus: Option<u64>,
    /// Entries that are none of these.
    pub(super) unknown: Vec<String>,
}

/// Reads a `tres_per_…` string.
pub(super) fn asked(text: &str) -> Asked {
    let mut asked = Asked::default();
    let mut gres = Gres::default();
    for entry in entries(text) {
        if let Some(count) = entry.strip_prefix("cpu=").or(entry.strip_prefix("cpu:")) {
            match number(count) {
                Some(count) => asked.cpus = Some(count),
                None => asked.unknown.push(entry.to_owned()),
            }
            continue;
        }
        match item(entry) {
            Some((kind, count)) => gres.add(&kind, count),
            None => asked.unknown.push(entry.to_owned()),
        }
    }
    asked.gres = gres
        .iter()
        .map(|(kind, count)| (kind.clone(), count))
        .collect();
    asked
}

/// Reads a node's `gres` or `gres_used`, such as `gpu:a100:4(S:0-1)` or `gpu:a100:1(IDX:0)`. What
/// cannot be read is left out.
pub(super) fn on_node(text: &str) -> Gres {
    entries(text).filter_map(item).collect()
}

/// Reads what a job was allocated, such as `cpu=4,mem=8G,node=2,gres/gpu=2,gres/gpu:a100=2`.
///
/// Slurm counts a typed resource under its name, too: what the types account for is taken off there.
pub(super) fn allocated(text: &str) -> Tres {
    let mut tres = Tres::default();
    let mut plain: Vec<(GresKind, u64)> = Vec::new();
    for entry in entries(text) {
        let Some((name, amount)) = entry.split_once('=') else {
            continue;
        };
        match name {
            "cpu" => tres.cpu_milli = number(amount).unwrap_or(0).saturating_mul(1000),
            "mem" => tres.memory_bytes = memory(amount).unwrap_or(0),
            _ => match item(entry) {
                Some((kind, count)) if kind.kind.is_some() => tres.gres.add(&kind, count),
                Some(untyped) if name.starts_with("gres/") => plain.push(untyped),
                _ => {}
            },
        }
    }
    for (kind, count) in plain {
        let typed = tres.gres.satisfying(&kind);
        tres.gres.add(&kind, count.saturating_sub(typed));
    }
    tres
}

/// `--licenses`, such as `matlab:2,ansys`. `None` where only Slurm can judge it: alternatives.
pub(super) fn licenses(text: &str) -> Option<Vec<(String, u64)>> {
    if text.contains('|') {
        return None;
    }
    text.split([',', ';'])
        .filter(|entry| !entry.is_empty())
        .map(|entry| {
            let (name, count) = entry
                .rsplit_once([':', '='])
                .map_or((entry, Some(1)), |(name, count)| (name, number(count)));
            Some((name.to_owned(), count?))
        })
        .collect()
}

/// The entries between the commas that stand in no parentheses.
fn entries(text: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_u32;
    text.split(move |c| {
        match c {
            '(' => depth = depth.saturating_add(1),
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    })
    .filter(|entry| !entry.is_empty() && *entry != "(null)" && *entry != "N/A")
}

/// `[gres:|gres/]name[:type][:count|=count][(…)]`; without a count it is one.
fn item(entry: &str) -> Option<(GresKind, u64)> {
    let entry = entry.split('(').next().unwrap_or_default();
    let entry = entry
        .strip_prefix("gres:")
        .or(entry.strip_prefix("gres/"))
        .unwrap_or(entry);
    let (words, count) = match entry.split_once('=') {
        Some((words, count)) => (words, Some(number(count)?)),
        None => (entry, None),
    };
    let mut words: Vec<&str> = words.split(':').collect();
    let count = match (count, words.last().and_then(|last| number(last))) {
        (Some(count), _) => count,
        (None, Some(count)) if words.len() > 1 => {
            words.pop();
            count
        }
        (None, _) => 1,
    };
    // `no_consume` stands between a node's type and count: it changes nothing for a decision.
    words.retain(|word| *word != "no_consume");
    let (name, kind) = match words[..] {
        [name] => (name, None),
        [name, kind] => (name, Some(Arc::from(kind))),
        _ => return None,
    };
    (!name.is_empty()).then(|| {
        let name = Arc::from(name);
        (GresKind { name, kind }, count)
    })
}

/// A count with Slurm's suffixes: `k`, `m`, `g`, `t`, `p` for powers of 1024.
fn number(text: &str) -> Option<u64> {
    let (digits, factor) = suffixed(text)?;
    digits.parse::<u64>().ok()?.checked_mul(factor)
}

/// Memory in bytes: `800M`, `62.50G`; without a suffix MiB.
fn memory(text: &str) -> Option<u64> {
    let (digits, factor) = suffixed(text)?;
    let factor = if factor == 1 { MIB } else { factor };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let whole = whole.parse::<u64>().ok()?.checked_mul(factor)?;
    let fraction = fraction.get(..fraction.len().min(6)).unwrap_or_default();
    if fraction.is_empty() {
        return Some(whole);
    }
    let scale = 10_u64.checked_pow(u32::try_from(fraction.len()).ok()?)?;
    let part = u128::from(fraction.parse::<u64>().ok()?) * u128::from(factor) / u128::from(scale);
    whole.checked_add(u64::try_from(part).ok()?)
}

/// The digits of a number, and what its suffix multiplies them by.
fn suffixed(text: &str) -> Option<(&str, u64)> {
    let (at, last) = text.char_indices().next_back()?;
    let factor = match last.to_ascii_lowercase() {
        'k' => 1 << 10,
        'm' => 1 << 20,
        'g' => 1 << 30,
        't' => 1 << 40,
        'p' => 1 << 50,
        c if c.is_ascii_digit() => return Some((text, 1)),
        _ => return None,
    };
    Some((text.get(..at)?, factor))
}

#[cfg(test)]
mod test {
    use proptest::prelude::*;

    use super::*;

    fn kind(text: &str) -> GresKind {
        let (name, kind) = text.split_once(':').unwrap_or((text, ""));
        GresKind {
            name: name.into(),
            kind: (!kind.is_empty()).then(|| kind.into()),
        }
    }

    #[test]
    fn requests_are_read_in_either_spelling() {
        for text in ["gres:gpu:tesla:2", "gres/gpu:tesla:2", "gres/gpu:tesla=2"] {
            assert_eq!(asked(text).gres, [(kind("gpu:tesla"), 2)], "{text}");
        }
        for text in ["gres:gpu:1", "gres/gpu=1", "gres/gpu", "gpu"] {
            assert_eq!(asked(text).gres, [(kind("gpu"), 1)], "{text}");
        }
        let both = asked("cpu=2,gres/gpu=1,gres/shard:4,what=ever");
        assert_eq!(both.cpus, Some(2));
        assert_eq!(
            both.gres,
            [(kind("gpu"), 1), (kind("shard"), 4), (kind("what"), 1)]
                .into_iter()
                .filter(|(kind, _)| kind.name.as_ref() != "what")
                .collect::<Vec<_>>()
        );
        assert_eq!(both.unknown, ["what=ever"]);
    }

    #[test]
    fn nodes_tell_what_they_have_and_what_is_used() {
        let total = on_node("gpu:a100:4(S:0-1),gpu:h200:2(S:1),nic:1,lustre:no_consume:4k");
        assert_eq!(total.count(&kind("gpu:a100")), 4);
        assert_eq!(total.satisfying(&kind("gpu")), 6);
        assert_eq!(total.count(&kind("lustre")), 4096);
        let used = on_node("gpu:a100:1(IDX:0,2),gpu:h200:0(IDX:N/A),nic:0");
        assert_eq!(used.count(&kind("gpu:a100")), 1);
        assert_eq!(used.satisfying(&kind("gpu")), 1);
        assert!(on_node("(null)").is_empty() && on_node("").is_empty());
    }

    #[test]
    fn allocations_do_not_count_a_type_twice() {
        let tres = allocated("cpu=16,mem=62.50G,node=1,billing=16,gres/gpu=4,gres/gpu:a100=3");
        assert_eq!(tres.cpu_milli, 16_000);
        assert_eq!(tres.memory_bytes, (62 << 30) + (1 << 29));
        assert_eq!(tres.gres(&kind("gpu")), 4);
        assert_eq!(tres.gres.count(&kind("gpu:a100")), 3);
        assert_eq!(tres.gres.count(&kind("gpu")), 1);
        assert_eq!(allocated("mem=800M").memory_bytes, 800 << 20);
        assert_eq!(allocated(""), Tres::default());
    }

    #[test]
    fn licenses_are_read_or_left_to_slurm() {
        assert_eq!(
            licenses("matlab:2,ansys,db@server=3"),
            Some(vec![
                ("matlab".to_owned(), 2),
                ("ansys".to_owned(), 1),
                ("db@server".to_owned(), 3)
            ])
        );
        assert_eq!(licenses(""), Some(vec![]));
        assert_eq!(licenses("a:1|b:1"), None);
        assert_eq!(licenses("a:many"), None);
    }

    proptest! {
        #[test]
        fn any_text_is_survived(text in "\\PC{0,60}") {
            asked(&text);
            on_node(&text);
            allocated(&text);
            licenses(&text);
        }

        #[test]
        fn texts_near_a_tres_are_survived(text in "(gres[:/])?[a-c]{0,3}([:=][a-c0-9]{0,12}[.kmG()IDX,]?){0,4}") {
            asked(&text);
            on_node(&text);
            allocated(&text);
            licenses(&text);
        }
    }
}
