//! Owns the map of the segments: headers, batches, what is between them.

use std::sync::Arc;

use ledger_format::batch::{self, BatchHeader};
use ledger_format::hash::RecordHasher;
use ledger_format::segment::{HEADER_BYTES, SegmentHeader};
use ledger_format::{BatchHash, BatchNo, Event, RecordHash, RecordView, SegmentNo, Seq};

use super::batch::Health;
use super::payloads::Accounts;
use super::region::{FileMap, RegionState};
use super::{Ward, batch as inside};
use crate::config::LedgerConfig;
use crate::layout;
use crate::log::LONGEST_FILE;
use crate::storage::{RelPath, StorageError, StorageFile};
use crate::verify::tail;

/// What the next batch continues, as far as it is known.
#[derive(Clone, Copy, Debug, Default)]
struct Next {
    batch: BatchNo,
    seq: Seq,
    /// Hash of the batch before; none behind damage.
    previous: Option<BatchHash>,
    record: Option<RecordHash>,
}

/// Maps the segments in the order of their numbers.
pub(super) fn map(
    ward: &Ward<'_>,
    paths: Vec<RelPath>,
    payloads: &mut Accounts<'_>,
) -> Vec<FileMap> {
    let number = |path: &RelPath| {
        let name = path.file_name().unwrap_or_default();
        layout::segment_number(name).and_then(Result::ok)
    };
    let mut numbered: Vec<_> = paths.into_iter().map(|path| (number(&path), path)).collect();
    numbered.sort();
    let last = numbered.last().and_then(|(number, _)| *number);
    let mut next = Next::default();
    let mut maps = Vec::new();
    for (number, path) in numbered {
        let opened = ward.storage.open_read(&path).and_then(|file| Ok((file.len()?, file)));
        let (length, file) = match opened {
            Ok(opened) => opened,
            Err(error) => {
                maps.push(FileMap::unread(&path, &error));
                next = Next::default();
                continue;
            }
        };
        let map = FileMap::new(path, length);
        let Some(number) = number else {
            let mut map = map;
            map.push(0, length, RegionState::Damaged, "a name that is not a number", None);
            maps.push(map);
            continue;
        };
        if length > LONGEST_FILE {
            let mut map = map;
            let what = "a segment file longer than any can be, which was not read";
            map.push(0, length, RegionState::Damaged, what, None);
            maps.push(map);
            next = Next::default();
            continue;
        }
        let is_last = Some(number) == last;
        let mut walk = Walk { ward, file: file.into(), map, number, is_last, next };
        let done = walk.run(payloads);
        next = walk.next;
        maps.push(match done {
            Ok(()) => walk.map,
            Err(error) => walk.map.stopped(&error),
        });
    }
    maps
}

/// A walk through one segment.
struct Walk<'a> {
    ward: &'a Ward<'a>,
    file: Arc<dyn StorageFile>,
    map: FileMap,
    number: SegmentNo,
    is_last: bool,
    next: Next,
}

