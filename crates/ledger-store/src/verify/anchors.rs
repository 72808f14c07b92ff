//! Owns the check of both head anchors, and of the log against them.

use std::sync::atomic::Ordering;

use ledger_format::anchor::{Anchor, BYTES};
use ledger_format::{BatchNo, LedgerId, PayloadId};

use super::findings::{Collector, Excuse, Found, Topic};
use super::report::Severity;
use super::work::{Counts, Work};
use crate::error::StoreError;
use crate::head::Position;
use crate::layout::ANCHORS;
use crate::storage::{RelPath, Storage, StorageError};

/// What the two copies hold.
#[derive(Debug, Default)]
pub(super) struct Copies {
    pub(super) valid: Vec<(RelPath, Anchor)>,
    /// Copies that wait for their first anchor.
    blank: Vec<RelPath>,
}

/// Reads both copies.
pub(super) fn read(
    storage: &dyn Storage,
    ledger: LedgerId,
    findings: &Collector,
    counts: &Counts,
) -> Copies {
    let mut copies = Copies::default();
    let mut unreadable = Vec::new();
    for file in ANCHORS {
        counts.expected(Topic::Anchors, 1);
        let bytes = match bytes(storage, &file) {
            Ok(bytes) => bytes,
            Err(error) => {
                let error = StoreError::Storage(error);
                unreadable.push(Found::obstacle(Topic::Anchors, &file, &error));
                continue;
            }
        };
        let wrong = |expected: String, found: String| {
            Found::damage(Topic::Anchors, &file, "a head anchor", expected, found).at(0)
        };
        if bytes.len() == BYTES && bytes.iter().all(|byte| *byte == 0) {
            copies.blank.push(file);
            continue;
        }
        match Anchor::decode(&bytes) {
            Ok(anchor) if anchor.ledger == ledger => copies.valid.push((file, anchor)),
            Ok(anchor) => findings.add(wrong(
                format!("one of ledger {ledger}"),
                format!("one of ledger {}", anchor.ledger),
            )),
            Err(error) => unreadable.push(wrong("a whole anchor".to_owned(), error.to_string())),
        }
    }
    compare(&mut copies, &mut unreadable, counts);
    for found in unreadable {
        // A copy beside a valid one can be made again. Without one there is nothing to hold the end
        // of the log against, which says nothing about the log.
        let alone = copies.valid.is_empty();
        findings.add(if alone { found.severity(Severity::CannotCheck) } else { found });
    }
    copies
}

/// One byte more than an anchor is read, so that a longer file shows.
fn bytes(storage: &dyn Storage, file: &RelPath) -> Result<Vec<u8>, StorageError> {
    let open = storage.open_read(file)?;
    let length = usize::try_from(open.len()?).unwrap_or(usize::MAX).min(BYTES + 1);
    let mut bytes = vec![0; length];
    open.read_exact_at(&mut bytes, 0)?;
    Ok(bytes)
}

/// Copies are written in turn, so they are one apart, or the same after a repair.
fn compare(copies: &mut Copies, unreadable: &mut Vec<Found>, counts: &Counts) {
    let what = "a head anchor";
    if let [(file, first), (_, second)] = copies.valid.as_slice() {
        let apart = first.counter.abs_diff(second.counter);
        let found = format!("counters {} and {}", first.counter, second.counter);
        let expected = "two anchors written in turn";
        let wrong = Found::damage(Topic::Anchors, file, what, expected, found);
        if apart > 1 {
            unreadable.push(wrong);
            return;
        }
        if apart == 0 && first != second {
            // Neither of them counts.
            unreadable.push(wrong);
            copies.valid.clear();
            return;
        }
    }
    counts.checked(Topic::Anchors, copies.valid.len() as u64);
    for file in &copies.blank {
        // The first anchor of a ledger goes to one copy; from the second on both are written.
        let early = copies.valid.iter().all(|(_, anchor)| anchor.counter <= 1);
        let alone = copies.valid.len() + copies.blank.len() < ANCHORS.len();
        if early && !alone {
            counts.checked(Topic::Anchors, 1);
        } else {
            unreadable
                .push(Found::damage(Topic::Anchors, file, what, "an anchor", "only zeros").at(0));
        }
    }
}

