//! Owns the full check of a ledger at rest: what is claimed, what was checked of it, what is wrong.
//!
//! Invariants:
//! - Nothing is changed, and nothing stops the check but the end of what can safely be read.
//! - What is expected comes from anchors and headers, never from what was found whole.
//! - Damage, absence of the means to check, and what an unclean stop leaves are told apart.
//! - Memory is bounded: for each thread a few groups of batches (half a MiB, or one batch) and one
//!   payload range; one bit for each key slot; a limited list of findings.
//!
//! May not: decode event bodies but that of record 0, know which payloads are erased (the caller
//! says so), or repair anything.

mod anchors;
mod config;
mod digests;
mod directory;
mod extent;
mod findings;
mod group;
pub(crate) mod heads;
mod keys;
mod ledger;
mod links;
pub(crate) mod payload_files;
mod payloads;
mod report;
mod segments;
pub(crate) mod tail;
#[cfg(test)]
pub(crate) mod tests;
mod turns;
mod work;

use std::sync::Arc;

use ledger_format::{LedgerId, PayloadId};

use crate::head::Position;
use crate::keys::KeyStore;
use crate::storage::Storage;

pub use self::digests::ByteMark;
pub use self::heads::RememberedHead;
pub use self::report::{Claim, Finding, Severity, Verdict, VerifyReport};

/// How much is checked. Each level includes those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum VerifyLevel {
    /// Segment and batch headers and the links between them; of each batch its frame lengths, its
    /// first and its last record, under the batch hash; the bytes of all segments against a mark
    /// that an earlier check left. No other record is hashed, and the tree is not computed.
    Fast,
    /// Segments, batches, records, their chain and tree; anchors; key pages; `ledger.toml`.
    Log,
    /// Also payload files: every stored payload against the digest in its record, every other
    /// byte zero; erased payloads gone and their keys with them.
    Payloads,
    /// Also what is in the payloads: opened with their keys, against the commitment.
    Content,
}

/// What to check, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VerifyOptions<'a> {
    /// How much.
    pub level: VerifyLevel,
    /// Threads that hash; 0 counts as 1. They share the segments by groups of batches.
    pub threads: usize,
    /// Where the check ends: a durable head. Needed while somebody writes the ledger, because
    /// nothing above the durable head is settled. Without it everything is checked, and the last
    /// holder must have ended.
    pub upto: Option<Position>,
    /// Heads that somebody kept elsewhere: the log must still begin with what they name.
    pub remembered: &'a [RememberedHead],
    /// A head up to which the log was checked before, or is taken on the word of whoever signed it.
    /// The check begins with the segment that holds its last record, and compares its root there;
    /// nothing of the segments before is read. At [`VerifyLevel::Fast`] all of them are.
    pub since: Option<RememberedHead>,
    /// Whether the bytes of the segments are digested, for a mark.
    pub digest: bool,
    /// A mark that an earlier check left: the bytes up to it must still be the same.
    pub mark: Option<ByteMark>,
}

impl Default for VerifyOptions<'_> {
    fn default() -> Self {
        Self {
            level: VerifyLevel::Payloads,
            threads: 1,
            upto: None,
            remembered: &[],
            since: None,
            digest: false,
            mark: None,
        }
    }
}

/// How far a check has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Bytes of segments that were read, or could not be.
    pub bytes: u64,
    /// Bytes of all segments.
    pub total: u64,
    /// Up to where nothing was found wrong, when a segment was just ended in order: whoever is
    /// interrupted can go on there, see [`VerifyOptions::since`].
    pub whole: Option<Position>,
}

/// Checks a ledger.
///
/// `keys` are needed for [`VerifyLevel::Content`] with a master key; without them the key pages
/// are checked all the same. `erased` says whether an erasure intent covers a payload; it must
/// answer for retired peppers too. Until the key files record that the intent was carried out,
/// what it covers may be there or not. `progress` is called from the calling thread.
#[must_use]
pub fn verify(
    storage: &Arc<dyn Storage>,
    ledger: LedgerId,
    keys: Option<&KeyStore>,
    options: VerifyOptions<'_>,
    erased: &(dyn Fn(PayloadId) -> bool + Sync),
    progress: &dyn Fn(Progress),
) -> VerifyReport {
    ledger::verify(storage, ledger, keys, options, erased, progress)
}
