//! New marks: no two submissions share one, and none can be guessed from another.

use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};

use fedsched_protocol::mark::Mark;

/// A keyed hash of a counter: the key is drawn from the system once, so a mark costs no system call.
#[derive(Debug, Default)]
pub(crate) struct Marks {
    key: RandomState,
    made: AtomicU64,
}

impl Marks {
    pub(crate) fn next(&self) -> Mark {
        loop {
            let number = self.made.fetch_add(1, Ordering::Relaxed);
            let mark = self.key.hash_one(number);
            // Zero is no mark.
            if mark != 0 {
                return Mark(mark);
            }
        }
    }
}

#[cfg(test)]
mod test {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn marks_differ_within_and_between_plugins() {
        let (one, other) = (Marks::default(), Marks::default());
        let marks: BTreeSet<Mark> = (0..1000).flat_map(|_| [one.next(), other.next()]).collect();
        assert_eq!(marks.len(), 2000);
    }
}
