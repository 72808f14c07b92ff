//! Owns the log as an iterator of records.

use ledger_format::Seq;

use super::cursor::Cursor;
use super::types::StoredRecord;
use crate::error::StoreError;

/// The records of a log in order. Ends after the first error.
#[derive(Debug)]
pub struct RecordStream {
    cursor: Cursor,
    from: Seq,
    /// The place in the batch in hand.
    at: usize,
    ended: bool,
}

impl RecordStream {
    pub(super) const fn new(cursor: Cursor, from: Seq) -> Self {
        Self { cursor, from, at: 0, ended: false }
    }
}

impl Iterator for RecordStream {
    type Item = Result<StoredRecord, StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.ended {
            if let Some(record) = self.cursor.batch().and_then(|batch| batch.record(self.at)) {
                self.at += 1;
                if record.seq >= self.from {
                    return Some(Ok(record.to_stored()));
                }
                continue;
            }
            self.at = 0;
            match self.cursor.advance() {
                Ok(true) => {}
                Ok(false) => self.ended = true,
                Err(error) => {
                    self.ended = true;
                    return Some(Err(error));
                }
            }
        }
        None
    }
}

impl std::iter::FusedIterator for RecordStream {}
