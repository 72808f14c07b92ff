//! Owns building views anew, beside those in force.
//!
//! Rows are made in memory, sorted, and loaded in order once, which costs a fraction of storing them
//! record by record. Nothing is read back on the way: what later rows depend on is remembered.
//!
//! Memory: as much for rows as the cache may take later, and what is remembered: aliases, tasks and
//! erasures, one number for each group, and eight bytes for each live member of a scope or slot and
//! for each change since the last snapshot of its set. The rest lies sorted on disk until the end.

use std::path::Path;

use ledger_replay::Changes;

use crate::error::ViewError;
use crate::guard::Place;
use crate::maker::Maker;
use crate::meta::{Applied, Meta};
use crate::page::{FULL, Packer, Row};
use crate::pending::Pending;
use crate::sort::Sorter;
use crate::source::Nothing;
use crate::table::Table;
use crate::views::{OpenOptions, Views};

/// Pages loaded with one call.
const PAGES: usize = 512;

/// Views under construction. Dropping them leaves those in force as they are.
#[derive(Debug)]
pub struct Rebuild {
    place: Place,
    maker: Maker,
    pending: Pending,
    cache_bytes: u64,
}

impl Rebuild {
    /// Begins before the first record, in a new directory.
    ///
    /// # Errors
    /// [`ViewError::File`] when the directory cannot be made.
    pub fn begin(dir: &Path, options: OpenOptions) -> Result<Self, ViewError> {
        let place = Place::begin(dir)?;
        let cache_bytes = options.cache_bytes;
        let most = usize::try_from(cache_bytes).unwrap_or(usize::MAX);
        let pending = Pending::sorted(&place.path(), most);
        Ok(Self { place, maker: Maker::new(options.ledger, false), pending, cache_bytes })
    }

    /// Adds the changes of the next record.
    ///
    /// # Errors
    /// [`ViewError::Gap`] and [`ViewError::BadChanges`]: nothing was added. [`ViewError::File`]:
    /// give this one up.
    pub fn push(&mut self, changes: &Changes) -> Result<(), ViewError> {
        self.maker.check_next(std::slice::from_ref(changes))?;
        self.maker.push(changes, &mut self.pending, &Nothing)?;
        self.pending.settle()
    }

    /// The last record added.
    #[must_use]
    pub const fn applied(&self) -> Option<Applied> {
        self.maker.meta.applied
    }

    /// Loads all rows and puts these views in force. A crash before that leaves the old ones.
    ///
    /// # Errors
    /// [`ViewError::Doubt`] or [`ViewError::File`]: the old ones are still in force.
    pub fn finish(mut self) -> Result<Views, ViewError> {
        self.maker.settle(&mut self.pending, &Nothing);
        let meta = self.maker.meta;
        // What was remembered goes before the cache of the table comes.
        drop(self.maker);
        let sorter = self.pending.into_sorter();
        let table = Table::create(&self.place.rows(), self.cache_bytes)?;
        let loaded = sorter.map_or(Ok(0), |sorter| load(&table, sorter))?;
        if loaded != meta.rows {
            let found = format!("{loaded} rows, {} were made", meta.rows);
            return Err(ViewError::doubt("loading rows", found));
        }
        finish_table(&table, &meta)?;
        let maker = Maker::resume(meta, &table)?;
        Views::new(table, self.place, maker, self.cache_bytes).enforce()
    }

    /// Sorts in small runs, as large rebuilds do.
    #[cfg(test)]
    pub(crate) fn with_chunk_bytes(mut self, chunk_bytes: usize) -> Self {
        self.pending = Pending::sorted(&self.place.path(), chunk_bytes);
        self
    }
}

fn finish_table(table: &Table, meta: &Meta) -> Result<(), ViewError> {
    table.store(std::iter::empty(), meta.encode())?;
    table.flush()
}

/// Packs sorted rows into pages and loads those. Says how many rows there were.
fn load(table: &Table, sorter: Sorter) -> Result<u64, ViewError> {
    let mut loader = Loader { table, pages: Vec::with_capacity(PAGES), begun: false };
    let mut packer = Packer::new(FULL);
    let mut rows = 0;
    sorter.drain(|key, value| {
        rows += 1;
        packer.put(key, value).map_or(Ok(()), |page| loader.add(page))
    })?;
    packer.end().map_or(Ok(()), |page| loader.add(page))?;
    loader.store()?;
    Ok(rows)
}

struct Loader<'a> {
    table: &'a Table,
    pages: Vec<Row>,
    begun: bool,
}

impl Loader<'_> {
    fn add(&mut self, page: Row) -> Result<(), ViewError> {
        self.pages.push(page);
        if self.pages.len() >= PAGES { self.store() } else { Ok(()) }
    }

    fn store(&mut self) -> Result<(), ViewError> {
        let pages = std::mem::take(&mut self.pages);
        if !pages.is_empty() {
            self.table.append(pages, !self.begun)?;
            self.begun = true;
        }
        Ok(())
    }
}
