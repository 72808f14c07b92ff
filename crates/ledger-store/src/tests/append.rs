//! Appending, reading and opening again, without faults.

use std::sync::Arc;

use ledger_format::batch::{BatchHeader, BatchView, FrameWriter, HEADER_BYTES};
use ledger_format::segment::SegmentHeader;
use ledger_format::tree::Frontier;
use ledger_format::{BatchHash, Micros, PayloadId, RecordView, SegmentNo, Seq, limits};

use super::{LEDGER, commit, first_segment, open, record, records, shared, small};
use crate::storage::{FsStorage, MemStorage, Storage, Survival};
use crate::{Appender, Check, Class, Reader, StoreError, StoreOptions, layout};

fn both(test: impl Fn(Arc<dyn Storage>, StoreOptions)) {
    test(shared(&MemStorage::new()), small());
    for concurrent in [false, true] {
        let dir = tempfile::tempdir().unwrap();
        let storage = FsStorage::open(dir.path()).unwrap();
        test(Arc::new(storage), StoreOptions { concurrent, ..small() });
    }
}

#[test]
fn what_is_appended_is_read_before_and_after_opening_again() {
    both(|storage, options| {
        let create = Appender::create(Arc::clone(&storage), LEDGER, 1, options.clone());
        let mut appender = create.unwrap();
        assert_eq!(appender.head(), None);
        for now in 0..20 {
            commit(&mut appender).unwrap();
            appender.maintain(now * 500, false).unwrap();
        }
        let head = appender.head().unwrap();
        let written = records(&appender.reader()).unwrap();
        check_reads(&appender.reader(), 40);
        appender.close().unwrap();

        let (mut appender, recovery) =
            Appender::open(Arc::clone(&storage), LEDGER, options.clone()).unwrap();
        assert!(!recovery.unclean && recovery.dropped.is_none());
        assert_eq!(recovery.head, Some(head));
        assert_eq!((recovery.next_epoch, recovery.anchored), (2, Some(head)));
        assert_eq!(records(&appender.reader()).unwrap(), written);
        let segments = appender.reader().segments().len();
        commit(&mut appender).unwrap();
        assert_eq!(appender.reader().segments().len(), segments + 1, "a holder has its own");
        check_reads(&appender.reader(), 42);
        drop(appender);

        let (appender, recovery) = Appender::open(storage, LEDGER, options).unwrap();
        assert!(recovery.unclean && recovery.dropped.is_none());
        assert_eq!(recovery.head.unwrap().seq, Seq(41));
        assert_eq!(recovery.next_epoch, 3);
        check_reads(&appender.reader(), 42);
    });
}

/// Every way of reading gives the same records, and payloads lie where records say.
fn check_reads(reader: &Reader, count: usize) {
    let all = records(reader).unwrap();
    assert_eq!(all.len(), count);
    assert!(reader.segments().len() > 2, "the log spans several segments");
    let unchecked: Result<Vec<_>, _> = reader.stream(Seq(0), Check::None).collect();
    assert_eq!(unchecked.unwrap(), all);
    for (at, stored) in all.iter().enumerate() {
        let seq = Seq(at as u64);
        assert_eq!(stored.seq, seq);
        assert_eq!(&reader.record(seq).unwrap(), stored);
        for check in [Check::Chain, Check::None] {
            let next = reader.stream(seq, check).next().unwrap().unwrap();
            assert_eq!(&next, stored);
        }
        let view = RecordView::decode(&stored.bytes).unwrap();
        let mut offset = stored.payload_offset;
        for payload in view.payloads {
            let bytes = reader.payload(stored.payload_file, offset, payload.length).unwrap();
            assert_eq!(ledger_format::hash::ciphertext(&bytes), payload.digest);
            offset += u64::from(payload.length);
        }
    }
    let beyond = reader.record(Seq(count as u64));
    assert!(matches!(beyond, Err(StoreError::NoRecord { .. })));
    assert_eq!(reader.stream(Seq(count as u64), Check::Chain).count(), 0);
}

