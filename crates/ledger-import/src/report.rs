//! Owns what an import tells its caller: how far it is, and what became of every row.
//!
//! Invariant: every row read is counted in exactly one of `appended`, `present`, `unchanged` and
//! `refused`.

use std::path::PathBuf;

/// What became of the rows of one import.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImportReport {
    /// Rows that were recorded now.
    pub appended: u64,
    /// Rows that an earlier run, or an equal row, had recorded already.
    pub present: u64,
    /// Rows that say what was known already: nothing to record.
    pub unchanged: u64,
    /// Rows that were not taken. Each is in the quarantine file with its reason, but for those whose
    /// words were forgotten or erased here.
    pub refused: u64,
    /// The quarantine file, where one had to be written.
    pub quarantine: Option<PathBuf>,
    /// Documents that were looked at.
    pub documents: u64,
    /// What the caller should know beside the numbers, in full sentences.
    pub notes: Vec<String>,
}

impl ImportReport {
    /// Rows read in all.
    #[must_use]
    pub const fn rows(&self) -> u64 {
        self.appended + self.present + self.unchanged + self.refused
    }

    pub(crate) fn note(&mut self, note: impl Into<String>) {
        let note = note.into();
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }
}

/// How far an import is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress<'a> {
    /// Rows done.
    pub done: u64,
    /// Rows there are, where that is known.
    pub total: Option<u64>,
    /// What is being read.
    pub what: &'a str,
}
