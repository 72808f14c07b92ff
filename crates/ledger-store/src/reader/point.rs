//! Owns reading one record by its number.
//!
//! The first read in a batch walks the batch and remembers where its records lie; every other one
//! reads its record and the one after it, and nothing else. Both check the same: the record's bytes
//! against the link of the record after it, or the whole batch against its hash for the last one.
//! Bytes and hashes are read again every time.

use std::sync::Arc;

use ledger_format::{SegmentNo, Seq};

use super::files::FileKey;
use super::places::{BatchPlaces, Within};
use super::shared::{Shared, View, locked};
use super::types::{StoredRecord, VerifiedBatch};
use crate::error::StoreError;
use crate::log::chain::{RawBatch, Spans, check_record, structure};
use crate::log::fault::Fault;
use crate::log::outline::Outline;
use crate::log::scan::{Scan, Step};
use crate::storage::StorageFile;

/// Bytes of the length in front of every record.
const FRAME: usize = 2;

pub(super) fn record(shared: &Shared, seq: Seq) -> Result<StoredRecord, StoreError> {
    let view = shared.view();
    let head = view.position.map(|position| position.head.seq);
    if head.is_none_or(|head| seq > head) {
        return Err(StoreError::NoRecord { seq, head });
    }
    let known = locked(shared.places()).get(seq);
    if let Some(batch) = &known
        && let Some(within) = batch.within(seq)
    {
        let file = shared.file(FileKey::Segment(batch.segment))?;
        if let Some(record) = remembered(shared, &*file, batch, &within, seq) {
            return Ok(record);
        }
        // The walk finds it all the same, or says what is wrong and where.
    }
    walked(shared, &view, known.as_deref(), seq)
}

/// A record at the place that is remembered, if everything there is as it has to be.
fn remembered(
    shared: &Shared,
    file: &dyn StorageFile,
    batch: &BatchPlaces,
    within: &Within,
    seq: Seq,
) -> Option<StoredRecord> {
    let start = within.place.offset.checked_sub(FRAME as u64)?;
    let mut bytes = vec![0; 2 * FRAME + within.length + within.next_length];
    file.read_exact_at(&mut bytes, start).ok()?;
    let next = framed(bytes.get(FRAME + within.length..)?, within.next_length)?;
    let record = framed(&bytes, within.length)?;
    let (outline, next) = (Outline::of(record).ok()?, Outline::of(next).ok()?);
    let hash = shared.hasher().hash(record);
    if outline.seq != seq || next.seq != seq.next() || next.prev != hash {
        return None;
    }
    bytes.truncate(FRAME + within.length);
    bytes.drain(..FRAME);
    Some(StoredRecord {
        seq,
        hash,
        bytes,
        place: within.place,
        payload_file: batch.header.payload_file,
        payload_offset: within.payload_offset,
    })
}

/// The record that a frame of this length begins with, if its frame says so too.
fn framed(bytes: &[u8], length: usize) -> Option<&[u8]> {
    let (frame, rest) = bytes.split_first_chunk::<FRAME>()?;
    if usize::from(u16::from_le_bytes(*frame)) != length {
        return None;
    }
    rest.get(..length)
}

/// A record found by walking its batch, or all batches in the window that the index names. Whatever
/// was walked over is remembered, to the end of the window: its batches are small, and their
/// records are read one after another.
fn walked(
    shared: &Shared,
    view: &View,
    known: Option<&BatchPlaces>,
    seq: Seq,
) -> Result<StoredRecord, StoreError> {
    let at = view.segment_of(seq);
    let Some(header) = view.segments().get(at) else {
        let head = view.position.map(|position| position.head.seq);
        return Err(StoreError::NoRecord { seq, head });
    };
    let (segment, end) = (header.segment, view.end_of(at));
    let file = shared.file(FileKey::Segment(segment))?;
    let (start, length) = match known {
        Some(batch) => (batch.offset, batch.header.batch_length()),
        None => {
            let window = locked(&shared.index(segment)).find(&file, header, end, seq)?;
            (window.start, window.length)
        }
    };
    let mut scan = Scan::new(file, start, end, length);
    let path = scan.path().clone();
    let mut spans = Spans::default();
    let mut found = None;
    while found.is_none() || scan.at() < start + length as u64 {
        let offset = scan.at();
        let batch = match scan.next() {
            Ok(Step::Batch(batch)) => batch,
            // What lies behind the record is no matter of this read.
            _ if found.is_some() => break,
            Err(error) => return Err(error),
            Ok(Step::Bad(fault)) => return Err(fault.into_error(&path, offset, seq)),
            Ok(Step::End) => {
                let what = "a record";
                return Err(StoreError::damaged(&path, end, Some(seq), what, seq, "the end"));
            }
        };
        let passed = structure(&batch, shared.hasher(), &mut spans);
        if passed.is_ok()
            && known.is_none()
            && let Some(places) = BatchPlaces::of(segment, &batch.header, offset, &spans)
        {
            locked(shared.places()).put(Arc::new(places));
        }
        if found.is_none() && !ends_before(&batch, seq) {
            found = passed
                .and_then(|()| pick(shared, &batch, &spans, segment, seq))
                .map_err(|fault| fault.into_error(&path, offset, seq))?;
        }
    }
    found.ok_or(StoreError::NoRecord { seq, head: view.position.map(|position| position.head.seq) })
}

/// Whether a batch ends before a record.
fn ends_before(batch: &RawBatch<'_>, seq: Seq) -> bool {
    seq.0 >= batch.header.first.0.saturating_add(u64::from(batch.header.count))
}

/// A record of a batch, checked.
fn pick(
    shared: &Shared,
    batch: &RawBatch<'_>,
    spans: &Spans,
    segment: SegmentNo,
    seq: Seq,
) -> Result<Option<StoredRecord>, Fault> {
    let first = batch.header.first;
    let Some(place) = seq.0.checked_sub(first.0) else {
        let least = format!("{seq} or less");
        return Err(Fault::broken("the first record of a batch", least, first));
    };
    let place = usize::try_from(place).unwrap_or(usize::MAX);
    check_record(batch, shared.hasher(), spans, place)?;
    let batch = VerifiedBatch {
        header: &batch.header,
        hash: batch.hash,
        root: batch.root,
        segment,
        offset: batch.offset,
        bytes: batch.bytes,
        spans: &spans.list,
    };
    Ok(batch.record(place).map(|record| record.to_stored()))
}
