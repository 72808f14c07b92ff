//! Records of every kind, extension lists and payload references.

use ledger_format::bytes::Writer;
use ledger_format::event::duty::Signal;
use ledger_format::{
    AliasId, ClockFlags, Digest16, Event, Extension, JobId, Kind, LedgerId, Micros, PayloadId,
    PayloadRef, Record, RecordHash, RecordHeader, RecordView, Seq, Tag, extension, hash, tree,
};
use serde_json::{Value, json};

use crate::build::{Vectors, longer, table, with};
use crate::support::arb::Gen;
use crate::support::spec::Spec;
use crate::support::{fixed, fixup, hex};

pub(crate) fn vectors(spec: &Spec) -> Value {
    let mut out = Vectors::new(
        "record",
        "Whole records. `body` is decoded by the table of the kind, null where the kind or its \
         version is unknown. `event` says what a reader makes of it: known, unknown, or \
         unknown_critical. `hash` is the record hash in `ledger`, `leaf` the Merkle leaf hash.",
    );
    out.shared("ledger", json!(fixed::LEDGER.to_string()));
    for (kind, ..) in Kind::ALL {
        for (word, g) in [("full", Gen::Full(0)), ("empty", Gen::Empty(0))] {
            let bytes = of_kind(*kind, g);
            out.valid(format!("{kind}, {word}"), &bytes, decoded(spec, &bytes));
        }
    }
    for (name, record) in unusual() {
        let bytes = record.encode().unwrap();
        out.valid(name, &bytes, decoded(spec, &bytes));
    }
    invalid(&mut out);
    out.finish()
}

/// A record of a kind; the full ones have payloads, extensions and flags too.
fn of_kind(kind: Kind, mut g: Gen<'_>) -> Vec<u8> {
    let event = fixup::event(kind, &mut g);
    let seq = if kind == Kind::Genesis { 0 } else { u64::from(kind.number()) };
    let mut record = Record::new(fixed::header(kind, seq), event.encode().unwrap());
    if matches!(g, Gen::Full(_)) {
        record.header.clock = ClockFlags { behind: true, jump_confirmed: false, declared: false };
        record.header.wall_time.0 -= 1_000_000;
        record.header.actor = AliasId([5; 16]);
        record.header.scope = AliasId([6; 16]);
        (record.header.retention, record.header.policy) = (2, 3);
        record.payloads = vec![fixed::tea().reference];
        record.extensions = vec![Extension::job(JobId([3; 16]))];
    }
    record.encode().unwrap()
}

fn all_extensions() -> Vec<Extension> {
    let alias = |tag, byte| Extension::alias(tag, AliasId([byte; 16]));
    vec![
        Extension::claimed_at(Micros(-1)),
        Extension::idempotency(Digest16([0xa1; 16]), Digest16([0xa2; 16])),
        Extension::job(JobId([0xa3; 16])),
        alias(Tag::Speaker, 0xa4),
        alias(Tag::OnBehalfOf, 0xa5),
        alias(Tag::Agent, 0xa6),
        alias(Tag::Model, 0xa7),
        alias(Tag::Purpose, 0xa8),
        alias(Tag::Task, 0xa9),
        Extension::gate(&[
            Signal { signal: 1, value: -2 },
            Signal { signal: 0x0304, value: 0x0506_0708 },
        ])
        .unwrap(),
    ]
}

fn unknown(kind: u16, version: u16, critical: bool) -> Record {
    let mut header = fixed::header(Kind::Pin, 1);
    (header.kind, header.kind_version, header.critical) = (kind, version, critical);
    Record::new(header, b"kept byte for byte".to_vec())
}

fn pin(change: impl FnOnce(&mut Record)) -> Record {
    let mut record = Record::new(fixed::header(Kind::Pin, 1), vec![9; 16]);
    change(&mut record);
    record
}

