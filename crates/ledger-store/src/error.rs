//! Owns the one error of this crate: what happened, where, and what to do next.
//!
//! May not: decide an exit code; [`StoreError::class`] is what callers decide by.

use std::fmt;
use std::path::PathBuf;

use ledger_format::{BatchNo, Digest16, FormatError, LedgerId, PayloadId, Seq};

use crate::storage::{LockError, Op, RelPath, StorageError};

/// Why the store did not do what it was asked.
#[derive(Debug)]
#[non_exhaustive]
pub enum StoreError {
    /// The storage failed.
    Storage(StorageError),
    /// Another opener holds the ledger.
    Busy {
        /// The lock file.
        path: PathBuf,
        /// The holder's process, if it said so.
        pid: Option<u32>,
    },
    /// There is no ledger here.
    NotALedger {
        /// What is missing.
        missing: String,
    },
    /// There is a ledger here already.
    AlreadyThere {
        /// What was found.
        file: RelPath,
    },
    /// Stored bytes are not what they should be.
    Damaged(Box<Damage>),
    /// The log ends below what the anchor says was acknowledged.
    Lost(Box<Lost>),
    /// A copy of the head anchor cannot be read, so nothing may be written.
    AnchorDamaged {
        /// The copy.
        file: RelPath,
        /// What is wrong with it.
        reason: String,
    },
    /// A file belongs to another ledger.
    Foreign {
        /// The file.
        file: RelPath,
        /// This ledger.
        expected: LedgerId,
        /// The ledger the file names.
        found: LedgerId,
    },
    /// A file was written by a version that this program does not read.
    Unsupported {
        /// The file.
        file: RelPath,
        /// Where.
        offset: u64,
        /// What it does not read.
        what: FormatError,
    },
    /// What the caller handed in cannot be encoded.
    Format(FormatError),
    /// The batch would pass a limit: commit it and begin another one.
    TooLarge {
        /// Records the batch would have.
        records: usize,
        /// Bytes the batch would have, payloads included.
        bytes: u64,
        /// Whether the batch was empty before, so that no other batch can take it either.
        alone: bool,
    },
    /// The caller broke a rule of this interface; nothing was written.
    Invalid {
        /// Which rule.
        what: &'static str,
    },
    /// There is no such record at or below the head.
    NoRecord {
        /// The record asked for.
        seq: Seq,
        /// The head, if there is one.
        head: Option<Seq>,
    },
    /// A write failed, this one or an earlier one, and it is unknown what reached the medium.
    Poisoned {
        /// What failed.
        cause: String,
    },
    /// The master key is not the one of this ledger.
    WrongMaster {
        /// The key file that says so.
        file: RelPath,
        /// Check value of the ledger's master key.
        expected: Digest16,
        /// Check value of the key that was given.
        found: Digest16,
    },
    /// A master key is needed and none was given.
    NoMaster,
    /// A key page is masked by another master key than those given.
    RotationUnfinished {
        /// Number of the page.
        page: u64,
    },
    /// A source of the master key holds something else than a key, or cannot be used.
    MasterSource {
        /// Which source: a variable, a file, a command.
        place: String,
        /// What is wrong with it and what to do.
        what: String,
    },
    /// `ledger.toml` is not what this program writes, or contradicts record 0.
    Config {
        /// The line, where there is one; the first is 1.
        line: Option<usize>,
        /// What is wrong, as a clause.
        what: String,
    },
    /// A slot outside the key file.
    NoSuchSlot {
        /// The slot.
        slot: PayloadId,
        /// Slots in the file.
        slots: u64,
    },
    /// The system gave no random bytes.
    Random {
        /// What it said.
        what: String,
    },
}

/// Stored bytes that are not what they should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// The file.
    pub file: RelPath,
    /// Where in it, in bytes from its start.
    pub offset: u64,
    /// The record, or the first one of what is damaged, if that can be told.
    pub seq: Option<Seq>,
    /// What is damaged.
    pub what: &'static str,
    /// What should be there.
    pub expected: String,
    /// What is there.
    pub found: String,
}

/// Acknowledged records that are gone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lost {
    /// The file in which the log ends.
    pub file: RelPath,
    /// Where it ends in it.
    pub offset: u64,
    /// The last record that is there, if any.
    pub found: Option<Seq>,
    /// The last record that was acknowledged for certain.
    pub anchored: Seq,
    /// The batch that held it.
    pub batch: BatchNo,
}

