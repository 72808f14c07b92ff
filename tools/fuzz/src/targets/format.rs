//! Owns the targets of the format crate: what decodes encodes to the same bytes, and nothing else
//! does. A structure with a check is tried twice, as it came and with a check that fits, because
//! without that no fuzzer gets behind the check.

use ledger_format::anchor::{self, Anchor};
use ledger_format::batch::{self, BatchHeader, BatchView, FrameWriter};
use ledger_format::bytes::{Reader, Writer};
use ledger_format::key_page::{KeyFileHeader, KeyPage, PAGE_HEADER_BYTES};
use ledger_format::payload_file::{self, PayloadFileHeader};
use ledger_format::segment::{self, SegmentHeader};
use ledger_format::{
    Event, FormatError, Kind, LedgerId, PayloadRef, Record, RecordView, extension, hash, limits,
};

const LEDGER: LedgerId = LedgerId([7; 16]);
const CHECK: usize = 16;
/// An error while encoding would hide that a decoder accepted what it should refuse.
const ENCODES: &str = "what decodes is encoded";

pub(super) fn record(bytes: &[u8]) {
    exact(bytes, |bytes| {
        let view = RecordView::decode(bytes)?;
        let _ = (view.claimed_at(), view.idempotency(), view.job());
        let body = view.event()?.encode().expect(ENCODES);
        let RecordView { header, payloads, extensions, .. } = view;
        Ok(Record { header, body, payloads, extensions }.encode().expect(ENCODES))
    });
}

/// The first two bytes choose the kind, the rest is the body.
pub(super) fn body(bytes: &[u8]) {
    let Some((number, bytes)) = bytes.split_first_chunk::<2>() else { return };
    let Some(kind) = Kind::from_number(u16::from_le_bytes(*number)) else { return };
    exact(bytes, |bytes| {
        let event = Event::decode(kind.number(), kind.version(), kind.critical(), bytes)?;
        Ok(event.encode().expect(ENCODES))
    });
}

pub(super) fn extensions(bytes: &[u8]) {
    exact(bytes, |bytes| Ok(extension::encode(&extension::decode(bytes)?).expect(ENCODES)));
}

pub(super) fn payload_reference(bytes: &[u8]) {
    prefix(bytes, |bytes| {
        let mut out = Writer::default();
        PayloadRef::decode(&mut Reader::new("a payload reference", bytes))?.encode(&mut out);
        Ok(out.into_vec())
    });
}

pub(super) fn segment_header(bytes: &[u8]) {
    let again = |bytes: &[u8]| Ok(SegmentHeader::decode(bytes)?.encode());
    prefix(bytes, again);
    prefix(&checked_before(bytes, segment::HEADER_BYTES), again);
}

pub(super) fn payload_file_header(bytes: &[u8]) {
    let again = |bytes: &[u8]| Ok(PayloadFileHeader::decode(bytes)?.encode());
    exact(bytes, again);
    exact(&checked_before(bytes, payload_file::HEADER_BYTES), again);
}

pub(super) fn anchor(bytes: &[u8]) {
    let again = |bytes: &[u8]| Ok(Anchor::decode(bytes)?.encode());
    exact(bytes, again);
    exact(&checked_before(bytes, anchor::BYTES), again);
}

pub(super) fn key_file_header(bytes: &[u8]) {
    let again = |bytes: &[u8]| Ok(KeyFileHeader::decode(bytes)?.encode());
    exact(bytes, again);
    exact(&checked_before(bytes, limits::PAGE_BYTES), again);
}

pub(super) fn key_page(bytes: &[u8]) {
    let again = |bytes: &[u8]| Ok(KeyPage::decode(bytes)?.encode());
    exact(bytes, again);
    let mut fitting = bytes.to_vec();
    if bytes.len() >= PAGE_HEADER_BYTES {
        let at = PAGE_HEADER_BYTES - CHECK;
        let check = hash::check(&[&bytes[..at], &bytes[PAGE_HEADER_BYTES..]].concat());
        fitting[at..PAGE_HEADER_BYTES].copy_from_slice(&check.0);
    }
    exact(&fitting, again);
}

pub(super) fn batch(bytes: &[u8]) {
    let header = |bytes: &[u8]| Ok(BatchHeader::decode(bytes)?.encode());
    let fitting = checked_before(bytes, batch::HEADER_BYTES);
    for bytes in [bytes, &fitting] {
        prefix(bytes, header);
        prefix(bytes, whole_batch);
    }
}

fn whole_batch(bytes: &[u8]) -> Result<Vec<u8>, FormatError> {
    let view = BatchView::decode(bytes)?;
    let mut frames = FrameWriter::default();
    let mut last = None;
    for record in view.records() {
        let record = record?;
        frames.push(record).expect(ENCODES);
        last = Some(hash::record(&LEDGER, record));
    }
    let last = last.expect("a batch has a record");
    view.check_hash(&last)?;
    Ok(frames.finish(&view.header, &last, &view.root).expect(ENCODES).0)
}

fn exact(bytes: &[u8], again: impl Fn(&[u8]) -> Result<Vec<u8>, FormatError>) {
    if let Some(encoded) = said(again(bytes)) {
        assert!(encoded == bytes, "decodes {bytes:02x?} and encodes {encoded:02x?}");
    }
}

fn prefix(bytes: &[u8], again: impl Fn(&[u8]) -> Result<Vec<u8>, FormatError>) {
    if let Some(encoded) = said(again(bytes)) {
        assert!(bytes.starts_with(&encoded), "decodes {bytes:02x?} and encodes {encoded:02x?}");
    }
}

/// What came out; a refusal has words.
fn said(result: Result<Vec<u8>, FormatError>) -> Option<Vec<u8>> {
    result.map_err(|error| assert!(!error.to_string().is_empty())).ok()
}

/// The same bytes with a check that fits at the end of the first `end` bytes.
fn checked_before(bytes: &[u8], end: usize) -> Vec<u8> {
    let mut fitting = bytes.to_vec();
    if bytes.len() >= end {
        let check = hash::check(&bytes[..end - CHECK]);
        fitting[end - CHECK..end].copy_from_slice(&check.0);
    }
    fitting
}
