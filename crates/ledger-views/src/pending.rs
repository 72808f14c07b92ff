//! Owns rows that are made but not stored yet.
//!
//! Invariant: whatever the last row is asked of grows by record, so in such a range pending rows lie
//! behind all stored ones, or are stored ones that are not taken out here yet. A scan makes no such
//! assumption: ids of memories that were made in one millisecond are in no order.

use std::collections::BTreeMap;
use std::path::Path;

use crate::differ::{Doubtful, Picked, RowSums};
use crate::error::{Broken, ViewError};
use crate::key::Kind;
use crate::sort::Sorter;
use crate::source::{Go, Source};

/// What a row costs in memory beside its bytes: two allocations and its place in the map.
const ROW_OVERHEAD: usize = 96;

/// Rows in memory.
#[derive(Debug)]
pub(crate) struct Pending {
    rows: BTreeMap<Vec<u8>, Vec<u8>>,
    bytes: usize,
    /// What else happens to a row than being kept; none: it is kept, whatever it is.
    other: Option<Other>,
}

/// Where nobody reads, only rows whose old form is needed again are kept.
#[derive(Debug)]
enum Other {
    /// All are dropped: they were counted and summed.
    Drop,
    /// All are sorted for new views.
    Sort(Sorter),
    /// All are summed by bucket.
    Sum(RowSums),
    /// Those in doubt are kept, to be compared.
    Pick(Picked),
}

impl Pending {
    /// Rows that can be read.
    pub(crate) const fn readable() -> Self {
        Self { rows: BTreeMap::new(), bytes: 0, other: None }
    }

    /// Rows that are only counted and summed.
    pub(crate) const fn summed() -> Self {
        Self { rows: BTreeMap::new(), bytes: 0, other: Some(Other::Drop) }
    }

    /// Rows that are summed by bucket.
    pub(crate) fn bucketed() -> Self {
        let other = Some(Other::Sum(RowSums::default()));
        Self { rows: BTreeMap::new(), bytes: 0, other }
    }

    /// Rows of which those in doubt are kept.
    pub(crate) fn picking(doubtful: Doubtful) -> Self {
        let other = Some(Other::Pick(Picked::new(doubtful)));
        Self { rows: BTreeMap::new(), bytes: 0, other }
    }

    /// Rows for new views: `dir` takes what does not fit into `most` bytes of memory.
    pub(crate) fn sorted(dir: &Path, most: usize) -> Self {
        let other = Some(Other::Sort(Sorter::new(dir, most)));
        Self { rows: BTreeMap::new(), bytes: 0, other }
    }

    pub(crate) fn put(&mut self, key: Vec<u8>, value: Vec<u8>) {
        if let Some(other) = &mut self.other {
            let is_replaced = Kind::of(&key).is_some_and(Kind::is_replaced);
            match other {
                Other::Drop => {}
                Other::Sort(sorter) => sorter.put(&key, &value),
                // What may come in a newer form is summed at the end.
                Other::Sum(sums) if !is_replaced => sums.add(&key, &value),
                Other::Sum(_) => {}
                Other::Pick(picked) => picked.put(&key, &value),
            }
            if !is_replaced {
                return;
            }
        }
        let (key_bytes, value_bytes) = (key.len(), value.len());
        self.bytes += value_bytes;
        match self.rows.insert(key, value) {
            Some(old) => self.bytes = self.bytes.saturating_sub(old.len()),
            None => self.bytes += key_bytes + ROW_OVERHEAD,
        }
    }

    /// Moves sorted rows out of memory when it is time.
    pub(crate) fn settle(&mut self) -> Result<(), ViewError> {
        match &mut self.other {
            Some(Other::Sort(sorter)) => sorter.settle(),
            _ => Ok(()),
        }
    }

    /// The sorted rows.
    pub(crate) fn into_sorter(self) -> Option<Sorter> {
        match self.other {
            Some(Other::Sort(sorter)) => Some(sorter),
            _ => None,
        }
    }

    /// The sums of all rows.
    pub(crate) fn into_sums(self) -> Option<RowSums> {
        let Some(Other::Sum(mut sums)) = self.other else { return None };
        self.rows.iter().for_each(|(key, value)| sums.add(key, value));
        Some(sums)
    }

    /// The rows that were kept because they are in doubt.
    pub(crate) fn into_picked(self) -> Option<Picked> {
        match self.other {
            Some(Other::Pick(picked)) => Some(picked),
            _ => None,
        }
    }

    /// About how much memory the rows take.
    pub(crate) const fn bytes(&self) -> usize {
        self.bytes
    }

    /// All rows, in order.
    pub(crate) const fn rows(&self) -> &BTreeMap<Vec<u8>, Vec<u8>> {
        &self.rows
    }

    /// Drops all rows, once they are stored.
    pub(crate) fn clear(&mut self) {
        self.bytes = 0;
        self.rows.clear();
    }

    fn range(
        &self,
        from: &[u8],
        to: &[u8],
    ) -> impl DoubleEndedIterator<Item = (&Vec<u8>, &Vec<u8>)> {
        use std::ops::Bound::{Excluded, Included};
        // A range that ends before it begins is empty; the map would panic.
        let end = if from <= to { Included(to) } else { Excluded(from) };
        self.rows.range::<[u8], _>((Included(from), end))
    }
}

