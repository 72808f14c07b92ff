//! Owns reading one record by its number.

use ledger_format::Seq;

use super::files::FileKey;
use super::shared::{Shared, locked};
use super::types::{StoredRecord, VerifiedBatch};
use crate::error::StoreError;
use crate::log::chain::{Spans, check_record, structure};
use crate::log::scan::{Scan, Step};

pub(super) fn record(shared: &Shared, seq: Seq) -> Result<StoredRecord, StoreError> {
    let view = shared.view();
    let head = view.position.map(|position| position.head.seq);
    if head.is_none_or(|head| seq > head) {
        return Err(StoreError::NoRecord { seq, head });
    }
    let at = view.segment_of(seq);
    let Some(header) = view.segments().get(at) else {
        return Err(StoreError::NoRecord { seq, head });
    };
    let end = view.end_of(at);
    let file = shared.file(FileKey::Segment(header.segment))?;
    let window = locked(&shared.index(header.segment)).find(&file, header, end, seq)?;
    let mut scan = Scan::new(file, window.start, end, window.length);
    let path = scan.path().clone();
    loop {
        let offset = scan.at();
        let batch = match scan.next()? {
            Step::Batch(batch) => batch,
            Step::Bad(fault) => return Err(fault.into_error(&path, offset, seq)),
            Step::End => {
                let what = "a record";
                return Err(StoreError::damaged(&path, end, Some(seq), what, seq, "the end"));
            }
        };
        let Some(place) = seq.0.checked_sub(batch.header.first.0) else {
            let what = "the first record of a batch";
            let first = batch.header.first;
            let least = format!("{seq} or less");
            return Err(StoreError::damaged(&path, offset, Some(seq), what, least, first));
        };
        if place >= u64::from(batch.header.count) {
            continue;
        }
        let place = usize::try_from(place).unwrap_or(usize::MAX);
        let mut spans = Spans::default();
        structure(&batch, shared.hasher(), &mut spans)
            .and_then(|()| check_record(&batch, shared.hasher(), &spans, place))
            .map_err(|fault| fault.into_error(&path, offset, seq))?;
        let found = VerifiedBatch {
            header: &batch.header,
            hash: batch.hash,
            root: batch.root,
            segment: header.segment,
            offset,
            bytes: batch.bytes,
            spans: &spans.list,
        };
        return match found.record(place) {
            Some(record) => Ok(record.to_stored()),
            None => Err(StoreError::NoRecord { seq, head }),
        };
    }
}
