//! Owns the state that replay builds: the newest version of every memory and whatever the next
//! event or the next proposal is judged by. No payload, no text.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use ledger_format::names::Job;
use ledger_format::{
    AliasId, AliasKind, Digest16, JobId, LedgerId, MemoryId, Micros, RecordHash, Seq,
};

use crate::validity::Interval;
use crate::{Alias, Erasure, Memory, PayloadSet};

/// The last applied record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateHead {
    /// Its position.
    pub seq: Seq,
    /// Its hash.
    pub hash: RecordHash,
    /// Its time.
    pub recorded_at: Micros,
}

/// What an idempotency key led to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Idempotent {
    /// Digest of the proposal under the key.
    pub proposal: Digest16,
    /// The record it led to.
    pub seq: Seq,
}

/// A write that waits for approval: what it supersedes still stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingWrite {
    /// The memory.
    pub memory: MemoryId,
    /// What it will close.
    pub supersedes: Vec<MemoryId>,
    /// For which valid times.
    pub cut: Interval,
    /// Who wrote it; zero: the ledger itself.
    pub writer: AliasId,
    /// Who has agreed so far, where more than one person has to.
    pub agreed: Vec<AliasId>,
}

/// The public half of the key that signs for the ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SigningKey {
    /// Number of its algorithm.
    pub algorithm: u16,
    /// Its bytes in the algorithm's own form.
    pub bytes: Vec<u8>,
    /// The record that put it in force.
    pub since: Seq,
}

/// A task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Task {
    /// The record that began it.
    pub started: Seq,
    /// The task it is part of.
    pub parent: Option<AliasId>,
    /// The record that ended it.
    pub ended: Option<Seq>,
}

/// A recurring job: when it ran and when it is due.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Schedule {
    /// Its period in microseconds; 0: it has none.
    pub every: u64,
    /// Its next run, where it has a period.
    pub next: Option<Micros>,
    /// The record of its last run, and when that was.
    pub done: Option<(Seq, Micros)>,
    /// What the last run touched.
    pub count: u64,
}

/// The state of a ledger after some record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    pub(crate) ledger: LedgerId,
    pub(crate) head: Option<StateHead>,
    pub(crate) epoch: u64,
    pub(crate) policy: u32,
    pub(crate) policy_since: Option<Seq>,
    /// The ledger's public name in force.
    pub(crate) origin: String,
    /// The ledger's signing key in force.
    pub(crate) signing_key: Option<SigningKey>,
    pub(crate) receipts: u64,
    pub(crate) anomalies: u64,
    pub(crate) unknown_critical: Option<Seq>,
    pub(crate) memories: BTreeMap<MemoryId, Memory>,
    pub(crate) aliases: BTreeMap<AliasId, Alias>,
    pub(crate) idempotency: BTreeMap<Digest16, Idempotent>,
    pub(crate) pending: BTreeMap<Seq, PendingWrite>,
    pub(crate) contests: BTreeMap<Seq, Vec<MemoryId>>,
    /// The holds behind the restrictions of a memory; none: an objection without a hold.
    pub(crate) restrictions: BTreeMap<MemoryId, Vec<Option<JobId>>>,
    pub(crate) tasks: BTreeMap<AliasId, Task>,
    /// Memories of each task, in the order of their records.
    pub(crate) of_tasks: BTreeMap<AliasId, Vec<MemoryId>>,
    /// Values of slots of the day and since when they count, the latest last.
    pub(crate) slots: BTreeMap<AliasId, Vec<(Micros, MemoryId)>>,
    /// First and last record of each job.
    pub(crate) jobs: BTreeMap<JobId, (Seq, Seq)>,
    pub(crate) schedules: BTreeMap<u16, Schedule>,
    pub(crate) erasures: BTreeMap<JobId, Erasure>,
    pub(crate) erased: PayloadSet,
}

impl State {
    /// The ledger, once Genesis is applied.
    #[must_use]
    pub const fn ledger(&self) -> LedgerId {
        self.ledger
    }

    /// The last applied record.
    #[must_use]
    pub const fn head(&self) -> Option<StateHead> {
        self.head
    }

    /// Number of the holder's epoch.
    #[must_use]
    pub const fn epoch(&self) -> u64 {
        self.epoch
    }

    /// Version of the policy in force; 0: the built-in one.
    #[must_use]
    pub const fn policy(&self) -> u32 {
        self.policy
    }

    /// The record that put the policy in force; none: the built-in one.
    #[must_use]
    pub const fn policy_since(&self) -> Option<Seq> {
        self.policy_since
    }

