//! What recovery drops, what it refuses, and what it does to the files.

use ledger_format::segment::HEADER_BYTES;
use ledger_format::{BatchNo, SegmentNo, Seq};

use super::{commit, copy, first_segment, log_of, open, records};
use crate::storage::{MemStorage, Storage};
use crate::{Class, layout};

/// Cuts or zeroes the first segment from some byte on.
fn damage_from(storage: &MemStorage, at: u64, cut: bool) -> MemStorage {
    let copy = copy(storage);
    let at = usize::try_from(at).unwrap();
    copy.edit(&first_segment(), |bytes| {
        if cut {
            bytes.truncate(at);
        } else {
            bytes[at..].fill(0);
        }
    })
    .unwrap();
    copy
}

#[test]
fn an_incomplete_last_batch_above_the_anchor_is_dropped_and_nothing_else() {
    let (storage, positions) = log_of(2, 1);
    let (start, end) = (positions[1].segment_end, positions[2].segment_end);
    let full = storage.contents(&first_segment()).unwrap();
    for cut in [true, false] {
        for at in start..=end {
            let copy = damage_from(&storage, at, cut);
            let (mut appender, recovery) = open(&copy).unwrap();
            assert!(recovery.unclean);
            let kept = if at == end { positions[2] } else { positions[1] };
            assert_eq!(appender.position(), Some(kept), "at {at}");
            if at > start && at < end {
                let dropped = recovery.dropped.unwrap();
                let tail = dropped.tail;
                assert_eq!((tail.batch, tail.seq), (BatchNo(2), Seq(4)));
                assert_eq!((tail.file, tail.offset), (first_segment(), start));
                let kept = copy.contents(&dropped.quarantine).unwrap();
                let from = usize::try_from(start).unwrap();
                assert_eq!(kept, full[from..from + kept.len()]);
                assert_eq!(kept.len() as u64, tail.bytes);
            } else {
                assert!(recovery.dropped.is_none(), "at {at}");
            }
            let length = copy.contents(&first_segment()).unwrap().len() as u64;
            assert_eq!(length, kept.segment_end, "the tail is cut off");
            commit(&mut appender).unwrap();
            let count = usize::try_from(kept.head.seq.0 + 3).unwrap();
            assert_eq!(records(&appender.reader()).unwrap().len(), count);
        }
    }
}

#[test]
fn a_log_that_ends_below_the_anchor_is_refused() {
    let (storage, positions) = log_of(2, 1);
    for cut in [true, false] {
        for at in HEADER_BYTES as u64..positions[1].segment_end {
            let copy = damage_from(&storage, at, cut);
            let before = copy.snapshot();
            let error = open(&copy).unwrap_err();
            assert!(matches!(error.class(), Class::Lost | Class::Damaged), "at {at}: {error}");
            if cut {
                assert_eq!(error.class(), Class::Lost, "at {at}: {error}");
            }
            assert!(error.to_string().contains("log/0000000000.seg"), "{error}");
            let mut after = copy.snapshot();
            after.retain(|path, _| before.contains_key(path));
            assert_eq!(after, before, "a refusal changes nothing");
        }
    }
}

#[test]
fn garbage_behind_the_end_is_dropped_and_kept_aside() {
    let (storage, positions) = log_of(2, 0);
    for garbage in [&b"x"[..], &[1; 5000], b"MLBATCH1 and no more"] {
        let copy = damage_from(&storage, positions[1].segment_end, true);
        copy.edit(&first_segment(), |bytes| bytes.extend_from_slice(garbage)).unwrap();
        let (appender, recovery) = open(&copy).unwrap();
        let dropped = recovery.dropped.unwrap();
        assert_eq!(copy.contents(&dropped.quarantine).unwrap(), garbage);
        assert_eq!(appender.position(), Some(positions[1]));
    }
}

#[test]
fn a_damaged_batch_with_a_whole_one_behind_it_is_refused() {
    let (storage, positions) = log_of(1, 2);
    for at in positions[0].segment_end..positions[1].segment_end {
        let copy = copy(&storage);
        copy.flip_bit(&first_segment(), at, 3).unwrap();
        let error = open(&copy).unwrap_err();
        assert_eq!(error.class(), Class::Damaged, "at {at}: {error}");
    }
}

#[test]
fn a_batch_without_its_payloads_was_not_committed() {
    let (storage, positions) = log_of(2, 1);
    let path = layout::payload_file(0);
    let (start, end) = (positions[1].payload_end, positions[2].payload_end);
    for at in start..end {
        let flipped = copy(&storage);
        flipped.flip_bit(&path, at, 0).unwrap();
        let cut = copy(&storage);
        cut.edit(&path, |bytes| bytes.truncate(usize::try_from(at).unwrap())).unwrap();
        for copy in [flipped, cut] {
            let (mut appender, recovery) = open(&copy).unwrap();
            assert_eq!(recovery.dropped.unwrap().tail.batch, BatchNo(2), "at {at}");
            let length = copy.contents(&path).unwrap().len() as u64;
            assert_eq!(length, start, "the payload range goes with its batch");
            commit(&mut appender).unwrap();
            assert_eq!(appender.position().unwrap().payload_end, end);
        }
    }
    // Below the anchor a payload range may have been erased, which opening does not look at; a
    // file that is too short for it is damage all the same.
    let copy = copy(&storage);
    copy.edit(&path, |bytes| bytes.truncate(70)).unwrap();
    assert_eq!(open(&copy).unwrap_err().class(), Class::Damaged);
    copy.remove_file(&path).unwrap();
    assert_eq!(open(&copy).unwrap_err().class(), Class::Damaged);
}

#[test]
fn a_segment_whose_making_was_interrupted_is_removed() {
    let (storage, positions) = log_of(2, 0);
    let second = layout::segment(SegmentNo(1));
    for content in [&[][..], &[0; 4096], b"MLSEGMT1 half a header"] {
        let copy = copy(&storage);
        drop(copy.create_exclusive(&second).unwrap());
        copy.edit(&second, |bytes| bytes.extend_from_slice(content)).unwrap();
        // A log with a later segment has its earlier one cut.
        let end = usize::try_from(positions[1].segment_end).unwrap();
        copy.edit(&first_segment(), |bytes| bytes.truncate(end)).unwrap();
        let (mut appender, recovery) = open(&copy).unwrap();
        assert_eq!(recovery.dropped.is_some(), content.iter().any(|byte| *byte != 0));
        assert!(!copy.exists(&second).unwrap());
        commit(&mut appender).unwrap();
        assert!(copy.exists(&second).unwrap());
        assert_eq!(records(&appender.reader()).unwrap().len(), 6);
    }
}

#[test]
fn what_is_above_the_anchor_is_written_and_flushed_again() {
    let (storage, positions) = log_of(1, 2);
    drop(storage.take_trace());
    drop(open(&storage).unwrap());
    let wrote = |path: &crate::storage::RelPath, from: u64, to: u64| {
        storage.trace().iter().any(|entry| {
            entry.op == crate::storage::Op::WriteAllAt
                && entry.path == *path
                && entry.offset == Some(from)
                && entry.len == to - from
        })
    };
    assert!(wrote(&first_segment(), positions[0].segment_end, positions[2].segment_end));
    assert!(wrote(&layout::payload_file(0), positions[0].payload_end, positions[2].payload_end));
}
