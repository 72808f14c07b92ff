//! Owns files that prove one head to continue another. The text is the request body of
//! c2sp.org/tlog-witness, so that what is written for a person can be sent to a witness as it is:
//! `old SIZE`, one hash a line, an empty line, the checkpoint.

use alloc::vec::Vec;
use core::fmt;

use ledger_format::TreeRoot;

use crate::checkpoint::SignedCheckpoint;
use crate::error::ProofError;
use crate::merkle::{Hash, check_consistency};
use crate::note::MAX_NOTE_BYTES;
use crate::proof_text::ProofText;
use crate::text;

const WHAT: &str = "consistency proof";
/// Longest text that is read, in bytes.
const MAX_BYTES: usize = 4_096 + MAX_NOTE_BYTES;

/// A proof that the checkpoint continues the log of `old` records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConsistencyFile {
    /// Number of records before.
    pub old: u64,
    /// The hashes of RFC 6962 section 2.1.2.
    pub path: Vec<Hash>,
    /// The later head.
    pub checkpoint: SignedCheckpoint,
}

impl ConsistencyFile {
    /// Parses a file, or a request body.
    ///
    /// # Errors
    /// [`ProofError::Malformed`] or [`ProofError::TooLarge`].
    pub fn parse(bytes: &[u8]) -> Result<Self, ProofError> {
        let mut text = ProofText::split(WHAT, bytes, MAX_BYTES)?;
        let old = text.take("old ").and_then(text::decimal);
        let old = old.ok_or_else(|| text.wrong("it does not begin with `old SIZE`"))?;
        let (path, checkpoint) = text.finish()?;
        Ok(Self { old, path, checkpoint })
    }

    /// Checks that the checkpoint continues the head that had this root. Who signed it is another
    /// question: [`SignedCheckpoint::verify`].
    ///
    /// # Errors
    /// [`ProofError::Inconsistent`].
    pub fn check(&self, old_root: &TreeRoot) -> Result<(), ProofError> {
        let head = self.checkpoint.checkpoint();
        check_consistency((self.old, old_root), (head.size, &head.root), &self.path)
    }
}

impl fmt::Display for ConsistencyFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "old {}", self.old)?;
        self.path.iter().try_for_each(|hash| writeln!(f, "{}", text::encode(hash)))?;
        write!(f, "\n{}", self.checkpoint)
    }
}
