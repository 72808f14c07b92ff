//! Owns a small memory of what was looked up, so that most changes read no rows.
//!
//! May not: matter. Forgetting everything at any moment changes the cost of the next look-ups and
//! nothing else, so the simplest bound is good enough: when it is full it starts anew.

use std::collections::HashMap;
use std::hash::Hash;

const MOST: usize = 1 << 16;

#[derive(Debug)]
pub(crate) struct Recent<K, V>(HashMap<K, V>);

impl<K: Eq + Hash, V: Copy> Recent<K, V> {
    pub(crate) fn new() -> Self {
        Self(HashMap::new())
    }

    pub(crate) fn get(&self, key: &K) -> Option<V> {
        self.0.get(key).copied()
    }

    pub(crate) fn insert(&mut self, key: K, value: V) {
        if self.0.len() >= MOST {
            self.0.clear();
        }
        self.0.insert(key, value);
    }

    #[cfg(test)]
    pub(crate) fn forget(&mut self) {
        self.0.clear();
    }
}
