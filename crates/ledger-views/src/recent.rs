//! Owns a small memory of what was looked up, so that most changes read no rows.
//!
//! Where rows can be read again it may not matter: forgetting everything at any moment changes the
//! cost of the next look-ups and nothing else, so the simplest bound is good enough: when it is full
//! it starts anew. Where they cannot, it has no bound and forgets nothing.

use std::collections::HashMap;
use std::hash::Hash;

const MOST: usize = 1 << 16;

#[derive(Debug)]
pub(crate) struct Recent<K, V> {
    known: HashMap<K, V>,
    most: usize,
}

impl<K: Eq + Hash, V: Copy> Recent<K, V> {
    /// `bounded`: what is forgotten can be read again.
    pub(crate) fn new(bounded: bool) -> Self {
        Self { known: HashMap::new(), most: if bounded { MOST } else { usize::MAX } }
    }

    pub(crate) fn get(&self, key: &K) -> Option<V> {
        self.known.get(key).copied()
    }

    pub(crate) fn insert(&mut self, key: K, value: V) {
        if self.known.len() >= self.most {
            self.known.clear();
        }
        self.known.insert(key, value);
    }

    #[cfg(test)]
    pub(crate) fn forget(&mut self) {
        self.known.clear();
    }
}
