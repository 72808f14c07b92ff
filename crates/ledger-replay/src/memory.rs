//! Owns the fixed part of a memory: what its write said and nothing can change.

use alloc::vec::Vec;

use ledger_format::event::memory::FactKey;
use ledger_format::{ActorKind, AliasId, BodyType, MemoryId, Micros, Seq, SourceKind};

use crate::Lifecycle;

/// What the write of a memory said. Everything else about it is in its record at `seq`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Birth {
    /// Its id.
    pub id: MemoryId,
    /// The record that wrote it.
    pub seq: Seq,
    /// When that was.
    pub recorded_at: Micros,
    /// When a foreign system says it knew.
    pub claimed_at: Option<Micros>,
    /// Shape of its content.
    pub body: BodyType,
    /// Where the words came from.
    pub source: SourceKind,
    /// Who wrote.
    pub actor_kind: ActorKind,
    /// Last segment of its scope; zero: the ledger itself.
    pub scope: AliasId,
    /// Slot name of a keyed memory.
    pub key: Option<AliasId>,
    /// Subject and predicate of a fact.
    pub fact: Option<FactKey>,
    /// Domain label.
    pub domain: Option<AliasId>,
    /// People it is about.
    pub subjects: Vec<AliasId>,
    /// Free labels.
    pub tags: Vec<AliasId>,
    /// The task in hand when it was written.
    pub task: Option<AliasId>,
    /// Memories it was made from.
    pub derived_from: Vec<MemoryId>,
    /// Memories its write superseded.
    pub supersedes: Vec<MemoryId>,
}

/// A memory as the state keeps it: enough to apply the next event and to judge the next proposal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Memory {
    /// The record that wrote it.
    pub born: Seq,
    /// Last segment of its scope.
    pub scope: AliasId,
    /// Shape of its content.
    pub body: BodyType,
    /// Where the words came from.
    pub source: SourceKind,
    /// Who wrote.
    pub actor_kind: ActorKind,
    /// Slot name of a keyed memory.
    pub key: Option<AliasId>,
    /// The task in hand when it was written.
    pub task: Option<AliasId>,
    /// Whether its newest version is listed without asking for history.
    pub live: bool,
    /// Its newest version.
    pub lifecycle: Lifecycle,
}
