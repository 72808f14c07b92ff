//! Owns the copy of all rows into a fresh generation.
//!
//! sled never gives all space back that replaced pages took: views that were applied to for long take
//! several times the space of the same rows loaded in order. Copying them needs no replay.

use crate::digest::Sum;
use crate::error::ViewError;
use crate::page::{FULL, Packer, Row};
use crate::source::{Go, Source as _};
use crate::table::Table;
use crate::views::{Counts, Views};

/// Bytes of rows copied at a time.
const CHUNK_BYTES: usize = 8 << 20;
/// How many times their rows views may take on disk, and what they may take beside.
const MOST_TIMES: u64 = 4;
const MOST_BESIDE: u64 = 32 << 20;

impl Counts {
    /// Whether [`Views::compact`] is worth its time: more than four times the rows on disk.
    #[must_use]
    pub const fn is_bloated(&self) -> bool {
        self.bytes_on_disk > self.bytes_of_rows.saturating_mul(MOST_TIMES) + MOST_BESIDE
    }
}

impl Views {
    /// Copies all rows into a new directory, checks them on the way, and puts that one in force.
    /// Takes about a second for a million rows. A crash before the end leaves the old one.
    ///
    /// # Errors
    /// [`ViewError::Doubt`] when rows do not read or are not what was written: rebuild.
    /// [`ViewError::File`]: the old views are still in force, open them again.
    pub fn compact(self) -> Result<Self, ViewError> {
        self.flush()?;
        let meta = self.meta();
        let (place, table) = self.beside()?;
        let (mut rows, mut sum) = (0, Sum::default());
        let mut packer = Packer::new(FULL);
        let mut from = Vec::new();
        let mut begin = true;
        loop {
            let chunk = self.chunk(&from)?;
            let Some((last, _)) = chunk.last() else { break };
            from.clone_from(last);
            // The first key behind the last one.
            from.push(0);
            rows += chunk.len() as u64;
            chunk.iter().for_each(|(key, value)| sum.add(key, value));
            let pages: Vec<Row> =
                chunk.iter().filter_map(|(key, value)| packer.put(key, value)).collect();
            let some = !pages.is_empty();
            table.append(pages, begin)?;
            begin &= !some;
        }
        table.append(packer.end().into_iter().collect(), begin)?;
        table.store(std::iter::empty(), meta.encode())?;
        if (rows, sum) != (meta.rows, meta.sum) {
            return Err(ViewError::doubt("copying rows", "they are not what was written"));
        }
        self.replaced_by(place, table)
    }

    fn chunk(&self, from: &[u8]) -> Result<Vec<Row>, ViewError> {
        let mut chunk = Vec::new();
        let mut bytes = 0;
        let table: &Table = &self.table;
        table.each(from, &[0xff], |key, value| {
            bytes += key.len() + value.len();
            chunk.push((key.to_vec(), value.to_vec()));
            Ok(if bytes < CHUNK_BYTES { Go::On } else { Go::Stop })
        })?;
        Ok(chunk)
    }
}
