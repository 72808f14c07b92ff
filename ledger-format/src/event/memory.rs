//! Owns the bodies of the events that make and change memories.

use alloc::vec::Vec;

use crate::names::{
    BodyType, CloseKind, ExpireCause, Layer, Reach, SkillPhase, SourceKind, SummaryPhase, Trust,
    Verdict,
};
use crate::{AliasId, JobId, MemoryId, Micros, Seq};

/// Subject and predicate of a fact. The object is content and lies in the payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, bincode::Encode, bincode::Decode)]
pub struct FactKey {
    /// Alias of the subject.
    pub subject: AliasId,
    /// Alias of the predicate.
    pub predicate: AliasId,
}

/// A memory was written.
#[derive(Clone, Debug, PartialEq, Eq, bincode::Encode, bincode::Decode)]
pub struct Write {
    /// The memory's id.
    pub memory: MemoryId,
    /// What it is for.
    pub layer: Layer,
    /// Shape of its content.
    pub body: BodyType,
    /// Trust that the gate gave.
    pub trust: Trust,
    /// What the gate said: committed, redirected or pending.
    pub verdict: Verdict,
    /// Where the words came from.
    pub source: SourceKind,
    /// Bit set of [`Write::MARK_INSTRUCTION_LIKE`] and its siblings.
    pub marks: u16,
    /// 1 + the highest generation covered, for summaries; else 0.
    pub generation: u16,
    /// The writer's confidence in parts of 10,000.
    pub confidence: Option<u16>,
    /// When the writer saw it.
    pub observed_at: Option<Micros>,
    /// Since when it is true; none: since ever.
    pub valid_from: Option<Micros>,
    /// Until when it is true, exclusive; none: open.
    pub valid_until: Option<Micros>,
    /// When it stops counting unless confirmed.
    pub ttl_until: Option<Micros>,
    /// When a person should look at it.
    pub review_by: Option<Micros>,
    /// From when on the superseded memories stop applying; none: since ever.
    pub supersede_from: Option<Micros>,
    /// Until when they stop applying, exclusive; none: for good.
    pub supersede_until: Option<Micros>,
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
    /// Memories that this write closes.
    pub supersedes: Vec<MemoryId>,
    /// Memories it was made from.
    pub derived_from: Vec<MemoryId>,
}

impl Write {
    /// Instruction-like text that is stored as data.
    pub const MARK_INSTRUCTION_LIKE: u16 = 1;
    /// Personal data was found in the text.
    pub const MARK_PERSONAL: u16 = 2;
    /// The text repeats what can be read again at its source.
    pub const MARK_QUOTED: u16 = 4;
    /// All marks this version knows.
    pub const MARKS: u16 = 7;
}

/// A memory stopped applying.
#[derive(Clone, Debug, PartialEq, Eq, bincode::Encode, bincode::Decode)]
pub struct Close {
    /// Which one.
    pub memory: MemoryId,
    /// Whether the world changed or it was never true.
    pub kind: CloseKind,
    /// From when on it does not apply; none: since ever.
    pub from: Option<Micros>,
    /// Until when it does not apply, exclusive; none: for good.
    pub until: Option<Micros>,
    /// What took its place.
    pub replaced_by: Option<MemoryId>,
}

/// A memory applies again.
#[derive(Clone, Debug, PartialEq, Eq, bincode::Encode, bincode::Decode)]
pub struct Reopen {
    /// Which one.
    pub memory: MemoryId,
    /// Since when; none: since ever.
    pub from: Option<Micros>,
    /// Until when, exclusive; none: open.
    pub until: Option<Micros>,
}

/// Memories were confirmed.
#[derive(Clone, Debug, PartialEq, Eq, bincode::Encode, bincode::Decode)]
pub struct Confirm {
    /// Which ones.
    pub memories: Vec<MemoryId>,
    /// New end of their lifetime; none: it does not end by itself any more.
    pub ttl_until: Option<Micros>,
    /// New review date, where the confirmation gives one.
    pub review_by: Option<Micros>,
}

/// Memories were used.
#[derive(Clone, Debug, PartialEq, Eq, bincode::Encode, bincode::Decode)]
pub struct Use {
    /// Which ones.
    pub memories: Vec<MemoryId>,
    /// The receipt that returned them.
    pub receipt: Option<Seq>,
}

/// A memory misled.
#[derive(Clone, Debug, PartialEq, Eq, bincode::Encode, bincode::Decode)]
pub struct PushDown {
    /// Which one.
    pub memory: MemoryId,
    /// For which questions.
    pub reach: Reach,
    /// The receipt of the question it misled.
    pub receipt: Option<Seq>,
    /// A tag that the questions share.
    pub tag: Option<AliasId>,
}

