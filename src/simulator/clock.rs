//! Simulated time, and what is to happen when.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Whole seconds: a span, or a point in time counted from the start of the window that is replayed.
pub type Seconds = i64;

/// Seconds of a day.
pub const DAY: Seconds = 86_400;

/// Things that will happen, earliest first; those of one second in the order they were added, so
/// that a replay never depends on how a heap breaks ties.
#[derive(Debug)]
pub struct Agenda<T> {
    heap: BinaryHeap<Reverse<Entry<T>>>,
    sequence: u64,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Entry<T> {
    at: Seconds,
    sequence: u64,
    thing: T,
}

impl<T: Ord> Default for Agenda<T> {
    fn default() -> Self {
        Self {
            heap: BinaryHeap::new(),
            sequence: 0,
        }
    }
}

impl<T: Ord> Agenda<T> {
    /// `thing` will happen at `at`.
    pub fn add(&mut self, at: Seconds, thing: T) {
        self.heap.push(Reverse(Entry {
            at,
            sequence: self.sequence,
            thing,
        }));
        self.sequence += 1;
    }

    /// When the next thing happens.
    pub fn next_at(&self) -> Option<Seconds> {
        self.heap.peek().map(|Reverse(entry)| entry.at)
    }

    /// Takes the next thing out.
    pub fn pop(&mut self) -> Option<(Seconds, T)> {
        self.heap
            .pop()
            .map(|Reverse(entry)| (entry.at, entry.thing))
    }
}

#[cfg(test)]
mod test {
    use super::*;

    #[test]
    fn things_of_one_second_keep_their_order() {
        let mut agenda = Agenda::default();
        agenda.add(7, "z");
        agenda.add(3, "later");
        agenda.add(7, "a");
        assert_eq!(agenda.next_at(), Some(3));
        let order: Vec<_> = std::iter::from_fn(|| agenda.pop()).collect();
        assert_eq!(order, [(3, "later"), (7, "z"), (7, "a")]);
    }
}
