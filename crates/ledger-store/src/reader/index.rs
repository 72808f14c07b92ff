//! Owns the way from a record number to a place in a segment: a sparse list in memory.
//!
//! Invariants: entries ascend, each names the beginning of a batch, and two are at least
//! [`SPACING`] bytes apart; the list is a shortcut and proves nothing.

use std::sync::Arc;

use ledger_format::Seq;
use ledger_format::segment::{HEADER_BYTES, SegmentHeader};

use crate::error::StoreError;
use crate::log::scan::{CHUNK, Scan, Step};
use crate::storage::StorageFile;

/// Bytes of log per entry, at least.
const SPACING: u64 = 64 * 1024;

#[derive(Clone, Copy, Debug)]
struct Entry {
    first: Seq,
    offset: u64,
}

/// The list of one segment, as far as it was needed.
#[derive(Debug)]
pub(crate) struct SparseIndex {
    entries: Vec<Entry>,
    /// Where the walk that makes entries stands.
    scanned: u64,
    /// The record that begins there.
    next: Option<Seq>,
}

/// Bytes in which a record lies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    /// Where the first batch begins.
    pub(crate) start: u64,
    /// How many bytes to read at once.
    pub(crate) length: usize,
}

impl Default for SparseIndex {
    fn default() -> Self {
        Self { entries: Vec::new(), scanned: HEADER_BYTES as u64, next: None }
    }
}

impl SparseIndex {
    /// Where `seq`, which lies in this segment before `end`, is to be looked for.
    pub(crate) fn find(
        &mut self,
        file: &Arc<dyn StorageFile>,
        header: &SegmentHeader,
        end: u64,
        seq: Seq,
    ) -> Result<Window, StoreError> {
        self.extend(file, header, end, seq)?;
        let after = self.entries.partition_point(|entry| entry.first <= seq);
        let start = after
            .checked_sub(1)
            .and_then(|at| self.entries.get(at))
            .map_or(HEADER_BYTES as u64, |entry| entry.offset);
        let until = self.entries.get(after).map_or(self.scanned, |entry| entry.offset).min(end);
        let length = usize::try_from(until.saturating_sub(start)).unwrap_or(CHUNK);
        Ok(Window { start, length: length.max(1) })
    }

    /// Walks on until `seq` was passed.
    fn extend(
        &mut self,
        file: &Arc<dyn StorageFile>,
        header: &SegmentHeader,
        end: u64,
        seq: Seq,
    ) -> Result<(), StoreError> {
        let mut next = self.next.unwrap_or(header.first_seq);
        if next > seq || self.scanned >= end {
            return Ok(());
        }
        let mut scan = Scan::new(Arc::clone(file), self.scanned, end, CHUNK);
        loop {
            let offset = scan.at();
            match scan.next()? {
                Step::End => return Ok(()),
                Step::Bad(fault) => return Err(fault.into_error(file.path(), offset, next)),
                Step::Batch(batch) => {
                    let far = self
                        .entries
                        .last()
                        .is_none_or(|last| batch.offset - last.offset >= SPACING);
                    if far {
                        let first = batch.header.first;
                        self.entries.push(Entry { first, offset: batch.offset });
                    }
                    next = Seq(batch.header.first.0 + u64::from(batch.header.count));
                    self.scanned = batch.end();
                    self.next = Some(next);
                    // On to the next entry, so that the window of `seq` has an end.
                    if next > seq && self.scanned - offset_of(&self.entries) >= SPACING {
                        return Ok(());
                    }
                }
            }
        }
    }
}

fn offset_of(entries: &[Entry]) -> u64 {
    entries.last().map_or(0, |entry| entry.offset)
}
