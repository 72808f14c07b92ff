//! Owns walking over the batches of one segment file in large reads.
//!
//! Invariant: what it hands out lies in one piece of memory; nothing is read beyond `end`.
//! May not: check more of a batch than its header, or decide what a fault means.

use std::sync::Arc;

use ledger_format::TreeRoot;
use ledger_format::batch::{BatchHeader, HEADER_BYTES, TRAILER_BYTES};
use ledger_format::bytes::Reader;
use ledger_format::{BatchHash, FormatError};

use super::chain::RawBatch;
use super::fault::Fault;
use crate::error::StoreError;
use crate::storage::{RelPath, StorageFile};

/// Bytes of one read of a stream.
pub(crate) const CHUNK: usize = 1024 * 1024;

/// Walks over the batches of a segment.
#[derive(Debug)]
pub(crate) struct Scan {
    file: Arc<dyn StorageFile>,
    /// Where the next batch begins in the file.
    at: u64,
    /// Where reading ends.
    end: u64,
    chunk: usize,
    buffer: Vec<u8>,
    /// Where the buffer begins in the file, and how much of it is read.
    start: u64,
    filled: usize,
}

/// What comes next in a segment.
#[derive(Debug)]
pub(crate) enum Step<'a> {
    /// A batch whose header decodes and whose bytes are all there.
    Batch(RawBatch<'a>),
    /// The end.
    End,
    /// Something else.
    Bad(Fault),
}

impl Scan {
    /// Walks from `at`, where a batch begins, to `end`.
    pub(crate) fn new(file: Arc<dyn StorageFile>, at: u64, end: u64, chunk: usize) -> Self {
        Self { file, at, end, chunk, buffer: Vec::new(), start: at, filled: 0 }
    }

    /// Where the next batch begins.
    pub(crate) const fn at(&self) -> u64 {
        self.at
    }

    pub(crate) fn path(&self) -> &RelPath {
        self.file.path()
    }

    /// The next batch; after it, the batch before is gone from memory.
    pub(crate) fn next(&mut self) -> Result<Step<'_>, StoreError> {
        if self.at >= self.end {
            return Ok(Step::End);
        }
        let header = match BatchHeader::decode(self.ensure(HEADER_BYTES)?) {
            Ok(header) => header,
            Err(error) => return Ok(Step::Bad(Fault::undecodable("a batch header", error))),
        };
        let length = header.batch_length();
        let found = self.ensure(length)?.len();
        if found < length {
            let error = FormatError::Truncated { what: "a batch", needed: length, found };
            return Ok(Step::Bad(Fault::undecodable("a batch", error)));
        }
        let offset = self.at;
        self.at += length as u64;
        let bytes = self.at_offset(offset, length);
        let mut trailer =
            Reader::new("a batch", bytes.get(length - TRAILER_BYTES..).unwrap_or_default());
        let (root, hash) = (TreeRoot(trailer.array()?), BatchHash(trailer.array()?));
        Ok(Step::Batch(RawBatch { offset, bytes, header, root, hash }))
    }

    /// Bytes of the last batch that was handed out.
    pub(crate) fn at_offset(&self, offset: u64, length: usize) -> &[u8] {
        usize::try_from(offset.saturating_sub(self.start))
            .ok()
            .and_then(|from| self.buffer.get(from..from + length))
            .unwrap_or_default()
    }

    /// Up to `count` bytes from where the next batch begins; fewer only at the end.
    fn ensure(&mut self, count: usize) -> Result<&[u8], StoreError> {
        let left = usize::try_from(self.end - self.at).unwrap_or(usize::MAX);
        let count = count.min(left);
        let mut from = usize::try_from(self.at - self.start).unwrap_or(usize::MAX);
        if self.filled < from.saturating_add(count) {
            self.buffer.copy_within(from.min(self.filled)..self.filled, 0);
            self.filled = self.filled.saturating_sub(from);
            self.start = self.at;
            from = 0;
            let wanted = count.max(self.chunk).min(left);
            if self.buffer.len() < wanted {
                self.buffer.resize(wanted, 0);
            }
            while self.filled < count {
                let rest = self.buffer.get_mut(self.filled..wanted).unwrap_or_default();
                let read = self.file.read_at(rest, self.at + self.filled as u64)?;
                if read == 0 {
                    break;
                }
                self.filled += read;
            }
        }
        let until = self.filled.min(from + count);
        Ok(self.buffer.get(from..until).unwrap_or_default())
    }
}
