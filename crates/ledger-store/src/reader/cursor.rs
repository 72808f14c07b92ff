//! Owns walking over batches across segments, with the checks asked for.
//!
//! Invariants: a batch is in memory until the next step; with checks, nothing is handed out that
//! did not pass, and the step over the end of a segment passes only if the next header (or the
//! head) says the same. After an error a cursor stands still.

use std::sync::Arc;

use ledger_format::batch::BatchHeader;
use ledger_format::segment::HEADER_BYTES;
use ledger_format::{BatchHash, SegmentNo, Seq, TreeRoot};

use super::files::FileKey;
use super::shared::{Shared, View, locked};
use super::types::{Check, SegmentEnd, VerifiedBatch};
use crate::error::StoreError;
use crate::layout;
use crate::log::chain::{ChainState, Spans, structure};
use crate::log::scan::{CHUNK, Scan, Step};

#[derive(Debug)]
struct Current {
    header: BatchHeader,
    hash: BatchHash,
    root: TreeRoot,
    segment: SegmentNo,
    offset: u64,
    length: usize,
}

/// Walks over batches.
#[derive(Debug)]
pub(crate) struct Cursor {
    shared: Arc<Shared>,
    view: View,
    check: Check,
    from: Seq,
    /// The segment in hand, and the one after the last to walk.
    index: usize,
    until: usize,
    scan: Option<Scan>,
    chain: Option<ChainState>,
    spans: Spans,
    current: Option<Current>,
    next_seq: Seq,
    next_batch: u64,
    length: u64,
    done: bool,
}

impl Cursor {
    pub(crate) fn new(shared: Arc<Shared>, from: Seq, check: Check) -> Self {
        let view = shared.view();
        let index = view.segment_of(from);
        let until = view.segments().len();
        let beyond = view.position.is_none_or(|position| from > position.head.seq);
        Self::over(shared, view, from, check, index, if beyond { index } else { until })
    }

    pub(crate) fn one_segment(
        shared: Arc<Shared>,
        segment: SegmentNo,
        check: Check,
    ) -> Result<Self, StoreError> {
        let view = shared.view();
        let index = usize::try_from(segment.0).unwrap_or(usize::MAX);
        match view.segments().get(index).map(|header| header.first_seq) {
            Some(from) => Ok(Self::over(shared, view, from, check, index, index + 1)),
            None => Err(StoreError::Invalid { what: "there is no such segment below the head" }),
        }
    }

    fn over(
        shared: Arc<Shared>,
        view: View,
        from: Seq,
        check: Check,
        index: usize,
        until: usize,
    ) -> Self {
        Self {
            shared,
            view,
            check,
            from,
            index,
            until,
            scan: None,
            chain: None,
            spans: Spans::default(),
            current: None,
            next_seq: from,
            next_batch: 0,
            length: 0,
            done: false,
        }
    }

    /// Goes to the next batch that holds a record to be read. `false` at the end.
    pub(crate) fn advance(&mut self) -> Result<bool, StoreError> {
        if self.done {
            return Ok(false);
        }
        let stepped = self.step();
        // Whatever follows an error was not checked.
        self.done = !matches!(stepped, Ok(true));
        if self.done {
            self.current = None;
        }
        stepped
    }