/// What kind of failure an error is, for exit codes and for what to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Class {
    /// Stored bytes are not what they should be.
    Damaged,
    /// Acknowledged records are gone.
    Lost,
    /// Another process holds the ledger.
    Busy {
        /// Its id, if it said so.
        pid: Option<u32>,
    },
    /// There is no ledger.
    NotALedger,
    /// The file system takes no writes.
    ReadOnly,
    /// The disk is full.
    NoSpace,
    /// The storage failed otherwise.
    Io,
    /// The caller broke a rule.
    Invalid,
    /// A write failed and its outcome is unknown: reopen.
    Poisoned,
    /// Written by a version that this program does not read.
    Unsupported,
    /// Nothing is known to be wrong, but what is needed to check it was not given.
    CannotCheck,
}

impl StoreError {
    /// What kind of failure this is.
    #[must_use]
    pub fn class(&self) -> Class {
        match self {
            Self::Storage(error) if error.is_no_space() => Class::NoSpace,
            Self::Storage(error) if error.is_read_only() => Class::ReadOnly,
            // The lock holds nothing that could be damaged.
            Self::Storage(error) if error.is_misplaced() && error.op != Op::TryLock => {
                Class::Damaged
            }
            Self::Storage(_) => Class::Io,
            Self::Busy { pid, .. } => Class::Busy { pid: *pid },
            Self::NotALedger { .. } => Class::NotALedger,
            Self::Damaged(_)
            | Self::AnchorDamaged { .. }
            | Self::Foreign { .. }
            | Self::Config { .. } => Class::Damaged,
            Self::WrongMaster { .. }
            | Self::NoMaster
            | Self::RotationUnfinished { .. }
            | Self::MasterSource { .. } => Class::CannotCheck,
            Self::Random { .. } => Class::Io,
            Self::Lost(_) => Class::Lost,
            Self::Unsupported { .. } => Class::Unsupported,
            Self::AlreadyThere { .. }
            | Self::Format(_)
            | Self::TooLarge { .. }
            | Self::Invalid { .. }
            | Self::NoRecord { .. }
            | Self::NoSuchSlot { .. } => Class::Invalid,
            Self::Poisoned { .. } => Class::Poisoned,
        }
    }

    pub(crate) fn damaged(
        file: &RelPath,
        offset: u64,
        seq: Option<Seq>,
        what: &'static str,
        expected: impl fmt::Display,
        found: impl fmt::Display,
    ) -> Self {
        Self::Damaged(Box::new(Damage {
            file: file.clone(),
            offset,
            seq,
            what,
            expected: expected.to_string(),
            found: found.to_string(),
        }))
    }

    /// Bytes that do not decode where `what` must begin. A version that is not known is not damage.
    pub(crate) fn undecodable(
        file: &RelPath,
        offset: u64,
        seq: Option<Seq>,
        what: &'static str,
        error: FormatError,
    ) -> Self {
        match error {
            FormatError::UnsupportedVersion { .. } => {
                Self::Unsupported { file: file.clone(), offset, what: error }
            }
            error => Self::damaged(file, offset, seq, what, what, error),
        }
    }
}

