//! Owns the part of a check that needs no order: batches read in groups, their records decoded and
//! hashed, their payloads looked at.
//!
//! A record holds the hash of the one before it, so every record can be hashed by itself, and
//! whether hashes and links agree is compared afterwards, in order, by `segments`. Walking frames is
//! cheap and hashing is not, so a group is the unit of work of a thread, however long a segment is.
//! May not: believe anything, count anything, or report anything but through what it returns.

use std::sync::Arc;

use ledger_format::batch::{BatchHeader, HEADER_BYTES, TRAILER_BYTES};
use ledger_format::bytes::Reader;
use ledger_format::hash;
use ledger_format::segment::SegmentHeader;
use ledger_format::tree::{self, Node};
use ledger_format::{
    BatchHash, FormatError, Micros, PayloadRef, RecordHash, RecordView, Seq, TreeRoot,
};

use super::VerifyLevel;
use super::payloads::{Looked, Ranges};
use super::segments::{self, Plan};
use super::work::Work;
use crate::error::StoreError;
use crate::log::chain::RawBatch;
use crate::log::fault::Fault;
use crate::log::outline::Outline;
use crate::storage::StorageFile;

/// A group is handed out when it holds so many bytes: enough to be worth a hand-over, and little
/// enough to stay in the cache of the core that hashes it.
const GROUP: usize = 512 * 1024;

/// Batches of one segment, in order.
pub(super) struct Group {
    /// Which of the plans.
    pub(super) plan: usize,
    /// The file and its header, in the first group of a segment.
    pub(super) begin: Option<(Arc<dyn StorageFile>, SegmentHeader)>,
    pub(super) bytes: Vec<u8>,
    pub(super) batches: Vec<Framed>,
    /// Why no group of this segment follows.
    pub(super) end: Option<Ending>,
}

/// Why the batches of a segment end.
pub(super) enum Ending {
    /// The file does.
    Whole,
    /// Something else than a batch begins at this byte.
    Bad(u64, Fault),
    /// The header is not sound, which was reported.
    Unsound,
    /// The storage failed.
    Failed(StoreError),
}

/// One batch of a group.
pub(super) struct Framed {
    /// Where it begins in the segment, and in the bytes of the group.
    offset: u64,
    start: usize,
    length: usize,
    header: BatchHeader,
    root: TreeRoot,
    hash: BatchHash,
    pub(super) digests: Digests,
    pub(super) looked: Looked,
}

impl Group {
    /// The bytes of its batches.
    pub(super) fn batch_bytes(&self) -> &[u8] {
        let end = self.batches.last().map_or(0, |last| last.start + last.length);
        self.bytes.get(..end).unwrap_or_default()
    }
}

impl Framed {
    pub(super) fn raw<'a>(&self, bytes: &'a [u8]) -> RawBatch<'a> {
        RawBatch {
            offset: self.offset,
            bytes: bytes.get(self.start..self.start + self.length).unwrap_or_default(),
            header: self.header.clone(),
            root: self.root,
            hash: self.hash,
        }
    }
}

/// What the records of a batch say, each by itself.
#[derive(Default)]
pub(super) struct Digests {
    pub(super) records: Vec<Digested>,
    pub(super) payloads: Vec<(Seq, PayloadRef)>,
    /// Whether records between the first and the last one were left out.
    pub(super) ends_only: bool,
    /// What ended the walk over the frames.
    pub(super) broken: Option<Fault>,
    /// The batch hash over what is there.
    pub(super) hash: BatchHash,
}

/// One record.
pub(super) struct Digested {
    /// Where it begins, from the start of the batch.
    pub(super) at: u64,
    pub(super) length: u16,
    pub(super) seq: Seq,
    pub(super) prev: RecordHash,
    pub(super) recorded_at: Micros,
    pub(super) hash: RecordHash,
    pub(super) leaf: Node,
    /// Why it does not decode, although its outline does.
    pub(super) undecodable: Option<FormatError>,
}

/// Hands out the groups of all segments in order.
pub(super) struct Feed<'a, 'w> {
    work: &'a Work<'w>,
    plans: &'a [Plan],
    plan: usize,
    /// The segment that is read, and where the next group begins in it.
    open: Option<(Arc<dyn StorageFile>, u64)>,
    begin: Option<(Arc<dyn StorageFile>, SegmentHeader)>,
    /// Bytes that were read with the group before and belong to the next.
    carried: Vec<u8>,
    /// Buffers of groups that are done.
    spare: Vec<Vec<u8>>,
    handed: usize,
}

impl<'a, 'w> Feed<'a, 'w> {
    pub(super) const fn new(work: &'a Work<'w>, plans: &'a [Plan]) -> Self {
        Self {
            work,
            plans,
            plan: 0,
            open: None,
            begin: None,
            carried: Vec::new(),
            spare: Vec::new(),
            handed: 0,
        }
    }

    pub(super) fn give_back(&mut self, buffer: Vec<u8>) {
        self.spare.push(buffer);
    }