    /// The batch in hand.
    pub(crate) fn batch(&self) -> Option<VerifiedBatch<'_>> {
        let (current, scan) = (self.current.as_ref()?, self.scan.as_ref()?);
        Some(VerifiedBatch {
            header: &current.header,
            hash: current.hash,
            root: current.root,
            segment: current.segment,
            offset: current.offset,
            bytes: scan.at_offset(current.offset, current.length),
            spans: &self.spans.list,
        })
    }

    /// Where the walk stands.
    pub(crate) fn reached(&self) -> SegmentEnd {
        match &self.chain {
            Some(chain) => SegmentEnd {
                next_batch: chain.next_batch,
                next_seq: chain.next_seq,
                record: chain.record,
                batch: chain.batch,
                frontier: chain.frontier.clone(),
                length: self.length,
            },
            None => SegmentEnd {
                next_batch: ledger_format::BatchNo(self.next_batch),
                next_seq: self.next_seq,
                record: ledger_format::RecordHash::ZERO,
                batch: BatchHash::ZERO,
                frontier: ledger_format::tree::Frontier::new(),
                length: self.length,
            },
        }
    }

    fn step(&mut self) -> Result<bool, StoreError> {
        loop {
            if self.scan.is_none() {
                if self.index >= self.until {
                    return Ok(false);
                }
                self.enter()?;
            }
            let Some(found) = self.next_in_segment()? else {
                self.leave()?;
                self.scan = None;
                self.index += 1;
                continue;
            };
            let last = found.header.first.0 + u64::from(found.header.count) - 1;
            self.current = Some(found);
            if last >= self.from.0 {
                return Ok(true);
            }
        }
    }

    /// Opens the segment in hand.
    fn enter(&mut self) -> Result<(), StoreError> {
        let Some(header) = self.view.segments().get(self.index).map(Arc::clone) else {
            return Err(StoreError::Invalid { what: "there is no such segment below the head" });
        };
        let file = self.shared.file(FileKey::Segment(header.segment))?;
        let end = self.view.end_of(self.index);
        let mut start = HEADER_BYTES as u64;
        match self.check {
            Check::Chain => {
                if self.chain.is_none() {
                    self.chain = Some(ChainState::at_segment(&header));
                }
            }
            Check::None if self.from > header.first_seq => {
                let index = self.shared.index(header.segment);
                start = locked(&index).find(&file, &header, end, self.from)?.start;
            }
            Check::None => {}
        }
        self.length = start;
        self.scan = Some(Scan::new(file, start, end, CHUNK));
        Ok(())
    }

    fn next_in_segment(&mut self) -> Result<Option<Current>, StoreError> {
        let Some(scan) = self.scan.as_mut() else {
            return Ok(None);
        };
        let segment = SegmentNo(self.index as u64);
        let (offset, next) = (scan.at(), self.next_seq);
        let batch = match scan.next()? {
            Step::End => return Ok(None),
            Step::Bad(fault) => {
                return Err(fault.into_error(&layout::segment(segment), offset, next));
            }
            Step::Batch(batch) => batch,
        };
        let checked = match &mut self.chain {
            Some(chain) => chain
                .continues(&batch.header)
                .and_then(|()| chain.links(&batch, self.shared.hasher(), &mut self.spans))
                .and_then(|()| chain.advance(&batch, &self.spans)),
            None => structure(&batch, self.shared.hasher(), &mut self.spans),
        };
        checked.map_err(|fault| fault.into_error(&layout::segment(segment), offset, next))?;
        self.next_seq = Seq(batch.header.first.0 + u64::from(batch.header.count));
        self.next_batch = batch.header.batch.next().0;
        self.length = batch.end();
        Ok(Some(Current {
            hash: batch.hash,
            root: batch.root,
            segment,
            offset: batch.offset,
            length: batch.bytes.len(),
            header: batch.header,
        }))
    }

    /// Checks that the end of the segment in hand is what comes next in the log.
    fn leave(&mut self) -> Result<(), StoreError> {
        let Some(chain) = &mut self.chain else {
            return Ok(());
        };
        let next_seq = chain.next_seq;
        if let Some(next) = self.view.segments().get(self.index + 1) {
            let file = layout::segment(next.segment);
            return chain
                .enter(next, self.length)
                .map_err(|fault| fault.into_error(&file, 0, next_seq));
        }
        let Some(position) = &self.view.position else {
            return Ok(());
        };
        let (expected, found) = (position.head.batch_hash, chain.batch);
        let (seq, record) = (position.head.seq.next(), position.head.hash);
        if expected == found && record == chain.record && seq == chain.next_seq {
            return Ok(());
        }
        let file = layout::segment(position.segment);
        let what = "the batch that the head names";
        let seq = Some(position.head.seq);
        Err(StoreError::damaged(&file, self.length, seq, what, expected, found))
    }
}
