//! Owns the one error that callers see: a kind that tells what to do next, and a message that says
//! what happened, where, and what to do.

use std::fmt;

use ledger_replay::DecodeError;
use ledger_store::{Class, StoreError};
use ledger_views::ViewError;

use crate::civil::CivilError;

/// What a caller can do about an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The request is wrong: change it.
    Invalid,
    /// Nothing was found.
    NotFound,
    /// The policy says no: nothing was written.
    Refused,
    /// The ledger stands differently than the request assumes: read again, then decide.
    Conflict,
    /// Not now or not here: another process holds the ledger, the disk is full, a key is missing.
    Unavailable,
    /// Cannot be told with what is at hand (a key, a proof, a known event kind is missing).
    Unproven,
    /// Stored bytes are damaged or were changed.
    Damaged,
    /// A hold forbids it.
    Held,
}

/// An error of the ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    message: String,
}

/// Result of a ledger call.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }

    /// An error of the caller's own making, for front ends that refuse a request themselves.
    #[must_use]
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Invalid, message)
    }

    /// What can be done about it.
    #[must_use]
    pub const fn kind(&self) -> ErrorKind {
        self.kind
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

impl From<CivilError> for Error {
    fn from(error: CivilError) -> Self {
        Self::new(ErrorKind::Invalid, error.to_string())
    }
}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Self {
        let kind = match error.class() {
            Class::Damaged | Class::Lost => ErrorKind::Damaged,
            Class::NotALedger | Class::Invalid => ErrorKind::Invalid,
            Class::CannotCheck | Class::Unsupported => ErrorKind::Unproven,
            Class::NoSpace => {
                let message = format!("the disk is full ({error}); free some room, then try again");
                return Self::new(ErrorKind::Unavailable, message);
            }
            _ => ErrorKind::Unavailable,
        };
        Self::new(kind, error.to_string())
    }
}

impl From<ViewError> for Error {
    fn from(error: ViewError) -> Self {
        Self::new(
            ErrorKind::Unavailable,
            format!(
                "the views cannot be used ({error}); run `memledger rebuild`, or read with --from-archive"
            ),
        )
    }
}

impl From<DecodeError> for Error {
    fn from(error: DecodeError) -> Self {
        Self::new(ErrorKind::Unavailable, error.to_string())
    }
}

impl From<ledger_format::FormatError> for Error {
    fn from(error: ledger_format::FormatError) -> Self {
        Self::new(ErrorKind::Invalid, error.to_string())
    }
}
