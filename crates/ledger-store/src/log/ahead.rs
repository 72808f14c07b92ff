//! Owns a file that is written from front to back into zero bytes that were put there before.
//!
//! Invariants: bytes from `end` to `filled` are zero and flushed, so that a write there changes no
//! length and its flush pays for its own bytes only. Nothing is written before `end`. At most one
//! fill is under way, and its outcome is collected before anything else is filled.
//! May not: interpret bytes, or try a failed flush again.

use std::sync::Arc;

use super::filler::{Fill, Filler, Stage};
use super::write_error::WriteError;
use crate::error::StoreError;
use crate::options::StoreOptions;
use crate::storage::StorageFile;

/// Zeros are laid for so many writes like the last one, within the steps of the options.
const WRITES_AHEAD: u64 = 8;

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
    /// What a thread is filling, from `filled` on.
    under_way: Option<Arc<Fill>>,
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
        let most = options.fill_most.max(step);
        Self { file, end, filled: filled.max(end), step, most, cap, under_way: None }
    }

    pub(crate) fn file(&self) -> &Arc<dyn StorageFile> {
        &self.file
    }

    pub(crate) const fn end(&self) -> u64 {
        self.end
    }

    /// Makes sure that `length` bytes can be written at the end without growing the file.
    pub(crate) fn reserve(&mut self, length: u64) -> Result<(), WriteError> {
        self.step = self.step.max(length.saturating_mul(WRITES_AHEAD)).min(self.most);
        let needed = self.end + length;
        self.collect(needed)?;
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

    /// Writes the next step of zeros when less than half a step is left, by the filler's thread
    /// where there is one. A full disk is no error here: the commit that needs the room will say
    /// so.
    pub(crate) fn fill_ahead(&mut self, filler: Option<&Filler>) -> Result<(), WriteError> {
        self.collect(0)?;
        let target = (self.filled + self.step).min(self.cap);
        if self.under_way.is_some()
            || self.filled - self.end >= self.step / 2
            || target <= self.filled
        {
            return Ok(());
        }
        let path = self.file.path().clone();
        self.under_way = filler.and_then(|filler| filler.order(path, self.filled, target));
        if self.under_way.is_some() {
            self.widen();
            return Ok(());
        }
        match self.fill(target) {
            Err(failed) if failed.clean => Ok(()),
            done => done,
        }
    }

    /// Cuts the zeros off and flushes.
    pub(crate) fn seal(&mut self) -> Result<(), StoreError> {
        self.collect(u64::MAX).map_err(|failed| failed.error)?;
        self.file.set_len(self.end)?;
        self.file.sync_all()?;
        self.filled = self.end;
        Ok(())
    }

    /// Takes in how far a fill under way has come, and waits for it as far as it is needed.
    fn collect(&mut self, needed: u64) -> Result<(), WriteError> {
        let Some(fill) = &self.under_way else { return Ok(()) };
        let stage = if needed <= self.filled { fill.stage() } else { fill.wait_for(needed) };
        match stage {
            Stage::Running(filled) => self.filled = filled,
            Stage::Ended(filled, done) => {
                self.filled = filled;
                self.under_way = None;
                match done {
                    Err(failed) if !failed.clean => return Err(failed),
                    _ => {}
                }
            }
        }
        Ok(())
    }

    fn fill(&mut self, target: u64) -> Result<(), WriteError> {
        let length = target.saturating_sub(self.filled);
        self.file.zero_fill(self.filled, length).map_err(WriteError::before_write)?;
        self.file.sync_all().map_err(WriteError::poison)?;
        self.filled = target;
        self.widen();
        Ok(())
    }

    fn widen(&mut self) {
        self.step = (self.step * 2).min(self.most);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::{Fault, FaultPlan, MemStorage, RelPath, Storage};

    const PATH: RelPath = RelPath::from_static("file");

    /// A file of which 600 of 1,024 bytes are used, and a thread that lays zeros ahead.
    fn used() -> (MemStorage, AheadFile, Filler) {
        let storage = MemStorage::new();
        let file: Arc<dyn StorageFile> = storage.create_exclusive(&PATH).unwrap().into();
        file.zero_fill(0, 1_024).unwrap();
        file.sync_all().unwrap();
        storage.sync_dir(&RelPath::ROOT).unwrap();
        let options = StoreOptions { fill_first: 1_024, ..StoreOptions::default() };
        let mut ahead = AheadFile::new(file, 0, 1_024, 1 << 20, &options);
        ahead.reserve(600).unwrap();
        ahead.advance(600);
        let filler = Filler::start(Arc::new(storage.clone())).unwrap();
        (storage, ahead, filler)
    }

    #[test]
    fn zeros_are_laid_beside_and_are_there_when_they_are_needed() {
        let (storage, mut ahead, filler) = used();
        ahead.fill_ahead(Some(&filler)).unwrap();
        assert!(ahead.under_way.is_some());
        ahead.reserve(1_200).unwrap();
        assert!(ahead.filled >= 1_800, "{ahead:?}");
        let after = storage.crash(crate::storage::Survival::Nothing);
        assert!(after.open_read(&PATH).unwrap().len().unwrap() >= 1_800, "and they are flushed");
        ahead.seal().unwrap();
        assert_eq!(storage.open_read(&PATH).unwrap().len().unwrap(), 600);
    }

    /// The operations of a fill: open, write zeros, flush.
    #[test]
    fn a_fill_that_failed_is_told_to_the_next_who_needs_it() {
        for (step, fault, goes_on) in [
            (0, Fault::Io, true),
            (1, Fault::NoSpace, true),
            (1, Fault::Io, false),
            (2, Fault::Io, false),
        ] {
            let (storage, mut ahead, filler) = used();
            storage.set_fault(FaultPlan::at(storage.ops() + step, fault));
            ahead.fill_ahead(Some(&filler)).unwrap();
            let done = ahead.reserve(1_200);
            let what = format!("{fault:?} at step {step}: {done:?}");
            assert_eq!(done.is_ok(), goes_on, "{what}");
            assert!(done.is_ok() || !done.unwrap_err().clean, "{what}");
        }
    }
}
