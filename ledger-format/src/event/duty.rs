//! Owns the bodies of the events about the gate, reading, erasing, sources, jobs and rights.

use alloc::vec::Vec;

use crate::names::{
    ActorKind, Decision, EraseLevel, Job, Outcome, ReceiptMode, ReceiptWhat, SourceKind, Standing,
    Trust, Verdict as GateVerdict,
};
use crate::{AliasId, Digest16, JobId, MemoryId, Micros, PayloadId, Seq};

/// One thing the gate looked at, as a number, so that the verdict can be replayed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, bincode::Encode, bincode::Decode)]
pub struct Signal {
    /// Which signal.
    pub signal: u16,
    /// Its value, fixed-point where it is a fraction.
    pub value: i64,
}

impl Signal {
    /// Bytes of one signal in the `gate` extension.
    pub const BYTES: usize = 10;

    pub(crate) fn to_bytes(self) -> [u8; Self::BYTES] {
        let ([a, b], [c, d, e, f, g, h, i, j]) =
            (self.signal.to_le_bytes(), self.value.to_le_bytes());
        [a, b, c, d, e, f, g, h, i, j]
    }

    pub(crate) const fn from_bytes(bytes: [u8; Self::BYTES]) -> Self {
        let [a, b, c, d, e, f, g, h, i, j] = bytes;
        Self {
            signal: u16::from_le_bytes([a, b]),
            value: i64::from_le_bytes([c, d, e, f, g, h, i, j]),
        }
    }
}

/// What the gate said to a proposal that was not committed. A refusal keeps no text.
#[derive(Clone, Debug, PartialEq, Eq, bincode::Encode, bincode::Decode)]
pub struct Verdict {
    /// The verdict.
    pub verdict: GateVerdict,
    /// Number of the reason.
    pub reason: u16,
    /// Number of the rule.
    pub rule: u32,
    /// The memory it is about, if one exists.
    pub memory: Option<MemoryId>,
    /// The memory that is already there.
    pub duplicate_of: Option<MemoryId>,
    /// Trust given.
    pub trust: Option<Trust>,
    /// Lifetime given.
    pub ttl_until: Option<Micros>,
    /// What the gate saw.
    pub signals: Vec<Signal>,
}

/// A person decided something pending.
#[derive(Clone, Debug, PartialEq, Eq, bincode::Encode, bincode::Decode)]
pub struct Approval {
    /// The pending record.
    pub pending: Seq,
    /// The decision.
    pub decision: Decision,
    /// Which step of a two-person rule this is; the last one counts.
    pub step: u8,
    /// Whether no further step is needed.
    pub complete: bool,
}

/// A task began.
#[derive(Clone, Debug, PartialEq, Eq, bincode::Encode, bincode::Decode)]
pub struct TaskStarted {
    /// The task.
    pub task: AliasId,
    /// The task it is part of.
    pub parent: Option<AliasId>,
}

/// A task ended.
#[derive(Clone, Debug, PartialEq, Eq, bincode::Encode, bincode::Decode)]
pub struct TaskEnded {
    /// The task.
    pub task: AliasId,
    /// How it went.
    pub outcome: Outcome,
}

/// An answer was given.
#[derive(Clone, Debug, PartialEq, Eq, bincode::Encode, bincode::Decode)]
pub struct Answer {
    /// The receipt it was made from.
    pub receipt: Option<Seq>,
    /// Memories it cites.
    pub cited: Vec<MemoryId>,
    /// Canonical memories in force that it contradicts.
    pub contradicts: Vec<MemoryId>,
}

/// Feedback on what was returned.
#[derive(Clone, Debug, PartialEq, Eq, bincode::Encode, bincode::Decode)]
pub struct Feedback {
    /// The receipt.
    pub receipt: Option<Seq>,
    /// Memories that helped.
    pub helped: Vec<MemoryId>,
    /// Memories that misled.
    pub misled: Vec<MemoryId>,
}

