//! Owns walking from the anchored segment to the end of the log, with every check there is.
//!
//! May not: write.

use std::sync::Arc;

use ledger_format::hash::{self, RecordHasher};
use ledger_format::segment::{HEADER_BYTES, SegmentHeader};
use ledger_format::tree::Frontier;
use ledger_format::{LedgerId, RecordView, SegmentNo};

use super::headers::{Headers, list_segments, read_headers};
use super::tail::Tail;
use super::{LooseTail, lost};
use crate::error::StoreError;
use crate::head::Position;
use crate::layout;
use crate::log::chain::{ChainState, RawBatch, Spans};
use crate::log::fault::{Fault, FaultKind};
use crate::log::payload_writer::check_header;
use crate::log::scan::{CHUNK, Scan, Step};
use crate::storage::{Storage, StorageFile};

/// What was found from the anchor on.
#[derive(Debug)]
pub(super) struct Walk {
    /// The last batch that is whole.
    pub(super) position: Option<Position>,
    pub(super) frontier: Frontier,
    /// The batch after it, which is not.
    pub(super) loose: Option<LooseTail>,
    /// Whether the last segment goes on after its last whole batch.
    pub(super) has_tail: bool,
}

struct Walker<'a> {
    storage: &'a dyn Storage,
    ledger: LedgerId,
    headers: &'a Headers,
    anchored: Option<&'a Position>,
    hasher: RecordHasher,
    spans: Spans,
    reached_anchor: bool,
    walk: Walk,
}

/// Walks from the segment of the anchor, or from the beginning if there is none.
pub(super) fn from_anchor(
    storage: &dyn Storage,
    ledger: LedgerId,
    headers: &Headers,
    anchored: Option<&Position>,
) -> Result<Walk, StoreError> {
    let first = anchored.map_or(0, |anchored| anchored.segment.0);
    let first = usize::try_from(first).unwrap_or(usize::MAX);
    let mut walker = Walker {
        storage,
        ledger,
        headers,
        anchored,
        hasher: RecordHasher::new(&ledger),
        spans: Spans::default(),
        reached_anchor: anchored.is_none(),
        walk: Walk { position: None, frontier: Frontier::new(), loose: None, has_tail: false },
    };
    let Some(header) = headers.list.get(first) else {
        return Ok(walker.walk);
    };
    let mut chain = ChainState::at_segment(header);
    for index in first..headers.list.len() {
        walker.segment(index, &mut chain)?;
    }
    walker.walk.frontier = chain.frontier;
    Ok(walker.walk)
}

