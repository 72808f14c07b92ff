//! Owns what the first records of a holder have to tell of openings that recorded nothing: tails that
//! were dropped, however many openings lie between, and anchor copies written anew.
//!
//! Invariant: as long as no record was written, the notes in quarantine name the next record, and
//! each of them is counted.

use ledger_format::event::ledger::Repaired;
use ledger_format::names::RepairKind;
use ledger_store::{Recovery, TakenAs};

/// Bytes of tails dropped since the last record.
pub(super) fn dropped_bytes(recovery: &Recovery) -> u64 {
    let tails = recovery.untold.iter().filter(|taken| taken.kind == TakenAs::Tail);
    tails.fold(0, |sum, taken| sum.saturating_add(taken.bytes))
}

/// Anchor copies written anew since the last record.
pub(super) fn repairs(recovery: &Recovery) -> Vec<Repaired> {
    let anchors = recovery.untold.iter().filter(|taken| taken.kind == TakenAs::Anchor);
    let event = |taken: &ledger_store::Taken| Repaired {
        kind: RepairKind::RecreatedAnchor,
        from: taken.next,
        bytes: taken.bytes,
    };
    anchors.map(event).collect()
}
