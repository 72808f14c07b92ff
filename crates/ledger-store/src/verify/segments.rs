//! Owns the check of one segment by itself: header, batches, records, chain, tree, tail.
//!
//! Invariant: a segment is begun from what its own header says, so that segments can be checked at
//! once and damage in one does not hide the next. Whether headers tell the truth is for `links`.

use std::sync::Arc;

use ledger_format::batch::BatchHeader;
use ledger_format::segment::{HEADER_BYTES, SegmentHeader};
use ledger_format::{BatchNo, Event, Micros, PayloadRef, RecordView, SegmentNo, Seq};

use super::VerifyLevel;
use super::anchors;
use super::findings::{Excuse, Found, Topic};
use super::payloads::{Payloads, Place};
use super::tail;
use super::work::Work;
use crate::error::StoreError;
use crate::head::Position;
use crate::log::chain::{ChainState, RawBatch, Spans};
use crate::log::fault::{Fault, FaultKind};
use crate::log::scan::{CHUNK, Scan, Step};
use crate::storage::{RelPath, StorageFile};

/// A segment to check.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub(super) number: SegmentNo,
    pub(super) file: RelPath,
    /// Where the check ends in it.
    pub(super) end: u64,
    /// Whether no segment follows.
    pub(super) is_last: bool,
}

/// What is known about a segment after its check.
#[derive(Debug, Default)]
pub(super) struct Checked {
    pub(super) header: Option<SegmentHeader>,
    /// Header of its first batch and time of its first record.
    pub(super) first: Option<(BatchHeader, Micros)>,
    /// The state after its last whole batch.
    pub(super) state: Option<ChainState>,
    /// The place of that batch.
    pub(super) position: Option<Position>,
    /// Nothing of it was left out.
    pub(super) whole: bool,
    /// Where its first payload range begins and its last one ends.
    pub(super) payloads: Option<(Place, Place)>,
    /// Batches and records there are at least up to its end, by any header in it.
    pub(super) promised: (u64, u64),
}

/// Checks a segment.
pub(super) fn check(work: &Work<'_>, plan: &Plan, read: &dyn Fn(u64)) -> Checked {
    let mut checked = Checked::default();
    let opened = open(work, plan);
    let done = opened.and_then(|open| match open {
        Some((file, header)) => Run::new(work, plan, &header, &mut checked).run(file, header, read),
        None => Ok(()),
    });
    if let Err(error) = done {
        work.add(Found::obstacle(Topic::Segments, &plan.file, &error));
        checked.whole = false;
    }
    if checked.whole {
        work.counts.checked(Topic::Segments, 1);
    }
    checked
}

/// A segment whose header is sound.
type Opened = (Arc<dyn StorageFile>, SegmentHeader);

/// Reads the header. `None` when it is not sound, which was reported.
fn open(work: &Work<'_>, plan: &Plan) -> Result<Option<Opened>, StoreError> {
    let file: Arc<dyn StorageFile> = work.storage.open_read(&plan.file)?.into();
    let length = plan.end.min(HEADER_BYTES as u64);
    let mut bytes = vec![0; usize::try_from(length).unwrap_or_default()];
    file.read_exact_at(&mut bytes, 0)?;
    let wrong = |what, expected: String, found: String| {
        work.add(Found::damage(Topic::Segments, &plan.file, what, expected, found).at(0));
    };
    match SegmentHeader::decode(&bytes) {
        Ok(header) if header.ledger != work.ledger => {
            let (expected, found) = (work.ledger.to_string(), header.ledger.to_string());
            wrong("the ledger of a segment", expected, found);
        }
        Ok(header) if header.segment != plan.number => {
            let (expected, found) = (plan.number.to_string(), header.segment.to_string());
            wrong("the number of a segment", expected, found);
        }
        Ok(header) => return Ok(Some((file, header))),
        Err(error) => {
            let fault = Fault::undecodable("a segment header", error);
            let found = Found::fault(Topic::Segments, &plan.file, 0, Seq(0), &fault);
            let above = work.latest_anchor().is_none_or(|anchor| plan.number > anchor.segment);
            // Made and not finished: then there is no batch in it.
            let empty = tail::later_batch(&*file, 0, plan.end, BatchNo(0))?.is_none();
            let torn = plan.is_last && above && empty && fault.kind == FaultKind::Torn;
            work.add(found.unless(if torn { Excuse::UncleanStop } else { Excuse::None }));
        }
    }
    Ok(None)
}

/// A check on its way through a segment.
struct Run<'a, 'w> {
    work: &'a Work<'w>,
    plan: &'a Plan,
    checked: &'a mut Checked,
    state: ChainState,
    spans: Spans,
    payloads: Payloads<'a, 'w>,
    references: Vec<(Seq, PayloadRef)>,
    /// Findings about the payloads of the last batch, which an unclean stop may excuse.
    unsettled: Vec<Found>,
}

impl<'a, 'w> Run<'a, 'w> {
    fn new(
        work: &'a Work<'w>,
        plan: &'a Plan,
        header: &SegmentHeader,
        checked: &'a mut Checked,
    ) -> Self {
        Self {
            work,
            plan,
            checked,
            state: ChainState::at_segment(header),
            spans: Spans::default(),
            payloads: Payloads::new(work),
            references: Vec::new(),
            unsettled: Vec::new(),
        }
    }

