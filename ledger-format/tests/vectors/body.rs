//! Bodies that a reader must refuse.

use ledger_format::event::duty::PayloadRange;
use ledger_format::event::ledger::{Limits, PublicKey};
use ledger_format::event::memory::Write;
use ledger_format::{AliasId, CloseKind, Event, Kind, MemoryId, Micros, PayloadId, Seq, Verdict};
use serde_json::{Value, json};

use crate::build::{Vectors, longer, with};
use crate::support::arb::Gen;
use crate::support::spec::Spec;
use crate::support::{fixed, fixup};

/// Encodes without the rules, by the tables alone, what the crate would refuse to encode.
struct Bodies<'a> {
    spec: &'a Spec,
    out: Vectors,
}

pub(crate) fn vectors(spec: &Spec) -> Value {
    let about = "Bodies by themselves. The valid ones are in record.json; here are bodies at their \
                 limits and bodies to refuse.";
    let mut bodies = Bodies { spec, out: Vectors::new("body", about) };
    bodies.at_the_limits();
    bodies.raw();
    bodies.writes();
    bodies.lists();
    bodies.erasures();
    bodies.singles();
    bodies.genesis();
    bodies.out.finish()
}

fn valid_body(kind: Kind) -> Vec<u8> {
    fixup::event(kind, &mut Gen::Full(0)).encode().unwrap()
}

fn memories(count: u16) -> Vec<MemoryId> {
    let id = |at: u16| {
        let mut id = [0; 16];
        id[..2].copy_from_slice(&at.to_be_bytes());
        MemoryId(id)
    };
    (1..=count).map(id).collect()
}

fn aliases(count: u8) -> Vec<AliasId> {
    (1..=count).map(|at| AliasId([at; 16])).collect()
}

