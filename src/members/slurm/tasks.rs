//! The tasks of an array record as Slurm spells them, such as `0-18:2%3`.

use crate::model::TaskSet;

/// More tasks than Slurm's `MaxArraySize` can ever allow are not expanded.
const TASKS_MAX: u32 = 4_000_001;

/// What Slurm ends a list with that it cut after 64 bytes, unless `SLURM_BITSTR_LEN=0`.
const CUT: &str = "...";

/// The indices that are still in an array's record; what cannot be read is left out. See [`is_cut`].
pub fn array_tasks(text: &str) -> TaskSet {
    let list = list(text);
    let mut tokens: Vec<&str> = list.split(',').collect();
    if list.ends_with(CUT) {
        // The number before the dots may be cut, too.
        tokens.pop();
    }
    tokens.into_iter().filter_map(range).flatten().collect()
}

/// Whether there are more tasks than the text names.
pub fn is_cut(text: &str) -> bool {
    list(text).ends_with(CUT)
}

/// The text without `%3`.
fn list(text: &str) -> &str {
    text.split('%').next().unwrap_or_default()
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
            ("1,3-5,...%2", "1,3-5"),
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
