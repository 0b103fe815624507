//! The tasks of an array record as Slurm spells them, such as `0-18:2%3`.

use crate::model::TaskSet;

/// More tasks than Slurm's `MaxArraySize` can ever allow are not expanded.
const TASKS_MAX: u32 = 4_000_001;

/// The indices that are still in an array's record; what cannot be read is left out.
///
/// Where `SLURM_BITSTR_LEN` is not 0, Slurm cuts a long list and ends it with `...`: the number before
/// the dots may be cut, too, and is not believed.
pub fn array_tasks(text: &str) -> TaskSet {
    let list = text.split('%').next().unwrap_or_default();
    let (list, cut) = match list.strip_suffix("...") {
        Some(list) => (list, true),
        None => (list, false),
    };
    let mut tokens: Vec<&str> = list.split(',').collect();
    if cut {
        tokens.pop();
    }
    tokens.into_iter().filter_map(range).flatten().collect()
}

/// `3`, `3-9` or `3-9:2`.
fn range(token: &str) -> Option<impl Iterator<Item = u32> + use<>> {
    let (range, step) = token.split_once(':').unwrap_or((token, "1"));
    let (first, last) = range.split_once('-').unwrap_or((range, range));
    let (first, last): (u32, u32) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
    let step: usize = step.trim().parse().ok().filter(|&step| step > 0)?;
    (last < TASKS_MAX).then(|| (first..=last).step_by(step))
}

#[cfg(test)]
mod test {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn lists_ranges_and_steps_are_read() {
        for (text, expected) in [
            ("", ""),
            ("3", "3"),
            ("0-18:6%3", "0,6,12,18"),
            ("0-2,4,7-9", "0-2,4,7-9"),
            ("9-3", ""),
            ("1,x,3-,5:0", "1"),
            ("1,3,5,12...", "1,3,5"),
            ("0-4294967295", ""),
        ] {
            assert_eq!(array_tasks(text).to_string(), expected, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_survived(text in "[0-9,:%. -]{0,40}") {
            array_tasks(&text);
        }

        #[test]
        fn what_is_written_is_read_back(tasks in proptest::collection::btree_set(0..2000_u32, 0..60)) {
            let set: TaskSet = tasks.into_iter().collect();
            prop_assert_eq!(array_tasks(&set.to_string()), set);
        }
    }
}
