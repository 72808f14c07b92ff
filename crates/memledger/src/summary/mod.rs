//! Summaries: what they cover, whether it still stands, and the way back to an earlier generation.
//!
//! Owns the view of a summary over what it was made from. Invariants: what is pinned among it survives in
//! the words of the summary, or the summary is refused; an answer about the past comes from the raw
//! archive, so a summary leads to its raw messages at any basis. May not: make a summary.

mod admit;
mod change;
mod expand;

use ledger_format::names::SummaryPhase;
use ledger_format::{BodyType, Event, MemoryId};
use ledger_replay::Status;

pub use self::change::SummaryChange;
pub use self::expand::{Expanded, Leaf};
use crate::answer::Item;
use crate::body::ids;
use crate::error::{Error, ErrorKind, Result};
use crate::read::Snapshot;

/// A summary held against what it was made from.
#[derive(Clone, Debug, PartialEq)]
pub struct SummaryCheck {
    /// The summary.
    pub item: Item,
    /// Its phase; none: never checked on record.
    pub phase: Option<SummaryPhase>,
    /// How many memories it covers.
    pub covered: usize,
    /// How many of them it says are pinned.
    pub pinned: usize,
    /// What does not stand any more.
    pub drift: Vec<Drift>,
}

/// One covered memory that the summary no longer speaks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drift {
    /// The memory.
    pub id: MemoryId,
    /// What became of it.
    pub what: DriftKind,
    /// Whether the summary says that it has to survive.
    pub pinned: bool,
    /// What took its place.
    pub by: Option<MemoryId>,
}

/// What became of a covered memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DriftKind {
    /// It was replaced by another.
    Changed,
    /// It does not hold any more.
    Closed,
    /// It was taken out of every ordinary read.
    Forgotten,
    /// Its content is destroyed.
    Erased,
    /// It is contradicted.
    Contested,
    /// What it was made from has changed.
    Stale,
    /// The words of a pinned memory are not in the summary.
    Dropped,
    /// It is not known at this basis.
    Unknown,
}

impl DriftKind {
    /// The word used in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Changed => "changed",
            Self::Closed => "closed",
            Self::Forgotten => "forgotten",
            Self::Erased => "erased",
            Self::Contested => "contested",
            Self::Stale => "stale",
            Self::Dropped => "dropped",
            Self::Unknown => "unknown",
        }
    }
}

impl Snapshot<'_> {
    /// Holds a summary against what it covers, as it stood. Costs a look at each covered memory.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] and [`ErrorKind::Invalid`] when it is no summary; otherwise when a record or
    /// payload it needs cannot be read.
    pub fn check_summary(&self, id: &MemoryId) -> Result<SummaryCheck> {
        let item = self.summary(id)?;
        let pinned = pinned_in(&item);
        let mut drift = Vec::new();
        for covered in &item.derived_from {
            let is_pinned = pinned.contains(covered);
            let one = |what, by| Drift { id: *covered, what, pinned: is_pinned, by };
            let Some(source) = self.get(covered)? else {
                drift.push(one(DriftKind::Unknown, None));
                continue;
            };
            let by = source.closed.as_ref().and_then(|closed| closed.superseded_by);
            drift.extend(drifted(&source).map(|what| one(what, by)));
        }
        for id in &pinned {
            let Some(source) = self.get(id)? else { continue };
            if source.status.in_force() && !admit::survives(&source, &item) {
                drift.push(Drift { id: *id, what: DriftKind::Dropped, pinned: true, by: None });
            }
        }
        let (covered, pinned) = (item.derived_from.len(), pinned.len());
        Ok(SummaryCheck { phase: self.summary_phase(id)?, item, covered, pinned, drift })
    }

    pub(crate) fn summary(&self, id: &MemoryId) -> Result<Item> {
        let item = self.get(id)?.ok_or_else(|| {
            Error::new(ErrorKind::NotFound, format!("there is no memory {}", id.hyphenated()))
        })?;
        if item.body_type == BodyType::Summary {
            return Ok(item);
        }
        Err(Error::invalid(format!(
            "memory {} is a {} and no summary",
            id.hyphenated(),
            item.body_type
        )))
    }

    /// The last phase that a record gave a summary.
    fn summary_phase(&self, id: &MemoryId) -> Result<Option<SummaryPhase>> {
        let Some(birth) = self.past().birth(id)? else { return Ok(None) };
        for life in self.past().versions(birth.seq)?.iter().rev() {
            if let Event::SummaryState(summary) = self.vault.load(life.since)?.event.event {
                return Ok(Some(summary.phase));
            }
        }
        Ok(None)
    }
}

fn drifted(source: &Item) -> Option<DriftKind> {
    let by = source.closed.as_ref().and_then(|closed| closed.superseded_by);
    match source.status {
        Status::Closed if by.is_some() => Some(DriftKind::Changed),
        Status::Closed => Some(DriftKind::Closed),
        Status::Forgotten => Some(DriftKind::Forgotten),
        Status::Erased => Some(DriftKind::Erased),
        Status::Contested => Some(DriftKind::Contested),
        _ if source.stale => Some(DriftKind::Stale),
        // What ran out or waits was true as far as the summary says it.
        _ => None,
    }
}

/// The memories that a summary says have to survive in it.
fn pinned_in(item: &Item) -> Vec<MemoryId> {
    item.body.as_ref().map_or_else(Vec::new, |body| ids(body, "pinned"))
}
