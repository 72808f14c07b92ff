//! Owns the one error of this crate.

use std::fmt;

/// What kind of thing went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ServerErrorKind {
    /// What was asked for cannot be meant.
    Invalid,
    /// Another process has it, or the system refuses.
    Unavailable,
    /// Stored bytes are damaged or were changed.
    Damaged,
}

/// Why a witness does not run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerError {
    kind: ServerErrorKind,
    message: String,
}

impl ServerError {
    pub(crate) fn new(kind: ServerErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }

    /// What kind of thing went wrong.
    #[must_use]
    pub const fn kind(&self) -> ServerErrorKind {
        self.kind
    }
}

impl fmt::Display for ServerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ServerError {}
