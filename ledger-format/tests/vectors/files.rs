//! Segment headers, payload file headers and anchors.

use ledger_format::anchor::Anchor;
use ledger_format::payload_file::PayloadFileHeader;
use ledger_format::segment::SegmentHeader;
use ledger_format::tree::Frontier;
use ledger_format::{BatchHash, BatchNo, Micros, PayloadId, RecordHash, SegmentNo, Seq, TreeRoot};
use serde_json::{Value, json};

use crate::build::{Vectors, longer, table, with};
use crate::support::fixed;
use crate::support::spec::Spec;

/// What every structure with magic, check and one length must refuse.
pub(crate) fn common(out: &mut Vectors, spec: &Spec, table: &str, good: &[u8]) {
    let check = spec.layout(table).into_iter().find(|field| field.ty == "check").unwrap().offset;
    let magic = if good.starts_with(b"MLANCHR1") { b"MLBATCH1" } else { b"MLANCHR1" };
    out.invalid("nothing", &[], "bad_magic");
    out.invalid("nothing but zeros", &vec![0; good.len()], "bad_magic");
    out.invalid("a cut magic", &good[..7], "bad_magic");
    out.invalid("another magic", &with(good, 0, magic), "bad_magic");
    out.invalid("a later magic", &with(good, 7, b"2"), "bad_magic");
    out.invalid("only a magic", &good[..8], "truncated");
    out.invalid("a byte short", &good[..good.len() - 1], "truncated");
    out.invalid("another check", &with(good, check, &[good[check] ^ 1]), "check_mismatch");
    out.invalid("no check", &with(good, check, &[0; 16]), "check_mismatch");
    let byte = if check < 60 && good.len() > 64 { good.len() - 1 } else { check - 1 };
    out.invalid("another byte", &with(good, byte, &[good[byte] ^ 0x80]), "check_mismatch");
    out.invalid("another ledger", &with(good, 20, &[good[20] ^ 1]), "check_mismatch");
}

/// `bytes` with other bytes at an offset and a check that fits.
pub(crate) fn forged(
    spec: &Spec,
    table: &str,
    bytes: &[u8],
    offset: usize,
    other: &[u8],
) -> Vec<u8> {
    let mut changed = with(bytes, offset, other);
    spec.recheck(table, &mut changed);
    changed
}

fn segment(size: u64) -> SegmentHeader {
    let zero = size == 0;
    let mut tree = Frontier::new();
    // A frontier of any size: the nodes are what they are, only their number follows from it.
    let nodes: Vec<_> =
        (0..size.count_ones()).map(|at| [u8::try_from(at + 1).unwrap(); 32]).collect();
    if !zero {
        tree = Frontier::from_parts(size, nodes).unwrap();
    }
    SegmentHeader {
        ledger: fixed::LEDGER,
        segment: SegmentNo(u64::from(!zero)),
        first_batch: BatchNo(u64::from(!zero)),
        first_seq: Seq(size),
        epoch: 1,
        previous_record: RecordHash(if zero { [0; 32] } else { [1; 32] }),
        previous_batch: BatchHash(if zero { [0; 32] } else { [2; 32] }),
        previous_length: if zero { 0 } else { 5000 },
        frontier: tree,
    }
}

pub(crate) fn segment_headers(spec: &Spec) -> Value {
    let table = "segment_header";
    let mut out = Vectors::new(table, "The first 4,096 bytes of a segment file.");
    for (name, header) in [
        ("segment 0", segment(0)),
        ("one record before it", segment(1)),
        ("11 records before it", segment(11)),
        ("2^40 records before it", segment(1 << 40)),
        ("the widest frontier", segment(u64::MAX >> 1)),
        ("the most records before it", segment(u64::MAX - 1)),
    ] {
        let bytes = header.encode();
        out.valid(name, &bytes, json!({ "fields": spec.fields(table, &bytes) }));
    }
    let good = segment(11).encode();
    common(&mut out, spec, table, &good);
    let forge = |offset: usize, other: &[u8]| forged(spec, table, &good, offset, other);
    for version in [0, 2] {
        let name = format!("version {version}");
        out.invalid(name, &forge(8, &[version]), "unsupported_version");
    }
    for offset in 10..16 {
        out.invalid(format!("reserved byte {offset}"), &forge(offset, &[1]), "reserved_not_zero");
    }
    let first = forged(spec, table, &segment(0).encode(), 128, &[1]);
    let full = forged(spec, table, &segment(u64::MAX - 1).encode(), 48, &[0xff]);
    out.all_invalid(table! {
        "a byte behind the frontier": forge(136 + 3 * 32, &[1]) => "not_canonical";
        "the last byte before the check": forge(4079, &[1]) => "not_canonical";
        "a frontier that is too long": forge(48, &[8]) => "not_canonical";
        "records but no batch before it": forge(40, &[0; 8]) => "bad_value";
        "a batch but no records before it": forge(48, &[0; 8]) => "bad_value";
        "no record hash": forge(64, &[0; 32]) => "bad_value";
        "no batch hash": forge(96, &[0; 32]) => "bad_value";
        "segment 0 with records before it": forge(32, &[0; 8]) => "bad_value";
        "no length before it": forge(128, &[0; 8]) => "bad_value";
        "segment 0 with a length before it": first => "bad_value";
        "no room for another record": full => "bad_value";
    });
    out.finish()
}

