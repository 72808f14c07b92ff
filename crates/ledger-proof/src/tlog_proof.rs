//! Owns proof files: that one record is in the log of a checkpoint (c2sp.org/tlog-proof).
//!
//! Ours carry the record's bytes as extra data, so that one file is enough. Extra data proves
//! nothing by itself: the bytes count once they are the leaf that the proof leads from.

use alloc::vec::Vec;
use core::fmt;

use crate::checkpoint::SignedCheckpoint;
use crate::error::ProofError;
use crate::merkle::{Hash, check_inclusion};
use crate::note::MAX_NOTE_BYTES;
use crate::proof_text::ProofText;
use crate::text;

const WHAT: &str = "tlog-proof";
const FIRST: &str = "c2sp.org/tlog-proof@v1";
/// Longest file that is read, in bytes: the longest record in base64, hashes and checkpoint.
const MAX_BYTES: usize = 4 * 65_536 + MAX_NOTE_BYTES;

/// A proof file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlogProof {
    /// Whatever came with it. Not authenticated.
    pub extra: Option<Vec<u8>>,
    /// Place of the record, from 0.
    pub index: u64,
    /// Hashes from the leaf's sibling up.
    pub path: Vec<Hash>,
    /// The checkpoint that it leads to.
    pub checkpoint: SignedCheckpoint,
}

impl TlogProof {
    /// Parses a file.
    ///
    /// # Errors
    /// [`ProofError::Malformed`] or [`ProofError::TooLarge`].
    pub fn parse(bytes: &[u8]) -> Result<Self, ProofError> {
        let mut text = ProofText::split(WHAT, bytes, MAX_BYTES)?;
        if text.take(FIRST).is_none_or(|rest| !rest.is_empty()) {
            return Err(text.wrong("it does not begin with c2sp.org/tlog-proof@v1"));
        }
        let extra = match text.take("extra ") {
            Some(blob) => {
                Some(text::decode(blob).ok_or_else(|| text.wrong("the extra data is not base64"))?)
            }
            None => None,
        };
        let index = text.take("index ").and_then(text::decimal);
        let index = index.ok_or_else(|| text.wrong("no index"))?;
        let (path, checkpoint) = text.finish()?;
        Ok(Self { extra, index, path, checkpoint })
    }

    /// Checks that these bytes are the record at the index, in the tree of the checkpoint. Who
    /// signed the checkpoint is another question: [`SignedCheckpoint::verify`].
    ///
    /// # Errors
    /// [`ProofError::NotIncluded`].
    pub fn check(&self, record: &[u8]) -> Result<(), ProofError> {
        let head = self.checkpoint.checkpoint();
        check_inclusion(record, self.index, head.size, &head.root, &self.path)
    }
}

impl fmt::Display for TlogProof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{FIRST}")?;
        if let Some(extra) = &self.extra {
            writeln!(f, "extra {}", text::encode(extra))?;
        }
        writeln!(f, "index {}", self.index)?;
        self.path.iter().try_for_each(|hash| writeln!(f, "{}", text::encode(hash)))?;
        write!(f, "\n{}", self.checkpoint)
    }
}
