//! Owns proof files: that one record is in the log of a checkpoint (c2sp.org/tlog-proof).
//!
//! Ours carry the record's bytes as extra data, so that one file is enough. Extra data proves
//! nothing by itself: the bytes count once they are the leaf that the proof leads from.

use alloc::vec::Vec;
use core::fmt;

use crate::checkpoint::SignedCheckpoint;
use crate::error::ProofError;
use crate::merkle::{Hash, MAX_PROOF, check_inclusion};
use crate::note::MAX_NOTE_BYTES;
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
        if bytes.len() > MAX_BYTES {
            return Err(ProofError::TooLarge {
                what: "the length of a proof in bytes",
                limit: MAX_BYTES as u64,
            });
        }
        let whole =
            core::str::from_utf8(bytes).map_err(|_| malformed(0, "the bytes are not UTF-8"))?;
        let (head, note) = whole.split_once("\n\n").ok_or_else(|| malformed(0, "no empty line"))?;
        let mut lines = head.split('\n').enumerate().map(|(at, line)| (at + 1, line));
        if lines.next().is_none_or(|(_, line)| line != FIRST) {
            return Err(malformed(1, "it does not begin with c2sp.org/tlog-proof@v1"));
        }
        let mut next = lines.next();
        let mut extra = None;
        if let Some((at, blob)) =
            next.and_then(|(at, line)| Some((at, line.strip_prefix("extra ")?)))
        {
            let blob = text::decode(blob);
            extra = Some(blob.ok_or_else(|| malformed(at, "the extra data is not base64"))?);
            next = lines.next();
        }
        let index = next.and_then(|(_, line)| text::decimal(line.strip_prefix("index ")?));
        let index = index.ok_or_else(|| malformed(2, "no index"))?;
        let path = lines
            .map(|(at, line)| text::hash(line).ok_or_else(|| malformed(at, "no hash in base64")))
            .collect::<Result<Vec<_>, _>>()?;
        if path.len() > MAX_PROOF {
            return Err(malformed(0, "more hashes than any tree is high"));
        }
        let checkpoint = SignedCheckpoint::parse(note.as_bytes())?;
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

const fn malformed(line: usize, why: &'static str) -> ProofError {
    ProofError::Malformed { what: WHAT, line, why }
}
