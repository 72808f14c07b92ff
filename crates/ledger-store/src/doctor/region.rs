//! Owns the words of a map: files, and regions that lie end to end in them.

use std::fmt;

use ledger_format::Seq;

use crate::storage::RelPath;

/// Regions kept of one file; what lies beyond is one region.
const MOST: usize = 1_000;

/// What is known about a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum RegionState {
    /// As it should be.
    Whole,
    /// Zeros: written ahead, or released.
    Zeros,
    /// Not a part of the format: views, quarantine, the lock, files of others.
    Outside,
    /// An unfinished write at the end, never acknowledged.
    Unfinished,
    /// It cannot be told what it is.
    Unknown,
    /// Not as it should be.
    Damaged,
}

impl RegionState {
    /// The word for it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Whole => "whole",
            Self::Zeros => "zeros",
            Self::Outside => "outside",
            Self::Unfinished => "unfinished",
            Self::Unknown => "unknown",
            Self::Damaged => "damaged",
        }
    }
}

/// Bytes of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// First byte.
    pub from: u64,
    /// The byte after the last one: where what follows begins.
    pub to: u64,
    /// What is known about it.
    pub state: RegionState,
    /// What it is, or what is wrong with it.
    pub what: String,
    /// The records that lie in it or whose payloads do, the first and the last, as far as known.
    pub records: Option<(Seq, Seq)>,
}

/// One file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileMap {
    /// Its path; of a directory that cannot be read, that of the directory.
    pub file: RelPath,
    /// Its length in bytes.
    pub length: u64,
    /// Its regions, end to end.
    pub regions: Vec<Region>,
    /// Why nothing is known about it.
    pub unread: Option<String>,
}

impl FileMap {
    pub(super) const fn new(file: RelPath, length: u64) -> Self {
        Self { file, length, regions: Vec::new(), unread: None }
    }

    pub(super) fn unread(file: &RelPath, error: &dyn fmt::Display) -> Self {
        Self { unread: Some(error.to_string()), ..Self::new(file.clone(), 0) }
    }

    /// What remains of a file that could not be read to its end.
    pub(super) fn stopped(mut self, error: &dyn fmt::Display) -> Self {
        let from = self.end();
        let length = self.length;
        self.push(from, length, RegionState::Unknown, "bytes that cannot be read", None);
        self.unread = Some(error.to_string());
        self
    }

    /// Where the next region begins.
    pub(super) fn end(&self) -> u64 {
        self.regions.last().map_or(0, |last| last.to)
    }

    /// Adds the region up to `to`, which begins where the last one ended. Regions of one kind that
    /// touch become one.
    pub(super) fn push(
        &mut self,
        from: u64,
        to: u64,
        state: RegionState,
        what: impl Into<String>,
        records: Option<(Seq, Seq)>,
    ) {
        let to = to.min(self.length);
        let from = from.max(self.end());
        if to <= from {
            return;
        }
        let what = what.into();
        let full = self.regions.len() >= MOST;
        if let Some(last) = self.regions.last_mut()
            && ((last.state == state && last.what == what) || full)
        {
            last.to = to;
            last.state = last.state.max(state);
            last.records = match (last.records, records) {
                (Some((first, _)), Some((_, end))) => Some((first, end)),
                (one, other) => one.or(other),
            };
            if full {
                "more regions than are told apart".clone_into(&mut last.what);
            }
            return;
        }
        self.regions.push(Region { from, to, state, what, records });
    }

    /// The regions that are not as they should be.
    pub fn damaged(&self) -> impl Iterator<Item = &Region> {
        self.regions.iter().filter(|region| region.state == RegionState::Damaged)
    }

    /// How bad the worst region is.
    #[must_use]
    pub fn worst(&self) -> Option<RegionState> {
        let regions = self.regions.iter().map(|region| region.state);
        regions.chain(self.unread.as_ref().map(|_| RegionState::Unknown)).max()
    }
}
