//! Owns the check of one segment by itself: header, batches, records, chain, tree, tail.
//!
//! Invariant: a segment is begun from what its own header says, so that segments can be checked at
//! once and damage in one does not hide the next. Whether headers tell the truth is for `links`.

use std::sync::Arc;

use ledger_format::batch::BatchHeader;
use ledger_format::segment::{HEADER_BYTES, SegmentHeader};
use ledger_format::{BatchNo, Event, Micros, RecordView, SegmentNo, Seq};

use super::VerifyLevel;
use super::anchors;
use super::findings::{Excuse, Found, Topic};
use super::group::{Digested, Digests, Ending, Group};
use super::links::{Links, Log};
use super::payloads::{Looked, Payloads, Place};
use super::tail;
use super::work::Work;
use crate::error::StoreError;
use crate::head::Position;
use crate::log::chain::{ChainState, RawBatch, Running};
use crate::log::fault::{Fault, FaultKind};
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

/// A segment whose header is sound.
type Opened = (Arc<dyn StorageFile>, SegmentHeader);

/// Reads the header. `None` when it is not sound, which was reported.
pub(super) fn open(work: &Work<'_>, plan: &Plan) -> Result<Option<Opened>, StoreError> {
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

/// Puts the groups of all segments together, in order.
pub(super) struct Merge<'a, 'w> {
    work: &'a Work<'w>,
    plans: &'a [Plan],
    run: Option<Run<'a, 'w>>,
    links: Links<'a, 'w>,
}

/// What whoever waits for a check is told.
#[derive(Clone, Copy, Debug)]
pub(super) enum Told {
    /// So many bytes more are done with.
    Bytes(u64),
    /// A segment ended in order here, and nothing was found wrong so far.
    Whole(Position),
}

impl<'a, 'w> Merge<'a, 'w> {
    pub(super) fn new(work: &'a Work<'w>, plans: &'a [Plan]) -> Self {
        Self { work, plans, run: None, links: Links::new(work) }
    }

    /// Takes the next group. `tell` hears what is done with. Gives the buffer back.
    pub(super) fn group(&mut self, mut group: Group, tell: &dyn Fn(Told)) -> Vec<u8> {
        let Some(plan) = self.plans.get(group.plan) else {
            return group.bytes;
        };
        if let Some((file, header)) = group.begin.take() {
            let first = group.plan == 0;
            self.work.digests.begin(self.work, plan.number, &header.encode(), first);
            self.run = Some(Run::new(self.work, plan, file, header));
        }
        self.work.digests.add(self.work, group.batch_bytes());
        if let Some(run) = &mut self.run
            && run.is_open()
            && let Err(error) = run.group(&mut group, &|bytes| tell(Told::Bytes(bytes)))
        {
            run.fail(&error);
        }
        if let Some(ending) = group.end.take() {
            let run = self.run.take();
            let (checked, bytes) = match run {
                Some(run) => run.finish(ending),
                None => {
                    if let Ending::Failed(error) = ending {
                        self.work.add(Found::obstacle(Topic::Segments, &plan.file, &error));
                    }
                    (Checked::default(), 0)
                }
            };
            // What could not be read counts too, so that the end is reached.
            tell(Told::Bytes(plan.end.saturating_sub(bytes)));
            self.work.counts.checked(Topic::Segments, u64::from(checked.whole));
            let end = self.links.add(plan, checked);
            if let Some(end) = end.filter(|_| self.work.findings.is_clean()) {
                tell(Told::Whole(end));
            }
        }
        group.bytes
    }

    /// What is known about the log.
    pub(super) fn done(self) -> Log {
        self.links.done()
    }
}

/// A check on its way through a segment.
struct Run<'a, 'w> {
    work: &'a Work<'w>,
    plan: &'a Plan,
    file: Arc<dyn StorageFile>,
    header: SegmentHeader,
    checked: Checked,
    state: ChainState,
    payloads: Payloads<'a, 'w>,
    /// Findings about the payloads of the last batch, which an unclean stop may excuse.
    unsettled: Vec<Found>,
    /// Whether the log may end where its check ended; none while it goes on.
    ended: Option<bool>,
    /// Bytes that were gone over.
    bytes: u64,
}

impl<'a, 'w> Run<'a, 'w> {
    fn new(
        work: &'a Work<'w>,
        plan: &'a Plan,
        file: Arc<dyn StorageFile>,
        header: SegmentHeader,
    ) -> Self {
        let state = ChainState::at_segment(&header);
        let (checked, payloads) = (Checked::default(), Payloads::new(work));
        let (unsettled, ended, bytes) = (Vec::new(), None, 0);
        let mut run =
            Self { work, plan, file, header, checked, state, payloads, unsettled, ended, bytes };
        run.promise(run.header.first_batch.0, run.header.first_seq.0);
        run
    }

    const fn is_open(&self) -> bool {
        self.ended.is_none()
    }

    fn fail(&mut self, error: &StoreError) {
        self.work.add(Found::obstacle(Topic::Segments, &self.plan.file, error));
        self.ended = Some(false);
    }

    /// Goes over the batches of a group, up to the first that does not continue the log.
    fn group(&mut self, group: &mut Group, read: &dyn Fn(u64)) -> Result<(), StoreError> {
        for framed in &mut group.batches {
            self.settle(Excuse::None);
            let batch = framed.raw(&group.bytes);
            self.promise(
                batch.header.batch.0.saturating_add(1),
                batch.header.first.0.saturating_add(u64::from(batch.header.count)),
            );
            let (digests, looked) =
                (std::mem::take(&mut framed.digests), std::mem::take(&mut framed.looked));
            if let Err(fault) = self.batch(&batch, digests, looked) {
                let (at, next) = (batch.offset, batch.end());
                self.ended = Some(self.broken(at, next, batch.header.batch, &fault)?);
                return Ok(());
            }
            let length = batch.bytes.len() as u64;
            self.bytes += length;
            read(length);
        }
        Ok(())
    }

    /// The end of the segment. Gives what is known, and how many bytes were gone over.
    fn finish(mut self, ending: Ending) -> (Checked, u64) {
        let ended = match (self.ended, ending) {
            (Some(ended), _) => Ok(ended),
            (None, Ending::Whole) => Ok(true),
            (None, Ending::Bad(at, fault)) => self.end(at, &fault),
            (None, Ending::Failed(error)) => Err(error),
            (None, Ending::Unsound) => Ok(false),
        };
        let whole = ended.unwrap_or_else(|error| {
            self.fail(&error);
            false
        });
        let last = self.checked.position.map_or(0, |position| position.head.batch.0);
        let excuse =
            if self.plan.is_last { self.work.excuse_above_anchor(last) } else { Excuse::None };
        self.settle(excuse);
        self.checked.whole = whole;
        self.checked.payloads = self.payloads.span();
        self.checked.state = Some(self.state);
        self.checked.header = Some(self.header);
        (self.checked, self.bytes)
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

    /// Compares what the records of a batch say with what they have to continue.
    fn batch(
        &mut self,
        batch: &RawBatch<'_>,
        digests: Digests,
        looked: Looked,
    ) -> Result<(), Fault> {
        let work = self.work;
        self.state.continues(&batch.header)?;
        let mut running = self.state.running();
        for (number, record) in digests.records.iter().enumerate() {
            if digests.ends_only && number > 0 {
                let last = u64::from(batch.header.count.saturating_sub(1));
                running.skip_to(Seq(batch.header.first.0 + last), record.prev);
            }
            running.pass(record.seq, record.prev, record.recorded_at, record.at)?;
            running.record = record.hash;
        }
        if let Some(fault) = digests.broken {
            return Err(fault);
        }
        if digests.hash != batch.hash {
            return Err(Fault::torn("a batch hash", batch.hash, digests.hash));
        }
        self.tree(batch, &digests, &running)?;
        self.records(batch, &digests.records);
        work.counts.checked(Topic::Batches, 1);
        if self.checked.first.is_none() {
            let time = digests.records.first().map_or(Micros::MIN, |first| first.recorded_at);
            self.checked.first = Some((batch.header.clone(), time));
        }
        let position = self.state.position(batch, &self.header);
        anchors::meet(work, &position);
        self.checked.position = Some(position);
        if work.level() >= VerifyLevel::Payloads {
            self.unsettled = self.payloads.batch(&batch.header, &digests.payloads, looked);
        }
        Ok(())
    }

    /// Goes on over a batch whose links are right, and compares the tree where it is computed.
    fn tree(
        &mut self,
        batch: &RawBatch<'_>,
        digests: &Digests,
        running: &Running,
    ) -> Result<(), Fault> {
        let (work, header) = (self.work, &batch.header);
        if digests.ends_only {
            let begin = header.first.0;
            let end = begin.saturating_add(u64::from(header.count));
            work.heads.meet_end(work, begin, end, batch.root);
            self.state.advance_unhashed(batch, running);
            return Ok(());
        }
        let leaves = digests.records.iter().map(|record| &record.leaf);
        work.heads.meet(work, &self.state.frontier, leaves);
        // After a root that differs the segment ends here, so the tree may have moved on.
        self.state.advance_to(batch, digests.records.iter().map(|one| one.leaf), running)?;
        work.counts.checked(Topic::Records, u64::from(header.count));
        work.counts.checked(Topic::Tree, 1);
        Ok(())
    }

    /// Reports records that do not decode, and looks at record 0.
    fn records(&self, batch: &RawBatch<'_>, records: &[Digested]) {
        for record in records {
            if let Some(error) = &record.undecodable {
                let fault = Fault::undecodable("a record", error.clone());
                let begins = batch.offset + record.at;
                let found =
                    Found::fault(Topic::Records, &self.plan.file, begins, record.seq, &fault);
                self.work.add(found);
            } else if record.seq == Seq(0) {
                self.genesis(batch, record);
            }
        }
    }

    fn genesis(&self, batch: &RawBatch<'_>, record: &Digested) {
        let begins = usize::try_from(record.at).unwrap_or(usize::MAX);
        let length = usize::from(record.length);
        let bytes = batch.bytes.get(begins..begins.saturating_add(length)).unwrap_or_default();
        let wrong = |found: String| {
            let expected = format!("the Genesis of ledger {}", self.work.ledger);
            let file = &self.plan.file;
            let found = Found::damage(Topic::Records, file, "record 0", expected, found);
            self.work.add(found.seq(Seq(0)));
        };
        match RecordView::decode(bytes).and_then(|view| view.event()) {
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
    fn end(&self, at: u64, fault: &Fault) -> Result<bool, StoreError> {
        let Some(place) = tail::not_zero(&*self.file, at, self.plan.end)? else {
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
        self.broken(at, at, self.state.next_batch, &fault)
    }

    /// Reports a batch that fails. Returns whether the log may end before it.
    fn broken(
        &self,
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
            && tail::later_batch(&*self.file, next, self.plan.end, batch)?.is_none();
        self.work.add(found.unless(if unfinished { excuse } else { Excuse::None }));
        Ok(unfinished)
    }
}
