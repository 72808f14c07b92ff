//! Changed, missing and foreign files: refused or reported, and never served as something else.

use std::ops::ControlFlow;
use std::sync::Arc;

use ledger_format::anchor::Anchor;
use ledger_format::batch::{BatchView, FrameWriter};
use ledger_format::segment::SegmentHeader;
use ledger_format::tree::Frontier;
use ledger_format::{LedgerId, SegmentNo, Seq, TreeRoot};

use super::{LEDGER, commit, copy, first_segment, log_of, open, records, shared, small};
use crate::storage::{FsStorage, MemStorage, RelPath, Storage};
use crate::verify::{VerifyLevel, VerifyOptions, verify};
use crate::{
    Appender, Check, Class, Reader, StoreError, StoredRecord, layout, read_anchors, repair_anchor,
};

/// Whatever a reader gives out is what was written. Returns whether it noticed anything.
fn reads_nothing_else(storage: &MemStorage, written: &[StoredRecord]) -> bool {
    let Ok(reader) = Reader::open(shared(storage), LEDGER) else {
        return true;
    };
    for record in written {
        if let Ok(found) = reader.record(record.seq) {
            assert_eq!(&found, record);
        }
    }
    let mut noticed = false;
    for (at, found) in reader.stream(Seq(0), Check::Chain).enumerate() {
        match found {
            Ok(found) => assert_eq!(found, written[at]),
            Err(_) => noticed = true,
        }
    }
    noticed
}

#[test]
fn a_flipped_bit_below_the_anchor_is_refused_by_writers_and_noticed_by_readers() {
    let (storage, positions) = log_of(2, 0);
    let written = records(&Reader::open(shared(&storage), LEDGER).unwrap()).unwrap();
    assert_eq!(written.len(), 4);
    assert!(!reads_nothing_else(&storage, &written));
    for at in 0..positions[1].segment_end {
        let copy = copy(&storage);
        copy.flip_bit(&first_segment(), at, u8::try_from(at % 8).unwrap()).unwrap();
        assert!(reads_nothing_else(&copy, &written), "at {at}");
        let error = open(&copy).unwrap_err();
        assert!(matches!(error.class(), Class::Damaged | Class::Unsupported), "at {at}: {error}");
    }
}

#[test]
fn a_flipped_bit_above_the_anchor_is_dropped_or_refused() {
    let (storage, positions) = log_of(1, 1);
    let written = records(&open(&copy(&storage)).unwrap().0.reader()).unwrap();
    for at in 0..positions[1].segment_end {
        let copy = copy(&storage);
        copy.flip_bit(&first_segment(), at, u8::try_from(at % 8).unwrap()).unwrap();
        match open(&copy) {
            Ok((appender, recovery)) => {
                assert!(recovery.dropped.is_some(), "at {at}");
                assert_eq!(records(&appender.reader()).unwrap(), written[..2]);
            }
            Err(error) => {
                assert!(at < positions[0].segment_end, "at {at}: {error}");
            }
        }
    }
}

/// A log of several segments, cleanly closed.
fn segmented() -> MemStorage {
    let storage = MemStorage::new();
    let mut appender = Appender::create(shared(&storage), LEDGER, 1, small()).unwrap();
    for _ in 0..20 {
        commit(&mut appender).unwrap();
    }
    assert!(appender.reader().segments().len() >= 3);
    appender.close().unwrap();
    copy(&storage)
}

#[test]
fn missing_segments_are_refused() {
    let storage = segmented();
    let count = storage.list(&layout::LOG).unwrap().len() as u64;
    for number in 0..count {
        let copy = copy(&storage);
        copy.remove_file(&layout::segment(SegmentNo(number))).unwrap();
        let expected = if number + 1 == count { Class::Lost } else { Class::Damaged };
        assert_eq!(open(&copy).unwrap_err().class(), expected, "segment {number}");
        let read = Reader::open(shared(&copy), LEDGER).unwrap_err();
        assert_eq!(read.class(), expected, "segment {number}");
    }
    storage.remove_dir_all(&layout::LOG).unwrap();
    assert_eq!(open(&storage).unwrap_err().class(), Class::Lost);
}

