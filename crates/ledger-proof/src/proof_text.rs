//! Owns what all proof files have in common: some lines, the hashes of a path one a line, an empty
//! line, and a checkpoint verbatim.
//!
//! Invariant: what is said about a file names the line that was looked at last. May not: know what
//! the hashes prove.

use alloc::vec::Vec;
use core::iter::Peekable;
use core::str::Split;

use crate::checkpoint::SignedCheckpoint;
use crate::error::ProofError;
use crate::merkle::{Hash, MAX_PROOF};
use crate::text;

/// A proof file that is being read, from its first line on.
pub(crate) struct ProofText<'a> {
    what: &'static str,
    lines: Peekable<Split<'a, char>>,
    taken: usize,
    /// Number of the line that was looked at last, from 1.
    looked_at: usize,
    note: &'a str,
}

impl<'a> ProofText<'a> {
    /// Splits a file of `limit` bytes at most before its checkpoint.
    pub(crate) fn split(
        what: &'static str,
        bytes: &'a [u8],
        limit: usize,
    ) -> Result<Self, ProofError> {
        if bytes.len() > limit {
            let (what, limit) = ("the length of a proof in bytes", limit as u64);
            return Err(ProofError::TooLarge { what, limit });
        }
        let malformed = |why| ProofError::Malformed { what, line: 0, why };
        let whole =
            core::str::from_utf8(bytes).map_err(|_| malformed("the bytes are not UTF-8"))?;
        let (head, note) = whole.split_once("\n\n").ok_or_else(|| malformed("no empty line"))?;
        Ok(Self { what, lines: head.split('\n').peekable(), taken: 0, looked_at: 0, note })
    }

    /// What follows `prefix` in the next line, which is taken; none, and nothing taken, where the
    /// next line is another.
    pub(crate) fn take(&mut self, prefix: &str) -> Option<&'a str> {
        self.looked_at = self.taken + 1;
        let rest = self.lines.peek()?.strip_prefix(prefix)?;
        self.lines.next();
        self.taken += 1;
        Some(rest)
    }

    /// The hashes in all lines that are left, and the checkpoint.
    pub(crate) fn finish(mut self) -> Result<(Vec<Hash>, SignedCheckpoint), ProofError> {
        let mut path = Vec::new();
        while let Some(line) = self.lines.next() {
            self.taken += 1;
            self.looked_at = self.taken;
            path.push(text::hash(line).ok_or_else(|| self.wrong("no hash in base64"))?);
            if path.len() > MAX_PROOF {
                return Err(self.wrong("more hashes than any tree is high"));
            }
        }
        Ok((path, SignedCheckpoint::parse(self.note.as_bytes())?))
    }

    /// What is wrong with the line that was looked at last.
    pub(crate) const fn wrong(&self, why: &'static str) -> ProofError {
        ProofError::Malformed { what: self.what, line: self.looked_at, why }
    }
}
