//! Owns what can change about a memory. One value of [`Lifecycle`] is one version of a memory, known
//! from the record that made it until the next one.

use alloc::vec::Vec;

use ledger_format::{CloseKind, Layer, MemoryId, Micros, Reach, Seq, Trust};

use crate::Validity;

/// The closure in effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Closure {
    /// The record that closed it: its reason is there.
    pub seq: Seq,
    /// Whether the world changed or it was never true.
    pub kind: CloseKind,
    /// What took its place.
    pub by: Option<MemoryId>,
}

/// A push-down in effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PushedDown {
    /// The record: reason and evidence are there.
    pub seq: Seq,
    /// For which questions.
    pub reach: Reach,
}

/// One version of a memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lifecycle {
    /// The record that made this version.
    pub since: Seq,
    /// What it is for.
    pub layer: Layer,
    /// How far it is trusted.
    pub trust: Trust,
    /// When it is claimed to hold.
    pub validity: Validity,
    /// When it stops counting.
    pub ttl_until: Option<Micros>,
    /// When a person should look at it.
    pub review_by: Option<Micros>,
    /// Last confirmation.
    pub last_confirmed: Option<Micros>,
    /// Last use.
    pub last_used: Option<Micros>,
    /// The closure in effect.
    pub closed: Option<Closure>,
    /// Push-downs in effect, oldest first.
    pub pushed_down: Vec<PushedDown>,
    /// The contest it is part of.
    pub contest: Option<Seq>,
    /// The record that forgot it.
    pub forgotten: Option<Seq>,
    /// The intent that erases it.
    pub erased: Option<Seq>,
    /// Waits for approval.
    pub pending: bool,
    /// Was not approved.
    pub rejected: bool,
    /// A sweep recorded that it ran out.
    pub expired: bool,
    /// May not be used for now.
    pub restricted: bool,
    /// Survives summarising and compaction.
    pub pinned: bool,
    /// What it was made from has changed.
    pub stale: bool,
}

impl Lifecycle {
    /// Whether the memory can be in force at `at` or later: the condition for being listed without
    /// asking for history.
    #[must_use]
    pub fn live_beyond(&self, at: Micros) -> bool {
        self.forgotten.is_none()
            && self.erased.is_none()
            && !self.rejected
            && self.validity.reaches_beyond(at)
    }
}
