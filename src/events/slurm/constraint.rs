//! `--constraint`: what can be judged here, and what only Slurm can.

use crate::model::Constraint;

/// More alternatives than this are left to Slurm.
const ALTERNATIVES_MAX: usize = 64;

/// Reads a feature expression. Without parentheses Slurm takes `&` and `|` from left to right, none
/// before the other: `a|b&c` is `(a|b)&c`. Counts, brackets and parentheses are Slurm's to judge.
pub(super) fn parse(text: &str) -> Constraint {
    let text = text.trim();
    if text.is_empty() || text == "(null)" {
        return Constraint::Any;
    }
    let slurms = || Constraint::Slurm(text.to_owned());
    if text.contains(['[', ']', '(', ')', '*', ',', ':', '!']) {
        return slurms();
    }
    let mut alternatives = vec![Vec::new()];
    for (operator, feature) in operands(text) {
        if feature.is_empty() {
            return slurms();
        }
        match operator {
            '|' => alternatives.push(vec![feature.into()]),
            _ => alternatives
                .iter_mut()
                .for_each(|all| all.push(feature.into())),
        }
        if alternatives.len() > ALTERNATIVES_MAX {
            return slurms();
        }
    }
    for all in &mut alternatives {
        all.sort();
        all.dedup();
    }
    Constraint::OneOf(alternatives)
}

/// Each feature with the operator before it; the first has `&`.
fn operands(text: &str) -> impl Iterator<Item = (char, &str)> {
    let mut operator = '&';
    text.split_inclusive(['&', '|']).map(move |piece| {
        let before = operator;
        let feature = piece.trim_end_matches(['&', '|']);
        operator = piece.chars().next_back().unwrap_or('&');
        (before, feature.trim())
    })
}

#[cfg(test)]
mod test {
    use proptest::prelude::*;

    use super::*;
    use crate::model::Feature;

    fn read(text: &str) -> String {
        match parse(text) {
            Constraint::Any => "any".to_owned(),
            Constraint::Slurm(text) => format!("slurm {text}"),
            Constraint::OneOf(alternatives) => alternatives
                .iter()
                .map(|all| {
                    let all: Vec<&str> = all.iter().map(Feature::as_str).collect();
                    all.join("&")
                })
                .collect::<Vec<_>>()
                .join(" or "),
        }
    }

    #[test]
    fn operators_go_from_left_to_right() {
        for (text, expected) in [
            ("", "any"),
            ("gpu", "gpu"),
            ("b&a&b", "a&b"),
            ("avx&cpu|big", "avx&cpu or big"),
            ("a|b&c", "a&c or b&c"),
            ("[cpu*4&big*3]", "slurm [cpu*4&big*3]"),
            ("(a|b)&c", "slurm (a|b)&c"),
            ("a,b", "slurm a,b"),
            ("a&&b", "slurm a&&b"),
            ("a|", "a"),
        ] {
            assert_eq!(read(text), expected, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_survived(text in "\\PC{0,60}") {
            parse(&text);
        }

        #[test]
        fn texts_near_an_expression_are_survived(text in "[a-c&| ]{0,200}") {
            parse(&text);
        }
    }
}
