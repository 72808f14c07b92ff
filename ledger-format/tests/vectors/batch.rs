//! Batches: the hash, the chain, the framing.

use ledger_format::batch::BatchHeader;
use ledger_format::event::memory::Pin;
use ledger_format::{BatchHash, BatchNo, Event, MemoryId, PayloadId, Seq, hash};
use serde_json::{Value, json};

use crate::build::{Vectors, longer, table, with};
use crate::support::fixed::{self, Chain, Made};
use crate::support::spec::Spec;
use crate::support::{arb::Gen, fixup, hex};

pub(crate) fn vectors(spec: &Spec) -> Value {
    let mut out = Vectors::new(
        "batch",
        "Whole batches of one ledger. The first three follow one another. `before` is the tree before \
         the batch, and the hash of the record before it.",
    );
    out.shared("ledger", json!(fixed::LEDGER.to_string()));
    let pin = |byte| (Event::Pin(Pin { memory: MemoryId([byte; 16]) }), vec![]);
    let mut before = Chain::default();
    let (first, mut chain) = fixed::first_batch();
    out.valid("three records with a payload", &first.bytes, fields(spec, &before, &first));
    before = chain.clone();
    let second = chain.batch(1, &[pin(9)]);
    out.valid("one record", &second.bytes, fields(spec, &before, &second));
    before = chain.clone();
    let third = chain.batch(1, &[pin(1), pin(2), pin(3)]);
    out.valid("three records", &third.bytes, fields(spec, &before, &third));
    let place = json!({ "before": place(&before) });
    before = chain.clone();
    let erase = fixup::event(ledger_format::Kind::EraseIntent, &mut Gen::Full(0));
    let erased = chain.batch(2, &[(erase, vec![]), pin(4)]);
    out.valid("an erasure intent", &erased.bytes, fields(spec, &before, &erased));
    invalid_headers(&mut out, spec, &second);
    invalid_numbers(&mut out, spec, &second);
    invalid_frames(&mut out, spec, &third, &place);
    out.finish()
}

fn fields(spec: &Spec, before: &Chain, made: &Made) -> Value {
    json!({
        "before": place(before),
        "fields": spec.fields("batch_header", &made.bytes),
        "records": made.records.iter().map(|record| hex::short(record)).collect::<Vec<_>>(),
        "record_hashes": made.hashes.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "root": made.root.to_string(),
        "hash": made.hash.to_string(),
    })
}

fn place(before: &Chain) -> Value {
    let frontier = before.tree.nodes().iter().map(|node| hex::plain(node));
    json!({
        "record_hash": before.last.to_string(),
        "size": before.tree.size(),
        "frontier": frontier.collect::<Vec<_>>(),
    })
}

/// `bytes` with other bytes in the header, and the header's check made to fit.
fn header(spec: &Spec, bytes: &[u8], offset: usize, other: &[u8]) -> Vec<u8> {
    let mut changed = with(bytes, offset, other);
    spec.recheck("batch_header", &mut changed);
    changed
}

fn invalid_headers(out: &mut Vectors, spec: &Spec, good: &Made) {
    let good = &good.bytes;
    out.invalid("nothing", &[], "bad_magic");
    out.invalid("nothing but zeros", &[0; 1024], "bad_magic");
    out.invalid("a cut magic", &good[..7], "bad_magic");
    out.invalid("another magic", &with(good, 7, b"2"), "bad_magic");
    out.invalid("the magic of a segment", &with(good, 0, b"MLSEGMT1"), "bad_magic");
    out.invalid("a cut header", &good[..159], "truncated");
    out.invalid("no frames", &good[..160], "truncated");
    out.invalid("no trailer", &good[..good.len() - 64], "truncated");
    out.invalid("a byte short", &good[..good.len() - 1], "truncated");
    out.invalid("a byte long", &longer(good, &[0]), "trailing");
    out.invalid("another check", &with(good, 144, &[good[144] ^ 1]), "check_mismatch");
    out.invalid("a number without its check", &with(good, 16, &[9]), "check_mismatch");
    for (name, offset, other, error) in [
        ("major 0", 8, 0, "unsupported_version"),
        ("major 2", 8, 2, "unsupported_version"),
        ("min_reader 0", 10, 0, "unsupported_version"),
        ("min_reader 2", 10, 2, "unsupported_version"),
        ("suite 0", 12, 0, "unknown_number"),
        ("suite 2", 12, 2, "unknown_number"),
        ("a flag", 13, 1, "reserved_not_zero"),
        ("header length 161", 14, 161, "bad_value"),
        ("header length 0", 14, 0, "bad_value"),
    ] {
        out.invalid(name, &header(spec, good, offset, &[other]), error);
    }
    for offset in (92..96).chain(120..144) {
        let name = format!("reserved byte {offset}");
        out.invalid(name, &header(spec, good, offset, &[1]), "reserved_not_zero");
    }
}