fn unusual() -> Vec<(&'static str, Record)> {
    let kinds = [
        ("unknown kind", unknown(9999, 1, false)),
        ("unknown critical kind", unknown(9999, 1, true)),
        ("known kind in an unknown version", unknown(Kind::Pin.number(), 2, true)),
        ("known kind in an unknown version, not critical", unknown(25, 65_535, false)),
        ("unknown kind with an empty body", Record { body: vec![], ..unknown(65_535, 0, false) }),
    ];
    let longest = Record { body: vec![0xbb; 65_423], ..unknown(9999, 1, false) };
    let all = kinds.into_iter().chain(unusual_pins()).chain([("the longest record", longest)]);
    all.collect()
}

fn unusual_pins() -> Vec<(&'static str, Record)> {
    let reference = fixed::tea().reference;
    let eight = (0..8).map(|id| PayloadRef { id: PayloadId(id), ..reference.clone() }).collect();
    let tag = |tag, critical| vec![Extension { tag, critical, bytes: vec![1, 2, 3] }];
    let empty = vec![Extension { tag: 65_535, critical: false, bytes: vec![] }];
    let flags = ClockFlags { behind: true, jump_confirmed: true, declared: true };
    let early = |record: &mut Record| {
        record.header.recorded_at = Micros(-2);
        record.header.wall_time = Micros(i64::MIN);
    };
    vec![
        ("all extensions", pin(|record| record.extensions = all_extensions())),
        ("an unknown extension", pin(|record| record.extensions = tag(999, false))),
        ("an unknown critical extension", pin(|record| record.extensions = tag(999, true))),
        ("an empty unknown extension", pin(|record| record.extensions = empty)),
        ("eight payloads", pin(|record| record.payloads = eight)),
        ("all clock flags", pin(|record| record.header.clock = flags)),
        ("the last sequence number", pin(|record| record.header.seq = Seq(u64::MAX - 1))),
        ("times before 1970", pin(early)),
    ]
}

fn decoded(spec: &Spec, bytes: &[u8]) -> Value {
    let view = RecordView::decode(bytes).unwrap();
    let event = view.event().unwrap();
    let body = event.kind().map(|kind| spec.decode_body(kind.name(), view.body).unwrap());
    let word = match event {
        Event::Unknown { critical: true, .. } => "unknown_critical",
        Event::Unknown { critical: false, .. } => "unknown",
        _ => "known",
    };
    let references = view.payloads.iter().map(|reference| reference_fields(spec, reference));
    json!({
        "fields": spec.fields("record_header", bytes),
        "event": word,
        "body": body,
        "payloads": references.collect::<Vec<_>>(),
        "extensions": extension_fields(&view.extensions),
        "hash": hash::record(&fixed::LEDGER, bytes).to_string(),
        "leaf": hex::plain(&tree::leaf(bytes)),
    })
}

fn extension_fields(list: &[Extension]) -> Vec<Value> {
    let one = |extension: &Extension| {
        json!({
            "tag": extension.tag,
            "name": extension.known().map(Tag::name),
            "critical": extension.critical,
            "bytes": hex::plain(&extension.bytes),
        })
    };
    list.iter().map(one).collect()
}

fn encoded_reference(reference: &PayloadRef) -> Vec<u8> {
    let mut out = Writer::default();
    reference.encode(&mut out);
    out.into_vec()
}

fn reference_fields(spec: &Spec, reference: &PayloadRef) -> Value {
    spec.fields("payload_reference", &encoded_reference(reference))
}

fn invalid(out: &mut Vectors) {
    let good = fixed::pin();
    for length in [0, 1, 111, 112, 127, 128, good.len() - 1] {
        out.invalid(format!("cut to {length} bytes"), &good[..length], "truncated");
    }
    invalid_headers(out, &good);
    invalid_lengths(out, &good);
    invalid_bodies(out, &good);
}

