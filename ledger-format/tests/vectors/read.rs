//! Reads the files as they are stored: valid cases decode and encode to the same bytes, invalid ones
//! give the error they name.

use ledger_format::anchor::Anchor;
use ledger_format::batch::{BatchView, FrameWriter};
use ledger_format::bytes::{Reader, Writer};
use ledger_format::key_page::{KeyFileHeader, KeyPage};
use ledger_format::payload::{SUITE_XCHACHA, open, seal};
use ledger_format::payload_file::PayloadFileHeader;
use ledger_format::segment::SegmentHeader;
use ledger_format::tree::Frontier;
use ledger_format::{
    Event, FormatError, PayloadId, PayloadRef, Record, RecordHash, RecordView, Role, Seq,
    extension, hash,
};
use serde_json::Value;

use crate::support::{fixed, hex};

type Result<T> = std::result::Result<T, FormatError>;

fn file(name: &str) -> Value {
    serde_json::from_str(&crate::support::read(&format!("vectors/{name}.json"))).unwrap()
}

fn cases(file: &Value, list: &str) -> Vec<(String, Vec<u8>, Value)> {
    let case = |case: &Value| {
        let bytes = hex::parse(case["hex"].as_str().unwrap());
        (case["name"].as_str().unwrap().to_owned(), bytes, case.clone())
    };
    file[list].as_array().unwrap().iter().map(case).collect()
}

fn bytes<const N: usize>(value: &Value) -> [u8; N] {
    hex::parse(value.as_str().unwrap()).try_into().unwrap()
}

/// An error while encoding would hide that a decoder accepted what it should refuse.
const ENCODES: &str = "what decodes is encoded";

/// Decodes a structure and encodes it again.
fn again(structure: &str, bytes: &[u8], case: &Value) -> Result<Vec<u8>> {
    match structure {
        "record" => record(bytes),
        "body" => {
            let number = |name: &str| u16::try_from(case[name].as_u64().unwrap()).unwrap();
            let critical = case["critical"].as_bool().unwrap();
            let event = Event::decode(number("kind"), number("version"), critical, bytes)?;
            Ok(event.encode().expect(ENCODES))
        }
        "extension_list" => Ok(extension::encode(&extension::decode(bytes)?).expect(ENCODES)),
        "payload_reference" => {
            let mut out = Writer::default();
            let mut reader = Reader::new("a payload reference", bytes);
            PayloadRef::decode(&mut reader)?.encode(&mut out);
            reader.end()?;
            Ok(out.into_vec())
        }
        "batch" => batch(bytes, case),
        "segment_header" => Ok(SegmentHeader::decode(bytes)?.encode()),
        "payload_file_header" => Ok(PayloadFileHeader::decode(bytes)?.encode()),
        "anchor" => Ok(Anchor::decode(bytes)?.encode()),
        "key_file_header" => Ok(KeyFileHeader::decode(bytes)?.encode()),
        "key_page" => Ok(KeyPage::decode(bytes)?.encode()),
        "payload" => payload(bytes, case),
        other => panic!("no decoder for {other}"),
    }
}

fn record(bytes: &[u8]) -> Result<Vec<u8>> {
    let view = RecordView::decode(bytes)?;
    let body = view.event()?.encode().expect(ENCODES);
    let RecordView { header, payloads, extensions, .. } = view;
    Ok(Record { header, body, payloads, extensions }.encode().expect(ENCODES))
}

