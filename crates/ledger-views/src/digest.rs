//! Owns the digest of all rows: the sum of the digests of the single rows.
//!
//! A sum does not depend on the order in which rows came, and a row that is replaced is subtracted.
//! It finds damage and wrong code; against an attacker stands the chain of the log.

use std::fmt;

use ledger_format::hash;

/// Digest of all rows of the views. Any replay to the same record gives the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ViewDigest(pub [u8; 32]);

impl fmt::Display for ViewDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// A sum mod 2^256, lowest word first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sum([u64; 4]);

impl Sum {
    pub(crate) fn add(&mut self, key: &[u8], value: &[u8]) {
        let mut carry = false;
        for (word, more) in self.0.iter_mut().zip(words(&hash::view_row(key, value))) {
            let (sum, over) = word.overflowing_add(more);
            let (sum, again) = sum.overflowing_add(u64::from(carry));
            *word = sum;
            carry = over || again;
        }
    }

    pub(crate) fn subtract(&mut self, key: &[u8], value: &[u8]) {
        let mut borrow = false;
        for (word, less) in self.0.iter_mut().zip(words(&hash::view_row(key, value))) {
            let (rest, under) = word.overflowing_sub(less);
            let (rest, again) = rest.overflowing_sub(u64::from(borrow));
            *word = rest;
            borrow = under || again;
        }
    }

    pub(crate) fn digest(&self) -> ViewDigest {
        let mut bytes = [0; 32];
        for (slot, word) in bytes.chunks_exact_mut(8).zip(self.0) {
            slot.copy_from_slice(&word.to_le_bytes());
        }
        ViewDigest(bytes)
    }

    pub(crate) fn from_digest(digest: &ViewDigest) -> Self {
        Self(words(&digest.0))
    }
}

fn words(bytes: &[u8; 32]) -> [u64; 4] {
    let mut words = [0; 4];
    for (word, chunk) in words.iter_mut().zip(bytes.chunks_exact(8)) {
        let mut eight = [0; 8];
        eight.copy_from_slice(chunk);
        *word = u64::from_le_bytes(eight);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn carries_run_through_all_words() {
        let mut sum = Sum::default();
        sum.subtract(b"k", b"v");
        sum.add(b"k", b"v");
        assert_eq!(sum, Sum::default(), "below zero and back");
    }

    proptest! {
        #[test]
        fn order_does_not_matter_and_subtraction_undoes(rows in prop::collection::vec((any::<u8>(), any::<u8>()), 1..12)) {
            let (mut forth, mut back) = (Sum::default(), Sum::default());
            rows.iter().for_each(|(k, v)| forth.add(&[*k], &[*v]));
            rows.iter().rev().for_each(|(k, v)| back.add(&[*k], &[*v]));
            prop_assert_eq!(forth, back);
            prop_assert_eq!(Sum::from_digest(&forth.digest()), forth);
            prop_assert_ne!(forth, Sum::default());
            rows.iter().for_each(|(k, v)| forth.subtract(&[*k], &[*v]));
            prop_assert_eq!(forth, Sum::default());
        }
    }
}