/// One memory of a receipt, in the order of rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, bincode::Encode, bincode::Decode)]
pub struct ReceiptItem {
    /// The memory.
    pub memory: MemoryId,
    /// Its score in millionths.
    pub score: i64,
}

/// A read took place.
#[derive(Clone, Debug, PartialEq, Eq, bincode::Encode, bincode::Decode)]
pub struct Receipt {
    /// Counts the receipts of this ledger without gaps.
    pub counter: u64,
    /// What it stands for.
    pub what: ReceiptWhat,
    /// How receipts are kept here.
    pub mode: ReceiptMode,
    /// Last record the answer rests on.
    pub basis: Seq,
    /// Valid time asked for.
    pub valid_at: Micros,
    /// What was returned.
    pub items: Vec<ReceiptItem>,
}

/// Access was denied.
#[derive(Clone, Debug, PartialEq, Eq, bincode::Encode, bincode::Decode)]
pub struct Denial {
    /// Number of the action.
    pub action: u16,
    /// Number of the rule.
    pub rule: u32,
    /// What was asked for.
    pub memory: Option<MemoryId>,
}

/// Records or content left the ledger.
#[derive(Clone, Debug, PartialEq, Eq, bincode::Encode, bincode::Decode)]
pub struct Export {
    /// The format.
    pub format: Job,
    /// First record.
    pub first: Seq,
    /// Last record.
    pub last: Seq,
    /// Items that left.
    pub count: u64,
    /// Whether content left in the clear.
    pub content: bool,
}

/// A hold blocks erasure.
#[derive(Clone, Debug, PartialEq, Eq, bincode::Encode, bincode::Decode)]
pub struct HoldPlaced {
    /// Its id.
    pub hold: JobId,
    /// The person it is about.
    pub subject: Option<AliasId>,
    /// The memories it is about.
    pub memories: Vec<MemoryId>,
    /// When it ends by itself.
    pub until: Option<Micros>,
}

/// A hold ended.
#[derive(Clone, Debug, PartialEq, Eq, bincode::Encode, bincode::Decode)]
pub struct HoldLifted {
    /// Its id.
    pub hold: JobId,
}

/// An erasure was asked for.
#[derive(Clone, Debug, PartialEq, Eq, bincode::Encode, bincode::Decode)]
pub struct EraseRequested {
    /// Its id.
    pub erasure: JobId,
    /// The person it is about.
    pub subject: Option<AliasId>,
    /// The memories it is about.
    pub memories: Vec<MemoryId>,
    /// When it has to be done.
    pub due: Option<Micros>,
}

/// A range of payloads, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, bincode::Encode, bincode::Decode)]
pub struct PayloadRange {
    /// First payload.
    pub first: PayloadId,
    /// Last payload.
    pub last: PayloadId,
}

/// One part of what an erasure will destroy. Nothing is destroyed before the last part is durable.
#[derive(Clone, Debug, PartialEq, Eq, bincode::Encode, bincode::Decode)]
pub struct EraseIntent {
    /// The erasure.
    pub erasure: JobId,
    /// Number of this part; the first is 0.
    pub part: u32,
    /// How many parts there are.
    pub parts: u32,
    /// The person it is about.
    pub subject: Option<AliasId>,
    /// Memories whose content goes.
    pub memories: Vec<MemoryId>,
    /// Aliases whose names go.
    pub aliases: Vec<AliasId>,
    /// Payloads that go.
    pub payloads: Vec<PayloadRange>,
}

/// An erasure was carried out.
#[derive(Clone, Debug, PartialEq, Eq, bincode::Encode, bincode::Decode)]
pub struct EraseDone {
    /// The erasure.
    pub erasure: JobId,
    /// How far it went.
    pub level: EraseLevel,
    /// Key slots destroyed.
    pub keys: u64,
    /// Payloads overwritten and released.
    pub payloads: u64,
    /// View rows and index entries removed.
    pub derived: u64,
}

