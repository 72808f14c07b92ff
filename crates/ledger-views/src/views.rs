//! Owns the handle on stored views: applying, flushing, closing.
//!
//! Invariants: rows and the row about them move in one sled batch, so a reader sees whole records; a
//! record is visible when [`Views::applied`] says so; after a doubt nothing more is applied.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};

use ledger_format::LedgerId;
use ledger_replay::Changes;

use crate::digest::ViewDigest;
use crate::error::ViewError;
use crate::guard::{Clean, Place};
use crate::maker::Maker;
use crate::meta::{Applied, Meta};
use crate::table::Table;

/// A sled batch stops all readers while it is applied, so large calls are cut at record boundaries.
const BATCH_ROWS: usize = 2_048;

/// How views are opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenOptions {
    /// Whose views are expected.
    pub ledger: LedgerId,
    /// How much memory sled may use for its cache, in bytes.
    pub cache_bytes: u64,
}

impl OpenOptions {
    /// Default size of the cache in bytes.
    pub const CACHE_BYTES: u64 = 64 << 20;

    /// The defaults for one ledger.
    #[must_use]
    pub const fn new(ledger: LedgerId) -> Self {
        Self { ledger, cache_bytes: Self::CACHE_BYTES }
    }
}

/// What there is, as counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Memories ever born.
    pub memories: u64,
    /// Versions of memories.
    pub versions: u64,
    /// Rows, without the one about the others.
    pub rows: u64,
    /// Bytes of the files. About twice the rows is usual; at four times, rebuild.
    pub bytes_on_disk: u64,
}

/// Stored views of one ledger. Any number of threads may read while one applies.
#[derive(Debug)]
pub struct Views {
    pub(crate) table: Table,
    place: Place,
    maker: Mutex<Maker>,
    visible: RwLock<Meta>,
    /// Set while and after applying went wrong: what is in memory fits no rows any more.
    torn: AtomicBool,
}

impl Views {
    pub(crate) fn new(table: Table, place: Place, maker: Maker) -> Self {
        let visible = RwLock::new(maker.meta);
        Self { table, place, maker: Mutex::new(maker), visible, torn: AtomicBool::new(false) }
    }

    /// Whose views they are.
    #[must_use]
    pub fn ledger(&self) -> LedgerId {
        self.meta().ledger
    }

    /// Up to where they are applied; none: no record is.
    #[must_use]
    pub fn applied(&self) -> Option<Applied> {
        self.meta().applied
    }

    /// The digest of all rows. [`crate::Fold`] gives the same at the same record.
    #[must_use]
    pub fn digest(&self) -> ViewDigest {
        self.meta().digest()
    }

    /// What there is.
    ///
    /// # Errors
    /// [`ViewError::Doubt`] when the files cannot be measured.
    pub fn counts(&self) -> Result<Counts, ViewError> {
        let Meta { memories, versions, rows, .. } = self.meta();
        Ok(Counts { memories, versions, rows, bytes_on_disk: self.table.bytes_on_disk()? })
    }

    /// How many rows were read since these views were opened: the cost of answers, without a clock.
    #[must_use]
    pub fn rows_read(&self) -> u64 {
        self.table.rows_read()
    }

    /// Applies the changes of the records that come next. Each record becomes visible as a whole;
    /// of a long list, the first records may be visible before the last ones.
    ///
    /// # Errors
    /// [`ViewError::Gap`] when the first record is not the one behind [`Self::applied`], or one is
    /// left out, and [`ViewError::BadChanges`] when changes contradict each other: nothing was
    /// applied. [`ViewError::Doubt`] for everything else: rebuild.
    pub fn apply(&self, list: &[Changes]) -> Result<(), ViewError> {
        let mut maker = self.writer();
        if self.torn.load(Ordering::Acquire) {
            return Err(ViewError::doubt("applying", "an earlier call failed"));
        }
        maker.check_next(list)?;
        self.torn.store(true, Ordering::Release);
        for changes in list {
            maker.push(changes, &self.table)?;
            if maker.pending.len() >= BATCH_ROWS {
                self.store(&mut maker)?;
            }
        }
        self.store(&mut maker)?;
        self.torn.store(false, Ordering::Release);
        Ok(())
    }

    fn store(&self, maker: &mut Maker) -> Result<(), ViewError> {
        if maker.meta.applied == self.applied() {
            return Ok(());
        }
        maker.settle(&self.table);
        let mut rows = maker.pending.take();
        rows.insert(Meta::key(), maker.meta.encode());
        self.table.store(rows)?;
        *self.visible.write().unwrap_or_else(PoisonError::into_inner) = maker.meta;
        Ok(())
    }

    /// Hands all applied rows to the system, so that an end of the process loses none. What a power
    /// cut loses shows at the next open.
    ///
    /// # Errors
    /// [`ViewError::Doubt`] when that fails.
    pub fn flush(&self) -> Result<(), ViewError> {
        self.table.flush()
    }

    /// Closes in order, so that the next open need not scan. Dropping is safe and only slower.
    ///
    /// # Errors
    /// [`ViewError::Doubt`] or [`ViewError::File`]: then the next open scans.
    pub fn close(self) -> Result<(), ViewError> {
        self.table.flush()?;
        let Self { table, place, visible, torn, .. } = self;
        let meta = visible.into_inner().unwrap_or_else(PoisonError::into_inner);
        if torn.into_inner() || table.is_doubted() {
            return Err(ViewError::doubt("closing", "something failed before"));
        }
        drop(table);
        Clean::leave(&place, &meta)
    }

    pub(crate) fn meta(&self) -> Meta {
        *self.visible.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps others from applying.
    pub(crate) fn writer(&self) -> MutexGuard<'_, Maker> {
        self.maker.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[cfg(test)]
    pub(crate) fn forget_recent(&self) {
        self.writer().forget_recent();
    }
}
