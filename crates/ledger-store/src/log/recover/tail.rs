//! Owns looking at the bytes behind the last good batch of a segment.

use ledger_format::BatchNo;
use ledger_format::batch::{BatchHeader, MAGIC};

use crate::error::StoreError;
use crate::storage::StorageFile;

/// Bytes of a file from some offset to its end.
#[derive(Debug)]
pub(super) struct Tail {
    offset: u64,
    bytes: Vec<u8>,
}

impl Tail {
    pub(super) fn read(
        file: &dyn StorageFile,
        offset: u64,
        length: u64,
    ) -> Result<Self, StoreError> {
        let count = usize::try_from(length.saturating_sub(offset)).unwrap_or(usize::MAX);
        let mut bytes = vec![0; count];
        file.read_exact_at(&mut bytes, offset)?;
        Ok(Self { offset, bytes })
    }

    pub(super) fn is_zero(&self) -> bool {
        self.bytes.iter().all(|byte| *byte == 0)
    }

    /// Bytes up to and including the last one that is not zero.
    pub(super) fn content(&self) -> u64 {
        self.bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last as u64 + 1)
    }

    /// Where a batch with a number above `failed` begins. Whoever wrote it had seen the failed one
    /// durable.
    pub(super) fn later_batch(&self, failed: BatchNo) -> Option<u64> {
        let mut from = 1;
        while let Some(rest) = self.bytes.get(from..) {
            let at = from + rest.windows(MAGIC.len()).position(|window| *window == MAGIC)?;
            let header = BatchHeader::decode(self.bytes.get(at..).unwrap_or_default());
            if header.is_ok_and(|header| header.batch > failed) {
                return Some(self.offset + at as u64);
            }
            from = at + 1;
        }
        None
    }
}
