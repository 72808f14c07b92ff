//! Owns the handle on stored views: applying, flushing, closing.
//!
//! Invariants: rows and the row about them move in one sled batch; a record is visible, as a whole, when [`Views::applied`] says so; after a doubt nothing more is applied.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};

use ledger_format::LedgerId;
use ledger_replay::Changes;

use crate::digest::ViewDigest;
use crate::error::ViewError;
use crate::guard::{Clean, Place};
use crate::maker::Maker;
use crate::meta::{Applied, Meta};
use crate::pending::{Over, Pending};
use crate::table::Table;

/// Records after which readers get a turn.
const PIECE: usize = 64;
/// Memory that rows may take before they are stored.
const SPILL_BYTES: usize = 8 << 20;

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
    /// Bytes of keys and values of all rows.
    pub bytes_of_rows: u64,
    /// Bytes of the files. About twice the rows after a rebuild; see [`Counts::is_bloated`].
    pub bytes_on_disk: u64,
}

/// Stored views of one ledger. Any number of threads may read while one applies.
#[derive(Debug)]
pub struct Views {
    pub(crate) table: Table,
    place: Place,
    maker: Mutex<Maker>,
    pending: RwLock<Pending>,
    visible: RwLock<Meta>,
    /// Set while and after applying went wrong: what is in memory fits no rows any more.
    torn: AtomicBool,
    cache_bytes: u64,
}

impl Views {
    pub(crate) fn new(table: Table, place: Place, maker: Maker, cache_bytes: u64) -> Self {
        let visible = RwLock::new(maker.meta);
        let pending = RwLock::new(Pending::readable());
        let (maker, torn) = (Mutex::new(maker), AtomicBool::new(false));
        Self { table, place, maker, pending, visible, torn, cache_bytes }
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
        let Meta { memories, versions, rows, bytes: bytes_of_rows, .. } = self.meta();
        let bytes_on_disk = self.table.bytes_on_disk()?;
        Ok(Counts { memories, versions, rows, bytes_of_rows, bytes_on_disk })
    }

    /// How many pages were fetched and rows read from them since these views were opened: the cost of
    /// answers, without a clock. Rows that are still in memory cost nothing.
    #[must_use]
    pub fn rows_read(&self) -> u64 {
        self.table.rows_read()
    }

    /// Applies the changes of the records that come next. Each record becomes visible as a whole;
    /// of a long list, the first records may be visible before the last ones.
    ///
    /// Rows are gathered in memory and stored some megabytes at a time, or on [`Self::flush`]. An
    /// unclean end of the process loses what was not stored: the views are then behind, and the
    /// caller applies the rest of the log.
    ///
    /// # Errors
    /// [`ViewError::Gap`] when the first record is not the one behind [`Self::applied`], or one is
    /// left out, and [`ViewError::BadChanges`] when changes contradict each other: nothing was
    /// applied. [`ViewError::Doubt`] for everything else: rebuild.
    pub fn apply(&self, list: &[Changes]) -> Result<(), ViewError> {
        let mut maker = self.writer();
        maker.check_next(list)?;
        for piece in list.chunks(PIECE) {
            self.work(|views| views.gather(&mut maker, piece))?;
            if self.pending().bytes() >= SPILL_BYTES {
                self.spill(&mut maker)?;
            }
        }
        Ok(())
    }

    fn gather(&self, maker: &mut Maker, piece: &[Changes]) -> Result<(), ViewError> {
        let mut pending = self.pending.write().unwrap_or_else(PoisonError::into_inner);
        for changes in piece {
            maker.push(changes, &mut pending, &self.table)?;
        }
        maker.settle(&mut pending, &self.table);
        drop(pending);
        *self.visible.write().unwrap_or_else(PoisonError::into_inner) = maker.meta;
        Ok(())
    }

    /// Stores what is gathered.
    pub(crate) fn spill(&self, maker: &mut Maker) -> Result<(), ViewError> {
        self.work(|views| {
            // Readers go on: they see the same rows in memory, in sled or in both.
            let pending = views.pending();
            if !pending.rows().is_empty() {
                let rows =
                    pending.rows().iter().map(|(key, value)| (key.as_slice(), value.as_slice()));
                views.table.store(rows, maker.meta.encode())?;
            }
            drop(pending);
            views.pending.write().unwrap_or_else(PoisonError::into_inner).clear();
            Ok(())
        })
    }

    /// Does something after which, if it fails, what is in memory fits no rows any more.
    fn work(&self, work: impl FnOnce(&Self) -> Result<(), ViewError>) -> Result<(), ViewError> {
        if self.torn.swap(true, Ordering::AcqRel) {
            return Err(ViewError::doubt("applying", "an earlier call failed"));
        }
        work(self)?;
        self.torn.store(false, Ordering::Release);
        Ok(())
    }

    /// Stores all applied rows and hands them to the system, so that an end of the process loses
    /// none. What a power cut loses shows at the next open.
    ///
    /// # Errors
    /// [`ViewError::Doubt`] when that fails.
    pub fn flush(&self) -> Result<(), ViewError> {
        self.spill(&mut self.writer())?;
        self.table.flush()
    }

    /// Closes in order, so that the next open need not scan. Dropping is safe and only slower.
    ///
    /// # Errors
    /// [`ViewError::Doubt`] or [`ViewError::File`]: then the next open scans.
    pub fn close(self) -> Result<(), ViewError> {
        self.flush()?;
        let Self { table, place, visible, .. } = self;
        let meta = visible.into_inner().unwrap_or_else(PoisonError::into_inner);
        if table.is_doubted() {
            return Err(ViewError::doubt("closing", "something failed before"));
        }
        drop(table);
        Clean::leave(&place, &meta)
    }

    /// A new generation beside this one.
    pub(crate) fn beside(&self) -> Result<(Place, Table), ViewError> {
        let place = self.place.beside()?;
        let table = Table::create(&place.rows(), self.cache_bytes)?;
        Ok((place, table))
    }

    /// Puts another generation with the same rows in force.
    pub(crate) fn replaced_by(self, place: Place, table: Table) -> Result<Self, ViewError> {
        table.flush()?;
        let Self { table: old, maker, cache_bytes, .. } = self;
        drop(old);
        place.enforce()?;
        let maker = maker.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok(Self::new(table, place, maker, cache_bytes))
    }

    /// Puts these views in force.
    pub(crate) fn enforce(self) -> Result<Self, ViewError> {
        self.place.enforce()?;
        Ok(self)
    }

    /// Where rows are looked up: in memory first, then in sled.
    pub(crate) fn rows(&self) -> Looking<'_> {
        Looking { pending: self.pending(), table: &self.table }
    }

    fn pending(&self) -> RwLockReadGuard<'_, Pending> {
        self.pending.read().unwrap_or_else(PoisonError::into_inner)
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

/// Rows under a lock that keeps gathered ones in place.
#[derive(Debug)]
pub(crate) struct Looking<'a> {
    pending: RwLockReadGuard<'a, Pending>,
    table: &'a Table,
}

impl Looking<'_> {
    pub(crate) fn over(&self) -> Over<'_, Table> {
        Over { pending: &self.pending, below: self.table }
    }
}
