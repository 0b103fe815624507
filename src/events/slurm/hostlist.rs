//! Slurm's host lists, such as `cn[1-4,07],login` or `r[1-2]n[1-3]`.

use crate::model::NodeName;

/// More names than this are not expanded: no Slurm cluster has that many nodes.
const NAMES_MAX: usize = 1 << 17;

/// More bracket pairs in one name than Slurm itself takes are not expanded.
const BRACKETS_MAX: usize = 4;

/// The text is no host list, or stands for too many names.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is no list of hosts: {why}")]
pub struct HostlistError {
    /// The text, or the part of it that is wrong.
    pub text: String,
    /// What is wrong with it.
    pub why: &'static str,
}

/// Every name in a host list, in its order. An empty text, and Slurm's `(null)`, are an empty list.
pub fn expand(text: &str) -> Result<Vec<NodeName>, HostlistError> {
    let mut names = Vec::new();
    if text.is_empty() || text == "(null)" {
        return Ok(names);
    }
    for part in split(text)? {
        expand_part(part, &mut names)?;
    }
    Ok(names)
}

fn wrong(text: &str, why: &'static str) -> HostlistError {
    let end = text.char_indices().nth(80).map_or(text.len(), |(at, _)| at);
    HostlistError {
        text: text.get(..end).unwrap_or_default().to_owned(),
        why,
    }
}

/// The parts between the commas that stand in no brackets.
fn split(text: &str) -> Result<Vec<&str>, HostlistError> {
    let mut inside = false;
    for c in text.chars() {
        inside = match (c, inside) {
            ('[', false) => true,
            (']', true) => false,
            ('[', true) => return Err(wrong(text, "a bracket within brackets")),
            (']', false) => return Err(wrong(text, "a closing bracket without an opening one")),
            (_, inside) => inside,
        };
    }
    if inside {
        return Err(wrong(text, "an opening bracket without a closing one"));
    }
    let mut inside = false;
    let parts = text.split(|c| {
        inside = match c {
            '[' => true,
            ']' => false,
            _ => inside,
        };
        c == ',' && !inside
    });
    Ok(parts.filter(|part| !part.is_empty()).collect())
}

/// A name with any number of brackets, each of which multiplies it.
fn expand_part(part: &str, names: &mut Vec<NodeName>) -> Result<(), HostlistError> {
    let mut prefixes = vec![String::new()];
    let mut rest = part;
    for _ in 0..BRACKETS_MAX {
        let Some((literal, after)) = rest.split_once('[') else {
            break;
        };
        let (ranges, after) = after
            .split_once(']')
            .ok_or_else(|| wrong(part, "an opening bracket without a closing one"))?;
        let numbers = numbers(ranges, part)?;
        if prefixes.len().saturating_mul(numbers.len()) > NAMES_MAX {
            return Err(wrong(part, "too many names"));
        }
        prefixes = prefixes
            .iter()
            .flat_map(|prefix| {
                numbers
                    .iter()
                    .map(move |number| format!("{prefix}{literal}{number}"))
            })
            .collect();
        rest = after;
    }
    if rest.contains('[') {
        return Err(wrong(part, "too many brackets"));
    }
    if names.len() + prefixes.len() > NAMES_MAX {
        return Err(wrong(part, "too many names"));
    }
    for mut name in prefixes {
        name.push_str(rest);
        names.push(name.as_str().into());
    }
    Ok(())
}

/// `1-4,07` as text, leading zeros kept.
fn numbers(ranges: &str, part: &str) -> Result<Vec<String>, HostlistError> {
    let mut numbers = Vec::new();
    for range in ranges.split(',') {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let width = first.len();
        let parse = |text: &str| {
            if text.bytes().all(|b| b.is_ascii_digit()) {
                text.parse::<u32>().ok()
            } else {
                None
            }
        };
        let (Some(first), Some(last)) = (parse(first), parse(last)) else {
            return Err(wrong(part, "a range that is not of numbers"));
        };
        if first > last {
            return Err(wrong(part, "a range that runs backwards"));
        }
        if (last - first) as usize >= NAMES_MAX - numbers.len().min(NAMES_MAX) {
            return Err(wrong(part, "too many names"));
        }
        numbers.extend((first..=last).map(|number| format!("{number:0width$}")));
    }
    Ok(numbers)
}

#[cfg(test)]
mod test {
    use proptest::prelude::*;

    use super::*;

    fn names(text: &str) -> String {
        let names: Vec<String> = expand(text)
            .unwrap()
            .iter()
            .map(ToString::to_string)
            .collect();
        names.join(" ")
    }

    #[test]
    fn lists_are_expanded_in_order() {
        for (text, expected) in [
            ("", ""),
            ("(null)", ""),
            ("cn1", "cn1"),
            ("cn[1-4,7],x", "cn1 cn2 cn3 cn4 cn7 x"),
            ("cn[08-11]", "cn08 cn09 cn10 cn11"),
            ("cn[098-101]", "cn098 cn099 cn100 cn101"),
            ("r[1-2]n[1-2]", "r1n1 r1n2 r2n1 r2n2"),
            ("a[1]-ib,b", "a1-ib b"),
            ("big[1-2],cpu[1-2],gpu1", "big1 big2 cpu1 cpu2 gpu1"),
        ] {
            assert_eq!(names(text), expected, "{text:?}");
        }
    }

    #[test]
    fn what_is_no_list_is_said() {
        for (text, why) in [
            ("cn[1-4", "an opening bracket without a closing one"),
            ("cn1]", "a closing bracket without an opening one"),
            ("cn[1-[2]]", "a bracket within brackets"),
            ("cn[a-b]", "a range that is not of numbers"),
            ("cn[+1-2]", "a range that is not of numbers"),
            ("cn[]", "a range that is not of numbers"),
            ("cn[4-1]", "a range that runs backwards"),
            ("cn[0-4294967295]", "too many names"),
            ("a[1-999]b[1-999]", "too many names"),
            ("a[1]b[1]c[1]d[1]e[1]", "too many brackets"),
        ] {
            assert_eq!(expand(text).unwrap_err().why, why, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_survived(text in "\\PC{0,60}") {
            expand(&text).ok();
        }

        #[test]
        fn texts_near_a_list_are_survived(text in "[a-c0-9\\[\\],-]{0,40}") {
            if let Ok(names) = expand(&text) {
                prop_assert!(names.len() <= NAMES_MAX);
            }
        }
    }
}
