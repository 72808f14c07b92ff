//! Owns checkpoints: the head of a log as a text, and the note that signs it
//! (c2sp.org/tlog-checkpoint).
//!
//! Invariants: a log's own signatures are by keys named like its origin; a checkpoint is worth
//! nothing until [`SignedCheckpoint::verify`] was asked.

use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use core::fmt;

use ledger_format::TreeRoot;

use crate::error::ProofError;
use crate::key::{KeyKind, LedgerKey, VerifierKey};
use crate::merkle::MAX_SIZE;
use crate::note::{Note, SignatureLine};
use crate::text;

const WHAT: &str = "checkpoint";

/// A tree head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// The log.
    pub origin: String,
    /// Number of records.
    pub size: u64,
    /// RFC 6962 root over them.
    pub root: TreeRoot,
}

impl Checkpoint {
    /// Reads the text of a checkpoint. Extension lines are allowed, and say nothing here.
    fn parse(text: &str) -> Result<Self, ProofError> {
        let mut lines = text::lines(text).ok_or_else(|| malformed(0, "a line is not ended"))?;
        let origin = lines.next().filter(|line| !line.is_empty());
        let origin = origin.ok_or_else(|| malformed(1, "no origin"))?.to_string();
        let size = lines.next().and_then(text::decimal);
        let size = size.ok_or_else(|| malformed(2, "no number of records"))?;
        let root = lines.next().and_then(text::hash);
        let root = root.ok_or_else(|| malformed(3, "no root of 32 bytes in base64"))?;
        if lines.any(str::is_empty) {
            return Err(malformed(0, "an extension line is empty"));
        }
        if size > MAX_SIZE {
            return Err(ProofError::TooLarge { what: "the size of a tree", limit: MAX_SIZE });
        }
        Ok(Self { origin, size, root: TreeRoot(root) })
    }

    /// Signs with the log's key.
    ///
    /// # Errors
    /// [`ProofError::Malformed`] where the origin cannot name a key.
    pub fn sign(self, key: &LedgerKey) -> Result<SignedCheckpoint, ProofError> {
        let signature = key.sign(self.to_string().as_bytes());
        self.signed(&key.public(), &signature)
    }

    /// The note with a signature that was made elsewhere, by the log's key with these bytes.
    ///
    /// # Errors
    /// As [`Checkpoint::sign`]; [`ProofError::BadSignature`] for one that does not verify.
    pub fn signed(self, key: &[u8], signature: &[u8]) -> Result<SignedCheckpoint, ProofError> {
        let key = VerifierKey::new(&self.origin, KeyKind::Note, key)?;
        let line = SignatureLine::new(&self.origin, key.id(), signature.to_vec())?;
        let note = Note::new(self.to_string(), Vec::from([line]))?;
        let signed = SignedCheckpoint { checkpoint: self, note };
        signed.verify(&[key])?;
        Ok(signed)
    }
}

impl fmt::Display for Checkpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n{}\n{}\n", self.origin, self.size, text::encode(&self.root.0))
    }
}

/// A checkpoint with its signatures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedCheckpoint {
    checkpoint: Checkpoint,
    note: Note,
}

impl SignedCheckpoint {
    /// Parses a note over a checkpoint. Says nothing about its signatures.
    ///
    /// # Errors
    /// [`ProofError::Malformed`] or [`ProofError::TooLarge`].
    pub fn parse(bytes: &[u8]) -> Result<Self, ProofError> {
        let note = Note::parse(bytes)?;
        Ok(Self { checkpoint: Checkpoint::parse(note.text())?, note })
    }

    /// The head that it speaks of.
    #[must_use]
    pub const fn checkpoint(&self) -> &Checkpoint {
        &self.checkpoint
    }

    /// The note.
    #[must_use]
    pub const fn note(&self) -> &Note {
        &self.note
    }

    /// The key among `keys` that signed it as its log.
    ///
    /// # Errors
    /// [`ProofError::WrongOrigin`] where every key is of another log, [`ProofError::BadSignature`]
    /// where a signature names one of the keys and is not by it, [`ProofError::UnknownKey`] where
    /// none does.
    pub fn verify<'k>(&self, keys: &'k [VerifierKey]) -> Result<&'k VerifierKey, ProofError> {
        let origin = &self.checkpoint.origin;
        let of_log = keys.iter().filter(|key| key.name() == origin);
        let mut found = None;
        for key in of_log.clone() {
            if key.has_signed(&self.note)? {
                found = found.or(Some(key));
            }
        }
        found.ok_or_else(|| match keys.first() {
            Some(other) if of_log.count() == 0 => ProofError::WrongOrigin {
                expected: other.name().to_string(),
                found: origin.clone(),
            },
            _ => {
                let keys: Vec<String> = keys.iter().map(|key| key.to_string()).collect();
                ProofError::UnknownKey { wanted: keys.join(", ") }
            }
        })
    }

    /// The same with these signatures and no others.
    pub(crate) fn only(&self, lines: Vec<SignatureLine>) -> Result<Self, ProofError> {
        let note = Note::new(self.note.text().to_string(), lines)?;
        Ok(Self { checkpoint: self.checkpoint.clone(), note })
    }

    /// The same with further signatures.
    ///
    /// # Errors
    /// [`ProofError::TooLarge`].
    pub fn with(self, more: &[SignatureLine]) -> Result<Self, ProofError> {
        Ok(Self { note: self.note.with(more)?, checkpoint: self.checkpoint })
    }

    /// The same with these signatures in the place of any by the same keys.
    ///
    /// # Errors
    /// [`ProofError::TooLarge`].
    pub fn renewed(self, lines: &[SignatureLine]) -> Result<Self, ProofError> {
        Ok(Self { note: self.note.renewed(lines)?, checkpoint: self.checkpoint })
    }
}

impl fmt::Display for SignedCheckpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.note)
    }
}

const fn malformed(line: usize, why: &'static str) -> ProofError {
    ProofError::Malformed { what: WHAT, line, why }
}
