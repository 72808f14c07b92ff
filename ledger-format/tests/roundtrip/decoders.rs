//! Every decoder of the crate behind one signature: bytes in, encoded again or refused.

use ledger_format::anchor::Anchor;
use ledger_format::batch::{BatchHeader, BatchView, FrameWriter};
use ledger_format::bytes::{Reader, Writer};
use ledger_format::key_page::{KeyFileHeader, KeyPage};
use ledger_format::payload_file::PayloadFileHeader;
use ledger_format::segment::SegmentHeader;
use ledger_format::{Event, FormatError, Kind, PayloadRef, Record, RecordView, extension, hash};

use crate::support::spec::Spec;
use crate::support::{arb::Gen, fixed, fixup};

/// An error while encoding would hide that a decoder accepted what it should refuse.
const ENCODES: &str = "what decodes is encoded";

type Again = fn(&[u8]) -> Result<Vec<u8>, FormatError>;

/// A structure: its name, its decoder, a valid sample.
pub(crate) struct Decoder {
    pub(crate) name: &'static str,
    pub(crate) again: Again,
    pub(crate) sample: Vec<u8>,
    /// Whether the decoder takes the first bytes of what it gets.
    pub(crate) prefix: bool,
}

pub(crate) fn all() -> Vec<Decoder> {
    let (made, _) = fixed::first_batch();
    let one = |name, again: Again, sample, prefix| Decoder { name, again, sample, prefix };
    vec![
        one("record", record, samples::record(), false),
        one("extension list", extensions, samples::extensions(), false),
        one("payload reference", reference, samples::reference(), true),
        one("batch header", batch_header, made.header.encode(), true),
        one("batch", batch, made.bytes, true),
        one("segment header", segment_header, samples::segment(), true),
        one("payload file header", payload_file_header, samples::payload_file(), false),
        one("anchor", anchor, samples::anchor(), false),
        one("key file header", key_file_header, samples::key_file_header(), false),
        one("key page", key_page, samples::key_page(), false),
    ]
}

impl Decoder {
    /// The table of the specification that says what its check covers, where it has one.
    pub(crate) fn check(&self) -> Option<&'static str> {
        match self.name {
            "batch header" | "batch" => Some("batch_header"),
            "segment header" => Some("segment_header"),
            "payload file header" => Some("payload_file_header"),
            "anchor" => Some("anchor"),
            "key file header" => Some("key_file_header"),
            "key page" => Some("key_page"),
            _ => None,
        }
    }

    /// What decodes must encode to the bytes it came from. Gives whether it decoded.
    pub(crate) fn total(&self, bytes: &[u8]) -> bool {
        match (self.again)(bytes) {
            Ok(again) => {
                let same = if self.prefix { bytes.starts_with(&again) } else { bytes == again };
                assert!(same, "{} decodes {bytes:02x?} but encodes {again:02x?}", self.name);
                true
            }
            Err(error) => {
                assert!(!error.to_string().is_empty());
                false
            }
        }
    }

    /// Makes the check of changed bytes fit, where the structure has one.
    pub(crate) fn recheck(&self, spec: &Spec, bytes: &mut [u8]) {
        if let Some(table) = self.check() {
            spec.recheck(table, bytes);
        }
    }
}

fn record(bytes: &[u8]) -> Result<Vec<u8>, FormatError> {
    let view = RecordView::decode(bytes)?;
    let (_, _, _) = (view.claimed_at(), view.idempotency(), view.job());
    let body = view.event()?.encode().expect(ENCODES);
    let RecordView { header, payloads, extensions, .. } = view;
    Ok(Record { header, body, payloads, extensions }.encode().expect(ENCODES))
}

fn extensions(bytes: &[u8]) -> Result<Vec<u8>, FormatError> {
    Ok(extension::encode(&extension::decode(bytes)?).expect(ENCODES))
}

fn reference(bytes: &[u8]) -> Result<Vec<u8>, FormatError> {
    let mut out = Writer::default();
    PayloadRef::decode(&mut Reader::new("a payload reference", bytes))?.encode(&mut out);
    Ok(out.into_vec())
}

fn segment_header(bytes: &[u8]) -> Result<Vec<u8>, FormatError> {
    Ok(SegmentHeader::decode(bytes)?.encode())
}

fn payload_file_header(bytes: &[u8]) -> Result<Vec<u8>, FormatError> {
    Ok(PayloadFileHeader::decode(bytes)?.encode())
}

fn anchor(bytes: &[u8]) -> Result<Vec<u8>, FormatError> {
    Ok(Anchor::decode(bytes)?.encode())
}

fn key_file_header(bytes: &[u8]) -> Result<Vec<u8>, FormatError> {
    Ok(KeyFileHeader::decode(bytes)?.encode())
}