/// A source was registered.
#[derive(Clone, Debug, PartialEq, Eq, bincode::Encode, bincode::Decode)]
pub struct SourceRegistered {
    /// The source.
    pub source: AliasId,
    /// Its kind.
    pub kind: SourceKind,
    /// Whoever answers for it.
    pub owner: Option<AliasId>,
    /// Sources of one group do not verify each other.
    pub group: Option<AliasId>,
}

/// A registered source was read again.
#[derive(Clone, Debug, PartialEq, Eq, bincode::Encode, bincode::Decode)]
pub struct SourceSynced {
    /// The source.
    pub source: AliasId,
    /// Whether it was there.
    pub present: bool,
    /// Memories written.
    pub written: u32,
    /// Memories closed.
    pub closed: u32,
    /// Memories marked stale.
    pub stale: u32,
}

/// Everything from a source was withdrawn.
#[derive(Clone, Debug, PartialEq, Eq, bincode::Encode, bincode::Decode)]
pub struct SourceRevoked {
    /// The source.
    pub source: AliasId,
    /// Memories concerned.
    pub memories: u64,
}

/// A recurring job got a schedule.
#[derive(Clone, Debug, PartialEq, Eq, bincode::Encode, bincode::Decode)]
pub struct ScheduleSet {
    /// Which job.
    pub job: Job,
    /// Its period in microseconds; 0: not scheduled any more.
    pub every: u64,
    /// Its next run.
    pub next: Micros,
}

/// A recurring job ran.
#[derive(Clone, Debug, PartialEq, Eq, bincode::Encode, bincode::Decode)]
pub struct JobDone {
    /// Which job.
    pub job: Job,
    /// When it should have run.
    pub planned: Micros,
    /// How it went.
    pub outcome: Outcome,
    /// Things it touched.
    pub count: u64,
}

/// An import began.
#[derive(Clone, Debug, PartialEq, Eq, bincode::Encode, bincode::Decode)]
pub struct ImportStarted {
    /// Its id.
    pub import: JobId,
    /// The format.
    pub format: Job,
}

/// An import ended.
#[derive(Clone, Debug, PartialEq, Eq, bincode::Encode, bincode::Decode)]
pub struct ImportDone {
    /// Its id.
    pub import: JobId,
    /// The format.
    pub format: Job,
    /// Events appended.
    pub appended: u64,
    /// Rows that were there already.
    pub present: u64,
    /// Rows put aside.
    pub refused: u64,
}

/// A principal was set.
#[derive(Clone, Debug, PartialEq, Eq, bincode::Encode, bincode::Decode)]
pub struct PrincipalSet {
    /// The principal.
    pub principal: AliasId,
    /// Person, agent or service.
    pub kind: ActorKind,
    /// Whether it may act.
    pub standing: Standing,
}

/// Rights of a principal on the scope of the record's header.
#[derive(Clone, Debug, PartialEq, Eq, bincode::Encode, bincode::Decode)]
pub struct GrantSet {
    /// The principal.
    pub principal: AliasId,
    /// Bit set of rights; 0: none.
    pub rights: u32,
    /// When it ends by itself.
    pub until: Option<Micros>,
}

/// An access token was issued or revoked.
#[derive(Clone, Debug, PartialEq, Eq, bincode::Encode, bincode::Decode)]
pub struct TokenSet {
    /// Keyed digest of the token.
    pub token: Digest16,
    /// Whose it is.
    pub principal: AliasId,
    /// Whether it is in force.
    pub standing: Standing,
    /// When it ends by itself.
    pub until: Option<Micros>,
}

/// A test suite ran.
#[derive(Clone, Debug, PartialEq, Eq, bincode::Encode, bincode::Decode)]
pub struct SuiteResult {
    /// Number of the suite.
    pub suite: u16,
    /// Cases that passed.
    pub passed: u32,
    /// Cases that failed.
    pub failed: u32,
    /// Whether a person let it through all the same.
    pub overridden: bool,
}