impl StoreError {
    /// The texts of the errors about keys and `ledger.toml`.
    fn fmt_keys(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WrongMaster { file, expected, found } => write!(
                f,
                "the master key is not the one of this ledger: {file} asks for the key with check \
                 value {expected}, the one given has {found}; give the right one to read content"
            ),
            Self::NoMaster => f.write_str(
                "no master key was found: set MEMLEDGER_MASTER_KEY, MEMLEDGER_MASTER_KEY_FILE or \
                 MEMLEDGER_MASTER_KEY_COMMAND, or put the key file back where `init` said it lies",
            ),
            Self::RotationUnfinished { page } => write!(
                f,
                "key page {page} is masked by another master key: a rotation was not finished; \
                 run it again with both keys"
            ),
            Self::MasterSource { place, what } => write!(f, "{place}: {what}"),
            Self::Config { line: Some(line), what } => write!(f, "ledger.toml line {line}: {what}"),
            Self::Config { line: None, what } => write!(f, "ledger.toml: {what}"),
            Self::NoSuchSlot { slot, slots } => {
                write!(f, "there is no key slot {slot}: the key files hold {slots} slots")
            }
            Self::Random { what } => write!(f, "the system gave no random bytes: {what}"),
            _ => f.write_str("an error of another kind"),
        }
    }

    /// The texts of what the caller did.
    fn fmt_caller(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge { records, bytes, alone } => {
                write!(f, "a batch of {records} records and {bytes} bytes is too large; ")?;
                f.write_str(if *alone { "make it smaller" } else { "begin another batch" })
            }
            Self::Invalid { what } => f.write_str(what),
            Self::NoRecord { seq, head: Some(head) } => {
                write!(f, "there is no record {seq}: the log ends at {head}")
            }
            Self::NoRecord { seq, head: None } => {
                write!(f, "there is no record {seq}: the log is empty")
            }
            _ => f.write_str("an error of another kind"),
        }
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WrongMaster { .. }
            | Self::NoMaster
            | Self::RotationUnfinished { .. }
            | Self::MasterSource { .. }
            | Self::Config { .. }
            | Self::NoSuchSlot { .. }
            | Self::Random { .. } => self.fmt_keys(f),
            Self::Storage(error) if error.is_no_space() => {
                write!(f, "{error}; nothing was recorded: free some space and try again")
            }
            Self::Storage(error) if error.is_misplaced() => write!(
                f,
                "{error}; something else lies where a part of the ledger belongs: move it away, and \
                 put the right one back from a copy (a lock is made anew)"
            ),
            Self::Storage(error) => error.fmt(f),
            Self::Busy { path, pid } => LockError::Held { path: path.clone(), pid: *pid }.fmt(f),
            Self::NotALedger { missing } => {
                write!(f, "there is no ledger here: {missing}; name its directory or make one")
            }
            Self::AlreadyThere { file } => write!(
                f,
                "there is a ledger here already: {file} exists; open it or choose another directory"
            ),
            Self::Damaged(damage) => damage.fmt(f),
            Self::Lost(lost) => lost.fmt(f),
            Self::AnchorDamaged { file, reason } => write!(
                f,
                "{file} cannot be read: {reason}; the ledger is not opened until it is repaired \
                 (`repair anchor`, if the other copy is whole; the archive can be read up to that one)"
            ),
            Self::Foreign { file, expected, found } => write!(
                f,
                "{file} belongs to ledger {found}, this one is {expected}; put the right file back"
            ),
            Self::Unsupported { file, offset, what } => {
                write!(f, "{file} at byte {offset}: {what}; use a newer program")
            }
            Self::Format(error) => error.fmt(f),
            Self::TooLarge { .. } | Self::Invalid { .. } | Self::NoRecord { .. } => {
                self.fmt_caller(f)
            }
            Self::Poisoned { cause } => write!(
                f,
                "a write failed ({cause}) and its outcome is unknown; close the ledger and open it \
                 again"
            ),
        }
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}: {} is damaged", self.file, self.offset, self.what)?;
        if let Some(seq) = self.seq {
            write!(f, " (record {seq})")?;
        }
        write!(
            f,
            ": expected {}, found {}; restore the file from a backup, or run verify to see how far \
             the damage goes",
            self.expected, self.found
        )
    }
}

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ends at byte {}", self.file, self.offset)?;
        match self.found {
            Some(seq) => write!(f, " with record {seq}")?,
            None => f.write_str(" without a record")?,
        }
        write!(
            f,
            ", but record {} in batch {} was acknowledged: acknowledged records are lost; restore \
             the log from a backup before writing",
            self.anchored, self.batch
        )
    }
}

impl std::error::Error for StoreError {
    /// The message already contains that of the cause, so the chain goes on below it.
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Storage(error) => error.source(),
            _ => None,
        }
    }
}

impl From<StorageError> for StoreError {
    fn from(error: StorageError) -> Self {
        Self::Storage(error)
    }
}

impl From<LockError> for StoreError {
    fn from(error: LockError) -> Self {
        match error {
            LockError::Held { path, pid } => Self::Busy { path, pid },
            LockError::Storage(error) => Self::Storage(error),
        }
    }
}

impl From<FormatError> for StoreError {
    fn from(error: FormatError) -> Self {
        Self::Format(error)
    }
}
