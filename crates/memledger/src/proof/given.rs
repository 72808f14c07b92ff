//! Owns what a ledger is compared with: heads and checkpoints that were kept elsewhere, keys and
//! witnesses that the caller trusts.

use ledger_format::{RecordHash, Seq, TreeRoot};
use ledger_proof::{SignedCheckpoint, VerifierKey, WitnessPolicy};

/// A head that somebody kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GivenHead {
    /// Where it comes from, for what is said about it.
    pub name: String,
    /// Number of records.
    pub size: u64,
    /// The root over them.
    pub root: Option<TreeRoot>,
    /// Hash of the last of them.
    pub record: Option<RecordHash>,
}

/// A checkpoint that somebody kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GivenCheckpoint {
    /// Where it comes from, for what is said about it.
    pub name: String,
    /// The checkpoint.
    pub signed: SignedCheckpoint,
}

/// Everything from elsewhere.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Heads {
    /// Heads.
    pub heads: Vec<GivenHead>,
    /// Checkpoints.
    pub checkpoints: Vec<GivenCheckpoint>,
    /// Keys that the caller trusts; without any, those that the log names count.
    pub keys: Vec<VerifierKey>,
    /// What is asked of witnesses.
    pub policy: Option<WitnessPolicy>,
    /// The first record that is compared: what lies before it was checked before. Kept heads of fewer
    /// records are compared by the hash of their last record alone; the signatures that the log holds
    /// are not read.
    pub from: Seq,
    /// The present, in seconds since 1970: a cosignature from the future does not count.
    pub now: u64,
}

impl Heads {
    /// Whether there is anything that completeness can be told by.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.heads.is_empty() && self.checkpoints.is_empty()
    }
}
