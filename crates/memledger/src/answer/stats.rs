//! What a ledger did, counted from its records: verdicts, conflicts, staleness, what people had to do by
//! hand, how long erasures took.
//!
//! Owns the counts. Invariants: nothing is counted that is not in a record, so the same moment gives the
//! same numbers for ever; what no record tells yet is none, never zero. Costs one pass over the log up to
//! the moment that is asked about. May not: keep counters beside the log.

mod count;

use std::collections::BTreeMap;

use crate::basis::{Basis, Question};
use crate::error::Result;
use crate::ledger::Ledger;

/// Counts by a name.
pub type Counts = BTreeMap<String, u64>;

/// A part of a whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// The part.
    pub part: u64,
    /// The whole.
    pub of: u64,
}

impl Share {
    /// The part as a fraction; none of nothing.
    #[must_use]
    #[allow(clippy::cast_precision_loss, reason = "a share for people")]
    pub fn fraction(self) -> Option<f64> {
        (self.of > 0).then(|| self.part as f64 / self.of as f64)
    }
}

/// What the gate said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdicts {
    /// How many proposals were judged.
    pub proposals: u64,
    /// Proposals by verdict.
    pub by_verdict: Counts,
    /// Those that were not simply committed, by the rule that decided.
    pub by_rule: Counts,
    /// Stored words by their mark: `instruction_like`, `personal`, `quoted`.
    pub marked: Counts,
    /// What persons said to what waited: `approved`, `rejected`.
    pub decided: Counts,
}

/// How the memories stand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Memories {
    /// How many were ever written.
    pub written: u64,
    /// How many stand how.
    pub by_status: Counts,
    /// Those in force, by layer.
    pub open_by_layer: Counts,
    /// Those in force, by trust.
    pub open_by_trust: Counts,
    /// Those written from tools and pages, of all.
    pub from_tools: Share,
    /// Those in force whose sources are not, or that were marked stale, of those in force.
    pub stale: Share,
}

/// What contradicted what.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Conflicts {
    /// Contests that began.
    pub contests: u64,
    /// Contests that were decided.
    pub resolved: u64,
    /// Memories that were ever contested, of all that were written.
    pub contested: Share,
}

/// What reads came to. Every number needs receipts, and is none where none was recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reads {
    /// Reads on record.
    pub receipts: u64,
    /// Reads that returned something, of all.
    pub hits: Share,
    /// Returned items that were not in force or were stale when they were returned, of all.
    pub stale_hits: Share,
    /// Answers on record.
    pub answers: u64,
    /// What was said to have helped and misled.
    pub feedback: Counts,
}

/// How long erasures took, from the request to the record that they were done, in microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Erasures {
    /// Asked for.
    pub requested: u64,
    /// Carried out.
    pub done: u64,
    /// The median; none before the first.
    pub median_micros: Option<u64>,
    /// The longest.
    pub longest_micros: Option<u64>,
}

/// What a ledger did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Records that were counted.
    pub records: u64,
    /// Records by kind.
    pub events: Counts,
    /// What the gate said.
    pub verdicts: Verdicts,
    /// How the memories stand.
    pub memories: Memories,
    /// What contradicted what.
    pub conflicts: Conflicts,
    /// What persons did by hand, by kind of event: all but writing.
    pub interventions: Counts,
    /// What went wrong and was mended: `repaired`, `restored`, `clock_corrected`, `undone`.
    pub recoveries: Counts,
    /// What reads came to.
    pub reads: Reads,
    /// How long erasures took.
    pub erasures: Erasures,
    /// What suites came to, the last of each: its number, cases passed and failed.
    pub suites: BTreeMap<u16, (u32, u32)>,
}

impl Ledger {
    /// What the ledger had done at a moment.
    ///
    /// # Errors
    /// As [`Ledger::snapshot`]; when a record cannot be read.
    pub fn stats(&self, question: &Question) -> Result<(Basis, Stats)> {
        let basis = self.snapshot(question)?.basis().clone();
        let stats = count::all(self, &basis)?;
        Ok((basis, stats))
    }
}