    /// The ledger's public name, as checkpoints carry it.
    #[must_use]
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// The key that signs for the ledger; none before the first one was set.
    #[must_use]
    pub const fn signing_key(&self) -> Option<&SigningKey> {
        self.signing_key.as_ref()
    }

    /// How many read receipts are recorded.
    #[must_use]
    pub const fn receipts(&self) -> u64 {
        self.receipts
    }

    /// How many oddities were met.
    #[must_use]
    pub const fn anomalies(&self) -> u64 {
        self.anomalies
    }

    /// The first critical record of an unknown kind: beyond it, this state cannot be relied on.
    #[must_use]
    pub const fn unknown_critical(&self) -> Option<Seq> {
        self.unknown_critical
    }

    /// One memory in its newest version.
    #[must_use]
    pub fn memory(&self, id: &MemoryId) -> Option<&Memory> {
        self.memories.get(id)
    }

    /// All memories in the order of their ids.
    pub fn memories(&self) -> impl ExactSizeIterator<Item = (&MemoryId, &Memory)> {
        self.memories.iter()
    }

    /// One alias.
    #[must_use]
    pub fn alias(&self, alias: &AliasId) -> Option<&Alias> {
        self.aliases.get(alias)
    }

    /// All aliases in the order of their ids.
    pub fn aliases(&self) -> impl ExactSizeIterator<Item = (&AliasId, &Alias)> {
        self.aliases.iter()
    }

    /// Whether `scope` is `ancestor` or lies below it. The zero alias is above everything and
    /// below nothing, whatever a record binds it to. A path that is longer than paths may be, or
    /// runs in a circle, is followed no further than [`ledger_format::limits::SCOPE_DEPTH`].
    #[must_use]
    pub fn scope_within(&self, scope: AliasId, ancestor: AliasId) -> bool {
        if ancestor.is_zero() {
            return true;
        }
        let mut at = scope;
        for _ in 0..=ledger_format::limits::SCOPE_DEPTH {
            if at == ancestor {
                return true;
            }
            match self.aliases.get(&at) {
                Some(Alias { kind: AliasKind::Scope, parent: Some(parent), .. })
                    if !at.is_zero() =>
                {
                    at = *parent;
                }
                _ => return false,
            }
        }
        false
    }

    /// What an idempotency key led to.
    #[must_use]
    pub fn idempotent(&self, key: &Digest16) -> Option<Idempotent> {
        self.idempotency.get(key).copied()
    }

    /// A contest and its members.
    #[must_use]
    pub fn contest(&self, contest: Seq) -> Option<&[MemoryId]> {
        self.contests.get(&contest).map(Vec::as_slice)
    }

    /// A task.
    #[must_use]
    pub fn task(&self, task: &AliasId) -> Option<Task> {
        self.tasks.get(task).copied()
    }

    /// All tasks in the order of their aliases.
    pub fn tasks(&self) -> impl ExactSizeIterator<Item = (&AliasId, &Task)> {
        self.tasks.iter()
    }

    /// When a recurring job ran and when it is due; none: nothing is on record about it.
    #[must_use]
    pub fn schedule(&self, job: Job) -> Option<Schedule> {
        self.schedules.get(&job.number()).copied()
    }

    /// The memories written for a task, in the order of their records.
    #[must_use]
    pub fn of_task(&self, task: &AliasId) -> &[MemoryId] {
        self.of_tasks.get(task).map_or(&[], Vec::as_slice)
    }

    /// The values of a slot of the day layer that began last, 64 at most, and since when each counts: in
    /// that order, and of those that begin together in the order of their records.
    #[must_use]
    pub fn slot(&self, key: &AliasId) -> &[(Micros, MemoryId)] {
        self.slots.get(key).map_or(&[], Vec::as_slice)
    }

    /// The first and the last record of a job. Records of others may lie between them.
    #[must_use]
    pub fn job(&self, job: &JobId) -> Option<(Seq, Seq)> {
        self.jobs.get(job).copied()
    }

    /// The writes that wait for approval, by their records.
    pub fn pending(&self) -> impl ExactSizeIterator<Item = (&Seq, &PendingWrite)> {
        self.pending.iter()
    }

    /// All erasures in the order of their ids.
    pub fn erasures(&self) -> impl ExactSizeIterator<Item = (&JobId, &Erasure)> {
        self.erasures.iter()
    }

    /// Payloads that erasures cover.
    #[must_use]
    pub const fn erased(&self) -> &PayloadSet {
        &self.erased
    }
}
