//! Owns signed notes: a text and the lines that sign it (c2sp.org/signed-note).
//!
//! Invariants: a note prints as the bytes it was parsed from; it holds one signature line at least
//! and no more than is read. May not: say whether a signature is right; only a key can.

use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use core::fmt;

use crate::error::ProofError;
use crate::key::check_key_name;
use crate::text;

/// Longest note that is read, in bytes. Sixteen of the longest signatures in use fit.
pub const MAX_NOTE_BYTES: usize = 1 << 16;
/// Most signatures of one note. The format asks readers for 16 at least.
pub const MAX_SIGNATURES: usize = 64;

const WHAT: &str = "signed note";
const DASH: &str = "\u{2014} ";

/// A text with signatures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    text: String,
    signatures: Vec<SignatureLine>,
}

/// One signature: whose, and its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignatureLine {
    name: String,
    key_id: [u8; 4],
    bytes: Vec<u8>,
}

impl Note {
    /// A note from a text and its signatures.
    ///
    /// # Errors
    /// [`ProofError::Malformed`] or [`ProofError::TooLarge`] where they cannot be a note.
    pub fn new(text: String, signatures: Vec<SignatureLine>) -> Result<Self, ProofError> {
        if !text.ends_with('\n') || text.chars().any(|c| c < ' ' && c != '\n') {
            return Err(malformed(0, "its text is not lines without control characters"));
        }
        if signatures.is_empty() {
            return Err(malformed(0, "it has no signature"));
        }
        let note = Self { text, signatures };
        if note.signatures.len() > MAX_SIGNATURES {
            return Err(ProofError::TooLarge {
                what: "the number of signatures",
                limit: MAX_SIGNATURES as u64,
            });
        }
        if note.to_string().len() > MAX_NOTE_BYTES {
            return Err(too_long());
        }
        Ok(note)
    }

    /// Parses a note.
    ///
    /// # Errors
    /// [`ProofError::Malformed`] or [`ProofError::TooLarge`].
    pub fn parse(bytes: &[u8]) -> Result<Self, ProofError> {
        if bytes.len() > MAX_NOTE_BYTES {
            return Err(too_long());
        }
        let whole =
            core::str::from_utf8(bytes).map_err(|_| malformed(0, "the bytes are not UTF-8"))?;
        let at = whole.rfind("\n\n").ok_or_else(|| malformed(0, "no empty line"))?;
        let (text, lines) = whole.split_at(at + 1);
        let before = text.split('\n').count();
        let lines = lines.strip_prefix('\n').and_then(text::lines);
        let lines = lines.ok_or_else(|| malformed(before, "the last line is not ended"))?;
        let signatures = lines
            .enumerate()
            .map(|(at, line)| SignatureLine::parse(line, before + 1 + at))
            .collect::<Result<Vec<_>, _>>()?;
        Self::new(text.to_string(), signatures)
    }

    /// The signed text, with the LF of its last line.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The signatures, in order.
    #[must_use]
    pub fn signatures(&self) -> &[SignatureLine] {
        &self.signatures
    }

    /// The same note with further signatures. One that is there already is not added again.
    ///
    /// # Errors
    /// [`ProofError::TooLarge`].
    pub fn with(mut self, more: &[SignatureLine]) -> Result<Self, ProofError> {
        for line in more {
            if !self.signatures.contains(line) {
                self.signatures.push(line.clone());
            }
        }
        Self::new(self.text, self.signatures)
    }

    /// The same note with these signatures in the place of any by the same keys: so it does not grow
    /// when a key signs again.
    ///
    /// # Errors
    /// [`ProofError::TooLarge`].
    pub fn renewed(mut self, lines: &[SignatureLine]) -> Result<Self, ProofError> {
        let same = |a: &SignatureLine, b: &SignatureLine| a.name == b.name && a.key_id == b.key_id;
        self.signatures.retain(|old| !lines.iter().any(|new| same(old, new)));
        self.with(lines)
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.text)?;
        self.signatures.iter().try_for_each(|line| writeln!(f, "{line}"))
    }
}

impl SignatureLine {
    /// A line from its parts.
    ///
    /// # Errors
    /// [`ProofError::Malformed`] for a name that is none.
    pub fn new(name: &str, key_id: [u8; 4], bytes: Vec<u8>) -> Result<Self, ProofError> {
        check_key_name(name)?;
        if bytes.is_empty() {
            return Err(malformed(0, "a signature is empty"));
        }
        Ok(Self { name: name.to_string(), key_id, bytes })
    }

    /// Parses one line without its LF; `at` is its number, for what is said of it.
    pub(crate) fn parse(line: &str, at: usize) -> Result<Self, ProofError> {
        let parts = line.strip_prefix(DASH).and_then(|rest| rest.split_once(' '));
        let (name, blob) =
            parts.ok_or_else(|| malformed(at, "a signature line is dash, name and base64"))?;
        let blob = text::decode(blob).ok_or_else(|| malformed(at, "it is not base64"))?;
        let (key_id, bytes) =
            blob.split_first_chunk().ok_or_else(|| malformed(at, "it has no key id"))?;
        Self::new(name, *key_id, bytes.to_vec()).map_err(|error| match error {
            ProofError::Malformed { why, .. } => malformed(at, why),
            other => other,
        })
    }

    /// Parses lines that each end with LF, as a witness answers.
    ///
    /// # Errors
    /// [`ProofError::Malformed`] or [`ProofError::TooLarge`].
    pub fn parse_all(bytes: &[u8]) -> Result<Vec<Self>, ProofError> {
        if bytes.len() > MAX_NOTE_BYTES {
            return Err(too_long());
        }
        let text = core::str::from_utf8(bytes).ok().and_then(text::lines);
        let lines = text.ok_or_else(|| malformed(0, "it is not signature lines"))?;
        lines.enumerate().map(|(at, line)| Self::parse(line, at + 1)).collect()
    }

    /// Whose signature it says to be.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The id of the key it says to be by.
    #[must_use]
    pub const fn key_id(&self) -> [u8; 4] {
        self.key_id
    }

    /// What follows the key id.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

impl fmt::Display for SignatureLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut blob = Vec::from(self.key_id);
        blob.extend(&self.bytes);
        write!(f, "{DASH}{} {}", self.name, text::encode(&blob))
    }
}

const fn malformed(line: usize, why: &'static str) -> ProofError {
    ProofError::Malformed { what: WHAT, line, why }
}

const fn too_long() -> ProofError {
    ProofError::TooLarge { what: "the length of a note in bytes", limit: MAX_NOTE_BYTES as u64 }
}
