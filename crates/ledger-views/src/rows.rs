//! Owns the table of rows: one module for each thing that is known, and the way rows are put.
//!
//! Invariants: rows are a function of the sequence of changes alone, never of how calls were
//! batched; every row that is put is counted and summed. Rows that are keyed by the record that
//! made them are put once and never change; the few others are replaced, and their old form is
//! subtracted.

pub(crate) mod alias;
pub(crate) mod birth;
pub(crate) mod erasure;
pub(crate) mod group;
pub(crate) mod id;
pub(crate) mod lineage;
pub(crate) mod live;
pub(crate) mod schedule;
pub(crate) mod task;
pub(crate) mod time;
pub(crate) mod version;

use crate::error::{Broken, ViewError};
use crate::key::{Key, Kind};
use crate::meta::Meta;
use crate::pending::{Over, Pending};
use crate::source::Source;

/// Where rows go while the changes of one record are worked through.
#[derive(Debug)]
pub(crate) struct Rows<'a, S> {
    pub(crate) below: &'a S,
    pub(crate) pending: &'a mut Pending,
    pub(crate) meta: &'a mut Meta,
}

impl<S: Source> Rows<'_, S> {
    /// All rows so far.
    pub(crate) const fn over(&self) -> Over<'_, S> {
        Over { pending: self.pending, below: self.below }
    }

    /// Puts a row that did not exist.
    pub(crate) fn put(&mut self, key: Key, value: Vec<u8>) {
        self.swap(key.into_vec(), None, value);
    }

    /// Puts a row that may exist in an older form.
    pub(crate) fn replace(&mut self, key: Key, value: Vec<u8>) -> Result<(), ViewError> {
        let old = self.over().get(key.as_slice(), |old| Ok(old.to_vec()))?;
        self.swap(key.into_vec(), old, value);
        Ok(())
    }

    /// Puts a row whose older form is known.
    pub(crate) fn swap(&mut self, key: Vec<u8>, old: Option<Vec<u8>>, value: Vec<u8>) {
        let meta = &mut *self.meta;
        match old {
            Some(old) => {
                meta.sum.subtract(&key, &old);
                meta.bytes = meta.bytes.saturating_sub(old.len() as u64);
            }
            None => {
                meta.rows += 1;
                meta.bytes += key.len() as u64;
            }
        }
        meta.sum.add(&key, &value);
        meta.bytes += value.len() as u64;
        self.pending.put(key, value);
    }
}

/// Whether a stored row reads.
pub(crate) fn check(key: &[u8], value: &[u8]) -> Result<(), Broken> {
    match Kind::of(key).ok_or(Broken("a row of no known kind"))? {
        Kind::Alias => alias::check(key, value),
        Kind::Child => alias::check_child(key, value),
        Kind::Derived => lineage::check_derived(key, value),
        Kind::Erasure => erasure::check(key, value),
        Kind::Group => group::check(key, value),
        Kind::Id => id::check(key, value),
        Kind::Live => live::check(key, value),
        Kind::Member => group::check_member(key, value),
        Kind::Task => task::check(key, value),
        Kind::Schedule => schedule::check(key, value),
        Kind::Snapshot => live::check_snapshot(key, value),
        Kind::Time => time::check(key, value),
        Kind::Name => group::check_name(key, value),
        Kind::Version => version::check(key, value),
    }
}

/// Demands a row without a value.
fn empty(value: &[u8]) -> Result<(), Broken> {
    if value.is_empty() { Ok(()) } else { Err(Broken("a value where none belongs")) }
}
