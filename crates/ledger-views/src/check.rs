//! Owns the look at all rows: whether they are as many, sum up to what is said, and read.

use crate::digest::{Sum, ViewDigest};
use crate::error::{Broken, ViewError};
use crate::rows;
use crate::source::{Go, Source};
use crate::views::Views;

/// What a check of all rows found in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checked {
    /// Rows looked at, without the one about the others.
    pub rows: u64,
    /// Their digest.
    pub digest: ViewDigest,
}

/// Counts and sums all rows.
pub(crate) fn recount<S: Source>(
    source: &S,
    mut each: impl FnMut(&[u8], &[u8]) -> Result<(), Broken>,
) -> Result<(u64, Sum), ViewError> {
    let mut rows = 0;
    let mut sum = Sum::default();
    source.each(&[], &[0xff], |key, value| {
        rows += 1;
        sum.add(key, value);
        each(key, value)?;
        Ok(Go::On)
    })?;
    Ok((rows, sum))
}

impl Views {
    /// Reads every row, decodes it, and compares number and digest with what was written. Applying
    /// waits meanwhile.
    ///
    /// # Errors
    /// [`ViewError::Doubt`] with the key of the first row that does not read, or with what differs.
    pub fn check_rows(&self) -> Result<Checked, ViewError> {
        let mut still = self.writer();
        self.spill(&mut still)?;
        let meta = self.meta();
        let (rows, sum) = recount(&self.table, rows::check)?;
        drop(still);
        if rows != meta.rows {
            let found = format!("{rows} rows, {} were written", meta.rows);
            return Err(ViewError::doubt("checking all rows", found));
        }
        if sum != meta.sum {
            let found = format!("digest {}, {} was written", sum.digest(), meta.digest());
            return Err(ViewError::doubt("checking all rows", found));
        }
        Ok(Checked { rows, digest: sum.digest() })
    }
}