impl Walk<'_> {
    fn run(&mut self, payloads: &mut Accounts<'_>) -> Result<(), StorageError> {
        self.header()?;
        let end = self.readable();
        let mut header = vec![0; batch::HEADER_BYTES];
        loop {
            let at = self.map.end();
            if at >= end {
                break;
            }
            let rest = usize::try_from(end - at).unwrap_or(usize::MAX);
            header.truncate(batch::HEADER_BYTES.min(rest));
            self.file.read_exact_at(&mut header, at)?;
            let decoded = BatchHeader::decode(&header).ok();
            match decoded.filter(|header| header.batch_length() <= rest) {
                Some(header) => self.batch(&header, at, payloads)?,
                None => self.gap(at, end)?,
            }
            header.resize(batch::HEADER_BYTES, 0);
        }
        let length = self.map.length;
        let what = "beyond the durable head, where the holder writes";
        self.map.push(end, length, RegionState::Outside, what, None);
        Ok(())
    }

    /// Where the examination ends: at the durable head while somebody writes behind it.
    fn readable(&self) -> u64 {
        match self.ward.upto {
            Some(upto) if upto.segment == self.number => upto.segment_end.min(self.map.length),
            Some(upto) if upto.segment < self.number => 0,
            _ => self.map.length,
        }
    }

    fn header(&mut self) -> Result<(), StorageError> {
        let length = self.map.length.min(HEADER_BYTES as u64);
        if self.readable() == 0 {
            return Ok(());
        }
        let mut bytes = vec![0; usize::try_from(length).unwrap_or_default()];
        self.file.read_exact_at(&mut bytes, 0)?;
        let wrong = match SegmentHeader::decode(&bytes) {
            Ok(header) if self.ward.ledger.is_some_and(|ledger| ledger != header.ledger) => {
                Some(format!("a segment header of ledger {}", header.ledger))
            }
            Ok(header) if header.segment != self.number => {
                Some(format!("the header of segment {}", header.segment))
            }
            Ok(header) => {
                self.next = Next {
                    batch: header.first_batch,
                    seq: header.first_seq,
                    previous: Some(header.previous_batch),
                    record: Some(header.previous_record),
                };
                None
            }
            Err(error) => Some(format!("a segment header: {error}")),
        };
        let Some(wrong) = wrong else {
            self.map.push(0, length, RegionState::Whole, "segment header", None);
            return Ok(());
        };
        let above = self.ward.anchored.is_none_or(|anchored| self.number > anchored.segment);
        let empty = tail::later_batch(&*self.file, 0, self.map.length, BatchNo(0))?.is_none();
        let unfinished = self.is_last && above && empty;
        let state = if unfinished { RegionState::Unfinished } else { RegionState::Damaged };
        self.map.push(0, length, state, wrong, None);
        Ok(())
    }

    /// A batch whose header holds and whose bytes are there.
    fn batch(
        &mut self,
        header: &BatchHeader,
        at: u64,
        payloads: &mut Accounts<'_>,
    ) -> Result<(), StorageError> {
        let length = header.batch_length();
        let mut bytes = vec![0; length];
        self.file.read_exact_at(&mut bytes, at)?;
        let end = at + length as u64;
        let last = Seq(header.first.0.saturating_add(u64::from(header.count.max(1)) - 1));
        let all = Some((header.first, last));
        let Some(ledger) = self.ward.ledger else {
            self.map.push(at, end, RegionState::Unknown, "batches of an unknown ledger", all);
            payloads.lose();
            return Ok(());
        };
        let hasher = RecordHasher::new(&ledger);
        let continues = self.continues(header);
        let before = self.next.record.filter(|_| continues);
        let health = inside::examine(&hasher, header, &bytes, before);
        if !continues {
            let what = "a batch that does not continue the one before";
            self.map.push(at, end, RegionState::Damaged, what, all);
        } else if self.is_unfinished(header, end, &health)? {
            self.map.push(at, end, RegionState::Unfinished, "a batch that was not finished", all);
        } else {
            self.parts(at, end, (header.first, last), &health);
        }
        if header.first == Seq(0) && health.bad.is_empty() {
            self.genesis(&bytes, &health);
        }
        payloads.batch(self.ward, header, &bytes, &health);
        let trailer = bytes.last_chunk::<32>().copied();
        self.next = Next {
            batch: header.batch.next(),
            seq: last.next(),
            previous: trailer.map(BatchHash).filter(|_| health.bad.is_empty()),
            record: health.last,
        };
        Ok(())
    }

    /// What the copy of record 0 beside the log has to say.
    fn genesis(&self, bytes: &[u8], health: &Health) {
        let record = health.records.first().and_then(|(from, to)| bytes.get(*from..*to));
        let event = record.and_then(|record| RecordView::decode(record).ok()?.event().ok());
        if let Some(Event::Genesis(genesis)) = event
            && let Ok(config) = LedgerConfig::from_genesis(&genesis)
        {
            // Only the batch of record 0 comes here, and there is one.
            let _ = self.ward.copy.set(config.render());
        }
    }

    fn continues(&self, header: &BatchHeader) -> bool {
        let Some(previous) = self.next.previous else {
            return true;
        };
        header.batch == self.next.batch
            && header.first == self.next.seq
            && header.previous == previous
    }

    /// Whether a damaged batch was never acknowledged: it is the last, and above the anchor.
    fn is_unfinished(
        &self,
        header: &BatchHeader,
        end: u64,
        health: &Health,
    ) -> Result<bool, StorageError> {
        if health.bad.is_empty() || !self.is_last || !self.is_above(header.batch) {
            return Ok(false);
        }
        let later = tail::later_batch(&*self.file, end, self.map.length, header.batch)?;
        Ok(later.is_none())
    }

    fn is_above(&self, batch: BatchNo) -> bool {
        let anchored = self.ward.anchored.or(self.ward.upto);
        anchored.is_none_or(|anchored| batch > anchored.head.batch)
    }

    /// The whole and the damaged parts of a batch.
    fn parts(&mut self, at: u64, end: u64, (first, last): (Seq, Seq), health: &Health) {
        let mut from = first;
        for part in &health.bad {
            let begins = at + part.from as u64;
            let before = part.records.0;
            let whole = (before > from).then(|| (from, Seq(before.0 - 1)));
            self.map.push(at, begins, RegionState::Whole, "batches", whole);
            let to = at + part.to as u64;
            self.map.push(begins, to, RegionState::Damaged, part.what, Some(part.records));
            from = part.records.1.next();
        }
        let whole = (from <= last).then_some((from, last));
        self.map.push(at, end, RegionState::Whole, "batches", whole);
    }

    /// Where no batch begins: the end, an unfinished write, or damage up to the next batch.
    fn gap(&mut self, at: u64, end: u64) -> Result<(), StorageError> {
        let Some(_) = tail::not_zero(&*self.file, at, end)? else {
            let state = if self.is_last { RegionState::Zeros } else { RegionState::Damaged };
            let what = if self.is_last { "written ahead" } else { "zeros in a closed segment" };
            self.map.push(at, end, state, what, None);
            return Ok(());
        };
        let expected = self.next;
        let from = (at + 1).min(end);
        let later = self.next_batch(from, end)?;
        let Some((to, found)) = later else {
            let unfinished = self.is_last && self.is_above(expected.batch);
            let (state, what) = if unfinished {
                (RegionState::Unfinished, "a batch that was not finished")
            } else {
                (RegionState::Damaged, "no batch, and none follows")
            };
            let content = tail::last_not_zero(&*self.file, at, end)?.map_or(end, |last| last + 1);
            let records = (!unfinished).then_some((expected.seq, expected.seq));
            self.map.push(at, content, state, what, records);
            self.map.push(content, end, RegionState::Zeros, "written ahead", None);
            self.next = Next { previous: None, record: None, ..expected };
            return Ok(());
        };
        let known = found.first > expected.seq;
        let records = known.then(|| (expected.seq, Seq(found.first.0 - 1)));
        self.map.push(at, to, RegionState::Damaged, "no batch begins here", records);
        self.next = Next { batch: found.batch, seq: found.first, previous: None, record: None };
        Ok(())
    }

    /// The next place where a batch header with a valid check lies.
    fn next_batch(&self, from: u64, end: u64) -> Result<Option<(u64, BatchHeader)>, StorageError> {
        let before = BatchNo(self.next.batch.0.saturating_sub(1));
        // Batch 0 has no number below it, and only it lies at the beginning of segment 0.
        let Some(at) = tail::later_batch(&*self.file, from, end, before)? else {
            return Ok(None);
        };
        let mut bytes = vec![0; batch::HEADER_BYTES];
        self.file.read_exact_at(&mut bytes, at)?;
        Ok(BatchHeader::decode(&bytes).ok().map(|header| (at, header)))
    }
}
