//! Owns what callers ask the ledger to record, in their own words.

use std::time::Duration;

use ledger_format::names::{SkillPhase, SummaryPhase};
use ledger_format::{BodyType, CloseKind, JobId, Layer, MemoryId, Micros, Seq, SourceKind, Trust};

use crate::life::Planned;
use crate::scope::{Actor, Scope, Source};

/// The content of a memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// Free text. Comes back byte for byte.
    Text(String),
    /// A typed body as JSON, checked against its shape.
    Body(serde_json::Value),
    /// Subject, predicate, object.
    Fact {
        /// What it is about.
        subject: String,
        /// What is said about it.
        predicate: String,
        /// What it is said to be.
        object: String,
    },
    /// Opaque bytes.
    Bytes(Vec<u8>),
}

/// When something is over or due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deadline {
    /// At an instant.
    At(Micros),
    /// So long after the time of the record. A retry says the same as the first try, whenever it
    /// comes, which an instant counted from the clock would not.
    After(Duration),
}

impl Deadline {
    /// The instant, seen from the time of the record; the end of the line where it lies beyond.
    pub(crate) fn instant(self, recorded_at: Micros) -> Micros {
        match self {
            Self::At(at) => at,
            Self::After(length) => {
                let length = i64::try_from(length.as_micros()).unwrap_or(i64::MAX);
                Micros(recorded_at.0.saturating_add(length))
            }
        }
    }
}

/// A memory to be written.
#[derive(Clone, Debug, PartialEq)]
pub struct Proposal {
    /// Its content.
    pub content: Content,
    /// Shape of the content; none: `fact` for facts, `state` for bytes, else `note`.
    pub body: Option<BodyType>,
    /// What it is for; none: the body's usual layer.
    pub layer: Option<Layer>,
    /// Where the words came from; none: the memory is background only.
    pub source: Option<Source>,
    /// Who writes.
    pub by: Option<Actor>,
    /// Where it belongs.
    pub scope: Scope,
    /// What it closes, all or none, up to 32.
    pub supersedes: Vec<MemoryId>,
    /// From when on the superseded stop applying; none: `valid_from`, else the time of the record. Only
    /// with `supersedes`.
    pub supersede_from: Option<Micros>,
    /// Until when they stop applying; none: for good. Only with `supersedes`.
    pub supersede_until: Option<Micros>,
    /// Since when it is true; none: since ever.
    pub valid_from: Option<Micros>,
    /// Until when, exclusive; none: open.
    pub valid_until: Option<Micros>,
    /// When the writer saw it.
    pub observed_at: Option<Micros>,
    /// When it stops counting unless confirmed.
    pub ttl_until: Option<Deadline>,
    /// When a person should look at it.
    pub review_by: Option<Deadline>,
    /// People it is about.
    pub subjects: Vec<String>,
    /// Free labels.
    pub tags: Vec<String>,
    /// Domain label.
    pub domain: Option<String>,
    /// Slot name of a keyed memory.
    pub key: Option<String>,
    /// Memories it was made from.
    pub derived_from: Vec<MemoryId>,
    /// The writer's confidence in parts of 10,000.
    pub confidence: Option<u16>,
    /// The trust a trusted importer vouches for; none: by the kind of the source.
    pub trust: Option<Trust>,
    /// The task in hand: one that has begun and not ended.
    pub task: Option<String>,
}

impl Proposal {
    /// A proposal with nothing but its content and scope.
    #[must_use]
    pub const fn new(content: Content, scope: Scope) -> Self {
        Self {
            content,
            body: None,
            layer: None,
            source: None,
            by: None,
            scope,
            supersedes: Vec::new(),
            supersede_from: None,
            supersede_until: None,
            valid_from: None,
            valid_until: None,
            observed_at: None,
            ttl_until: None,
            review_by: None,
            subjects: Vec::new(),
            tags: Vec::new(),
            domain: None,
            key: None,
            derived_from: Vec::new(),
            confidence: None,
            trust: None,
            task: None,
        }
    }
}

/// Why something is done: free text, kept as an erasable payload.
pub type Reason = Option<String>;