/// Compares a batch that was just checked with the anchors that name it.
pub(super) fn meet(work: &Work<'_>, position: &Position) {
    for (file, anchor) in &work.anchors {
        if anchor.batch != position.head.batch {
            continue;
        }
        let named = Position::of_anchor(anchor);
        if named == *position {
            work.anchors_met.fetch_add(1, Ordering::Relaxed);
            continue;
        }
        let (expected, found) = differing(&named, position);
        let what = "the head that the anchor names";
        let finding = Found::damage(Topic::Head, file, what, expected, found);
        work.add(finding.at(0).seq(position.head.seq));
    }
}

/// The first field in which two positions of one batch differ.
fn differing(named: &Position, found: &Position) -> (String, String) {
    let fields = |position: &Position| {
        let head = &position.head;
        [
            format!("batch hash {}", head.batch_hash),
            format!("record {} with hash {}", head.seq, head.hash),
            format!("root {}", head.root),
            format!("time {}", head.recorded_at.0),
            format!("epoch {}", head.epoch),
            format!("next payload {}", head.next_payload),
            format!("last erasure {:?}", head.last_erasure),
            format!("segment {} to byte {}", position.segment, position.segment_end),
            format!("payload file {} to byte {}", position.payload_file, position.payload_end),
        ]
    };
    let pairs = fields(named).into_iter().zip(fields(found));
    let mut differing = pairs.filter(|(named, found)| named != found);
    differing.next().unwrap_or_default()
}

/// Whether the log reaches its anchors. `end` is where it ends; `whole` says that nothing before
/// it was left out, so that an end below the anchor is a loss.
pub(super) fn reached(work: &Work<'_>, blank: bool, end: Option<&Position>, whole: bool) {
    let batches = end.map_or(0, |end| end.head.batch.0.saturating_add(1));
    let [file, _] = ANCHORS;
    if work.anchors.is_empty() {
        return without(work, &file, blank, batches);
    }
    // An anchor before the first batch of the check lies behind the head that it begins with.
    let due = |anchor: &Anchor| anchor.batch >= work.extent.batch;
    let expected = work.anchors.iter().filter(|(_, anchor)| due(anchor)).count();
    work.counts.expected(Topic::Head, expected as u64);
    work.counts.checked(Topic::Head, work.anchors_met.load(Ordering::Relaxed));
    for (file, anchor) in &work.anchors {
        // With a limit below the anchor the log was not read so far.
        let limited = work.options.upto.is_some_and(|upto| upto.head.batch < anchor.batch);
        if limited || !due(anchor) || batches > anchor.batch.0 {
            continue;
        }
        let expected = format!("record {} in batch {}", anchor.seq, anchor.batch);
        let found = end.map_or_else(
            || "no batch".to_owned(),
            |end| format!("record {} in batch {}", end.head.seq, end.head.batch),
        );
        let finding = if whole {
            Found::damage(Topic::Head, file, "the end of the log", expected, found)
        } else {
            // The damage that hides it has its own finding.
            Found::damage(Topic::Head, file, "the end of the log", expected, "damage before it")
                .severity(Severity::CannotCheck)
        };
        work.add(finding.seq(anchor.seq));
    }
}

fn without(work: &Work<'_>, file: &RelPath, blank: bool, batches: u64) {
    if blank && batches == 0 {
        return;
    }
    work.counts.expected(Topic::Head, 1);
    let what = "the end of the log";
    let found = format!("{batches} batches and no valid anchor");
    let finding = if !blank {
        Found::damage(Topic::Head, file, what, "an anchor to check it against", found)
            .severity(Severity::CannotCheck)
    } else if batches <= BatchNo(0).next().0 {
        // The first commit is answered after its anchor, so this one was not.
        Found::damage(Topic::Head, file, what, "an anchor for batch 0", found)
            .unless(Excuse::UncleanStop)
    } else {
        // Both copies were written before the first batch was answered: these are lost.
        Found::damage(Topic::Head, file, what, "anchors that are not blank", found)
            .severity(Severity::CannotCheck)
    };
    work.add(finding);
}

impl Copies {
    /// The highest number of the next payload that an anchor names.
    pub(super) fn next_payload(&self) -> PayloadId {
        let named = self.valid.iter().map(|(_, anchor)| anchor.next_payload);
        named.max().unwrap_or_default()
    }

    /// Both copies wait for the first batch.
    pub(super) fn is_blank(&self) -> bool {
        self.blank.len() == ANCHORS.len()
    }
}
