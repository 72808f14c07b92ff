//! Owns building views anew, beside those in force.
//!
//! Rows are made in memory and loaded in order, chunk by chunk, which costs a fraction of storing
//! them record by record. Nothing reads them before the end, so nothing has to be whole before it.

use std::path::Path;

use ledger_replay::Changes;

use crate::error::ViewError;
use crate::guard::Place;
use crate::maker::Maker;
use crate::meta::Applied;
use crate::pending::Pending;
use crate::table::{Storing, Table};
use crate::views::{OpenOptions, Views};

/// Memory that rows may take before they are loaded: the more, the fewer pages are written twice.
const CHUNK_BYTES: usize = 64 << 20;

/// What finished views may take on disk: so many tenths of their rows, and this beside.
const LOOSE_TENTHS: u64 = 24;
const LOOSE_BESIDE: u64 = 16 << 20;

/// Views under construction. Dropping them leaves those in force as they are.
#[derive(Debug)]
pub struct Rebuild {
    table: Table,
    place: Place,
    maker: Maker,
    pending: Pending,
    cache_bytes: u64,
    chunk_bytes: usize,
    loose_beside: u64,
}

impl Rebuild {
    /// Begins before the first record, in a new directory.
    ///
    /// # Errors
    /// [`ViewError::File`] when the directory cannot be made, [`ViewError::Doubt`] when sled fails.
    pub fn begin(dir: &Path, options: OpenOptions) -> Result<Self, ViewError> {
        let place = Place::begin(dir)?;
        let table = Table::create(&place.rows(), options.cache_bytes)?;
        let (maker, pending) = (Maker::new(options.ledger), Pending::new(true));
        let cache_bytes = options.cache_bytes;
        let (chunk_bytes, loose_beside) = (CHUNK_BYTES, LOOSE_BESIDE);
        Ok(Self { table, place, maker, pending, cache_bytes, chunk_bytes, loose_beside })
    }

    /// Adds the changes of the next record.
    ///
    /// # Errors
    /// [`ViewError::Gap`] and [`ViewError::BadChanges`]: nothing was added. [`ViewError::Doubt`]:
    /// give this one up.
    pub fn push(&mut self, changes: &Changes) -> Result<(), ViewError> {
        self.maker.check_next(std::slice::from_ref(changes))?;
        self.maker.push(changes, &mut self.pending, &self.table)?;
        if self.pending.bytes() >= self.chunk_bytes { self.load() } else { Ok(()) }
    }

    fn load(&mut self) -> Result<(), ViewError> {
        let meta = self.maker.meta.encode();
        self.table.store(self.pending.take().into_iter(), meta, Storing::Loading)
    }

    /// The last record added.
    #[must_use]
    pub const fn applied(&self) -> Option<Applied> {
        self.maker.meta.applied
    }

    /// Loads what is left and puts these views in force. A crash before that leaves the old ones.
    ///
    /// # Errors
    /// [`ViewError::Doubt`] or [`ViewError::File`]: the old ones are still in force.
    pub fn finish(mut self) -> Result<Views, ViewError> {
        self.maker.settle(&mut self.pending, &self.table);
        self.load()?;
        self.table.flush()?;
        let views = Views::new(self.table, self.place, self.maker, self.cache_bytes);
        let counts = views.counts()?;
        // Many chunks replace many pages; copying once gives the space of few.
        let most = counts.bytes_of_rows.saturating_mul(LOOSE_TENTHS) / 10 + self.loose_beside;
        if counts.bytes_on_disk > most { views.compact() } else { views.enforce() }
    }

    /// Loads small chunks, and copies what came of them, as large rebuilds do.
    #[cfg(test)]
    pub(crate) fn with_chunk_bytes(mut self, chunk_bytes: usize) -> Self {
        self.chunk_bytes = chunk_bytes;
        self.loose_beside = 0;
        self
    }
}
