//! What was taken out of a log stays known until a record can have told of it.

use ledger_format::Seq;

use super::{LEDGER, commit, copy, cut_by, first_segment, log_of, open, shared, small};
use crate::storage::{Fault, FaultPlan, MemStorage, Survival};
use crate::{Appender, StoreError, TakenAs, layout, loose_tail, lost_copy, repair_anchor};

/// Puts bytes that no batch begins with behind the last one.
fn tear(storage: &MemStorage, end: u64, garbage: &[u8]) {
    let cut = |bytes: &mut Vec<u8>| {
        bytes.truncate(usize::try_from(end).unwrap());
        bytes.extend_from_slice(garbage);
    };
    storage.edit(&first_segment(), cut).unwrap();
}

fn untold(storage: &MemStorage) -> Vec<(TakenAs, u64, Seq)> {
    let (appender, recovery) = open(storage).unwrap();
    appender.close().unwrap();
    recovery.untold.iter().map(|taken| (taken.kind, taken.bytes, taken.next)).collect()
}

#[test]
fn tails_of_several_openings_are_told_together_until_a_record_follows() {
    let (storage, positions) = log_of(2, 0);
    let (next, end) = (positions[1].head.seq.next(), positions[1].segment_end);
    tear(&storage, end, b"one");
    let tail = loose_tail(&storage, LEDGER).unwrap().unwrap();
    assert_eq!((tail.offset, tail.bytes, tail.seq), (positions[1].segment_end, 3, next));
    let (appender, recovery) = open(&storage).unwrap();
    assert_eq!(recovery.dropped.unwrap().tail, tail);
    drop(appender);
    let storage = storage.crash(Survival::Everything);
    assert_eq!(loose_tail(&storage, LEDGER).unwrap(), None);
    assert_eq!(untold(&storage), [(TakenAs::Tail, 3, next)], "nothing was recorded");
    assert_eq!(untold(&storage), [(TakenAs::Tail, 3, next)], "closing says nothing either");
    // The same bytes again at the same place are another tail.
    let (mut appender, _) = open(&storage).unwrap();
    appender.mark_in_use().unwrap();
    drop(appender);
    let storage = storage.crash(Survival::Everything);
    tear(&storage, end, b"one");
    assert_eq!(untold(&storage), [(TakenAs::Tail, 3, next), (TakenAs::Tail, 3, next)]);
    let (mut appender, _) = open(&storage).unwrap();
    commit(&mut appender).unwrap();
    appender.close().unwrap();
    assert_eq!(untold(&storage), [], "a record was written and could tell");
}

#[test]
fn a_recovery_that_was_interrupted_tells_its_tail_once() {
    let (storage, positions) = log_of(2, 0);
    tear(&storage, positions[1].segment_end, b"torn in the middle");
    let whole = storage.crash(Survival::Everything);
    Appender::open(shared(&whole), LEDGER, small()).unwrap();
    for op in 0..whole.ops() {
        for how in [Survival::Nothing, Survival::Everything, Survival::Seeded(op)] {
            let copy = storage.crash(Survival::Everything);
            let fault = Fault::StopInside { bytes: 7 };
            copy.set_fault(FaultPlan::at(op, fault));
            assert!(open(&copy).is_err());
            let cut = cut_by(&copy, op, fault);
            let after = copy.crash(how);
            if cut.is_some_and(|entry| layout::ANCHORS.contains(&entry.path)) {
                // Half an anchor: repairing it is a story of its own.
                continue;
            }
            let expected = (TakenAs::Tail, 18, positions[1].head.seq.next());
            assert_eq!(untold(&after), [expected], "op {op} {how:?}");
        }
    }
}

#[test]
fn a_lost_anchor_copy_is_written_again_from_the_other_and_told() {
    let (storage, positions) = log_of(2, 0);
    for place in 0..2 {
        let copy = copy(&storage);
        let path = &layout::ANCHORS[place];
        copy.flip_bit(path, 500, 1).unwrap();
        let damaged = copy.contents(path).unwrap();
        let before = copy.snapshot();
        let lost = lost_copy(&copy, LEDGER).unwrap().unwrap();
        assert_eq!(copy.snapshot(), before, "looking changes nothing");
        assert_eq!((&lost.file, lost.bytes, lost.end), (path, 512, positions[1].head.seq));
        let kept = repair_anchor(&copy, LEDGER).unwrap().unwrap();
        assert_eq!(copy.contents(&kept).unwrap(), damaged);
        assert_eq!(lost_copy(&copy, LEDGER).unwrap(), None);
        assert_eq!(repair_anchor(&copy, LEDGER).unwrap(), None, "nothing is left to do");
        assert_eq!(untold(&copy), [(TakenAs::Anchor, 512, positions[1].head.seq.next())]);
    }
}

/// The newer copy has a flipped bit and the log ends where the older one says: nothing but what is
/// left of the newer one tells that records are missing.
#[test]
fn an_anchor_is_not_written_again_where_that_would_hide_a_cut_log() {
    let storage = MemStorage::new();
    let mut appender = Appender::create(shared(&storage), LEDGER, 1, small()).unwrap();
    commit(&mut appender).unwrap();
    appender.anchor().unwrap();
    let early = appender.position().unwrap();
    commit(&mut appender).unwrap();
    appender.anchor().unwrap();
    drop(appender);
    let storage = storage.crash(Survival::Everything);
    let newest = crate::read_anchors(&storage).unwrap().newest().unwrap().0;
    storage.flip_bit(&layout::ANCHORS[newest], 505, 0).unwrap();
    let end = usize::try_from(early.segment_end).unwrap();
    let whole = copy(&storage);
    assert!(repair_anchor(&whole, LEDGER).unwrap().is_some(), "with the whole log it is safe");
    storage.edit(&first_segment(), |bytes| bytes[end..].fill(0)).unwrap();
    let before = storage.snapshot();
    let error = repair_anchor(&storage, LEDGER).unwrap_err();
    assert!(matches!(error, StoreError::AnchorDamaged { .. }), "{error}");
    assert!(error.to_string().contains("seem to be missing"), "{error}");
    let mut after = storage.snapshot();
    after.retain(|path, _| before.contains_key(path));
    assert_eq!(after, before);
    // Below what the valid copy names there is no doubt at all.
    storage.edit(&first_segment(), |bytes| bytes.truncate(end - 1)).unwrap();
    assert!(matches!(repair_anchor(&storage, LEDGER), Err(StoreError::Lost(_))));
}