/// A push-down was taken back.
#[derive(Clone, Debug, PartialEq, Eq, bincode::Encode, bincode::Decode)]
pub struct Lift {
    /// Which memory.
    pub memory: MemoryId,
    /// The push-down taken back; none: all of them.
    pub push_down: Option<Seq>,
}

/// Memories contradict each other.
#[derive(Clone, Debug, PartialEq, Eq, bincode::Encode, bincode::Decode)]
pub struct Contest {
    /// Which ones, two at least.
    pub memories: Vec<MemoryId>,
    /// The rule that found it; 0: a person.
    pub rule: u32,
}

/// A contest was decided.
#[derive(Clone, Debug, PartialEq, Eq, bincode::Encode, bincode::Decode)]
pub struct Resolve {
    /// The contest's record.
    pub contest: Seq,
    /// The members that stand; the others stay as they are but lose their mark.
    pub kept: Vec<MemoryId>,
    /// The rule that decided; 0: a person.
    pub rule: u32,
}

/// A memory was pinned.
#[derive(Clone, Debug, PartialEq, Eq, bincode::Encode, bincode::Decode)]
pub struct Pin {
    /// Which one.
    pub memory: MemoryId,
}

/// A pin was removed.
#[derive(Clone, Debug, PartialEq, Eq, bincode::Encode, bincode::Decode)]
pub struct Unpin {
    /// Which one.
    pub memory: MemoryId,
}

/// Memories are gone from every ordinary read.
#[derive(Clone, Debug, PartialEq, Eq, bincode::Encode, bincode::Decode)]
pub struct Forget {
    /// Which ones.
    pub memories: Vec<MemoryId>,
    /// The person it was done for.
    pub subject: Option<AliasId>,
}

/// Trust or layer was raised.
#[derive(Clone, Debug, PartialEq, Eq, bincode::Encode, bincode::Decode)]
pub struct Promote {
    /// Which memory.
    pub memory: MemoryId,
    /// New trust.
    pub trust: Option<Trust>,
    /// New layer.
    pub layer: Option<Layer>,
    /// The record that approved it.
    pub approval: Option<Seq>,
}

/// Trust or layer was lowered.
#[derive(Clone, Debug, PartialEq, Eq, bincode::Encode, bincode::Decode)]
pub struct Demote {
    /// Which memory.
    pub memory: MemoryId,
    /// New trust.
    pub trust: Option<Trust>,
    /// New layer.
    pub layer: Option<Layer>,
}

/// A sweep recorded what had run out.
#[derive(Clone, Debug, PartialEq, Eq, bincode::Encode, bincode::Decode)]
pub struct Expire {
    /// Which memories.
    pub memories: Vec<MemoryId>,
    /// The instant the sweep judged by.
    pub basis: Micros,
    /// Why.
    pub cause: ExpireCause,
}

/// Memories may not be used for now.
#[derive(Clone, Debug, PartialEq, Eq, bincode::Encode, bincode::Decode)]
pub struct Restrict {
    /// Which ones.
    pub memories: Vec<MemoryId>,
    /// The hold behind it, if one is.
    pub hold: Option<JobId>,
}

/// A restriction was lifted.
#[derive(Clone, Debug, PartialEq, Eq, bincode::Encode, bincode::Decode)]
pub struct Unrestrict {
    /// Which ones.
    pub memories: Vec<MemoryId>,
    /// The hold that was behind it.
    pub hold: Option<JobId>,
}

/// What memories were made from has changed.
#[derive(Clone, Debug, PartialEq, Eq, bincode::Encode, bincode::Decode)]
pub struct Stale {
    /// Which memories.
    pub memories: Vec<MemoryId>,
    /// The source that changed.
    pub source: Option<AliasId>,
}

/// The events of one job were reversed. The reversal itself is in the events that follow and carry
/// this record's job extension.
#[derive(Clone, Debug, PartialEq, Eq, bincode::Encode, bincode::Decode)]
pub struct Undo {
    /// The job.
    pub job: JobId,
    /// Its first record.
    pub first: Seq,
    /// Its last record.
    pub last: Seq,
}

/// A skill version changed its phase.
#[derive(Clone, Debug, PartialEq, Eq, bincode::Encode, bincode::Decode)]
pub struct SkillState {
    /// Which skill version.
    pub memory: MemoryId,
    /// Its phase now.
    pub phase: SkillPhase,
    /// The version before it.
    pub predecessor: Option<MemoryId>,
}

/// A summary changed its phase.
#[derive(Clone, Debug, PartialEq, Eq, bincode::Encode, bincode::Decode)]
pub struct SummaryState {
    /// Which summary.
    pub memory: MemoryId,
    /// Its phase now.
    pub phase: SummaryPhase,
    /// The generation in force afterwards.
    pub in_force: Option<MemoryId>,
}