impl Source for Pending {
    fn get<T>(
        &self,
        key: &[u8],
        read: impl FnOnce(&[u8]) -> Result<T, Broken>,
    ) -> Result<Option<T>, ViewError> {
        self.rows.get(key).map(|value| read(value).map_err(|broken| broken.at(key))).transpose()
    }

    fn last<T>(
        &self,
        from: &[u8],
        to: &[u8],
        read: impl FnOnce(&[u8], &[u8]) -> Result<T, Broken>,
    ) -> Result<Option<T>, ViewError> {
        let last = self.range(from, to).next_back();
        last.map(|(key, value)| read(key, value).map_err(|broken| broken.at(key))).transpose()
    }

    fn each(
        &self,
        from: &[u8],
        to: &[u8],
        mut row: impl FnMut(&[u8], &[u8]) -> Result<Go, Broken>,
    ) -> Result<(), ViewError> {
        for (key, value) in self.range(from, to) {
            if row(key, value).map_err(|broken| broken.at(key))? == Go::Stop {
                break;
            }
        }
        Ok(())
    }
}

/// Pending rows over stored ones.
#[derive(Debug)]
pub(crate) struct Over<'a, S> {
    pub(crate) pending: &'a Pending,
    pub(crate) below: &'a S,
}

impl<S: Source> Source for Over<'_, S> {
    fn get<T>(
        &self,
        key: &[u8],
        read: impl FnOnce(&[u8]) -> Result<T, Broken>,
    ) -> Result<Option<T>, ViewError> {
        if self.pending.rows.contains_key(key) {
            self.pending.get(key, read)
        } else {
            self.below.get(key, read)
        }
    }

    fn last<T>(
        &self,
        from: &[u8],
        to: &[u8],
        read: impl FnOnce(&[u8], &[u8]) -> Result<T, Broken>,
    ) -> Result<Option<T>, ViewError> {
        if self.pending.range(from, to).next().is_some() {
            self.pending.last(from, to, read)
        } else {
            self.below.last(from, to, read)
        }
    }

    fn each(
        &self,
        from: &[u8],
        to: &[u8],
        mut row: impl FnMut(&[u8], &[u8]) -> Result<Go, Broken>,
    ) -> Result<(), ViewError> {
        let mut go = Go::On;
        let mut waiting = self.pending.range(from, to).peekable();
        self.below.each(from, to, |key, value| {
            while let Some((before, value)) =
                waiting.next_if(|(pending, _)| pending.as_slice() < key)
            {
                go = row(before, value)?;
                if go == Go::Stop {
                    return Ok(go);
                }
            }
            // Rows that have just been stored are in both for a moment.
            let again = waiting.next_if(|(pending, _)| pending.as_slice() == key);
            go = row(key, again.map_or(value, |(_, value)| value))?;
            Ok(go)
        })?;
        for (key, value) in waiting {
            if go == Go::Stop {
                break;
            }
            go = row(key, value).map_err(|broken| broken.at(key))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Keys that a scan over both gives.
    fn scanned(pending: &Pending, below: &Pending) -> Vec<Vec<u8>> {
        let mut keys = Vec::new();
        let row = |key: &[u8], _: &[u8]| {
            keys.push(key.to_vec());
            Ok(if keys.len() < 9 { Go::On } else { Go::Stop })
        };
        Over { pending, below }.each(b"b", b"y", row).expect("reads");
        keys
    }

    #[test]
    fn rows_that_are_in_both_for_a_moment_are_scanned_once() {
        let (mut pending, mut below) = (Pending::readable(), Pending::readable());
        for key in [b"a", b"c", b"d"] {
            below.put(key.to_vec(), Vec::new());
        }
        for key in [b"d", b"e", b"z"] {
            pending.put(key.to_vec(), Vec::new());
        }
        assert_eq!(scanned(&pending, &below), [b"c", b"d", b"e"]);
    }

    #[test]
    fn rows_are_scanned_in_order_wherever_they_are() {
        let (mut pending, mut below) = (Pending::readable(), Pending::readable());
        for key in [b"c", b"f", b"h"] {
            below.put(key.to_vec(), Vec::new());
        }
        for key in [b"a", b"b", b"d", b"e", b"g", b"x"] {
            pending.put(key.to_vec(), Vec::new());
        }
        let all = scanned(&pending, &below);
        assert_eq!(all, [b"b", b"c", b"d", b"e", b"f", b"g", b"h", b"x"]);
        for key in [b"i", b"j", b"k"] {
            pending.put(key.to_vec(), Vec::new());
        }
        assert_eq!(scanned(&pending, &below).len(), 9, "the end of a page is the end");
    }

    #[test]
    fn bytes_are_counted_once_for_each_row() {
        let mut pending = Pending::readable();
        pending.put(b"key".to_vec(), vec![0; 10]);
        let before = pending.bytes();
        pending.put(b"key".to_vec(), vec![0; 30]);
        assert_eq!(pending.bytes(), before + 20);
        pending.clear();
        assert_eq!(pending.bytes(), 0);
    }
}
