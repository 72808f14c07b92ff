//! Records by number: remembered places are a shortcut, and what lies there is checked every time.

use ledger_format::Seq;

use super::{LEDGER, commit, copy, first_segment, log_of, record, records, shared};
use crate::storage::{MemStorage, Op};
use crate::{Appender, Reader, StoreOptions, StoredRecord};

/// A log of batches of one, two and many records in one segment, cleanly closed.
fn mixed() -> (MemStorage, Vec<StoredRecord>) {
    let storage = MemStorage::new();
    let options = StoreOptions { fill_first: 512, ..StoreOptions::sequential() };
    let mut appender = Appender::create(shared(&storage), LEDGER, 1, options).unwrap();
    for count in [1, 2, 8, 1, 3] {
        let mut batch = appender.begin();
        for _ in 0..count {
            let tag = batch.next_seq().0;
            let payloads: &[usize] = if tag.is_multiple_of(3) { &[70, 33] } else { &[] };
            batch.push(record(tag, payloads)).unwrap();
        }
        appender.commit(batch).unwrap();
    }
    appender.close().unwrap();
    let storage = copy(&storage);
    let written = records(&Reader::open(shared(&storage), LEDGER).unwrap()).unwrap();
    assert_eq!(written.len(), 15);
    (storage, written)
}

#[test]
fn a_record_is_the_same_however_often_and_in_whatever_order_it_is_read() {
    let (storage, written) = mixed();
    for step in [1, 4, 14] {
        let reader = Reader::open(shared(&storage), LEDGER).unwrap();
        for round in 0..2 {
            for at in (0..written.len()).map(|at| at * step % written.len()) {
                let found = reader.record(written[at].seq).unwrap();
                assert_eq!(found, written[at], "round {round}");
            }
        }
    }
}

/// The places are remembered before the bytes change: no read may trust what it saw before.
#[test]
fn a_bit_that_flips_under_a_reader_never_becomes_another_record() {
    let (storage, written) = mixed();
    let reader = Reader::open(shared(&storage), LEDGER).unwrap();
    let end = reader.position().unwrap().segment_end;
    written.iter().for_each(|known| drop(reader.record(known.seq).unwrap()));
    let mut noticed = vec![0; written.len()];
    for at in 4096..end {
        let bit = u8::try_from(at % 8).unwrap();
        storage.flip_bit(&first_segment(), at, bit).unwrap();
        for (known, noticed) in written.iter().zip(&mut noticed) {
            match reader.record(known.seq) {
                Ok(found) => assert_eq!(&found, known, "at {at}"),
                Err(_) => *noticed += 1,
            }
        }
        storage.flip_bit(&first_segment(), at, bit).unwrap();
    }
    for (known, noticed) in written.iter().zip(noticed) {
        assert!(noticed >= known.bytes.len(), "{}: {noticed} flips seen", known.seq);
    }
}

#[test]
fn a_reader_goes_on_reading_what_its_appender_adds() {
    let (storage, _) = log_of(1, 0);
    let (mut appender, _) = super::open(&storage).unwrap();
    let reader = appender.reader();
    for _ in 0..30 {
        commit(&mut appender).unwrap();
        for known in records(&reader).unwrap() {
            assert_eq!(reader.record(known.seq).unwrap(), known);
        }
    }
}

/// In a large batch every record but the last costs two records, and no walk over the batch.
#[test]
fn a_second_read_in_a_batch_reads_two_records_and_nothing_else() {
    let (storage, written) = mixed();
    let reader = Reader::open(shared(&storage), LEDGER).unwrap();
    let inside = Seq(5);
    reader.record(inside).unwrap();
    drop(storage.take_trace());
    reader.record(inside.next()).unwrap();
    let reads: Vec<_> =
        storage.take_trace().into_iter().filter(|entry| entry.op == Op::ReadAt).collect();
    assert_eq!(reads.len(), 1, "{reads:?}");
    let two = written[6].bytes.len() + written[7].bytes.len();
    assert_eq!(reads[0].len, two as u64 + 4);
    assert_eq!(reads[0].offset, Some(written[6].place.offset - 2));
}
