//! What the writer's side refuses, so that nothing is written that no reader accepts.

use ledger_format::batch::{BatchHeader, BatchView, FrameWriter};
use ledger_format::{
    BatchHash, BatchNo, Extension, Kind, PayloadId, PayloadRef, Record, RecordHash, Seq, TreeRoot,
    limits,
};

use crate::support::fixed;

fn header() -> BatchHeader {
    BatchHeader {
        batch: BatchNo(1),
        first: Seq(1),
        count: 0,
        frames_length: 0,
        epoch: 1,
        previous: BatchHash([1; 32]),
        next_payload: PayloadId(0),
        payload_file: 0,
        payload_offset: 64,
        payload_length: 0,
        last_erasure: None,
    }
}

fn finish(frames: FrameWriter, header: &BatchHeader) -> Result<Vec<u8>, &'static str> {
    let made = frames.finish(header, &RecordHash([2; 32]), &TreeRoot([3; 32]));
    made.map(|(bytes, _)| bytes).map_err(|error| error.name())
}

fn one_record() -> FrameWriter {
    let mut frames = FrameWriter::default();
    frames.push(&fixed::pin()).unwrap();
    frames
}

#[test]
fn the_fullest_batch_is_read_and_one_byte_more_is_not_made() {
    let (mut frames, record) = (FrameWriter::default(), vec![7; 65_535]);
    while frames.push(&record).is_ok() {}
    let room = limits::BATCH_BYTES - 160 - 64 - frames.len() - 2;
    assert!(frames.push(&vec![7; room + 1]).is_err());
    frames.push(&vec![7; room]).unwrap();
    let full = finish(frames, &header()).unwrap();
    assert_eq!(full.len(), limits::BATCH_BYTES);
    assert_eq!(BatchView::decode(&full).unwrap().records().count(), 256);
    let most = (limits::BATCH_BYTES - 160 - 64 - one_record().len()) as u64;
    let payloads = |payload_length| BatchHeader { payload_length, ..header() };
    assert!(finish(one_record(), &payloads(most)).is_ok());
    assert_eq!(finish(one_record(), &payloads(most + 1)), Err("too_large"));
}

#[test]
fn a_batch_holds_65_536_records_and_not_one_more() {
    let mut frames = FrameWriter::default();
    for _ in 0..limits::BATCH_RECORDS {
        frames.push(&[1]).unwrap();
    }
    assert_eq!(frames.push(&[1]).unwrap_err().name(), "too_large");
    assert_eq!(frames.count(), 65_536);
    let bytes = finish(frames, &header()).unwrap();
    assert_eq!(BatchView::decode(&bytes).unwrap().records().count(), limits::BATCH_RECORDS);
}

#[test]
fn a_batch_that_no_reader_accepts_is_not_made() {
    assert_eq!(finish(FrameWriter::default(), &header()), Err("bad_value"));
    for wrong in [
        BatchHeader { batch: BatchNo(0), ..header() },
        BatchHeader { first: Seq(0), ..header() },
        BatchHeader { previous: BatchHash::ZERO, ..header() },
        BatchHeader { batch: BatchNo(2), ..header() },
        BatchHeader { first: Seq(u64::MAX), ..header() },
        BatchHeader { payload_offset: 63, payload_length: 1, ..header() },
    ] {
        assert_eq!(finish(one_record(), &wrong), Err("bad_value"), "{wrong:?}");
    }
    for wrong in [
        BatchHeader { payload_offset: limits::PAYLOAD_FILE_BYTES, payload_length: 1, ..header() },
        BatchHeader { payload_offset: u64::MAX, payload_length: 1, ..header() },
        BatchHeader { payload_length: u64::MAX, ..header() },
    ] {
        assert_eq!(finish(one_record(), &wrong), Err("too_large"), "{wrong:?}");
    }
}

#[test]
fn a_record_that_no_reader_accepts_is_not_made() {
    let made = |change: fn(&mut Record)| {
        let mut record = Record::new(fixed::header(Kind::Pin, 1), vec![9; 16]);
        change(&mut record);
        record.encode().map_err(|error| error.name())
    };
    assert!(made(|_| ()).is_ok());
    assert_eq!(made(|record| record.header.kind = 0), Err("unknown_number"));
    assert_eq!(made(|record| record.header.critical = false), Err("bad_value"));
    assert_eq!(made(|record| record.header.prev = RecordHash::ZERO), Err("bad_value"));
    assert_eq!(made(|record| record.header.seq = Seq(0)), Err("bad_value"));
    assert_eq!(made(|record| record.header.seq = Seq(u64::MAX)), Err("bad_value"));
    assert_eq!(made(|record| record.body = vec![0; 65_424]), Err("too_large"));
    let reference = |length, suite| PayloadRef { length, suite, ..fixed::tea().reference };
    let with = |reference| {
        let mut record = Record::new(fixed::header(Kind::Pin, 1), vec![9; 16]);
        record.payloads = vec![reference];
        record.encode().map_err(|error| error.name())
    };
    assert_eq!(with(reference(0, 1)), Err("bad_value"));
    assert_eq!(with(reference(u32::MAX, 1)), Err("too_large"));
    assert_eq!(with(reference(104, 2)), Err("unknown_number"));
    assert_eq!(made(|record| record.payloads = vec![fixed::tea().reference; 9]), Err("too_large"));
    let extension = |tag| Extension { tag, critical: false, bytes: vec![] };
    assert_eq!(extensions(vec![extension(0)]), Err("unknown_number"));
    assert_eq!(extensions(vec![extension(1)]), Err("bad_value"));
    assert_eq!(extensions(vec![extension(20), extension(20)]), Err("not_canonical"));
    assert_eq!(extensions((1000..1033).map(extension).collect()), Err("too_large"));
    let long = Extension { bytes: vec![0; 65_536], ..extension(20) };
    assert_eq!(extensions(vec![long]), Err("too_large"));
}

fn extensions(list: Vec<Extension>) -> Result<Vec<u8>, &'static str> {
    let mut record = Record::new(fixed::header(Kind::Pin, 1), vec![9; 16]);
    record.extensions = list;
    record.encode().map_err(|error| error.name())
}

#[test]
fn a_plaintext_of_the_greatest_length_is_sealed_and_one_byte_more_is_not() {
    use ledger_format::payload::{open, seal};
    let mut text = vec![0; limits::PAYLOAD_BYTES];
    // Bytes that do not compress: the longest stored payload there can be.
    let mut state = 1_u64;
    for byte in &mut text {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        *byte = (state >> 56).to_le_bytes()[0];
    }
    let role = ledger_format::Role::Body;
    let seal =
        |text: &[u8]| seal(&fixed::LEDGER, PayloadId(1), role, text, &fixed::KEY, &fixed::NONCE);
    let sealed = seal(&text).unwrap();
    assert_eq!(sealed.stored.len(), 1_081_384);
    assert_eq!(open(&fixed::LEDGER, &sealed.reference, &sealed.stored, &fixed::KEY).unwrap(), text);
    text.push(0);
    assert_eq!(seal(&text).unwrap_err().name(), "too_large");
}