fn invalid_numbers(out: &mut Vectors, spec: &Spec, good: &Made) {
    let bytes = &good.bytes;
    let wide = |value: u64| value.to_le_bytes().to_vec();
    let narrow = |value: u32| value.to_le_bytes().to_vec();
    for (name, (offset, other), error) in table! {
        "no records": (32, narrow(0)) => "bad_value";
        "65,537 records": (32, narrow(65_537)) => "too_large";
        "2^32 - 1 records": (32, narrow(u32::MAX)) => "too_large";
        "16 MiB of frames": (36, narrow(16_777_216)) => "too_large";
        "frames over the limit by a byte": (36, narrow(16_776_993)) => "too_large";
        "2^32 - 1 bytes of frames": (36, narrow(u32::MAX)) => "too_large";
        "batch 0 that is not the first": (16, wide(0)) => "bad_value";
        "seq 0 that is not the first": (24, wide(0)) => "bad_value";
        "no batch before it": (48, vec![0; 32]) => "bad_value";
        "more batches than records": (16, wide(good.header.first.0 + 1)) => "bad_value";
        "a seq beyond the last": (24, wide(u64::MAX)) => "bad_value";
        "16 MiB of payloads": (104, wide(16_777_216)) => "too_large";
        "2^64 - 1 bytes of payloads": (104, wide(u64::MAX)) => "too_large";
        "a range beyond the longest file": (96, wide(1_073_741_825)) => "too_large";
        "a range beyond the last offset": (96, wide(u64::MAX)) => "too_large";
    } {
        out.invalid(name, &header(spec, bytes, offset, &other), error);
    }
    let inside = header(spec, &header(spec, bytes, 104, &wide(10)), 96, &wide(63));
    out.invalid("payloads in the header of their file", &inside, "bad_value");
}

fn invalid_frames(out: &mut Vectors, spec: &Spec, good: &Made, place: &Value) {
    let bytes = &good.bytes;
    let (length, trailer) = (bytes[160], bytes.len() - 64);
    let flipped = |at: usize| with(bytes, at, &[bytes[at] ^ 1]);
    let stolen = hash::batch(&bytes[..160], &[], &good.hashes[2], &good.root);
    for (name, bytes, error) in table! {
        "another root": flipped(trailer) => "check_mismatch";
        "another hash": flipped(trailer + 32) => "check_mismatch";
        "no root and no hash": with(bytes, trailer, &[0; 64]) => "check_mismatch";
        "another body": flipped(162 + 112) => "check_mismatch";
        "another link": flipped(162 + 16) => "check_mismatch";
        "a record that does not decode": with(bytes, 162, &[2]) => "unsupported_version";
        "a frame a byte shorter": with(bytes, 160, &[length - 1]) => "truncated";
        "a frame of 65,535 bytes": with(bytes, 160, &[255, 255]) => "truncated";
        "a frame without bytes": with(bytes, 160, &[0, 0]) => "truncated";
        "frames of zeros": with(bytes, 160, &vec![0; trailer - 160]) => "truncated";
        "one record less than frames": header(spec, bytes, 32, &[2]) => "trailing";
        "one record more than frames": header(spec, bytes, 32, &[4]) => "truncated";
        "another epoch with its check": header(spec, bytes, 40, &[9]) => "check_mismatch";
        "another batch before it": header(spec, bytes, 48, &[9]) => "check_mismatch";
        "two records swapped": swap_frames(bytes, good) => "check_mismatch";
        "a hash without the lengths": with(bytes, trailer + 32, &stolen.0) => "check_mismatch";
    } {
        out.invalid_with(name, &bytes, error, place.clone());
    }
}

/// Records of the same length in another order.
fn swap_frames(bytes: &[u8], made: &Made) -> Vec<u8> {
    let length = made.records[0].len() + 2;
    assert_eq!(made.records[1].len() + 2, length);
    let (first, second) = (160, 160 + length);
    let swapped = with(bytes, first, &bytes[second..second + length]);
    with(&swapped, second, &bytes[first..first + length])
}

#[test]
fn a_header_at_every_limit_decodes() {
    let limit = BatchHeader {
        batch: BatchNo(1),
        first: Seq(u64::MAX - 1),
        count: 1,
        frames_length: 2 + 65_535,
        epoch: 1,
        previous: BatchHash([1; 32]),
        next_payload: PayloadId(u64::MAX),
        payload_file: u32::MAX,
        payload_offset: 1_073_741_823,
        payload_length: 1,
        last_erasure: None,
    };
    assert_eq!(BatchHeader::decode(&limit.encode()), Ok(limit));
}