#[test]
fn renamed_and_foreign_segments_are_refused() {
    let storage = segmented();
    let [first, second] = [0, 1].map(|number| layout::segment(SegmentNo(number)));
    let swapped = copy(&storage);
    let aside = RelPath::from_static("log/aside");
    swapped.rename(&first, &aside).unwrap();
    swapped.rename(&second, &first).unwrap();
    swapped.rename(&aside, &second).unwrap();
    assert_eq!(open(&swapped).unwrap_err().class(), Class::Damaged);

    let misnamed = copy(&storage);
    misnamed.rename(&second, &RelPath::from_static("log/1.seg")).unwrap();
    assert_eq!(open(&misnamed).unwrap_err().class(), Class::Damaged);

    let other = MemStorage::new();
    let mut appender = Appender::create(shared(&other), LedgerId([8; 16]), 1, small()).unwrap();
    commit(&mut appender).unwrap();
    let foreign = other.contents(&first).unwrap();
    let replaced = copy(&storage);
    replaced.edit(&second, |bytes| *bytes = foreign).unwrap();
    assert!(matches!(open(&replaced), Err(StoreError::Foreign { .. })));
    let error = Appender::open(shared(&storage), LedgerId([9; 16]), small()).unwrap_err();
    assert!(matches!(error, StoreError::Foreign { .. }), "{error}");
}

#[test]
fn segments_of_another_length_are_refused() {
    let storage = segmented();
    for change in [-1i64, 1] {
        let copy = copy(&storage);
        copy.edit(&first_segment(), |bytes| {
            let length = i64::try_from(bytes.len()).unwrap() + change;
            bytes.resize(usize::try_from(length).unwrap(), 0);
        })
        .unwrap();
        assert_eq!(open(&copy).unwrap_err().class(), Class::Damaged);
    }
}

/// Two histories of one ledger that begin alike: no segment of one passes in the other.
#[test]
fn a_segment_of_another_history_is_noticed() {
    let (storage, _) = log_of(1, 0);
    let fork = copy(&storage);
    for (storage, extra) in [(&storage, false), (&fork, true)] {
        for holder in 0..3 {
            let (mut appender, _) = open(storage).unwrap();
            let mut batch = appender.begin();
            let tag = batch.next_seq().0 + u64::from(extra);
            batch.push(super::record(tag, &[])).unwrap();
            appender.commit(batch).unwrap();
            assert_eq!(appender.epoch(), holder + 2);
            appender.close().unwrap();
        }
    }
    let [second, last] = [2, 3].map(|number| layout::segment(SegmentNo(number)));
    let middle = copy(&storage);
    middle.edit(&second, |bytes| *bytes = fork.contents(&second).unwrap()).unwrap();
    let reader = Reader::open(shared(&middle), LEDGER).unwrap();
    assert_eq!(records(&reader).unwrap_err().class(), Class::Damaged);
    let end = copy(&storage);
    end.edit(&last, |bytes| *bytes = fork.contents(&last).unwrap()).unwrap();
    assert_eq!(open(&end).unwrap_err().class(), Class::Damaged);
    assert_eq!(Reader::open(shared(&end), LEDGER).unwrap_err().class(), Class::Damaged);
}

