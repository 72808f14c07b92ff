//! Owns a file that is written from front to back into zero bytes that were put there before.
//!
//! Invariants: bytes from `end` to `filled` are zero and flushed, so that a write there changes no
//! length and its flush pays for its own bytes only. Nothing is written before `end`.
//! May not: interpret bytes, or try a failed flush again.

use std::sync::Arc;

use super::write_error::WriteError;
use crate::error::StoreError;
use crate::options::StoreOptions;
use crate::storage::StorageFile;

/// A file with zeros written ahead.
#[derive(Debug)]
pub(crate) struct AheadFile {
    file: Arc<dyn StorageFile>,
    end: u64,
    filled: u64,
    step: u64,
    most: u64,
    /// Zeros are not written beyond this.
    cap: u64,
}

impl AheadFile {
    /// A file whose content ends at `end` and whose flushed zeros end at `filled`.
    pub(crate) fn new(
        file: Arc<dyn StorageFile>,
        end: u64,
        filled: u64,
        cap: u64,
        options: &StoreOptions,
    ) -> Self {
        let step = options.fill_first.max(1);
        Self { file, end, filled: filled.max(end), step, most: options.fill_most.max(step), cap }
    }

    pub(crate) fn file(&self) -> &Arc<dyn StorageFile> {
        &self.file
    }

    pub(crate) const fn end(&self) -> u64 {
        self.end
    }

    /// Makes sure that `length` bytes can be written at the end without growing the file.
    pub(crate) fn reserve(&mut self, length: u64) -> Result<(), WriteError> {
        let needed = self.end + length;
        if needed <= self.filled {
            return Ok(());
        }
        let generous = (self.filled + self.step).min(self.cap).max(needed);
        match self.fill(generous) {
            // Not enough for a step may still be enough for the batch.
            Err(failed) if failed.clean && generous > needed => self.fill(needed),
            done => done,
        }
    }

    /// Takes `length` bytes that were reserved and written.
    pub(crate) fn advance(&mut self, length: u64) {
        self.end += length;
    }

    /// Writes the next step of zeros when less than half a step is left. A full disk is no error
    /// here: the commit that needs the room will say so.
    pub(crate) fn fill_ahead(&mut self) -> Result<(), WriteError> {
        let target = (self.filled + self.step).min(self.cap);
        if self.filled - self.end >= self.step / 2 || target <= self.filled {
            return Ok(());
        }
        match self.fill(target) {
            Err(failed) if failed.clean => Ok(()),
            done => done,
        }
    }

    /// Cuts the zeros off and flushes.
    pub(crate) fn seal(&mut self) -> Result<(), StoreError> {
        self.file.set_len(self.end)?;
        self.file.sync_all()?;
        self.filled = self.end;
        Ok(())
    }

    fn fill(&mut self, target: u64) -> Result<(), WriteError> {
        let length = target.saturating_sub(self.filled);
        self.file.zero_fill(self.filled, length).map_err(WriteError::before_write)?;
        self.file.sync_all().map_err(WriteError::poison)?;
        self.filled = target;
        self.step = (self.step * 2).min(self.most);
        Ok(())
    }
}