fn batch(bytes: &[u8], case: &Value) -> Result<Vec<u8>> {
    let view = BatchView::decode(bytes)?;
    if view.length() < bytes.len() {
        return Err(FormatError::Trailing { what: "a batch", extra: bytes.len() - view.length() });
    }
    let before = &case["before"];
    let nodes = before["frontier"].as_array().unwrap().iter().map(self::bytes).collect();
    let mut tree = Frontier::from_parts(before["size"].as_u64().unwrap(), nodes).unwrap();
    let mut last = RecordHash(self::bytes(&before["record_hash"]));
    let mut frames = FrameWriter::default();
    let mut payload_length = 0;
    for (seq, stored) in (view.header.first.0..).zip(view.records()) {
        let stored = stored?;
        let record = RecordView::decode(stored)?;
        if record.header.prev != last || record.header.seq != Seq(seq) {
            return Err(FormatError::CheckMismatch { what: "chain" });
        }
        payload_length += record.payloads.iter().map(|one| u64::from(one.length)).sum::<u64>();
        last = hash::record(&fixed::LEDGER, stored);
        tree.push(stored);
        frames.push(stored).expect(ENCODES);
    }
    view.check_hash(&last)?;
    if tree.root() != view.root || payload_length != view.header.payload_length {
        return Err(FormatError::CheckMismatch { what: "root" });
    }
    Ok(frames.finish(&view.header, &last, &view.root).expect(ENCODES).0)
}

fn payload(stored: &[u8], case: &Value) -> Result<Vec<u8>> {
    let reference = &case["reference"];
    let number = |name: &str| reference[name].as_u64().unwrap();
    let reference = PayloadRef {
        id: PayloadId(reference["id"].as_str().unwrap().parse().unwrap()),
        role: Role::from_number(u8::try_from(number("role")).unwrap()).unwrap(),
        suite: SUITE_XCHACHA,
        commitment: bytes(&reference["commitment"]),
        digest: bytes(&reference["digest"]),
        length: u32::try_from(number("length")).unwrap(),
    };
    let key = bytes(&case["key"]);
    let plaintext = open(&fixed::LEDGER, &reference, stored, &key)?;
    assert_eq!(plaintext, hex::parse(case["plaintext"].as_str().unwrap()));
    if case["reproducible"] == false {
        return Ok(stored.to_vec());
    }
    let nonce = bytes(&case["nonce"]);
    let sealed = seal(&fixed::LEDGER, reference.id, reference.role, &plaintext, &key, &nonce)?;
    assert_eq!(sealed.reference, reference);
    Ok(sealed.stored)
}

const DECODED: [&str; 11] = [
    "record",
    "body",
    "extension_list",
    "payload_reference",
    "batch",
    "segment_header",
    "payload_file_header",
    "anchor",
    "key_file_header",
    "key_page",
    "payload",
];

#[test]
fn valid_vectors_decode_and_encode_to_the_same_bytes() {
    for structure in DECODED {
        let cases = cases(&file(structure), "valid");
        assert!(!cases.is_empty(), "{structure} has no valid case");
        for (name, bytes, case) in cases {
            let again = again(structure, &bytes, &case);
            assert_eq!(again.as_deref(), Ok(bytes.as_slice()), "{structure}: {name}");
        }
    }
}

#[test]
fn invalid_vectors_give_the_error_they_name() {
    let mut wrong = Vec::new();
    for structure in DECODED {
        let cases = cases(&file(structure), "invalid");
        assert!(!cases.is_empty(), "{structure} has no invalid case");
        for (name, bytes, case) in cases {
            let again = again(structure, &bytes, &case);
            let found = again.err().map_or("nothing", |error| error.name());
            if case["error"] != found {
                wrong.push(format!("{structure}: {name}: {found} and not {}", case["error"]));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_error_word_has_a_vector() {
    let spec = crate::support::spec::Spec::load();
    let seen: Vec<_> = DECODED.iter().flat_map(|name| cases(&file(name), "invalid")).collect();
    for word in spec.table("errors").column("word") {
        assert!(seen.iter().any(|(_, _, case)| case["error"] == word), "no vector gives {word}");
    }
}

#[test]
fn names_of_cases_are_unique() {
    for structure in DECODED {
        let file = file(structure);
        let all = cases(&file, "valid").into_iter().chain(cases(&file, "invalid"));
        let mut names: Vec<_> = all.map(|(name, ..)| name).collect();
        let count = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count, "{structure} has a name twice");
    }
}
