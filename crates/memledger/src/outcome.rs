//! Owns what the ledger answers to a submission.

use ledger_format::{JobId, MemoryId, Micros, RecordHash, Seq, Trust, Verdict};

use crate::scope::Scope;

/// What one command led to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The record.
    pub seq: Seq,
    /// Its hash.
    pub hash: RecordHash,
    /// When it was recorded.
    pub recorded_at: Micros,
    /// Head of the ledger after the batch that made it durable.
    pub head: Seq,
    /// Hash of that head.
    pub head_hash: RecordHash,
    /// The memory it is about (the first one, where it names several).
    pub id: Option<MemoryId>,
    /// What the gate said.
    pub verdict: Verdict,
    /// Why, where it did not simply commit.
    pub reason: Option<String>,
    /// Trust given to a written memory.
    pub trust: Option<Trust>,
    /// When it stops counting.
    pub ttl_until: Option<Micros>,
    /// Scope of the memory.
    pub scope: Scope,
    /// The job it is part of: what `undo` takes back together.
    pub job: Option<JobId>,
    /// Memories it closed.
    pub superseded: Vec<MemoryId>,
    /// Version of the policy that judged; 0: the built-in one.
    pub policy_version: u32,
    /// Whether this is the first result of an idempotency key, given again.
    pub repeated: bool,
}
