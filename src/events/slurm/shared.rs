//! Values that many jobs have in common, kept once: ten thousand equal jobs share one request.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use fedsched_protocol::directive::Directives;

use crate::model::{AccountName, PartitionName, QosName, Request};

/// Entries below which nothing is thrown out.
const KEPT_MIN: usize = 1024;

/// Pools of the values that jobs share.
#[derive(Debug, Default)]
pub(super) struct Shared {
    pub(super) requests: Pool<Request>,
    pub(super) directives: Pool<Directives>,
    pub(super) accounts: Names<AccountName>,
    pub(super) qos: Names<QosName>,
    pub(super) partitions: Names<PartitionName>,
    names: Pool<str>,
}

impl Shared {
    /// The job name `text`.
    pub(super) fn name(&mut self, text: &str) -> Arc<str> {
        match self.names.get(text) {
            Some(name) => name,
            None => self.names.keep(text.into()),
        }
    }
}

/// Values behind pointers, each value once.
#[derive(Debug)]
pub(super) struct Pool<T: ?Sized> {
    values: BTreeSet<Arc<T>>,
    /// How many there may be before those that nobody else holds are thrown out.
    full: usize,
}

impl<T: ?Sized> Default for Pool<T> {
    fn default() -> Self {
        Self {
            values: BTreeSet::new(),
            full: KEPT_MIN,
        }
    }
}

impl<T: Ord + ?Sized> Pool<T> {
    fn get(&self, value: &T) -> Option<Arc<T>> {
        self.values.get(value).cloned()
    }

    /// The pointer that everybody with an equal value has.
    pub(super) fn keep(&mut self, value: Arc<T>) -> Arc<T> {
        if let Some(same) = self.get(&value) {
            return same;
        }
        if self.values.len() >= self.full {
            self.values.retain(|value| Arc::strong_count(value) > 1);
            self.full = (self.values.len() * 2).max(KEPT_MIN);
        }
        self.values.insert(value.clone());
        value
    }
}

/// Names by their text. A site has few accounts, QOS and partitions: none is ever thrown out.
#[derive(Debug)]
pub(super) struct Names<T>(BTreeMap<Box<str>, T>);

impl<T> Default for Names<T> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<T: Clone + for<'a> From<&'a str>> Names<T> {
    /// The name `text`.
    pub(super) fn keep(&mut self, text: &str) -> T {
        if let Some(name) = self.0.get(text) {
            return name.clone();
        }
        let name = T::from(text);
        self.0.insert(text.into(), name.clone());
        name
    }
}

#[cfg(test)]
mod test {
    use super::*;

    #[test]
    fn equal_values_share_one_pointer() {
        let mut pool = Pool::<str>::default();
        let first = pool.keep("a".into());
        assert!(Arc::ptr_eq(&first, &pool.keep("a".into())));
        assert!(!Arc::ptr_eq(&first, &pool.keep("b".into())));
    }

    #[test]
    fn what_nobody_holds_is_thrown_out() {
        let mut pool = Pool::<str>::default();
        let held = pool.keep("held".into());
        for number in 0..10 * KEPT_MIN {
            pool.keep(number.to_string().into());
        }
        assert!(pool.values.len() <= KEPT_MIN);
        assert!(Arc::ptr_eq(&held, &pool.keep("held".into())));
    }
}