#[test]
fn a_damaged_anchor_copy_blocks_writing_until_it_is_repaired() {
    let (storage, _) = log_of(2, 0);
    for place in 0..2 {
        let path = &layout::ANCHORS[place];
        let damages: [&dyn Fn(&MemStorage); 4] = [
            &|copy| copy.flip_bit(path, 100, 0).unwrap(),
            &|copy| copy.edit(path, |bytes| bytes.fill(0)).unwrap(),
            &|copy| copy.edit(path, |bytes| bytes.truncate(100)).unwrap(),
            &|copy| copy.remove_file(path).unwrap(),
        ];
        for damage in damages {
            let copy = copy(&storage);
            let newest = read_anchors(&copy).unwrap().latest().unwrap().clone();
            damage(&copy);
            let left = read_anchors(&copy).unwrap().latest().unwrap().clone();
            match open(&copy).unwrap_err() {
                StoreError::AnchorDamaged { file, .. } => assert_eq!(&file, path),
                other => panic!("{other}"),
            }
            let reader = Reader::open(shared(&copy), LEDGER).unwrap();
            assert!(matches!(reader.warning(), Some(StoreError::AnchorDamaged { .. })));
            assert_eq!(reader.head().unwrap().seq, left.seq);
            assert!(left.counter <= newest.counter);
            repair_anchor(&copy, LEDGER).unwrap();
            let (appender, _) = open(&copy).unwrap();
            assert_eq!(appender.head().unwrap().seq, Seq(3));
        }
    }
}

#[test]
fn a_log_without_anchors_is_never_fresh() {
    let (storage, _) = log_of(2, 1);
    let missing = copy(&storage);
    let blank = copy(&storage);
    for path in &layout::ANCHORS {
        missing.remove_file(path).unwrap();
        blank.edit(path, |bytes| bytes.fill(0)).unwrap();
    }
    for copy in [missing, blank] {
        assert!(matches!(open(&copy), Err(StoreError::AnchorDamaged { .. })));
        let read = Reader::open(shared(&copy), LEDGER);
        assert!(matches!(read, Err(StoreError::AnchorDamaged { .. })));
        let again = Appender::create(shared(&copy), LEDGER, 1, small());
        assert!(matches!(again, Err(StoreError::AlreadyThere { .. })));
        assert!(repair_anchor(&copy, LEDGER).is_err() || read_anchors(&copy).unwrap().are_blank());
    }
    let empty = MemStorage::new();
    assert_eq!(open(&empty).unwrap_err().class(), Class::NotALedger);
    let read = Reader::open(shared(&empty), LEDGER).unwrap_err();
    assert_eq!(read.class(), Class::NotALedger);
    assert!(empty.snapshot().is_empty(), "looking leaves nothing behind");
}

#[test]
fn a_damaged_log_can_be_read_as_far_as_it_is_valid() {
    let (storage, positions) = log_of(2, 1);
    let at = positions[1].segment_end + 200;
    storage.flip_bit(&first_segment(), at, 0).unwrap();
    let found = Reader::open_unanchored(shared(&storage), LEDGER).unwrap();
    assert_eq!(found.reader.position(), Some(positions[1]));
    assert_eq!(records(&found.reader).unwrap().len(), 4);
    assert_eq!(found.stopped.unwrap().class(), Class::Damaged);
    let whole = Arc::new(segmented());
    let found = Reader::open_unanchored(whole, LEDGER).unwrap();
    assert!(found.stopped.is_none());
    assert_eq!(records(&found.reader).unwrap().len(), 40);
}

/// A batch that is whole, with a hash of its own that holds, over a root that is not the tree's:
/// no unfinished write leaves that, so it is not dropped.
#[test]
fn a_forged_root_is_refused_even_at_the_end() {
    let (storage, positions) = log_of(1, 1);
    let from = usize::try_from(positions[0].segment_end).unwrap();
    storage
        .edit(&first_segment(), |bytes| {
            let batch = BatchView::decode(&bytes[from..]).unwrap();
            let mut frames = FrameWriter::default();
            for record in batch.records() {
                frames.push(record.unwrap()).unwrap();
            }
            let root = TreeRoot([9; 32]);
            let last = positions[1].head.hash;
            let (forged, _) = frames.finish(&batch.header, &last, &root).unwrap();
            bytes[from..from + forged.len()].copy_from_slice(&forged);
        })
        .unwrap();
    let error = open(&storage).unwrap_err();
    assert!(error.to_string().contains("Merkle root"), "{error}");
    let found = Reader::open_unanchored(shared(&storage), LEDGER).unwrap();
    assert_eq!(found.reader.position(), Some(positions[0]));
}