impl Bodies<'_> {
    fn valid(&mut self, name: &str, event: &Event) {
        let kind = event.kind().unwrap();
        let more = json!({ "kind": kind.number(), "version": 1, "critical": kind.critical() });
        self.out.valid(format!("{kind}: {name}"), &event.encode().unwrap(), more);
    }

    fn bytes(&mut self, kind: Kind, name: &str, body: &[u8], error: &str) {
        let more = json!({ "kind": kind.number(), "version": 1, "critical": kind.critical() });
        self.out.invalid_with(format!("{kind}: {name}"), body, error, more);
    }

    /// The full sample of a kind with one field replaced, encoded by the table.
    fn field(&mut self, kind: Kind, field: &str, value: Value, name: &str, error: &str) {
        self.fields(kind, &[(field, value)], name, error);
    }

    fn fields(&mut self, kind: Kind, fields: &[(&str, Value)], name: &str, error: &str) {
        let mut body = self.spec.decode_body(kind.name(), &valid_body(kind)).unwrap();
        for (field, value) in fields {
            assert!(body.get(field).is_some(), "{kind} has no {field}");
            body[*field] = value.clone();
        }
        let bytes = self.spec.encode_body(kind.name(), &body);
        self.bytes(kind, name, &bytes, error);
    }

    fn at_the_limits(&mut self) {
        let write = |change: fn(&mut Write)| {
            let mut write = fixed::write(200);
            change(&mut write);
            Event::Write(write)
        };
        self.valid(
            "32 superseded, not in order",
            &write(|write| {
                write.supersedes = memories(32).into_iter().rev().collect();
            }),
        );
        self.valid("64 subjects", &write(|write| write.subjects = aliases(64)));
        self.valid("32 tags", &write(|write| write.tags = aliases(32)));
        self.valid("confidence 10,000", &write(|write| write.confidence = Some(10_000)));
        self.valid("all marks", &write(|write| write.marks = 7));
        self.valid(
            "the narrowest interval",
            &write(|write| {
                (write.valid_from, write.valid_until) = (Some(Micros(-1)), Some(Micros(0)));
            }),
        );
        self.valid(
            "the widest interval",
            &write(|write| {
                let (first, last) = (Micros(i64::MIN + 1), Micros(i64::MAX - 1));
                (write.valid_from, write.valid_until) = (Some(first), Some(last));
            }),
        );
        let ranges = [(1, 1), (2, 9), (10, u64::MAX)];
        let range = |(first, last)| PayloadRange { first: PayloadId(first), last: PayloadId(last) };
        let mut intent = fixup::event(Kind::EraseIntent, &mut Gen::Empty(0));
        if let Event::EraseIntent(intent) = &mut intent {
            intent.payloads = ranges.into_iter().map(range).collect();
        }
        self.valid("ranges that touch", &intent);
    }

    /// What the layout itself refuses.
    fn raw(&mut self) {
        let write = valid_body(Kind::Write);
        self.bytes(Kind::Pin, "nothing", &[], "bad_body");
        self.bytes(Kind::Pin, "a byte short", &[9; 15], "bad_body");
        self.bytes(Kind::Pin, "a byte long", &[9; 17], "trailing");
        self.bytes(Kind::Write, "a byte long", &longer(&write, &[0]), "trailing");
        self.bytes(Kind::Write, "a byte short", &write[..write.len() - 1], "bad_body");
        for layer in [0, 10, 255] {
            let name = format!("layer {layer}");
            self.bytes(Kind::Write, &name, &with(&write, 16, &[layer]), "bad_body");
        }
        // Five words and two integers come before the first option.
        for byte in [2, 255] {
            let name = format!("option byte {byte}");
            self.bytes(Kind::Write, &name, &with(&write, 25, &[byte]), "bad_body");
        }
        let task = valid_body(Kind::SourceSynced);
        for byte in [2, 255] {
            let name = format!("bool {byte}");
            self.bytes(Kind::SourceSynced, &name, &with(&task, 16, &[byte]), "bad_body");
        }
        let job = valid_body(Kind::JobDone);
        self.bytes(Kind::JobDone, "job 8", &with(&job, 0, &[8, 0]), "bad_body");
        self.bytes(Kind::JobDone, "job 256 + 1", &with(&job, 0, &[1, 1]), "bad_body");
        self.hostile_lengths();
    }

    fn hostile_lengths(&mut self) {
        let forget = valid_body(Kind::Forget);
        let config = valid_body(Kind::ConfigSet);
        let keys = valid_body(Kind::KeyRotated);
        for (word, length) in [
            ("one more than there are", 4),
            ("a million", 1_000_000),
            ("2^31", 1 << 31),
            ("2^32", 1 << 32),
            ("2^60", 1 << 60),
            ("2^63", 1 << 63),
            ("2^64 - 1", u64::MAX),
        ] {
            let bytes = length.to_le_bytes();
            let (list, text) = (format!("a list of {word}"), format!("a text of {word}"));
            self.bytes(Kind::Forget, &list, &with(&forget, 0, &bytes), "bad_body");
            let longer_text = if length == 4 { 5_u64.to_le_bytes() } else { bytes };
            self.bytes(Kind::ConfigSet, &text, &with(&config, 2, &longer_text), "bad_body");
            // Four bytes are there instead of three: then the rest of the body is misread.
            if length > 4 {
                let name = format!("a key of {word}");
                self.bytes(Kind::KeyRotated, &name, &with(&keys, 2, &bytes), "bad_body");
            }
        }
        let mut text = with(&config, 10, &[0xff]);
        self.bytes(Kind::ConfigSet, "a text that is no UTF-8", &text, "bad_body");
        text[10..12].copy_from_slice(&[0xc0, 0x80]);
        self.bytes(Kind::ConfigSet, "an overlong character", &text, "bad_body");
    }

    fn writes(&mut self) {
        let ids =
            |list: &[MemoryId]| json!(list.iter().map(ToString::to_string).collect::<Vec<_>>());
        let names =
            |list: &[AliasId]| json!(list.iter().map(ToString::to_string).collect::<Vec<_>>());
        let [a, b] = [MemoryId([1; 16]), MemoryId([2; 16])];
        let kind = Kind::Write;
        self.field(kind, "supersedes", ids(&memories(33)), "33 superseded", "too_large");
        self.field(kind, "supersedes", ids(&[b, a, b]), "superseded twice", "bad_value");
        self.field(kind, "derived_from", ids(&[b, a]), "unsorted derived_from", "bad_value");
        self.field(kind, "derived_from", ids(&[a, a]), "derived_from twice", "bad_value");
        let reversed: Vec<_> = aliases(2).into_iter().rev().collect();
        self.field(kind, "subjects", names(&reversed), "unsorted subjects", "bad_value");
        self.field(kind, "subjects", names(&aliases(65)), "65 subjects", "too_large");
        self.field(kind, "tags", names(&reversed), "unsorted tags", "bad_value");
        self.field(kind, "tags", names(&aliases(33)), "33 tags", "too_large");
        self.write_values();
    }

    fn write_values(&mut self) {
        let kind = Kind::Write;
        for marks in [8, 0x8000] {
            let name = format!("marks {marks}");
            self.field(kind, "marks", json!(marks), &name, "reserved_not_zero");
        }
        self.field(kind, "confidence", json!(10_001), "confidence 10,001", "bad_value");
        for verdict in [Verdict::Duplicate, Verdict::Refused] {
            let name = format!("verdict {verdict}");
            self.field(kind, "verdict", json!(verdict.name()), &name, "bad_value");
        }
        let own = json!([MemoryId([1; 16]).to_string()]);
        for field in ["supersedes", "derived_from"] {
            let fields = [("memory", own[0].clone()), (field, own.clone())];
            self.fields(kind, &fields, &format!("itself in {field}"), "bad_value");
        }
        for (from, until) in [("valid_from", "valid_until"), ("supersede_from", "supersede_until")]
        {
            self.intervals(kind, from, until);
        }
    }

    fn intervals(&mut self, kind: Kind, from: &str, until: &str) {
        let (least, most) = (i64::MIN.to_string(), i64::MAX.to_string());
        for (name, first, last) in [
            ("empty", json!("5"), json!("5")),
            ("reversed", json!("6"), json!("5")),
            ("from the least i64", json!(least), Value::Null),
            ("until the greatest i64", Value::Null, json!(most)),
            ("from the greatest i64", json!(most), Value::Null),
            ("until the least i64", Value::Null, json!(least)),
        ] {
            let name = format!("{from} and {until}: {name}");
            self.fields(kind, &[(from, first), (until, last)], &name, "bad_value");
        }
    }

    fn lists(&mut self) {
        let ids =
            |list: &[MemoryId]| json!(list.iter().map(ToString::to_string).collect::<Vec<_>>());
        let [a, b] = [MemoryId([1; 16]), MemoryId([2; 16])];
        for kind in [
            Kind::Confirm,
            Kind::Use,
            Kind::Forget,
            Kind::Expire,
            Kind::Restrict,
            Kind::Unrestrict,
            Kind::Stale,
        ] {
            self.field(kind, "memories", ids(&[]), "no memory", "bad_value");
            self.field(kind, "memories", ids(&[b, a]), "unsorted", "bad_value");
            self.field(kind, "memories", ids(&[a, a]), "one twice", "bad_value");
        }
        self.field(Kind::Forget, "memories", ids(&memories(3501)), "3,501 memories", "too_large");
        self.field(Kind::Contest, "memories", ids(&[]), "no memory", "bad_value");
        self.field(Kind::Contest, "memories", ids(&[a]), "one memory", "bad_value");
        for (kind, field) in [
            (Kind::Contest, "memories"),
            (Kind::Resolve, "kept"),
            (Kind::Answer, "contradicts"),
            (Kind::Feedback, "helped"),
            (Kind::Feedback, "misled"),
            (Kind::HoldPlaced, "memories"),
            (Kind::EraseRequested, "memories"),
            (Kind::EraseIntent, "memories"),
            (Kind::EraseIntent, "aliases"),
        ] {
            self.field(kind, field, ids(&[b, a]), &format!("unsorted {field}"), "bad_value");
            self.field(kind, field, ids(&[a, a]), &format!("one twice in {field}"), "bad_value");
        }
    }

    fn singles(&mut self) {
        self.intervals(Kind::Reopen, "from", "until");
        let changed = json!(CloseKind::Changed.name());
        self.fields(
            Kind::Close,
            &[("kind", changed), ("from", json!("6")), ("until", json!("5"))],
            "a reversed interval",
            "bad_value",
        );
        let wrong = || json!(CloseKind::Wrong.name());
        for field in ["from", "until"] {
            let other = if field == "from" { "until" } else { "from" };
            let fields = [("kind", wrong()), (field, json!("5")), (other, Value::Null)];
            self.fields(Kind::Close, &fields, &format!("wrong {field} a time"), "bad_value");
        }
        let fields = [("first", json!(Seq(5).to_string())), ("last", json!("4"))];
        self.fields(Kind::Undo, &fields, "a job that ends before it begins", "bad_value");
        let key = PublicKey { algorithm: 1, bytes: vec![1] };
        let key = json!({ "algorithm": key.algorithm, "bytes": "01" });
        let fields = [("old", Value::Null), ("old_signature", json!("0102"))];
        self.fields(Kind::KeyRotated, &fields, "a signature without its key", "bad_value");
        let fields = [("old", key), ("old_signature", Value::Null)];
        self.fields(Kind::KeyRotated, &fields, "an old key without its signature", "bad_value");
    }

    fn erasures(&mut self) {
        let fields = [("part", json!(3)), ("parts", json!(3))];
        self.fields(Kind::EraseIntent, &fields, "a part beyond the parts", "bad_value");
        let fields = [("part", json!(0)), ("parts", json!(0))];
        self.fields(Kind::EraseIntent, &fields, "no parts", "bad_value");
        for (name, ranges) in [
            ("a range that ends before it begins", vec![(5, 4)]),
            ("ranges that overlap", vec![(1, 5), (5, 6)]),
            ("ranges out of order", vec![(7, 8), (1, 2)]),
            ("a range twice", vec![(1, 2), (1, 2)]),
        ] {
            let pairs = ranges.iter().map(|(first, last): &(u64, u64)| {
                let (first, last) = (first.to_string(), last.to_string());
                json!({ "first": first, "last": last })
            });
            let ranges = pairs.collect::<Value>();
            self.field(Kind::EraseIntent, "payloads", ranges, name, "bad_value");
        }
    }

    fn genesis(&mut self) {
        let kind = Kind::Genesis;
        for (field, numbers) in
            [("hash_suite", [0, 2]), ("payload_suite", [0, 2]), ("clock", [0, 3])]
        {
            for number in numbers {
                let name = format!("{field} {number}");
                self.field(kind, field, json!(number), &name, "unknown_number");
            }
        }
        let v1 = Limits::V1;
        for (field, over) in [
            ("record_bytes", json!(v1.record_bytes + 1)),
            ("payload_bytes", json!(v1.payload_bytes + 1)),
            ("batch_bytes", json!(v1.batch_bytes + 1)),
            ("segment_bytes", json!((v1.segment_bytes + 1).to_string())),
            ("supersedes", json!(v1.supersedes + 1)),
            ("derived_from", json!(v1.derived_from + 1)),
            ("scope_depth", json!(v1.scope_depth + 1)),
        ] {
            let body = self.spec.decode_body(kind.name(), &valid_body(kind)).unwrap();
            let mut limits = body["limits"].clone();
            limits[field] = over;
            self.field(kind, "limits", limits, &format!("{field} over the limit"), "too_large");
        }
        for (kind, field) in [
            (Kind::Genesis, "origin"),
            (Kind::Genesis, "zone"),
            (Kind::Epoch, "program"),
            (Kind::ConfigSet, "value"),
        ] {
            self.field(kind, field, json!(""), &format!("an empty {field}"), "bad_value");
            let long = "a".repeat(513);
            self.field(kind, field, json!(long), &format!("{field} of 513 bytes"), "too_large");
            for control in ['\n', '\0', '\u{7f}', '\u{85}'] {
                let name = format!("{field} with U+{:04X}", u32::from(control));
                self.field(kind, field, json!(format!("a{control}b")), &name, "bad_value");
            }
        }
    }
}