fn invalid_headers(out: &mut Vectors, good: &[u8]) {
    let genesis = of_kind(Kind::Genesis, Gen::Empty(0));
    let receipt = of_kind(Kind::Receipt, Gen::Empty(0));
    let cases = table! {
        "one byte more": longer(good, &[0]) => "trailing";
        "nothing but zeros": vec![0; 112] => "unsupported_version";
        "version 0": with(good, 0, &[0, 0]) => "unsupported_version";
        "version 2": with(good, 0, &[2, 0]) => "unsupported_version";
        "kind 0": with(good, 2, &[0, 0]) => "unknown_number";
        "an unknown flag": with(good, 6, &[0x11]) => "reserved_not_zero";
        "the highest flag": with(good, 6, &[0x81]) => "reserved_not_zero";
        "no critical bit": with(good, 6, &[0]) => "bad_value";
        "a critical bit too many": with(&receipt, 6, &[1]) => "bad_value";
        "actor kind 0": with(good, 7, &[0]) => "unknown_number";
        "actor kind 5": with(good, 7, &[5]) => "unknown_number";
        "the number after the last": with(good, 8, &[0xff; 8]) => "bad_value";
        "seq 0 with a record before it": with(good, 8, &[0; 8]) => "bad_value";
        "seq 1 with none before it": with(good, 16, &[0; 32]) => "bad_value";
        "genesis with one before it": with(&genesis, 16, &[1]) => "bad_value";
        "reserved byte 98": with(good, 98, &[1]) => "reserved_not_zero";
        "reserved byte 99": with(good, 99, &[1]) => "reserved_not_zero";
        "reserved byte 109": with(good, 109, &[1]) => "reserved_not_zero";
        "reserved byte 110": with(good, 110, &[1]) => "reserved_not_zero";
        "reserved byte 111": with(good, 111, &[1]) => "reserved_not_zero";
    };
    out.all_invalid(cases);
}

fn invalid_lengths(out: &mut Vectors, good: &[u8]) {
    let bare = pin(|_| ()).encode().unwrap();
    let reference = pin(|record| record.payloads = vec![fixed::tea().reference]).encode().unwrap();
    let longest = unusual().pop().unwrap().1.encode().unwrap();
    let cases = table! {
        "a body longer than the record": with(good, 104, &[0xff, 0xff]) => "truncated";
        "a body one byte longer": with(good, 104, &[17]) => "truncated";
        "extensions longer than the record": with(good, 106, &[0xff; 2]) => "truncated";
        "extensions one byte shorter": with(good, 106, &[21]) => "truncated";
        "a payload that is not there": with(&bare, 108, &[1]) => "truncated";
        "nine payloads": with(good, 108, &[9]) => "too_large";
        "255 payloads": with(good, 108, &[255]) => "too_large";
        "a payload of role 0": with(&reference, 136, &[0]) => "unknown_number";
        "one byte over the limit": longer(&longest, &[0xbb]) => "too_large";
    };
    out.all_invalid(cases);
}

/// The envelope is good, the body is not.
fn invalid_bodies(out: &mut Vectors, good: &[u8]) {
    let header = fixed::header(Kind::Pin, 1);
    let body = |body: Vec<u8>| Record::new(header.clone(), body).encode().unwrap();
    out.invalid("a body one byte short", &body(vec![9; 15]), "bad_body");
    out.invalid("a body one byte long", &body(vec![9; 17]), "trailing");
    out.invalid("no body", &body(vec![]), "bad_body");
    out.invalid("a body of another kind", &with(good, 2, &[17, 0]), "bad_body");
}