/// Headers that pass their own check but do not say what the log before them says.
#[test]
fn forged_segment_headers_are_noticed() {
    let storage = segmented();
    let path = layout::segment(SegmentNo(1));
    let forge = |change: &dyn Fn(&mut SegmentHeader)| {
        let copy = copy(&storage);
        copy.edit(&path, |bytes| {
            let mut header = SegmentHeader::decode(bytes).unwrap();
            change(&mut header);
            bytes[..4096].copy_from_slice(&header.encode());
        })
        .unwrap();
        let reader = Reader::open(shared(&copy), LEDGER)?;
        reader.scan_segment(SegmentNo(0), Check::Chain, |_| Ok(ControlFlow::Continue(())))?;
        Ok::<(), StoreError>(())
    };
    forge(&|_| {}).unwrap();
    let frontier = |header: &SegmentHeader| {
        let mut nodes = header.frontier.nodes().to_vec();
        nodes[0][0] ^= 1;
        Frontier::from_parts(header.frontier.size(), nodes).unwrap()
    };
    let changes: [&dyn Fn(&mut SegmentHeader); 5] = [
        &|header| header.frontier = frontier(header),
        &|header| header.previous_record.0[0] ^= 1,
        &|header| header.previous_batch.0[0] ^= 1,
        &|header| header.first_batch.0 += 1,
        &|header| header.previous_length += 1,
    ];
    for change in changes {
        assert_eq!(forge(change).unwrap_err().class(), Class::Damaged);
    }
}

/// Anchors that pass their own check but name another head than the log has.
#[test]
fn forged_anchors_are_noticed() {
    let (storage, _) = log_of(2, 0);
    let changes: [&dyn Fn(&mut Anchor); 3] =
        [&|anchor| anchor.record_hash.0[0] ^= 1, &|anchor| anchor.seq.0 -= 1, &|anchor| {
            anchor.batch_hash.0[0] ^= 1
        }];
    for change in changes {
        let copy = copy(&storage);
        for path in &layout::ANCHORS {
            copy.edit(path, |bytes| {
                let mut anchor = Anchor::decode(bytes).unwrap();
                change(&mut anchor);
                *bytes = anchor.encode();
            })
            .unwrap();
        }
        let read = Reader::open(shared(&copy), LEDGER).and_then(|reader| records(&reader));
        assert_eq!(read.unwrap_err().class(), Class::Damaged);
        assert_eq!(open(&copy).unwrap_err().class(), Class::Damaged);
    }
}

/// A hole costs nothing to make; reading a terabyte of it into memory would end the program.
#[test]
fn a_segment_longer_than_any_can_be_is_damage_and_is_not_read() {
    let dir = tempfile::tempdir().unwrap();
    let storage: Arc<dyn Storage> = Arc::new(FsStorage::create(&dir.path().join("l")).unwrap());
    let mut appender = Appender::create(Arc::clone(&storage), LEDGER, 1, small()).unwrap();
    commit(&mut appender).unwrap();
    appender.close().unwrap();
    let file = storage.open_write(&first_segment()).unwrap();
    file.set_len(1 << 40).unwrap();
    let error = Appender::open(Arc::clone(&storage), LEDGER, small()).map(drop).unwrap_err();
    assert_eq!(error.class(), Class::Damaged, "{error}");
    assert!(error.to_string().contains("the length of a segment file"), "{error}");
    let options = VerifyOptions { level: VerifyLevel::Log, ..VerifyOptions::default() };
    let report = verify(&storage, LEDGER, None, options, &|_| false, &|_| ());
    let told = format!("{report:?}");
    assert!(told.contains("1099511627776 bytes; those beyond were not read"), "{told}");
}