#[test]
fn segments_can_be_scanned_side_by_side() {
    let storage = MemStorage::new();
    let mut appender = Appender::create(shared(&storage), LEDGER, 1, small()).unwrap();
    for _ in 0..30 {
        commit(&mut appender).unwrap();
    }
    let reader = appender.reader();
    let mut seen = 0;
    for segment in reader.segments() {
        assert_eq!(segment.first_seq, Seq(seen));
        let mut first = None;
        let end = reader
            .scan_segment(segment.number, Check::Chain, |batch| {
                first = first.or(Some(batch.header.first));
                seen += batch.records().len() as u64;
                Ok(std::ops::ControlFlow::Continue(()))
            })
            .unwrap();
        assert_eq!((first, end.next_seq), (Some(segment.first_seq), Seq(seen)));
        assert_eq!(end.length, segment.length);
    }
    assert_eq!(seen, 60);
    let beyond = SegmentNo(reader.segments().len() as u64);
    let scanned = reader.scan_segment(beyond, Check::Chain, |_| unreachable!());
    assert_eq!(scanned.unwrap_err().class(), Class::Invalid);
}

/// The builder lays the bytes out by itself; the format crate has the say about what they are.
#[test]
fn a_batch_is_what_the_format_crate_makes_of_it() {
    let storage = MemStorage::new();
    let mut appender = Appender::create(shared(&storage), LEDGER, 1, small()).unwrap();
    let mut batch = appender.begin();
    let mut frames = FrameWriter::default();
    let mut frontier = Frontier::new();
    for tag in 0..3 {
        batch.push(record(tag, &[40])).unwrap();
        let place = usize::try_from(tag).unwrap();
        frames.push(batch.record_bytes(place)).unwrap();
        frontier.push(batch.record_bytes(place));
    }
    assert_eq!(batch.record_bytes(3), &[] as &[u8]);
    assert_eq!((batch.count(), batch.next_seq()), (3, Seq(3)));
    batch.set_last_erasure(Seq(1));
    batch.set_next_payload(PayloadId(99));
    let total = batch.bytes();
    let head = appender.commit(batch).unwrap();
    let header = BatchHeader {
        batch: head.batch,
        first: Seq(0),
        count: 0,
        frames_length: 0,
        epoch: 1,
        previous: BatchHash::ZERO,
        next_payload: PayloadId(99),
        payload_file: 0,
        payload_offset: 64,
        payload_length: 120,
        last_erasure: Some(Seq(1)),
    };
    let (bytes, batch_hash) = frames.finish(&header, &head.hash, &frontier.root()).unwrap();
    assert_eq!(total, bytes.len() as u64 + 120);
    assert_eq!((head.batch_hash, head.root), (batch_hash, frontier.root()));
    let stored = storage.contents(&first_segment()).unwrap();
    assert_eq!(&stored[4096..4096 + bytes.len()], bytes);
    BatchView::decode(&stored[4096..]).unwrap().check_hash(&head.hash).unwrap();
    let segment = SegmentHeader::decode(&stored).unwrap();
    assert_eq!((segment.first_seq, segment.epoch, segment.ledger), (Seq(0), 1, LEDGER));
}

#[test]
fn a_refused_record_leaves_the_builder_as_it_was() {
    let storage = MemStorage::new();
    let appender = Appender::create(shared(&storage), LEDGER, 1, small()).unwrap();
    let mut batch = appender.begin();
    batch.push(record(5, &[40])).unwrap();
    let state = |batch: &crate::BatchBuilder| (batch.count(), batch.bytes(), batch.next_seq());
    let before = state(&batch);

    assert_eq!(batch.push(record(4, &[])).unwrap_err().class(), Class::Invalid);
    let mut wrong = record(6, &[40]);
    wrong.payloads[0].stored.pop();
    assert_eq!(batch.push(wrong).unwrap_err().class(), Class::Invalid);
    let mut long = record(6, &[]);
    long.body = vec![1; limits::RECORD_BYTES];
    assert!(matches!(batch.push(long.clone()), Err(StoreError::Format(_))));
    let all = vec![record(6, &[20]), record(7, &[]), long];
    assert!(batch.push_all(all).is_err());
    assert_eq!(state(&batch), before);

    let mut other = appender.begin();
    other.push(record(5, &[40])).unwrap();
    let ((_, expected), (_, found)) =
        (other.push(record(6, &[9])).unwrap(), batch.push(record(6, &[9])).unwrap());
    assert_eq!(expected, found, "the chain goes on from the same record");
    let mut appender = appender;
    let head = appender.commit(batch).unwrap();
    assert_eq!(records(&appender.reader()).unwrap().last().unwrap().hash, head.hash);
}