pub(crate) fn extension_lists() -> Value {
    let mut out = Vectors::new("extension_list", "The extension list of a record by itself.");
    let one = |tag, bytes: &[u8]| Extension { tag, critical: false, bytes: bytes.to_vec() };
    let many = |count| (0..count).map(|at| one(1000 + at, &[])).collect::<Vec<_>>();
    for (name, list) in [
        ("none", vec![]),
        ("every known tag", all_extensions()),
        ("one unknown, critical", vec![Extension { critical: true, ..one(999, &[7]) }]),
        ("known and unknown", vec![Extension::job(JobId([3; 16])), one(910, &[1]), one(911, &[])]),
        ("32 extensions", many(32)),
    ] {
        let bytes = extension::encode(&list).unwrap();
        out.valid(name, &bytes, json!({ "fields": extension_fields(&list) }));
    }
    let job = extension::encode(&[Extension::job(JobId([3; 16]))]).unwrap();
    let empty = |tag: u16| [tag.to_le_bytes().as_slice(), &[0; 4]].concat();
    out.invalid("tag 0", &empty(0), "unknown_number");
    out.invalid("nothing but zeros", &[0; 64], "unknown_number");
    out.invalid("a cut header", &job[..5], "truncated");
    out.invalid("cut bytes", &job[..21], "truncated");
    out.invalid("a length beyond the list", &with(&job, 4, &[0xff, 0xff]), "truncated");
    out.invalid("an unknown flag", &with(&job, 2, &[2]), "reserved_not_zero");
    out.invalid("flags 255", &with(&job, 2, &[255]), "reserved_not_zero");
    out.invalid("reserved byte 3", &with(&job, 3, &[1]), "reserved_not_zero");
    out.invalid("a critical bit on a known tag", &with(&job, 2, &[1]), "bad_value");
    out.invalid("a known tag one byte short", &with(&job, 4, &[15])[..21], "bad_value");
    out.invalid("a known tag without bytes", &empty(1), "bad_value");
    out.invalid("no signal", &empty(10), "bad_value");
    let signals = extension::encode(&all_extensions()[9..]).unwrap();
    out.invalid("a signal cut", &with(&signals, 4, &[19])[..25], "bad_value");
    out.invalid("the same tag twice", &longer(&job, &job), "not_canonical");
    out.invalid("falling tags", &longer(&empty(1000), &empty(999)), "not_canonical");
    let over = extension::encode(&many(32)).unwrap();
    out.invalid("33 extensions", &longer(&over, &empty(2000)), "too_large");
    out.finish()
}

pub(crate) fn references(spec: &Spec) -> Value {
    let mut out = Vectors::new("payload_reference", "One payload reference of a record.");
    let reference = fixed::tea().reference;
    let good = encoded_reference(&reference);
    out.valid("a text", &good, json!({ "fields": spec.fields("payload_reference", &good) }));
    let longest = PayloadRef { length: 1_081_384, ..reference };
    let bytes = encoded_reference(&longest);
    out.valid("the longest", &bytes, json!({ "fields": spec.fields("payload_reference", &bytes) }));
    out.invalid("nothing but zeros", &[0; 80], "unknown_number");
    out.invalid("cut", &good[..79], "truncated");
    out.invalid("role 0", &with(&good, 8, &[0]), "unknown_number");
    out.invalid("role 11", &with(&good, 8, &[11]), "unknown_number");
    out.invalid("suite 0", &with(&good, 9, &[0]), "unknown_number");
    out.invalid("suite 2", &with(&good, 9, &[2]), "unknown_number");
    for kind in [1, 2, 3, 255] {
        out.invalid(format!("kind {kind}"), &with(&good, 10, &[kind]), "unknown_number");
    }
    out.invalid("reserved byte 11", &with(&good, 11, &[1]), "reserved_not_zero");
    out.invalid("no stored bytes", &with(&good, 76, &[0; 4]), "bad_value");
    let over = 1_081_385_u32.to_le_bytes();
    out.invalid("one byte over the limit", &with(&good, 76, &over), "too_large");
    out.invalid("the highest length", &with(&good, 76, &[0xff; 4]), "too_large");
    out.finish()
}

/// A record is bound to its ledger: the same bytes have another hash elsewhere.
#[test]
fn another_ledger_gives_another_hash() {
    let record = fixed::pin();
    let other = LedgerId([8; 16]);
    assert_ne!(hash::record(&fixed::LEDGER, &record), hash::record(&other, &record));
    assert_ne!(hash::record(&other, &record), RecordHash::ZERO);
    let header = RecordHeader::new(Kind::Pin, Seq(1), RecordHash([1; 32]), fixed::NOON);
    assert_eq!(header, fixed::header(Kind::Pin, 1));
}
