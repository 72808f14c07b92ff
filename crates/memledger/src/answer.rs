//! What leaves the ledger: memories with everything needed to judge them, their lives, the records
//! they rest on, and what differs between two moments.
//!
//! Owns the shapes only. Invariants: whatever is not known or not readable says so by its own value
//! and never by an empty text; nothing here can change a ledger. May not: hold a handle on the
//! ledger that answered.

pub mod context;
pub mod stats;

use ledger_format::{
    ActorKind, BodyType, CloseKind, Layer, MemoryId, Micros, RecordHash, Seq, SourceKind, Trust,
};
use ledger_replay::{Interval, Status};

use crate::scope::{Actor, Scope};

/// Why the words of a memory are, or are not, in an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Text {
    /// The words.
    Words(String),
    /// Bytes that are no text.
    Bytes(Vec<u8>),
    /// Destroyed by the erasure that this record intended.
    Erased(Seq),
    /// The key is not at hand: the words exist but cannot be read here.
    Locked,
    /// The memory was forgotten by this record. Its words are in no answer; they lie in the record that
    /// wrote it.
    Forgotten(Seq),
}

/// How much weight an item can carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// A canonical clause or a direct instruction with a source, in force.
    Final,
    /// Has a source and stands, but is not the last word.
    Evidence,
    /// A trace to follow, not to rely on.
    Hint,
    /// One of the three questions (level, source, validity) has no answer.
    Background,
}

impl Level {
    /// The word used in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Final => "final",
            Self::Evidence => "evidence",
            Self::Hint => "hint",
            Self::Background => "background",
        }
    }
}

/// One memory that another was made from, directly or over others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceLink {
    /// Which one.
    pub id: MemoryId,
    /// The record that wrote it.
    pub seq: Seq,
    /// Shape of its content.
    pub body_type: BodyType,
    /// Where its words came from.
    pub source_kind: SourceKind,
    /// How many steps back, from 1.
    pub steps: u16,
}

/// What would retire a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The end of its lifetime.
    Lifetime,
    /// The end of its task.
    Task,
    /// A newer value of its key.
    NewerValue,
    /// A new version.
    NewVersion,
    /// What it covers is summarised anew.
    Regenerated,
    /// What it was made from changes.
    SourceChanged,
    /// A correction or a contradiction closes it.
    Closed,
}

impl Ending {
    /// The word used in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Lifetime => "lifetime",
            Self::Task => "task_end",
            Self::NewerValue => "newer_value",
            Self::NewVersion => "new_version",
            Self::Regenerated => "regenerated",
            Self::SourceChanged => "source_changed",
            Self::Closed => "closed",
        }
    }
}

/// Whether a memory can be taken to hold still.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Holds {
    /// The later of its last use and confirmation; its record, where it has neither.
    pub untouched_since: Micros,
    /// What would retire it.
    pub ends: Vec<Ending>,
    /// Whether it should be confirmed before anything rests on it.
    pub confirm_first: bool,
}

/// The closure of a memory, as an answer shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ItemClosure {
    /// The record that closed it; none: its own validity ended.
    pub seq: Option<Seq>,
    /// Since when it does not apply.
    pub at: Option<Micros>,
    /// Whether the world changed or it was never true.
    pub kind: CloseKind,
    /// Why.
    pub reason: Option<String>,
    /// What took its place.
    pub superseded_by: Option<MemoryId>,
}