    /// The next group, with its number.
    pub(super) fn next(&mut self) -> Option<(usize, Group)> {
        let plan = self.plans.get(self.plan)?;
        let bytes = self.spare.pop().unwrap_or_default();
        let mut group =
            Group { plan: self.plan, begin: None, bytes, batches: Vec::new(), end: None };
        let ending = self.fill(plan, &mut group).unwrap_or_else(|e| Some(Ending::Failed(e)));
        group.begin = self.begin.take();
        if ending.is_some() {
            self.plan += 1;
            self.open = None;
            self.carried.clear();
        }
        group.end = ending;
        self.handed += 1;
        Some((self.handed - 1, group))
    }

    fn fill(&mut self, plan: &Plan, group: &mut Group) -> Result<Option<Ending>, StoreError> {
        if self.open.is_none() {
            let Some((file, header)) = segments::open(self.work, plan)? else {
                return Ok(Some(Ending::Unsound));
            };
            self.open = Some((Arc::clone(&file), ledger_format::segment::HEADER_BYTES as u64));
            self.begin = Some((file, header));
        }
        let Some((file, at)) = &mut self.open else {
            return Ok(Some(Ending::Unsound));
        };
        let mut window = Window::new(&**file, *at, plan.end, &mut group.bytes, &self.carried);
        let mut start = 0;
        let ending = loop {
            if start >= GROUP {
                break None;
            }
            let offset = *at + start as u64;
            if offset >= plan.end {
                break Some(Ending::Whole);
            }
            let bad = |what, error| Some(Ending::Bad(offset, Fault::undecodable(what, error)));
            let header = match BatchHeader::decode(window.get(start, HEADER_BYTES)?) {
                Ok(header) => header,
                Err(error) => break bad("a batch header", error),
            };
            let length = header.batch_length();
            let bytes = window.get(start, length)?;
            let found = bytes.len();
            if found < length {
                let error = FormatError::Truncated { what: "a batch", needed: length, found };
                break bad("a batch", error);
            }
            let trailer = bytes.get(length - TRAILER_BYTES..).unwrap_or_default();
            let mut trailer = Reader::new("a batch", trailer);
            let (root, hash) = (TreeRoot(trailer.array()?), BatchHash(trailer.array()?));
            let (digests, looked) = (Digests::default(), Looked::default());
            group.batches.push(Framed {
                offset,
                start,
                length,
                header,
                root,
                hash,
                digests,
                looked,
            });
            start += length;
        };
        *at += start as u64;
        window.rest(start, &mut self.carried);
        Ok(ending)
    }
}

/// A piece of a segment in memory.
struct Window<'b> {
    file: &'b dyn StorageFile,
    /// Where it begins in the file, and where reading ends.
    at: u64,
    end: u64,
    buffer: &'b mut Vec<u8>,
    filled: usize,
}

impl<'b> Window<'b> {
    /// Begins with what was carried over.
    fn new(
        file: &'b dyn StorageFile,
        at: u64,
        end: u64,
        buffer: &'b mut Vec<u8>,
        carried: &[u8],
    ) -> Self {
        let filled = carried.len();
        if buffer.len() < filled {
            buffer.resize(filled, 0);
        }
        if let Some(begin) = buffer.get_mut(..filled) {
            begin.copy_from_slice(carried);
        }
        Self { file, at, end, buffer, filled }
    }

    /// So many bytes from `start` on; fewer only at the end.
    fn get(&mut self, start: usize, count: usize) -> Result<&[u8], StoreError> {
        let left = usize::try_from(self.end - self.at).unwrap_or(usize::MAX);
        let needed = start.saturating_add(count).min(left);
        if self.filled < needed {
            let wanted = needed.max(GROUP).min(left);
            if self.buffer.len() < wanted {
                self.buffer.resize(wanted, 0);
            }
            while self.filled < needed {
                let rest = self.buffer.get_mut(self.filled..wanted).unwrap_or_default();
                let read = self.file.read_at(rest, self.at + self.filled as u64)?;
                if read == 0 {
                    break;
                }
                self.filled += read;
            }
        }
        Ok(self.buffer.get(start..needed.min(self.filled)).unwrap_or_default())
    }

    /// Puts what was read beyond `start` into `carried`.
    fn rest(self, start: usize, carried: &mut Vec<u8>) {
        carried.clear();
        carried.extend_from_slice(self.buffer.get(start..self.filled).unwrap_or_default());
    }
}

/// Does all of a group that needs no order.
pub(super) fn digest(work: &Work<'_>, group: &mut Group, ranges: &mut Ranges<'_, '_>) {
    for framed in &mut group.batches {
        let batch = framed.raw(&group.bytes);
        framed.digests = records(work, &batch);
        if work.level() >= VerifyLevel::Payloads && framed.digests.broken.is_none() {
            framed.looked = ranges.look(&batch.header, &framed.digests.payloads);
        }
    }
}

