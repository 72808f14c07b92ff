//! Owns signed statements: a note whose first line says what kind of statement it is, so that no
//! statement passes for a checkpoint and no checkpoint for a statement.
//!
//! Invariants: one signature by the ledger at least; the body is what was signed, byte for byte. May
//! not: know what a statement means.

use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use core::fmt;

use crate::error::ProofError;
use crate::key::{KeyKind, LedgerKey, VerifierKey};
use crate::note::{Note, SignatureLine};

const WHAT: &str = "signed statement";

/// Lines of text that a ledger has signed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement(Note);

impl Statement {
    /// Signs one line as a statement of a kind. A kind has a space in it, which no origin has.
    ///
    /// # Errors
    /// [`ProofError::Malformed`] where kind or line cannot be a line of a note, or the origin cannot
    /// name a key; [`ProofError::TooLarge`].
    pub fn sign(kind: &str, line: &str, origin: &str, key: &LedgerKey) -> Result<Self, ProofError> {
        if kind.contains('\n') || !kind.contains(' ') || line.contains('\n') {
            return Err(malformed("a kind of several words and a body, each in one line"));
        }
        let text = format!("{kind}\n{line}\n");
        let name = key.verifier(origin, KeyKind::Note)?;
        let signature = key.sign(text.as_bytes()).to_vec();
        let line = SignatureLine::new(origin, name.id(), signature)?;
        Ok(Self(Note::new(text, Vec::from([line]))?))
    }

    /// Parses a statement of a kind.
    ///
    /// # Errors
    /// [`ProofError::Malformed`] or [`ProofError::TooLarge`].
    pub fn parse(kind: &str, bytes: &[u8]) -> Result<Self, ProofError> {
        let statement = Self(Note::parse(bytes)?);
        let mut lines = statement.0.text().split('\n');
        let is_one = lines.next() == Some(kind)
            && lines.next().is_some_and(|body| !body.is_empty())
            && lines.next() == Some("")
            && lines.next().is_none();
        if is_one { Ok(statement) } else { Err(malformed("not a statement of this kind")) }
    }

    /// The line that was signed.
    #[must_use]
    pub fn body(&self) -> &str {
        self.0.text().split('\n').nth(1).unwrap_or_default()
    }

    /// The key among `keys` that signed it.
    ///
    /// # Errors
    /// [`ProofError::BadSignature`] where a signature names one of the keys and is not by it,
    /// [`ProofError::UnknownKey`] where none does.
    pub fn verify<'k>(&self, keys: &'k [VerifierKey]) -> Result<&'k VerifierKey, ProofError> {
        let mut found = None;
        for key in keys {
            if key.has_signed(&self.0)? {
                found = found.or(Some(key));
            }
        }
        found.ok_or_else(|| {
            let keys: Vec<String> = keys.iter().map(|key| key.to_string()).collect();
            ProofError::UnknownKey { wanted: keys.join(", ") }
        })
    }
}

impl fmt::Display for Statement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

const fn malformed(why: &'static str) -> ProofError {
    ProofError::Malformed { what: WHAT, line: 1, why }
}