    fn run(
        mut self,
        file: Arc<dyn StorageFile>,
        header: SegmentHeader,
        read: &dyn Fn(u64),
    ) -> Result<(), StoreError> {
        self.promise(header.first_batch.0, header.first_seq.0);
        let mut scan = Scan::new(Arc::clone(&file), HEADER_BYTES as u64, self.plan.end, CHUNK);
        let whole = loop {
            let at = scan.at();
            match scan.next()? {
                Step::End => break true,
                Step::Bad(fault) => break self.end(&*file, at, &fault)?,
                Step::Batch(batch) => {
                    self.settle(Excuse::None);
                    let length = batch.bytes.len() as u64;
                    self.promise(
                        batch.header.batch.0.saturating_add(1),
                        batch.header.first.0.saturating_add(u64::from(batch.header.count)),
                    );
                    if let Err(fault) = self.batch(&batch, &header) {
                        let next = at.saturating_add(length);
                        break self.broken(&*file, at, next, batch.header.batch, &fault)?;
                    }
                    read(length);
                }
            }
        };
        let last = self.checked.position.map_or(0, |position| position.head.batch.0);
        let excuse =
            if self.plan.is_last { self.work.excuse_above_anchor(last) } else { Excuse::None };
        self.settle(excuse);
        self.checked.whole = whole;
        self.checked.payloads = self.payloads.span();
        self.checked.state = Some(self.state);
        self.checked.header = Some(header);
        Ok(())
    }

    fn promise(&mut self, batches: u64, records: u64) {
        let (known_batches, known_records) = self.checked.promised;
        self.checked.promised = (known_batches.max(batches), known_records.max(records));
    }

    fn settle(&mut self, excuse: Excuse) {
        for found in self.unsettled.drain(..) {
            self.work.add(found.unless(excuse));
        }
    }

    fn batch(&mut self, batch: &RawBatch<'_>, segment: &SegmentHeader) -> Result<(), Fault> {
        let work = self.work;
        self.state.continues(&batch.header)?;
        self.state.links(batch, &work.hasher, &mut self.spans)?;
        let before = self.state.clone();
        if let Err(fault) = self.state.advance(batch, &self.spans) {
            self.state = before;
            return Err(fault);
        }
        let first_time = self.records(batch);
        let count = u64::from(batch.header.count);
        work.counts.checked(Topic::Records, count);
        work.counts.checked(Topic::Batches, 1);
        work.counts.checked(Topic::Tree, 1);
        if self.checked.first.is_none() {
            self.checked.first = Some((batch.header.clone(), first_time));
        }
        let position = self.state.position(batch, segment);
        anchors::meet(work, &position);
        self.checked.position = Some(position);
        if work.level() >= VerifyLevel::Payloads {
            self.unsettled = self.payloads.batch(&batch.header, &self.references);
        }
        Ok(())
    }

    /// Decodes every record and collects its payloads. Gives the time of the first.
    fn records(&mut self, batch: &RawBatch<'_>) -> Micros {
        let mut first_time = None;
        self.references.clear();
        for (span, seq) in self.spans.list.iter().zip(batch.header.first.0..) {
            let bytes = span.bytes(batch.bytes);
            let view = match RecordView::decode(bytes) {
                Ok(view) => view,
                Err(error) => {
                    let fault = Fault::undecodable("a record", error);
                    let begins = batch.offset + u64::from(span.start);
                    let found =
                        Found::fault(Topic::Records, &self.plan.file, begins, Seq(seq), &fault);
                    self.work.add(found);
                    continue;
                }
            };
            first_time.get_or_insert(view.header.recorded_at);
            if seq == 0 {
                self.genesis(&view);
            }
            self.references.extend(view.payloads.into_iter().map(|payload| (Seq(seq), payload)));
        }
        first_time.unwrap_or(Micros::MIN)
    }

    fn genesis(&self, view: &RecordView<'_>) {
        let wrong = |found: String| {
            let expected = format!("the Genesis of ledger {}", self.work.ledger);
            let file = &self.plan.file;
            let found = Found::damage(Topic::Records, file, "record 0", expected, found);
            self.work.add(found.seq(Seq(0)));
        };
        match view.event() {
            Ok(Event::Genesis(genesis)) if genesis.ledger == self.work.ledger => {
                // Only one thread reads segment 0, and it has one record 0.
                let _ = self.work.genesis.set(genesis);
            }
            Ok(Event::Genesis(genesis)) => wrong(format!("that of ledger {}", genesis.ledger)),
            Ok(_) => wrong("an event of another kind".to_owned()),
            Err(error) => wrong(error.to_string()),
        }
    }

    /// Where no batch begins: the end of the log when only zeros follow.
    fn end(&self, file: &dyn StorageFile, at: u64, fault: &Fault) -> Result<bool, StoreError> {
        let Some(place) = tail::not_zero(file, at, self.plan.end)? else {
            return Ok(true);
        };
        let fault = match &fault.kind {
            FaultKind::Unsupported(error) => Fault::undecodable(fault.what, error.clone()),
            _ if place > at => {
                // Nothing begins here: what is wrong is the byte that is not zero.
                let what = "the bytes after the last batch";
                Fault { at: place - at, ..Fault::torn(what, "zeros", "another value") }
            }
            _ => fault.clone(),
        };
        self.broken(file, at, at, self.state.next_batch, &fault)
    }

    /// Reports a batch that fails. Returns whether the log may end before it.
    fn broken(
        &self,
        file: &dyn StorageFile,
        at: u64,
        next: u64,
        batch: BatchNo,
        fault: &Fault,
    ) -> Result<bool, StoreError> {
        let found = Found::fault(Topic::Batches, &self.plan.file, at, self.state.next_seq, fault);
        let excuse = self.work.excuse_above_anchor(batch.0);
        let unfinished = self.plan.is_last
            && excuse == Excuse::UncleanStop
            && fault.kind != FaultKind::Broken
            && tail::later_batch(file, next, self.plan.end, batch)?.is_none();
        self.work.add(found.unless(if unfinished { excuse } else { Excuse::None }));
        Ok(unfinished)
    }
}
