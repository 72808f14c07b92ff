//! Owns what all parts of a check share: what is checked, the counts, and where findings go.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use ledger_format::anchor::Anchor;
use ledger_format::event::ledger::Genesis;
use ledger_format::hash::RecordHasher;
use ledger_format::{LedgerId, PayloadId};

use super::digests::Digests;
use super::extent::Extent;
use super::findings::{Collector, Excuse, Found, Topic};
use super::heads::Heads;
use super::{VerifyLevel, VerifyOptions};
use crate::keys::KeyStore;
use crate::storage::{RelPath, Storage};

/// One check.
pub(super) struct Work<'a> {
    pub(super) storage: &'a dyn Storage,
    pub(super) ledger: LedgerId,
    pub(super) options: VerifyOptions<'a>,
    /// The store that was given, or one without a master key; none if it cannot be opened.
    pub(super) keys: Option<&'a KeyStore>,
    pub(super) erased: &'a (dyn Fn(PayloadId) -> bool + Sync),
    pub(super) hasher: RecordHasher,
    /// The valid anchors with their files.
    pub(super) anchors: Vec<(RelPath, Anchor)>,
    /// Heads from elsewhere.
    pub(super) heads: Heads,
    /// Numbers of the payload files that are there.
    pub(super) payload_files: Vec<u32>,
    /// Where the check begins.
    pub(super) extent: Extent,
    pub(super) digests: Digests,
    pub(super) findings: Collector,
    pub(super) counts: Counts,
    pub(super) used: UsedSlots,
    /// Key slots that are looked at.
    pub(super) most_slots: u64,
    /// Record 0, once it was read.
    pub(super) genesis: OnceLock<Genesis>,
    /// How many anchors were found to agree with the log.
    pub(super) anchors_met: AtomicU64,
}

impl Work<'_> {
    pub(super) fn add(&self, found: Found) {
        self.findings.add(found);
    }

    pub(super) const fn level(&self) -> VerifyLevel {
        self.options.level
    }

    /// Whether the bytes of the segments are digested.
    pub(super) const fn digests(&self) -> bool {
        self.options.digest || self.options.mark.is_some()
    }

    /// The key pages that are looked at.
    pub(super) const fn key_pages(&self) -> std::ops::Range<u64> {
        self.extent.key_page..self.most_slots.div_ceil(ledger_format::limits::PAGE_SLOTS as u64)
    }

    /// The valid anchor with the higher counter.
    pub(super) fn latest_anchor(&self) -> Option<&Anchor> {
        self.anchors.iter().map(|(_, anchor)| anchor).max_by_key(|anchor| anchor.counter)
    }

    /// What excuses damage above the anchor.
    pub(super) fn excuse_above_anchor(&self, batch: u64) -> Excuse {
        if self.options.upto.is_some() {
            return Excuse::None;
        }
        match self.latest_anchor() {
            Some(anchor) if batch <= anchor.batch.0 => Excuse::None,
            _ => Excuse::UncleanStop,
        }
    }
}

/// How many of each claim were checked and are expected.
#[derive(Debug, Default)]
pub(super) struct Counts([(AtomicU64, AtomicU64); Topic::ALL.len()]);

impl Counts {
    pub(super) fn checked(&self, topic: Topic, count: u64) {
        if let Some((checked, _)) = self.0.get(topic as usize) {
            checked.fetch_add(count, Ordering::Relaxed);
        }
    }

    pub(super) fn expected(&self, topic: Topic, count: u64) {
        if let Some((_, expected)) = self.0.get(topic as usize) {
            expected.fetch_add(count, Ordering::Relaxed);
        }
    }

    pub(super) fn get(&self, topic: Topic) -> (u64, u64) {
        self.0.get(topic as usize).map_or((0, 0), |(checked, expected)| {
            (checked.load(Ordering::Relaxed), expected.load(Ordering::Relaxed))
        })
    }
}

/// Which slots a record has named: one bit each, so that no two payloads share a key unnoticed.
#[derive(Debug)]
pub(super) struct UsedSlots(Vec<AtomicU64>);

impl UsedSlots {
    /// For as many slots as there are in the key files, which bounds the memory by their length.
    pub(super) fn new(slots: u64) -> Self {
        let words = usize::try_from(slots.div_ceil(64)).unwrap_or_default();
        Self((0..words).map(|_| AtomicU64::new(0)).collect())
    }

    /// Marks a slot. Returns whether it was marked before.
    pub(super) fn mark(&self, slot: PayloadId) -> bool {
        let bit = 1 << (slot.0 % 64);
        let word = usize::try_from(slot.0 / 64).ok().and_then(|at| self.0.get(at));
        word.is_some_and(|word| word.fetch_or(bit, Ordering::Relaxed) & bit != 0)
    }
}
