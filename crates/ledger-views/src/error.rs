//! Owns the one error of this crate, and the reason why a row does not read.

use std::fmt;
use std::path::PathBuf;

use ledger_format::{FormatError, Seq};
use ledger_replay::DecodeError;

use crate::group::Group;

/// Why the views did not do what they were asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ViewError {
    /// The rows cannot be relied on: drop these views and rebuild them from the log.
    Doubt {
        /// What was being done.
        doing: &'static str,
        /// The key of the row, in hexadecimal; empty when it is about no single row.
        row: String,
        /// What went wrong.
        found: String,
    },
    /// The changes do not continue where the views stand. Nothing was applied.
    Gap {
        /// The record that would come next.
        expected: Seq,
        /// The record that came.
        found: Seq,
    },
    /// The question is about a record that the views have not reached.
    NotReached {
        /// The record asked about.
        asked: Seq,
        /// The last record applied, if one is.
        applied: Option<Seq>,
    },
    /// The views do not keep who was live in groups like this one.
    NoLiveSet {
        /// The group asked about.
        group: Group,
    },
    /// The changes of one record contradict each other. Nothing of its call counts as applied.
    BadChanges {
        /// The record.
        seq: Seq,
        /// What is wrong.
        what: &'static str,
    },
    /// A file or directory of the views could not be read or written.
    File {
        /// What was being done.
        doing: &'static str,
        /// With which file or directory.
        path: PathBuf,
        /// What the system said.
        found: String,
    },
}

impl fmt::Display for ViewError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Doubt { doing, row, found } if row.is_empty() => {
                write!(f, "the views are in doubt while {doing}: {found}")
            }
            Self::Doubt { doing, row, found } => {
                write!(f, "the views are in doubt while {doing}, row {row}: {found}")
            }
            Self::Gap { expected, found } => {
                write!(f, "the views expect record {expected}, record {found} came")
            }
            Self::NotReached { asked, applied: Some(applied) } => {
                write!(f, "the views stand at record {applied}, record {asked} was asked for")
            }
            Self::NotReached { asked, applied: None } => {
                write!(f, "the views are empty, record {asked} was asked for")
            }
            Self::NoLiveSet { group } => {
                write!(f, "the views keep no live members for groups like {group:?}")
            }
            Self::BadChanges { seq, what } => {
                write!(f, "the changes of record {seq} contradict each other: {what}")
            }
            Self::File { doing, path, found } => {
                write!(f, "{doing} {} failed: {found}", path.display())
            }
        }
    }
}

impl std::error::Error for ViewError {}

impl ViewError {
    pub(crate) fn doubt(doing: &'static str, found: impl fmt::Display) -> Self {
        Self::Doubt { doing, row: String::new(), found: found.to_string() }
    }
}

/// Why a row does not read: the caller adds which row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Broken(pub(crate) &'static str);

impl Broken {
    pub(crate) fn at(self, key: &[u8]) -> ViewError {
        ViewError::Doubt { doing: "reading", row: hex(key), found: self.0.to_owned() }
    }
}

impl From<FormatError> for Broken {
    fn from(error: FormatError) -> Self {
        Self(error.name())
    }
}

impl From<DecodeError> for Broken {
    fn from(_: DecodeError) -> Self {
        Self("its value does not decode")
    }
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
