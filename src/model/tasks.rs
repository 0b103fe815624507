//! Sets of array indices.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Indices of an array as sorted ranges that neither overlap nor touch.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TaskSet(Vec<(u32, u32)>);

impl FromIterator<u32> for TaskSet {
    fn from_iter<I: IntoIterator<Item = u32>>(items: I) -> Self {
        let mut all: Vec<u32> = items.into_iter().collect();
        all.sort_unstable();
        all.dedup();
        let mut set = Self::default();
        for task in all {
            match set.0.last_mut() {
                Some((_, last)) if task.checked_sub(1) == Some(*last) => *last = task,
                _ => set.0.push((task, task)),
            }
        }
        set
    }
}

impl TaskSet {
    /// The indices, smallest first.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.0.iter().flat_map(|&(first, last)| first..=last)
    }

    /// The ranges, smallest first, both ends included.
    pub fn ranges(&self) -> &[(u32, u32)] {
        &self.0
    }

    /// How many indices.
    pub fn len(&self) -> u32 {
        self.0
            .iter()
            .fold(0, |sum, (first, last)| sum + (last - first) + 1)
    }

    /// There is no index in it.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The `count` smallest indices.
    #[must_use]
    pub fn first(&self, count: u32) -> Self {
        let mut left = count;
        let mut ranges = Vec::new();
        for &(first, last) in &self.0 {
            if left == 0 {
                break;
            }
            let end = last.min(first + (left - 1));
            ranges.push((first, end));
            left -= end - first + 1;
        }
        Self(ranges)
    }

    /// What is in this set and not in `other`.
    #[must_use]
    pub fn minus(&self, other: &Self) -> Self {
        let mut left = Vec::new();
        let mut holes = other.0.iter().peekable();
        for &(first, last) in &self.0 {
            let mut from = u64::from(first);
            let end = u64::from(last);
            while let Some(&&(hole_first, hole_last)) = holes.peek() {
                if u64::from(hole_first) > end {
                    break;
                }
                push(&mut left, from, u64::from(hole_first));
                from = from.max(u64::from(hole_last) + 1);
                if u64::from(hole_last) > end {
                    break;
                }
                holes.next();
            }
            push(&mut left, from, end + 1);
        }
        Self(left)
    }

    /// Whether it holds `task`.
    pub fn contains(&self, task: u32) -> bool {
        self.0
            .iter()
            .any(|&(first, last)| (first..=last).contains(&task))
    }
}

/// Adds the range from `first` up to, not including, `end`, if there is anything in it.
fn push(ranges: &mut Vec<(u32, u32)>, first: u64, end: u64) {
    if first < end
        && let (Ok(first), Ok(last)) = (u32::try_from(first), u32::try_from(end - 1))
    {
        ranges.push((first, last));
    }
}

impl fmt::Display for TaskSet {
    /// As Slurm writes it: `0-4,9`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (first, last)) in self.0.iter().enumerate() {
            let comma = if at == 0 { "" } else { "," };
            if first == last {
                write!(f, "{comma}{first}")?;
            } else {
                write!(f, "{comma}{first}-{last}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod test {
    use super::*;

    #[test]
    fn ranges_form_and_the_smallest_come_first() {
        let set: TaskSet = [9, 0, 1, 2, 3, 4, 4].into_iter().collect();
        assert_eq!(set.to_string(), "0-4,9");
        assert_eq!(set.len(), 6);
        assert_eq!(set.first(3).to_string(), "0-2");
        assert_eq!(set.first(6), set);
        assert_eq!(set.first(99), set);
        assert!(set.first(0).is_empty());
        assert!(set.contains(9) && !set.contains(5));
        assert_eq!(set.iter().collect::<TaskSet>(), set);
    }

    #[test]
    fn a_difference_is_what_only_the_first_has() {
        let set = |indices: &[u32]| indices.iter().copied().collect::<TaskSet>();
        let all: TaskSet = (0..10).collect();
        for out in [
            vec![],
            vec![0],
            vec![9],
            vec![0, 1, 2, 8, 9],
            vec![3, 5, 6],
            (0..10).collect(),
            (5..30).collect(),
        ] {
            let left: TaskSet = (0..10).filter(|task| !out.contains(task)).collect();
            assert_eq!(all.minus(&set(&out)), left, "{out:?}");
        }
        let gaps = set(&[1, 2, 3, 7, 8, 20, 21]);
        assert_eq!(
            gaps.minus(&set(&[0, 1, 3, 4, 8, 9, 19, 20, 21])),
            set(&[2, 7])
        );
        assert_eq!(set(&[u32::MAX]).minus(&set(&[])), set(&[u32::MAX]));
    }
}
