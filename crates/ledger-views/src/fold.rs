//! Owns the digest without the rows: what a checkpoint carries and another replay reproduces.

use ledger_format::LedgerId;
use ledger_replay::Changes;

use crate::differ::{Doubtful, Picked, RowSums};
use crate::digest::ViewDigest;
use crate::error::ViewError;
use crate::maker::Maker;
use crate::meta::Applied;
use crate::pending::Pending;
use crate::source::Nothing;

/// Folds changes into the digest that views at the same record have. It keeps in memory only what
/// later rows depend on: names, groups and the live sets since their last snapshots.
///
/// ```
/// use ledger_format::LedgerId;
/// let mut fold = ledger_views::Fold::new(LedgerId([1; 16]));
/// assert_eq!(fold.applied(), None);
/// assert_eq!(fold.digest().to_string(), "00".repeat(32), "no rows, no sum");
/// ```
#[derive(Debug)]
pub struct Fold {
    maker: Maker,
    pending: Pending,
}

impl Fold {
    /// Begins before the first record.
    #[must_use]
    pub fn new(ledger: LedgerId) -> Self {
        Self { maker: Maker::new(ledger, false), pending: Pending::summed() }
    }

    /// As [`Fold::new`], and sums the rows of each bucket.
    #[must_use]
    pub fn summing(ledger: LedgerId) -> Self {
        Self { maker: Maker::new(ledger, false), pending: Pending::bucketed() }
    }

    /// As [`Fold::new`], and keeps the rows of these buckets.
    #[must_use]
    pub fn picking(ledger: LedgerId, doubtful: Doubtful) -> Self {
        Self { maker: Maker::new(ledger, false), pending: Pending::picking(doubtful) }
    }

    /// The sums of a fold that was begun with [`Fold::summing`].
    #[must_use]
    pub fn into_sums(mut self) -> Option<RowSums> {
        self.maker.settle(&mut self.pending, &Nothing);
        self.pending.into_sums()
    }

    pub(crate) fn into_picked(mut self) -> Option<Picked> {
        self.maker.settle(&mut self.pending, &Nothing);
        self.pending.into_picked()
    }

    /// Adds the changes of the next record.
    ///
    /// # Errors
    /// [`ViewError::Gap`] when another record comes next, [`ViewError::BadChanges`] when the changes
    /// contradict each other; the fold stays as it was.
    pub fn push(&mut self, changes: &Changes) -> Result<(), ViewError> {
        self.maker.check_next(std::slice::from_ref(changes))?;
        self.maker.push(changes, &mut self.pending, &Nothing)
    }

    /// The last record.
    #[must_use]
    pub const fn applied(&self) -> Option<Applied> {
        self.maker.meta.applied
    }

    /// How many rows views have there.
    pub fn rows(&mut self) -> u64 {
        self.maker.settle(&mut self.pending, &Nothing);
        self.maker.meta.rows
    }

    /// The digest that views have there.
    pub fn digest(&mut self) -> ViewDigest {
        self.maker.settle(&mut self.pending, &Nothing);
        self.maker.meta.digest()
    }
}