impl Walker<'_> {
    fn segment(&mut self, index: usize, chain: &mut ChainState) -> Result<(), StoreError> {
        let Some(header) = self.headers.list.get(index).map(Arc::clone) else {
            return Ok(());
        };
        let path = layout::segment(header.segment);
        let entered = self.walk.position.map(|position| position.segment_end);
        if let Some(end) = entered {
            let next = chain.next_seq;
            chain.enter(&header, end).map_err(|fault| fault.into_error(&path, 0, next))?;
        }
        let file: Arc<dyn StorageFile> = self.storage.open_read(&path)?.into();
        let length = self.headers.length(index);
        let begins = HEADER_BYTES as u64;
        let mut scan = Scan::new(Arc::clone(&file), begins, length, CHUNK);
        let mut end = begins;
        loop {
            let fault = match scan.next()? {
                Step::End => break,
                Step::Bad(fault) => fault,
                Step::Batch(batch) => match self.batch(&batch, chain, &header)? {
                    Ok(()) => {
                        end = batch.end();
                        continue;
                    }
                    Err(fault) => fault,
                },
            };
            self.judge(&*file, index, end, fault, chain)?;
            break;
        }
        self.walk.has_tail = end < length;
        let has_later = index + 1 < self.headers.list.len() || self.headers.torn_last;
        if has_later && end < length {
            let next = Some(chain.next_seq);
            let what = "the end of a closed segment";
            return Err(StoreError::damaged(&path, end, next, what, "a batch or the end", "zeros"));
        }
        match self.anchored {
            Some(anchored) if anchored.segment == header.segment && !self.reached_anchor => {
                let found = self.walk.position.map(|position| position.head.seq);
                Err(lost(anchored, path, end, found))
            }
            _ => Ok(()),
        }
    }

    /// Checks one batch and goes on over it, or says what is wrong with it.
    fn batch(
        &mut self,
        batch: &RawBatch<'_>,
        chain: &mut ChainState,
        header: &SegmentHeader,
    ) -> Result<Result<(), Fault>, StoreError> {
        let mut checked = chain
            .continues(&batch.header)
            .and_then(|()| chain.links(batch, &self.hasher, &mut self.spans));
        if checked.is_ok() && self.is_above_anchor(header.segment, batch.offset) {
            checked = self.payloads(batch)?;
        }
        if let Err(fault) = checked.and_then(|()| chain.advance(batch, &self.spans)) {
            return Ok(Err(fault));
        }
        let position = chain.position(batch, header);
        self.walk.position = Some(position);
        let Some(anchored) = self.anchored else {
            return Ok(Ok(()));
        };
        if !self.reached_anchor && position.segment_end >= anchored.segment_end {
            if position != *anchored {
                return Ok(Err(Fault::broken(
                    "the batch that the anchor names",
                    format!("batch {} {}", anchored.head.batch, anchored.head.batch_hash),
                    format!("batch {} {}", position.head.batch, position.head.batch_hash),
                )));
            }
            self.reached_anchor = true;
        }
        Ok(Ok(()))
    }

    fn is_above_anchor(&self, segment: SegmentNo, offset: u64) -> bool {
        self.anchored
            .is_none_or(|anchored| (segment, offset) >= (anchored.segment, anchored.segment_end))
    }

    /// Checks the payload range of a batch against the digests in its records.
    fn payloads(&self, batch: &RawBatch<'_>) -> Result<Result<(), Fault>, StoreError> {
        let header = &batch.header;
        if header.payload_length == 0 {
            return Ok(Ok(()));
        }
        let torn = |expected: &str, found: &str| Fault::torn("a payload range", expected, found);
        let file = match self.storage.open_read(&layout::payload_file(header.payload_file)) {
            Err(error) if error.is_not_found() => return Ok(Err(torn("a file", "no file"))),
            opened => opened?,
        };
        match check_header(&*file, self.ledger, header.payload_file) {
            Err(error @ StoreError::Damaged(_)) => {
                return Ok(Err(torn("a payload file", &error.to_string())));
            }
            done => done?,
        }
        let mut range = vec![0; usize::try_from(header.payload_length).unwrap_or(usize::MAX)];
        match file.read_exact_at(&mut range, header.payload_offset) {
            Err(error) if error.is_unexpected_end() => {
                return Ok(Err(torn("a whole range", "the end of the file")));
            }
            done => done?,
        }
        let mut rest = range.as_slice();
        for span in &self.spans.list {
            let record = match RecordView::decode(span.bytes(batch.bytes)) {
                Ok(record) => record,
                Err(error) => return Ok(Err(Fault::undecodable("a record", error))),
            };
            for payload in record.payloads {
                let Some((stored, after)) = rest.split_at_checked(payload.length as usize) else {
                    return Ok(Err(torn("a whole range", "fewer bytes")));
                };
                if hash::ciphertext(stored) != payload.digest {
                    let fault = torn("the digest in the record", "another digest");
                    return Ok(Err(fault.at(u64::from(span.start), record.header.seq)));
                }
                rest = after;
            }
        }
        Ok(Ok(()))
    }

    /// Decides what a fault means: the end, a batch to drop, loss, or damage.
    fn judge(
        &mut self,
        file: &dyn StorageFile,
        index: usize,
        end: u64,
        fault: Fault,
        chain: &ChainState,
    ) -> Result<(), StoreError> {
        let tail = Tail::read(file, end, self.headers.length(index))?;
        if tail.is_zero() {
            return Ok(());
        }
        let segment = SegmentNo(index as u64);
        let failed = chain.next_batch;
        let is_last = index + 1 == self.headers.list.len() && !self.headers.torn_last;
        let may_drop = fault.kind == FaultKind::Torn
            && is_last
            && self.is_above_anchor(segment, end)
            && tail.later_batch(failed).is_none();
        if may_drop {
            self.walk.loose = Some(LooseTail {
                file: file.path().clone(),
                offset: end,
                bytes: tail.content(),
                batch: failed,
                seq: chain.next_seq,
                reason: fault.to_string(),
            });
            return Ok(());
        }
        if let Some(anchored) = self.anchored
            && anchored.segment == segment
            && self.headers.length(index) < anchored.segment_end
        {
            let found = self.walk.position.map(|position| position.head.seq);
            return Err(lost(anchored, file.path().clone(), end, found));
        }
        Err(fault.into_error(file.path(), end, chain.next_seq))
    }
}

/// The end of what is valid, whatever the anchor says, and why it ends there if it is not the end
/// of the files. For looking at damaged logs.
pub(crate) fn valid_end(
    storage: &dyn Storage,
    ledger: LedgerId,
) -> Result<(Headers, Option<Position>, Option<StoreError>), StoreError> {
    let numbers = list_segments(storage)?;
    let mut headers = read_headers(storage, ledger, &numbers)?;
    let mut stopped = headers.stop.take().map(|stop| stop.error);
    let hasher = RecordHasher::new(&ledger);
    let mut spans = Spans::default();
    while let Some(header) = headers.list.last() {
        let mut chain = ChainState::at_segment(header);
        let path = layout::segment(header.segment);
        let file: Arc<dyn StorageFile> = storage.open_read(&path)?.into();
        let length = headers.length(headers.list.len() - 1);
        let mut scan = Scan::new(Arc::clone(&file), HEADER_BYTES as u64, length, CHUNK);
        let mut position = None;
        let mut end = HEADER_BYTES as u64;
        loop {
            let fault = match scan.next()? {
                Step::End => break,
                Step::Bad(fault) => fault,
                Step::Batch(batch) => {
                    let checked = chain
                        .continues(&batch.header)
                        .and_then(|()| chain.links(&batch, &hasher, &mut spans))
                        .and_then(|()| chain.advance(&batch, &spans));
                    match checked {
                        Ok(()) => {
                            position = Some(chain.position(&batch, header));
                            end = batch.end();
                            continue;
                        }
                        Err(fault) => fault,
                    }
                }
            };
            if !Tail::read(&*file, end, length)?.is_zero() {
                stopped = Some(fault.into_error(&path, end, chain.next_seq));
            }
            break;
        }
        if position.is_some() {
            return Ok((headers, position, stopped));
        }
        headers.list.pop();
    }
    Ok((headers, None, stopped))
}
