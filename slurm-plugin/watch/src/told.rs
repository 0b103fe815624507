//! What was told of one kind: enough to see what changed, and no more. A site's ten thousand jobs
//! are a few hundred kilobytes here.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{DefaultHasher, Hash, Hasher};

use serde::Serialize;

/// Fingerprints of the records that were told, by key.
pub(crate) struct Told<K> {
    records: HashMap<K, Record>,
    listing: u32,
}

struct Record {
    fingerprint: u64,
    listing: u32,
}

impl<K> Default for Told<K> {
    fn default() -> Self {
        Self {
            records: HashMap::new(),
            listing: 0,
        }
    }
}

impl<K: Eq + Hash + Ord> Told<K> {
    /// A new listing begins.
    pub(crate) fn begin(&mut self) {
        self.listing = self.listing.wrapping_add(1);
    }

    /// The listing holds `record`: is that news? `encoded` is the record's own bytes.
    pub(crate) fn is_news(&mut self, key: K, encoded: &[u8]) -> bool {
        let record = Record {
            fingerprint: fingerprint(encoded),
            listing: self.listing,
        };
        match self.records.entry(key) {
            Entry::Vacant(entry) => {
                entry.insert(record);
                true
            }
            Entry::Occupied(mut entry) => {
                let before = entry.insert(record);
                before.fingerprint != entry.get().fingerprint
            }
        }
    }

    /// The listing is over: what it did not hold, in order.
    pub(crate) fn end(&mut self) -> Vec<K> {
        let listing = self.listing;
        let mut gone: Vec<K> = self
            .records
            .extract_if(|_, record| record.listing != listing)
            .map(|(key, _)| key)
            .collect();
        gone.sort_unstable();
        gone
    }
}

fn fingerprint(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    hasher.finish()
}

/// The bytes of `record`, in a buffer that is used again and again.
pub(crate) fn encode(record: &impl Serialize, buffer: &mut Vec<u8>) -> Result<(), postcard::Error> {
    buffer.clear();
    *buffer = postcard::to_extend(record, std::mem::take(buffer))?;
    Ok(())
}

#[cfg(test)]
mod test {
    use super::*;

    #[test]
    fn only_news_is_told() {
        let mut told = Told::default();
        told.begin();
        assert!(told.is_news(1, b"a"));
        assert!(told.is_news(2, b"b"));
        assert_eq!(told.end(), []);

        told.begin();
        assert!(!told.is_news(1, b"a"));
        assert!(told.is_news(2, b"B"));
        assert!(told.is_news(3, b"c"));
        assert_eq!(told.end(), []);

        told.begin();
        assert!(!told.is_news(2, b"B"));
        assert_eq!(told.end(), [1, 3]);

        told.begin();
        assert!(told.is_news(1, b"a"), "it came back");
        assert_eq!(told.end(), [2]);
    }
}
