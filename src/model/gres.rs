//! Generic resources: how many of which name and type.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// A generic resource, such as `gpu`, or one type of it, such as `gpu:a100`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct GresKind {
    /// Name, such as `gpu`.
    pub name: Arc<str>,
    /// Type, such as `a100`; in a request, `None` is any type.
    pub kind: Option<Arc<str>>,
}

impl fmt::Display for GresKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            None => f.write_str(&self.name),
            Some(kind) => write!(f, "{}:{kind}", self.name),
        }
    }
}

/// Counts by kind, sorted by kind, none of them zero.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Gres(Vec<(GresKind, u64)>);

impl FromIterator<(GresKind, u64)> for Gres {
    /// Counts of the same kind are added up.
    fn from_iter<I: IntoIterator<Item = (GresKind, u64)>>(items: I) -> Self {
        let mut gres = Self::default();
        for (kind, count) in items {
            gres.add(&kind, count);
        }
        gres
    }
}

impl Gres {
    /// Every kind with its count, in order of kind.
    pub fn iter(&self) -> impl Iterator<Item = (&GresKind, u64)> {
        self.0.iter().map(|(kind, count)| (kind, *count))
    }

    /// There is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many of exactly this kind.
    pub fn count(&self, kind: &GresKind) -> u64 {
        self.0
            .binary_search_by(|(k, _)| k.cmp(kind))
            .map_or(0, |at| self.0[at].1)
    }

    /// How many satisfy a request for `wanted`: those of its type, or of every type where it names none.
    pub fn satisfying(&self, wanted: &GresKind) -> u64 {
        self.iter()
            .filter(|(kind, _)| satisfies(kind, wanted))
            .map(|(_, count)| count)
            .sum()
    }

    /// Adds `count` of `kind`.
    pub fn add(&mut self, kind: &GresKind, count: u64) {
        if count == 0 {
            return;
        }
        match self.0.binary_search_by(|(k, _)| k.cmp(kind)) {
            Ok(at) => self.0[at].1 = self.0[at].1.saturating_add(count),
            Err(at) => self.0.insert(at, (kind.clone(), count)),
        }
    }

    /// Takes away up to `count` that satisfy `wanted`, the most plentiful type first, and says
    /// what was taken.
    pub fn take(&mut self, wanted: &GresKind, count: u64) -> Self {
        let mut taken = Self::default();
        let mut left = count;
        while left > 0 {
            let most = self
                .0
                .iter_mut()
                .filter(|(kind, _)| satisfies(kind, wanted))
                .max_by(|a, b| a.1.cmp(&b.1).then(b.0.cmp(&a.0)));
            let Some((kind, has)) = most else { break };
            let now = left.min(*has);
            *has -= now;
            left -= now;
            taken.add(&kind.clone(), now);
            self.0.retain(|(_, count)| *count > 0);
        }
        taken
    }
}

fn satisfies(kind: &GresKind, wanted: &GresKind) -> bool {
    kind.name == wanted.name && (wanted.kind.is_none() || kind.kind == wanted.kind)
}