#[test]
fn a_batch_ends_at_its_limits() {
    let storage = MemStorage::new();
    let options = StoreOptions::sequential();
    let mut appender = Appender::create(shared(&storage), LEDGER, 1, options).unwrap();
    let mut batch = appender.begin();
    let big = || record(1, &[1_000_000; 8]);
    batch.push(big()).unwrap();
    batch.push(big()).unwrap();
    let refused = batch.push_all(vec![record(1, &[]), big()]);
    assert!(matches!(refused, Err(StoreError::TooLarge { alone: false, .. })));
    assert_eq!(batch.count(), 2);
    appender.commit(batch).unwrap();

    let mut batch = appender.begin();
    let many = vec![big(), big(), big()];
    assert!(matches!(batch.push_all(many), Err(StoreError::TooLarge { alone: true, .. })));
    assert!(batch.is_empty());
    for _ in 0..limits::BATCH_RECORDS {
        batch.push(record(1, &[])).unwrap();
    }
    assert!(matches!(batch.push(record(1, &[])), Err(StoreError::TooLarge { .. })));
    appender.commit(batch).unwrap();
    assert_eq!(records(&appender.reader()).unwrap().len(), 2 + limits::BATCH_RECORDS);
    let last = Seq(1 + limits::BATCH_RECORDS as u64);
    assert_eq!(appender.reader().record(last).unwrap().seq, last);
}

#[test]
fn a_batch_begun_at_another_head_is_refused() {
    let storage = MemStorage::new();
    let mut appender = Appender::create(shared(&storage), LEDGER, 1, small()).unwrap();
    let mut late = appender.begin();
    late.push(record(0, &[])).unwrap();
    commit(&mut appender).unwrap();
    assert_eq!(appender.commit(late).unwrap_err().class(), Class::Invalid);
    let empty = appender.begin();
    assert_eq!(appender.commit(empty).unwrap_err().class(), Class::Invalid);
    commit(&mut appender).unwrap();
    assert_eq!(appender.head().unwrap().seq, Seq(3));
    assert_eq!(appender.head().unwrap().recorded_at, Micros(3));
}

#[test]
fn a_small_ledger_stays_small_and_files_are_cut_at_the_end() {
    let storage = MemStorage::new();
    let options = StoreOptions::sequential();
    let mut appender = Appender::create(shared(&storage), LEDGER, 1, options).unwrap();
    commit(&mut appender).unwrap();
    appender.maintain(0, true).unwrap();
    let length = |path| storage.contents(&path).unwrap().len();
    assert_eq!(length(first_segment()), 4096 + 64 * 1024);
    assert_eq!(length(layout::payload_file(0)), 64 + 64 * 1024);
    let position = appender.position().unwrap();
    appender.close().unwrap();
    assert_eq!(length(first_segment()) as u64, position.segment_end);
    assert_eq!(length(layout::payload_file(0)) as u64, position.payload_end);
    assert_eq!(HEADER_BYTES, 160);
}

#[test]
fn erased_payload_bytes_are_gone_and_the_head_is_anchored_first() {
    let storage = MemStorage::new();
    let mut appender = Appender::create(shared(&storage), LEDGER, 1, small()).unwrap();
    for _ in 0..2 {
        commit(&mut appender).unwrap();
    }
    let stored = appender.reader().record(Seq(2)).unwrap();
    let (file, offset) = (stored.payload_file, stored.payload_offset);
    appender.erase_payload(file, offset, 70).unwrap();
    assert_eq!(appender.reader().payload(file, offset, 70).unwrap(), vec![0; 70]);
    let beyond = appender.position().unwrap().payload_end;
    assert_eq!(appender.erase_payload(file, beyond, 1).unwrap_err().class(), Class::Invalid);
    assert_eq!(appender.erase_payload(file, 63, 1).unwrap_err().class(), Class::Invalid);
    drop(appender);
    let (appender, recovery) = super::open(&storage).unwrap();
    assert!(recovery.dropped.is_none());
    assert_eq!(appender.head().unwrap().seq, Seq(3));
}

/// Keys are changed before the first batch, so a holder has to be seen before it.
#[test]
fn a_ledger_in_use_does_not_look_closed() {
    let storage = MemStorage::new();
    let mut appender = Appender::create(shared(&storage), LEDGER, 1, small()).unwrap();
    commit(&mut appender).unwrap();
    appender.close().unwrap();
    let (mut appender, recovery) = open(&storage).unwrap();
    assert!(!recovery.unclean);
    appender.mark_in_use().unwrap();
    let ops = storage.ops();
    appender.mark_in_use().unwrap();
    assert_eq!(storage.ops(), ops, "said once");
    drop(appender);
    let (appender, recovery) = open(&storage.crash(Survival::Nothing)).unwrap();
    assert!(recovery.unclean, "the holder was gone without closing");
    appender.close().unwrap();
}