fn records(work: &Work<'_>, batch: &RawBatch<'_>) -> Digests {
    if work.level() == VerifyLevel::Fast {
        return framing(work, batch);
    }
    let count = batch.header.count as usize;
    let mut digests = Digests { records: Vec::with_capacity(count), ..Digests::default() };
    let mut lengths = Vec::with_capacity(2 * count);
    if let Err(fault) = frames(work, batch, &mut digests, &mut lengths) {
        digests.broken = Some(fault);
        return digests;
    }
    let header = batch.bytes.get(..HEADER_BYTES).unwrap_or_default();
    let last = digests.records.last().map_or(RecordHash::ZERO, |record| record.hash);
    digests.hash = hash::batch(header, &lengths, &last, &batch.root);
    digests
}

/// Walks the frame lengths, and looks at the first and the last record: the batch hash covers the
/// lengths and the hash of the last record, which holds the hash of the one before it.
fn framing(work: &Work<'_>, batch: &RawBatch<'_>) -> Digests {
    let mut digests = Digests { ends_only: true, ..Digests::default() };
    if let Err(fault) = ends(work, batch, &mut digests) {
        digests.broken = Some(fault);
    }
    digests
}

fn ends(work: &Work<'_>, batch: &RawBatch<'_>, digests: &mut Digests) -> Result<(), Fault> {
    let count = u64::from(batch.header.count);
    let stop = HEADER_BYTES + batch.header.frames_length as usize;
    let frames = batch.bytes.get(HEADER_BYTES..stop).unwrap_or_default();
    let mut reader = Reader::new("a record frame", frames);
    let mut lengths = Vec::with_capacity(2 * batch.header.count as usize);
    let mut at = HEADER_BYTES as u64;
    let mut last = RecordHash::ZERO;
    for number in 0..count {
        let seq = Seq(batch.header.first.0 + number);
        let torn = |error| Fault::torn("a record", "a whole record", error).at(at, seq);
        let length = reader.u16().map_err(torn)?;
        let record = reader.take(usize::from(length)).map_err(torn)?;
        lengths.extend_from_slice(&length.to_le_bytes());
        if number == 0 || number + 1 == count {
            let Outline { seq, prev, recorded_at, .. } = Outline::of(record).map_err(torn)?;
            last = work.hasher.hash(record);
            let (at, leaf) = (at + 2, Node::default());
            let one = Digested {
                at,
                length,
                seq,
                prev,
                recorded_at,
                hash: last,
                leaf,
                undecodable: None,
            };
            digests.records.push(one);
        }
        at += 2 + u64::from(length);
    }
    reader.end().map_err(|error| Fault::torn("the frames of a batch", "their end", error))?;
    let header = batch.bytes.get(..HEADER_BYTES).unwrap_or_default();
    digests.hash = hash::batch(header, &lengths, &last, &batch.root);
    Ok(())
}

/// Walks the frames as recovery does, with every record decoded as a whole.
fn frames(
    work: &Work<'_>,
    batch: &RawBatch<'_>,
    digests: &mut Digests,
    lengths: &mut Vec<u8>,
) -> Result<(), Fault> {
    let ends = HEADER_BYTES + batch.header.frames_length as usize;
    let mut reader =
        Reader::new("a record frame", batch.bytes.get(HEADER_BYTES..ends).unwrap_or_default());
    let mut at = HEADER_BYTES as u64;
    let mut payload_bytes = 0u64;
    let looks_at_payloads = work.level() >= VerifyLevel::Payloads;
    for number in 0..u64::from(batch.header.count) {
        let expected = Seq(batch.header.first.0 + number);
        let torn = |error| Fault::torn("a record", "a whole record", error).at(at, expected);
        let length = reader.u16().map_err(torn)?;
        let record = reader.take(usize::from(length)).map_err(torn)?;
        let (outline, undecodable) = match RecordView::decode(record) {
            Ok(view) => {
                let payloads = looks_at_payloads.then_some(&mut digests.payloads);
                (outline(view, payloads), None)
            }
            Err(error) => (Outline::of(record).map_err(torn)?, Some(error)),
        };
        payload_bytes = payload_bytes.saturating_add(outline.payload_bytes);
        digests.records.push(Digested {
            at: at + 2,
            length,
            seq: outline.seq,
            prev: outline.prev,
            recorded_at: outline.recorded_at,
            hash: work.hasher.hash(record),
            leaf: tree::leaf(record),
            undecodable,
        });
        lengths.extend_from_slice(&length.to_le_bytes());
        at += 2 + u64::from(length);
    }
    reader.end().map_err(|error| Fault::torn("the frames of a batch", "their end", error))?;
    let expected = batch.header.payload_length;
    if expected == payload_bytes {
        Ok(())
    } else {
        Err(Fault::torn("the payload bytes of a batch", expected, payload_bytes))
    }
}

fn outline(view: RecordView<'_>, payloads: Option<&mut Vec<(Seq, PayloadRef)>>) -> Outline {
    let seq = view.header.seq;
    let payload_bytes = view.payloads.iter().map(|payload| u64::from(payload.length)).sum();
    if let Some(payloads) = payloads {
        payloads.extend(view.payloads.into_iter().map(|payload| (seq, payload)));
    }
    let (prev, recorded_at) = (view.header.prev, view.header.recorded_at);
    Outline { seq, prev, recorded_at, payload_bytes }
}