/// One memory in an answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// Its id.
    pub id: MemoryId,
    /// The record that wrote it.
    pub seq: Seq,
    /// Hash of that record.
    pub hash: RecordHash,
    /// When that was.
    pub recorded_at: Micros,
    /// When its source claims to have known it.
    pub claimed_at: Option<Micros>,
    /// The record that made the version shown.
    pub version: Seq,
    /// How it stands.
    pub status: Status,
    /// Its words.
    pub text: Text,
    /// Its typed body as JSON, where it has one.
    pub body: Option<serde_json::Value>,
    /// Shape of its content.
    pub body_type: BodyType,
    /// What it is for.
    pub layer: Layer,
    /// How far it is trusted.
    pub trust: Trust,
    /// Rank in the authority order of the policy of the basis, 1 is highest; no higher than that of the
    /// weakest memory it was made from.
    pub authority: u8,
    /// How much weight it can carry.
    pub level: Level,
    /// What speaks against relying on it as it is.
    pub hint: Option<String>,
    /// What it was made from, nearest first, down to the originals; the first 32. Empty for an original.
    pub source_chain: Vec<SourceLink>,
    /// Whether it can be taken to hold still.
    pub holds: Holds,
    /// What time left of its score, in parts of 10,000; none for what does not decay.
    pub decay: Option<u16>,
    /// Kind of its source.
    pub source_kind: SourceKind,
    /// `kind:uri#span`, where one was given and can be read.
    pub source: Option<String>,
    /// Who wrote it.
    pub by: Option<Actor>,
    /// What kind of actor that was.
    pub actor_kind: ActorKind,
    /// Where it belongs.
    pub scope: Scope,
    /// Slot name.
    pub key: Option<String>,
    /// The task in hand when it was written.
    pub task: Option<String>,
    /// Domain label.
    pub domain: Option<String>,
    /// Free labels.
    pub tags: Vec<String>,
    /// People it is about.
    pub subjects: Vec<String>,
    /// When it holds, as known at the basis.
    pub validity: Vec<Interval>,
    /// When the writer saw it.
    pub observed_at: Option<Micros>,
    /// When it stops counting.
    pub ttl_until: Option<Micros>,
    /// When a person should look at it.
    pub review_by: Option<Micros>,
    /// Last confirmation.
    pub last_confirmed: Option<Micros>,
    /// Last use.
    pub last_used: Option<Micros>,
    /// The writer's confidence in parts of 10,000.
    pub confidence: Option<u16>,
    /// Its closure, where it is closed at the valid time asked for.
    pub closed: Option<ItemClosure>,
    /// Memories it closed.
    pub supersedes: Vec<MemoryId>,
    /// Memories it was made from.
    pub derived_from: Vec<MemoryId>,
    /// The contest it is part of.
    pub conflict_group: Option<Seq>,
    /// 1 + the highest generation it covers, for summaries; else 0.
    pub generation: u16,
    /// What a failure contradicts.
    pub contradicts: Vec<MemoryId>,
    /// Failures in force that contradict it.
    pub contradicted_by: Vec<MemoryId>,
    /// Whether what it was made from has changed.
    pub stale: bool,
    /// Whether it survives summarising.
    pub pinned: bool,
    /// Erasure intent, where the content is destroyed.
    pub erased_at: Option<Seq>,
}

/// A page of items in the order of their records; what is contested comes together where the first of it
/// is, highest authority first.
#[derive(Clone, Debug, PartialEq)]
pub struct Listing {
    /// The items.
    pub items: Vec<Item>,
    /// Where the next page begins, if there is one.
    pub next: Option<Seq>,
}

/// One event in the life of a memory.
#[derive(Clone, Debug, PartialEq)]
pub struct HistoryEntry {
    /// The record.
    pub seq: Seq,
    /// Its hash.
    pub hash: RecordHash,
    /// When it was recorded.
    pub recorded_at: Micros,
    /// When its source claims to have known it.
    pub claimed_at: Option<Micros>,
    /// What happened: the name of the event kind.
    pub event: String,
    /// Who caused it.
    pub by: Option<Actor>,
    /// Why.
    pub reason: Option<String>,
    /// How the memory stood afterwards, at the valid time of the basis.
    pub status: Status,
    /// When it held, as known afterwards.
    pub validity: Vec<Interval>,
}

/// Where a memory comes from and what came from it.
#[derive(Clone, Debug, PartialEq)]
pub struct Lineage {
    /// The memory itself.
    pub item: Item,
    /// Its life.
    pub history: Vec<HistoryEntry>,
    /// What it was made from, nearest first.
    pub sources: Vec<Item>,
    /// What was made from it.
    pub derived: Vec<Item>,
    /// What it replaced.
    pub replaced: Vec<Item>,
}

/// One difference between two moments.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The memory.
    pub id: MemoryId,
    /// How it stood at the first moment; none: not in the answer then.
    pub before: Option<Item>,
    /// How it stood at the second; none: not in the answer then.
    pub after: Option<Item>,
}

/// One record of the log, decoded for people.
#[derive(Clone, Debug, PartialEq)]
pub struct LogEntry {
    /// Its position.
    pub seq: Seq,
    /// Its hash.
    pub hash: RecordHash,
    /// Hash of the record before.
    pub prev: RecordHash,
    /// When it was recorded.
    pub recorded_at: Micros,
    /// When its source claims to have known it.
    pub claimed_at: Option<Micros>,
    /// Name of the event kind, or `unknown(number)`.
    pub event: String,
    /// Who caused it.
    pub by: Option<Actor>,
    /// Where it belongs.
    pub scope: Scope,
    /// Memories it names.
    pub memories: Vec<MemoryId>,
    /// Payloads: role, payload number, and the words where they can be read.
    pub payloads: Vec<(String, u64, Text)>,
    /// The record's bytes as stored.
    pub bytes: Vec<u8>,
    /// The event, field by field.
    pub detail: String,
}
