//! Owns what can be wrong with a batch, before it is known what that means.
//!
//! Invariant: a fault that an incomplete write can leave is [`FaultKind::Torn`], and every other
//! one is not. Recovery drops the first and refuses the second; readers refuse both.

use std::fmt;

use ledger_format::{FormatError, Seq};

use crate::error::StoreError;
use crate::storage::RelPath;

/// What may have caused a fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FaultKind {
    /// A write that did not finish can leave this, and so can damage.
    Torn,
    /// Only damage or tampering leaves this: the bytes are whole and say something wrong.
    Broken,
    /// Whole, and of a version that is not known.
    Unsupported(FormatError),
}

/// What is wrong with a batch.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    pub(crate) kind: FaultKind,
    /// Where, in bytes from the start of the batch.
    pub(crate) at: u64,
    pub(crate) seq: Option<Seq>,
    pub(crate) what: &'static str,
    pub(crate) expected: Box<str>,
    pub(crate) found: Box<str>,
}

impl Fault {
    pub(crate) fn torn(
        what: &'static str,
        expected: impl fmt::Display,
        found: impl fmt::Display,
    ) -> Self {
        Self {
            kind: FaultKind::Torn,
            at: 0,
            seq: None,
            what,
            expected: expected.to_string().into(),
            found: found.to_string().into(),
        }
    }

    pub(crate) fn broken(
        what: &'static str,
        expected: impl fmt::Display,
        found: impl fmt::Display,
    ) -> Self {
        Self { kind: FaultKind::Broken, ..Self::torn(what, expected, found) }
    }

    /// Bytes that do not decode. Bad magic, a failing check and missing bytes are what a write that
    /// did not finish leaves; behind a check that holds, nothing is torn.
    pub(crate) fn undecodable(what: &'static str, error: FormatError) -> Self {
        let kind = match error {
            FormatError::Truncated { .. }
            | FormatError::BadMagic { .. }
            | FormatError::CheckMismatch { .. } => FaultKind::Torn,
            FormatError::UnsupportedVersion { .. } => FaultKind::Unsupported(error.clone()),
            _ => FaultKind::Broken,
        };
        Self { kind, ..Self::torn(what, what, error) }
    }

    pub(crate) fn at(self, at: u64, seq: Seq) -> Self {
        Self { at, seq: Some(seq), ..self }
    }

    /// The error for a batch that begins at `offset` of `file`; `next` is the record that should
    /// come first in it.
    pub(crate) fn into_error(self, file: &RelPath, offset: u64, next: Seq) -> StoreError {
        let at = offset.saturating_add(self.at);
        match self.kind {
            FaultKind::Unsupported(what) => {
                StoreError::Unsupported { file: file.clone(), offset: at, what }
            }
            FaultKind::Torn | FaultKind::Broken => StoreError::damaged(
                file,
                at,
                Some(self.seq.unwrap_or(next)),
                self.what,
                self.expected,
                self.found,
            ),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: expected {}, found {}", self.what, self.expected, self.found)
    }
}
