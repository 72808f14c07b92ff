//! One encoded sample of every fixed layout, in which all fields differ.

use ledger_format::anchor::Anchor;
use ledger_format::batch::BatchHeader;
use ledger_format::bytes::Writer;
use ledger_format::key_page::{KeyFileHeader, KeyPage};
use ledger_format::payload_file::PayloadFileHeader;
use ledger_format::segment::SegmentHeader;
use ledger_format::tree::Frontier;
use ledger_format::{
    ActorKind, AliasId, BatchHash, BatchNo, ClockFlags, Digest16, Extension, LedgerId, Micros,
    PayloadId, PayloadRef, Record, RecordHash, RecordHeader, Role, SegmentNo, Seq, TreeRoot,
};
use serde_json::{Value, json};

/// `count` bytes counted up from `first`.
pub(crate) fn run<const N: usize>(first: u8) -> [u8; N] {
    std::array::from_fn(|at| first.wrapping_add(u8::try_from(at % 256).unwrap()))
}

pub(crate) fn hex(bytes: &[u8]) -> Value {
    json!(crate::support::hex::short(bytes))
}

/// A sample and what its fields must read as.
pub(crate) struct Sample {
    pub(crate) table: &'static str,
    pub(crate) bytes: Vec<u8>,
    pub(crate) fields: Vec<(&'static str, Value)>,
}

pub(crate) fn record() -> Sample {
    let header = RecordHeader {
        kind: 0xfe01,
        kind_version: 0x0203,
        critical: true,
        clock: ClockFlags { behind: false, jump_confirmed: true, declared: false },
        actor_kind: ActorKind::Agent,
        seq: Seq(0x0405_0607_0809_0a0b),
        prev: RecordHash(run(0x20)),
        recorded_at: Micros(-5),
        wall_time: Micros(1_772_539_200_000_000),
        actor: AliasId(run(0x50)),
        scope: AliasId(run(0x70)),
        retention: 0x1112,
        policy: 0x1314_1516,
    };
    let mut record = Record::new(header, vec![0xaa; 300]);
    record.extensions = vec![Extension { tag: 500, critical: false, bytes: vec![1, 2, 3] }];
    record.payloads = vec![reference_value(); 3];
    Sample {
        table: "record_header",
        bytes: record.encode().unwrap(),
        fields: vec![
            ("version", json!(1)),
            ("kind", json!(0xfe01)),
            ("kind_version", json!(0x0203)),
            ("flags", json!(0b101)),
            ("actor_kind", json!(3)),
            ("seq", json!(0x0405_0607_0809_0a0b_u64.to_string())),
            ("prev", hex(&run::<32>(0x20))),
            ("recorded_at", json!("-5")),
            ("wall_time", json!("1772539200000000")),
            ("actor", hex(&run::<16>(0x50))),
            ("scope", hex(&run::<16>(0x70))),
            ("retention", json!(0x1112)),
            ("policy", json!(0x1314_1516)),
            ("body_length", json!(300)),
            ("extension_length", json!(9)),
            ("payload_count", json!(3)),
        ],
    }
}

fn reference_value() -> PayloadRef {
    PayloadRef {
        id: PayloadId(0x0102_0304_0506_0708),
        role: Role::Query,
        suite: 1,
        commitment: run(0x30),
        digest: run(0x60),
        length: 0x000a_0b0c,
    }
}

pub(crate) fn reference() -> Sample {
    let mut out = Writer::default();
    reference_value().encode(&mut out);
    Sample {
        table: "payload_reference",
        bytes: out.into_vec(),
        fields: vec![
            ("id", json!(0x0102_0304_0506_0708_u64.to_string())),
            ("role", json!(6)),
            ("suite", json!(1)),
            ("kind", json!(0)),
            ("commitment", hex(&run::<32>(0x30))),
            ("digest", hex(&run::<32>(0x60))),
            ("length", json!(0x000a_0b0c)),
        ],
    }
}

pub(crate) fn batch() -> Sample {
    let header = BatchHeader {
        batch: BatchNo(0x0102),
        first: Seq(0x0304_0506),
        count: 0x708,
        frames_length: 0x000a_0b0c,
        epoch: 0x0d0e,
        previous: BatchHash(run(0x40)),
        next_payload: PayloadId(0x1112_1314),
        payload_file: 0x1516,
        payload_offset: 0x0017_1819,
        payload_length: 0x001a_1b1c,
        last_erasure: Some(Seq(0x1d1e)),
    };
    Sample {
        table: "batch_header",
        bytes: header.encode(),
        fields: vec![
            ("magic", json!("MLBATCH1")),
            ("major", json!(1)),
            ("min_reader", json!(1)),
            ("suite", json!(1)),
            ("header_length", json!(160)),
            ("batch", json!(0x0102.to_string())),
            ("first", json!(0x0304_0506.to_string())),
            ("count", json!(0x708)),
            ("frames_length", json!(0x000a_0b0c)),
            ("epoch", json!(0x0d0e.to_string())),
            ("previous", hex(&run::<32>(0x40))),
            ("next_payload", json!(0x1112_1314.to_string())),
            ("payload_file", json!(0x1516)),
            ("payload_offset", json!(0x0017_1819.to_string())),
            ("payload_length", json!(0x001a_1b1c.to_string())),
            ("last_erasure", json!(0x1d1e.to_string())),
        ],
    }
}

pub(crate) fn segment() -> Sample {
    let frontier = Frontier::from_parts(11, vec![run(0x10), run(0x40), run(0x70)]).unwrap();
    let header = SegmentHeader {
        ledger: LedgerId(run(0x80)),
        segment: SegmentNo(0x0102),
        first_batch: BatchNo(0x0304),
        first_seq: Seq(11),
        epoch: 0x0506,
        previous_record: RecordHash(run(0xa0)),
        previous_batch: BatchHash(run(0xc0)),
        previous_length: 0x0708_090a,
        frontier,
    };
    let nodes = [run::<32>(0x10), run(0x40), run(0x70)].concat();
    let nodes = crate::support::hex::short(&nodes) + "(00*3848)";
    Sample {
        table: "segment_header",
        bytes: header.encode(),
        fields: vec![
            ("magic", json!("MLSEGMT1")),
            ("version", json!(1)),
            ("ledger", hex(&run::<16>(0x80))),
            ("segment", json!(0x0102.to_string())),
            ("first_batch", json!(0x0304.to_string())),
            ("first_seq", json!("11")),
            ("epoch", json!(0x0506.to_string())),
            ("previous_record", hex(&run::<32>(0xa0))),
            ("previous_batch", hex(&run::<32>(0xc0))),
            ("previous_length", json!(0x0708_090a.to_string())),
            ("frontier", json!(nodes)),
        ],
    }
}

pub(crate) fn payload_file() -> Sample {
    let header = PayloadFileHeader { ledger: LedgerId(run(0x80)), file: 0x0102_0304 };
    Sample {
        table: "payload_file_header",
        bytes: header.encode(),
        fields: vec![
            ("magic", json!("MLPAYLD1")),
            ("version", json!(1)),
            ("file", json!(0x0102_0304)),
            ("ledger", hex(&run::<16>(0x80))),
        ],
    }
}

pub(crate) fn anchor() -> Sample {
    let anchor = Anchor {
        ledger: LedgerId(run(0x80)),
        counter: 0x0102,
        clean: true,
        epoch: 0x0304,
        batch: BatchNo(0x0506),
        batch_hash: BatchHash(run(0x10)),
        seq: Seq(0x0708),
        record_hash: RecordHash(run(0x30)),
        recorded_at: Micros(-9),
        root: TreeRoot(run(0x50)),
        segment: SegmentNo(0x0a0b),
        segment_end: 0x0c0d,
        payload_file: 0x0e0f,
        payload_end: 0x1011,
        next_payload: PayloadId(0x1213),
        last_erasure: Some(Seq(0x1415)),
    };
    Sample {
        table: "anchor",
        bytes: anchor.encode(),
        fields: vec![
            ("magic", json!("MLANCHR1")),
            ("version", json!(1)),
            ("clean", json!(1)),
            ("ledger", hex(&run::<16>(0x80))),
            ("counter", json!(0x0102.to_string())),
            ("epoch", json!(0x0304.to_string())),
            ("batch", json!(0x0506.to_string())),
            ("batch_hash", hex(&run::<32>(0x10))),
            ("seq", json!(0x0708.to_string())),
            ("record_hash", hex(&run::<32>(0x30))),
            ("recorded_at", json!("-9")),
            ("root", hex(&run::<32>(0x50))),
            ("segment", json!(0x0a0b.to_string())),
            ("segment_end", json!(0x0c0d.to_string())),
            ("payload_file", json!(0x0e0f)),
            ("payload_end", json!(0x1011.to_string())),
            ("next_payload", json!(0x1213.to_string())),
            ("last_erasure", json!(0x1415.to_string())),
        ],
    }
}

pub(crate) fn key_file_header() -> Sample {
    let header = KeyFileHeader {
        ledger: LedgerId(run(0x80)),
        generation: 0x0102,
        key_check: Digest16(run(0x30)),
        erasures_through: Some(Seq(0x0304)),
    };
    Sample {
        table: "key_file_header",
        bytes: header.encode(),
        fields: vec![
            ("magic", json!("MLKEYHD1")),
            ("ledger", hex(&run::<16>(0x80))),
            ("generation", json!(0x0102.to_string())),
            ("key_check", hex(&run::<16>(0x30))),
            ("erasures_through", json!(0x0304.to_string())),
        ],
    }
}

pub(crate) fn key_page() -> Sample {
    let mut page = KeyPage::empty(LedgerId(run(0x80)), 3, run(0x40));
    page.generation = 0x0102;
    let slot = PayloadId(3 * 126 + 2);
    assert!(page.set_key(slot, &[9; 32], &[8; 32]));
    let masked = crate::support::hex::plain(page.masked(slot).unwrap());
    Sample {
        table: "key_page",
        bytes: page.encode(),
        fields: vec![
            ("magic", json!("MLKEYPG1")),
            ("ledger", hex(&run::<16>(0x80))),
            ("page", json!("3")),
            ("generation", json!(0x0102.to_string())),
            ("master", hex(&run::<8>(0x40))),
            ("slots", json!(format!("(00*64){masked}(00*3936)"))),
        ],
    }
}
