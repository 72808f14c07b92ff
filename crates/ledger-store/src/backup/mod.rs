//! Owns backups as files: taking one beside a holder, what a backup directory is, and copying one
//! into the place of a ledger.
//!
//! A backup is a ledger directory without views, cut at a durable head, with `backup.toml` that names
//! every file, its length and its digest.
//!
//! Invariants:
//! - The ledger that is backed up is only read.
//! - A backup directory holds at every moment a whole backup, or none and says so: new files wait
//!   beside their places until all of them are durable and were checked, and the manifest of the new
//!   backup takes effect before the first of them is moved.
//! - A backup of another ledger, of a later head or of another history is never written over.
//! - A restored directory is a ledger only when everything is in it: `ledger.toml` comes last.
//!
//! May not: decode events, know what is erased, or append to the log (its caller does).

mod content;
mod directory;
mod manifest;
mod restore;
mod select;
mod stage;
mod take;
mod view;

use std::fmt;

use ledger_format::{LedgerId, Seq};

pub use self::directory::{BACKUP_FILE, Found, find};
pub use self::manifest::{FileEntry, Manifest};
pub use self::restore::{RESTORE_FILE, Restore, unfinished_restore};
pub use self::take::{Accept, TakeOptions, Taken, take};
pub use self::view::BackupView;

use crate::error::StoreError;
use crate::storage::StorageError;

/// How much was done with the files of a backup.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Copied {
    /// Files written.
    pub files: u64,
    /// Bytes in them.
    pub bytes: u64,
    /// Files that were there already, read and found to be the same.
    pub kept: u64,
    /// Bytes in them.
    pub kept_bytes: u64,
}

/// Why a backup was not taken or not used. Nothing that was there is changed.
#[derive(Debug)]
#[non_exhaustive]
pub enum BackupError {
    /// The store or the disk says so.
    Store(StoreError),
    /// The directory holds something that is no backup: what.
    Occupied(String),
    /// The directory holds a backup of another ledger.
    Foreign {
        /// Whose it is.
        found: LedgerId,
    },
    /// The directory holds a backup that ends later than the ledger does.
    Newer {
        /// Its last record.
        backup: Seq,
        /// The last record of the ledger.
        ledger: Seq,
    },
    /// The directory holds a backup of the same ledger with another history.
    OtherHistory {
        /// The last record of that backup, which is another one in the ledger.
        seq: Seq,
    },
    /// There is no whole backup: why.
    NoBackup(String),
    /// A file of the backup is not what its manifest says, or the manifest is damaged.
    Damaged {
        /// The file.
        file: String,
        /// What is wrong with it.
        what: String,
    },
    /// The manifest was written by a later version.
    Unsupported(String),
    /// The ledger has no record yet.
    Empty,
    /// The ledger changed under the copy more often than is waited for: what changed.
    Restless(&'static str),
}

impl From<StoreError> for BackupError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<StorageError> for BackupError {
    fn from(error: StorageError) -> Self {
        Self::Store(error.into())
    }
}

impl fmt::Display for BackupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Store(error) => error.fmt(f),
            Self::Occupied(what) => write!(f, "it holds {what}"),
            Self::Foreign { found } => write!(f, "it holds a backup of another ledger, {found}"),
            Self::Newer { backup, ledger } => write!(
                f,
                "it holds a newer backup: that ends with record {backup}, the ledger with record {ledger}"
            ),
            Self::OtherHistory { seq } => write!(
                f,
                "it holds a backup of another history: its record {seq} is not the one of this ledger"
            ),
            Self::NoBackup(why) => write!(f, "it holds no whole backup: {why}"),
            Self::Damaged { file, what } => write!(f, "{file} of the backup is damaged: {what}"),
            Self::Unsupported(what) => f.write_str(what),
            Self::Empty => f.write_str("the ledger holds no record yet"),
            Self::Restless(what) => write!(f, "{what} kept changing while it was copied"),
        }
    }
}

impl std::error::Error for BackupError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Store(error) => Some(error),
            _ => None,
        }
    }
}
