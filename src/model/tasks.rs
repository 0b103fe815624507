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

    /// Whether it holds `task`.
    pub fn contains(&self, task: u32) -> bool {
        self.0
            .iter()
            .any(|&(first, last)| (first..=last).contains(&task))
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
}