pub(crate) fn payload_file_headers(spec: &Spec) -> Value {
    let table = "payload_file_header";
    let mut out = Vectors::new(table, "The first 64 bytes of a payload file.");
    for file in [0, 1, u32::MAX] {
        let bytes = PayloadFileHeader { ledger: fixed::LEDGER, file }.encode();
        let fields = json!({ "fields": spec.fields(table, &bytes) });
        out.valid(format!("file {file}"), &bytes, fields);
    }
    let good = PayloadFileHeader { ledger: fixed::LEDGER, file: 1 }.encode();
    common(&mut out, spec, table, &good);
    out.invalid("a byte long", &longer(&good, &[0]), "trailing");
    for version in [0, 2] {
        let bytes = forged(spec, table, &good, 8, &[version]);
        out.invalid(format!("version {version}"), &bytes, "unsupported_version");
    }
    for offset in (10..12).chain(32..48) {
        let bytes = forged(spec, table, &good, offset, &[1]);
        out.invalid(format!("reserved byte {offset}"), &bytes, "reserved_not_zero");
    }
    out.finish()
}

pub(crate) fn anchor() -> Anchor {
    let (made, chain) = fixed::first_batch();
    Anchor {
        ledger: fixed::LEDGER,
        counter: 5,
        clean: false,
        epoch: 1,
        batch: BatchNo(0),
        batch_hash: made.hash,
        seq: Seq(2),
        record_hash: made.hashes[2],
        recorded_at: Micros(fixed::NOON.0 + 2_000_000),
        root: TreeRoot(made.root.0),
        segment: SegmentNo(0),
        segment_end: 4096 + made.bytes.len() as u64,
        payload_file: 0,
        payload_end: chain.payload_end,
        next_payload: PayloadId(2),
        last_erasure: None,
    }
}

pub(crate) fn anchors(spec: &Spec) -> Value {
    let table = "anchor";
    let mut out = Vectors::new(table, "Head anchors, 512 bytes.");
    let good = anchor();
    let most = Anchor { counter: u64::MAX, last_erasure: Some(Seq(u64::MAX - 1)), ..good.clone() };
    for (name, anchor) in [
        ("after the worked batch", good.clone()),
        ("a clean close", Anchor { clean: true, counter: 6, ..good.clone() }),
        ("an erasure", Anchor { last_erasure: Some(Seq(0)), ..good.clone() }),
        ("the highest numbers", most),
    ] {
        let bytes = anchor.encode();
        out.valid(name, &bytes, json!({ "fields": spec.fields(table, &bytes) }));
    }
    let good = good.encode();
    common(&mut out, spec, table, &good);
    out.invalid("a byte long", &longer(&good, &[0]), "trailing");
    let forge = |offset: usize, other: &[u8]| forged(spec, table, &good, offset, other);
    for version in [0, 2] {
        let name = format!("version {version}");
        out.invalid(name, &forge(8, &[version]), "unsupported_version");
    }
    for clean in [2, 255] {
        out.invalid(format!("clean {clean}"), &forge(10, &[clean]), "reserved_not_zero");
    }
    for offset in (11..16).chain(188..192) {
        out.invalid(format!("reserved byte {offset}"), &forge(offset, &[1]), "reserved_not_zero");
    }
    for offset in [216, 300, 495] {
        out.invalid(format!("reserved byte {offset}"), &forge(offset, &[1]), "not_canonical");
    }
    out.finish()
}