fn key_page(bytes: &[u8]) -> Result<Vec<u8>, FormatError> {
    Ok(KeyPage::decode(bytes)?.encode())
}

fn batch_header(bytes: &[u8]) -> Result<Vec<u8>, FormatError> {
    Ok(BatchHeader::decode(bytes)?.encode())
}

fn batch(bytes: &[u8]) -> Result<Vec<u8>, FormatError> {
    let view = BatchView::decode(bytes)?;
    let mut frames = FrameWriter::default();
    let mut last = None;
    for record in view.records() {
        let record = record?;
        frames.push(record).expect(ENCODES);
        last = Some(hash::record(&fixed::LEDGER, record));
    }
    let last = last.expect("a batch has a record");
    view.check_hash(&last)?;
    Ok(frames.finish(&view.header, &last, &view.root).expect(ENCODES).0)
}

/// Decodes a body as an event of a kind and encodes it again.
pub(crate) fn body(kind: Kind, bytes: &[u8]) -> Result<Vec<u8>, FormatError> {
    let event = Event::decode(kind.number(), kind.version(), kind.critical(), bytes)?;
    Ok(event.encode().expect(ENCODES))
}

mod samples {
    use super::{Gen, Kind, Record, Writer, fixed, fixup};
    use ledger_format::anchor::Anchor;
    use ledger_format::key_page::{KeyFileHeader, KeyPage};
    use ledger_format::payload_file::PayloadFileHeader;
    use ledger_format::segment::SegmentHeader;
    use ledger_format::tree::Frontier;
    use ledger_format::{
        AliasId, BatchHash, BatchNo, Extension, JobId, Micros, PayloadId, RecordHash, SegmentNo,
        Seq, Tag, TreeRoot, extension, hash,
    };

    fn list() -> Vec<Extension> {
        let unknown = Extension { tag: 400, critical: false, bytes: vec![1, 2, 3] };
        let task = Extension::alias(Tag::Task, AliasId([4; 16]));
        vec![Extension::claimed_at(Micros(5)), Extension::job(JobId([3; 16])), task, unknown]
    }

    pub(super) fn record() -> Vec<u8> {
        let body = fixup::event(Kind::Write, &mut Gen::Full(3)).encode().unwrap();
        let mut record = Record::new(fixed::header(Kind::Write, 7), body);
        record.extensions = list();
        record.payloads = vec![fixed::tea().reference; 2];
        record.encode().unwrap()
    }

    pub(super) fn extensions() -> Vec<u8> {
        extension::encode(&list()).unwrap()
    }

    pub(super) fn reference() -> Vec<u8> {
        let mut out = Writer::default();
        fixed::tea().reference.encode(&mut out);
        out.into_vec()
    }

    pub(super) fn segment() -> Vec<u8> {
        let header = SegmentHeader {
            ledger: fixed::LEDGER,
            segment: SegmentNo(2),
            first_batch: BatchNo(5),
            first_seq: Seq(11),
            epoch: 2,
            previous_record: RecordHash([1; 32]),
            previous_batch: BatchHash([2; 32]),
            previous_length: 9000,
            frontier: Frontier::from_parts(11, vec![[3; 32], [4; 32], [5; 32]]).unwrap(),
        };
        header.encode()
    }

    pub(super) fn payload_file() -> Vec<u8> {
        PayloadFileHeader { ledger: fixed::LEDGER, file: 3 }.encode()
    }

    pub(super) fn anchor() -> Vec<u8> {
        let anchor = Anchor {
            ledger: fixed::LEDGER,
            counter: 4,
            clean: true,
            epoch: 2,
            batch: BatchNo(5),
            batch_hash: BatchHash([1; 32]),
            seq: Seq(11),
            record_hash: RecordHash([2; 32]),
            recorded_at: Micros(6),
            root: TreeRoot([3; 32]),
            segment: SegmentNo(2),
            segment_end: 5000,
            payload_file: 1,
            payload_end: 700,
            next_payload: PayloadId(8),
            last_erasure: Some(Seq(9)),
        };
        anchor.encode()
    }

    pub(super) fn key_file_header() -> Vec<u8> {
        let key_check = hash::key_check(&fixed::MASTER, &fixed::LEDGER);
        let header = KeyFileHeader {
            ledger: fixed::LEDGER,
            generation: 1,
            key_check,
            erasures_through: Some(Seq(3)),
        };
        header.encode()
    }

    pub(super) fn key_page() -> Vec<u8> {
        let mut page = KeyPage::empty(fixed::LEDGER, 1, [6; 8]);
        assert!(page.set_key(PayloadId(130), &fixed::KEY, &fixed::MASTER));
        page.encode()
    }
}