/// One thing to record.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Command {
    /// Write a memory.
    Write(Box<Proposal>),
    /// A memory stops applying.
    Close {
        /// Which one.
        memory: MemoryId,
        /// Whether the world changed or it was never true.
        kind: CloseKind,
        /// From when on; none: the time of the record.
        from: Option<Micros>,
        /// Until when, exclusive; none: for good.
        until: Option<Micros>,
        /// What took its place.
        replaced_by: Option<MemoryId>,
        /// Why.
        reason: Reason,
    },
    /// A memory applies again.
    Reopen {
        /// Which one.
        memory: MemoryId,
        /// Since when; none: the time of the record.
        from: Option<Micros>,
        /// Until when, exclusive; none: open.
        until: Option<Micros>,
        /// Why.
        reason: Reason,
    },
    /// Memories were confirmed.
    Confirm {
        /// Which ones.
        memories: Vec<MemoryId>,
        /// New end of their lifetime.
        ttl_until: Option<Deadline>,
        /// Why.
        reason: Reason,
    },
    /// Memories were used.
    Use {
        /// Which ones.
        memories: Vec<MemoryId>,
        /// What for.
        reason: Reason,
    },
    /// A memory misled and ranks after its alternatives.
    PushDown {
        /// Which one.
        memory: MemoryId,
        /// The question it misled; none: for every question.
        query: Option<String>,
        /// What shows it.
        evidence: Option<String>,
        /// Why.
        reason: Reason,
    },
    /// All push-downs of a memory are taken back.
    Lift {
        /// Which one.
        memory: MemoryId,
        /// Why.
        reason: Reason,
    },
    /// Memories contradict each other.
    Contest {
        /// Which ones, two at least.
        memories: Vec<MemoryId>,
        /// Why.
        reason: Reason,
    },
    /// A contest was decided.
    Resolve {
        /// The record that contested.
        contest: Seq,
        /// The members that stand.
        kept: Vec<MemoryId>,
        /// Why.
        reason: Reason,
    },
    /// A memory survives summarising and compaction.
    Pin {
        /// Which one.
        memory: MemoryId,
        /// Whether the pin is set or removed.
        set: bool,
    },
    /// Memories are gone from every ordinary read.
    Forget {
        /// Which ones.
        memories: Vec<MemoryId>,
        /// The person it is done for.
        subject: Option<String>,
        /// Why.
        reason: Reason,
    },
    /// An event of a plan; see [`life`](crate::life).
    Planned(Box<Planned>),
    /// Trust or layer changes.
    Rank {
        /// Which one.
        memory: MemoryId,
        /// New trust.
        trust: Option<Trust>,
        /// New layer.
        layer: Option<Layer>,
        /// Whether it rises or falls.
        up: bool,
        /// Why.
        reason: Reason,
    },
    /// A version of a skill changes its phase.
    Skill {
        /// The version.
        memory: MemoryId,
        /// Its phase from now on.
        phase: SkillPhase,
        /// The version before it.
        predecessor: Option<MemoryId>,
        /// What speaks for it.
        evidence: Option<String>,
        /// Why.
        reason: Reason,
    },
    /// A summary was checked, or withdrawn.
    Summary {
        /// The summary.
        memory: MemoryId,
        /// Its phase from now on.
        phase: SummaryPhase,
        /// The generation in force afterwards.
        in_force: Option<MemoryId>,
        /// Why.
        reason: Reason,
    },
    /// What memories were made from has changed.
    Stale {
        /// Which memories.
        memories: Vec<MemoryId>,
        /// The registered source that changed.
        source: Option<String>,
        /// Why.
        reason: Reason,
    },
    /// Something happened to a registered source.
    Source {
        /// Its name.
        name: String,
        /// Where what comes from it belongs.
        scope: Scope,
        /// What happened.
        event: SourceEvent,
        /// Why.
        reason: Reason,
    },
}

/// What happens to a registered source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceEvent {
    /// It is read from now on.
    Registered(SourceKind),
    /// It was read.
    Synced {
        /// Whether it was there.
        present: bool,
        /// Memories written.
        written: u32,
        /// Memories closed.
        closed: u32,
        /// Memories marked stale.
        stale: u32,
    },
    /// It is not read any more, and so many memories from it were closed.
    Revoked(u64),
}

impl Command {
    /// How many memories it writes or changes by naming them.
    pub(crate) fn touches(&self) -> usize {
        match self {
            Self::Confirm { memories, .. }
            | Self::Use { memories, .. }
            | Self::Contest { memories, .. }
            | Self::Forget { memories, .. }
            | Self::Resolve { kept: memories, .. } => memories.len(),
            _ => 1,
        }
    }
}

/// What goes with every command of one submission.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Terms {
    /// Who acts.
    pub by: Option<Actor>,
    /// Key for safe retries: the same key and the same request give the first result, the same key and
    /// another request are a conflict. The request is the commands with every field, and of the terms
    /// `by` and `claimed_at`; `job` names the run, and the expectations were met the first time.
    pub idempotency_key: Option<String>,
    /// When a foreign system says it knew (imports only).
    pub claimed_at: Option<Micros>,
    /// The job this is part of.
    pub job: Option<JobId>,
    /// Refuse unless the ledger ends with this record.
    pub expected_head: Option<Seq>,
    /// Refuse unless every memory named is still in the version this record made.
    pub expected_version: Option<Seq>,
}

/// Commands that are recorded together or not at all.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Submission {
    /// The commands, each judged against the ledger as it was before the submission.
    pub commands: Vec<Command>,
    /// What goes with them.
    pub terms: Terms,
}

impl Submission {
    /// A submission of one command.
    #[must_use]
    pub fn of(command: Command, terms: Terms) -> Self {
        Self { commands: vec![command], terms }
    }
}
