//! Owns what is remembered of batches that were walked: where each record begins, and its payloads.
//!
//! Invariants: what is remembered is bounded ([`MOST`]); it is a shortcut and proves nothing, so
//! bytes found by it are checked like any others. Nothing below a durable head ever changes, so
//! nothing here becomes stale.
//! May not: keep bytes or hashes of the log, or decide what a fault means.

use std::collections::BTreeMap;
use std::sync::Arc;

use ledger_format::batch::{BatchHeader, HEADER_BYTES};
use ledger_format::{SegmentNo, Seq};

use super::types::Place;
use crate::log::chain::Spans;

/// Bytes of memory that one generation may take; there are two.
const MOST: usize = 4 * 1024 * 1024;
/// What a batch takes beside its records: its fields, its place in the map, allocations.
const BATCH_COST: usize = 192;
/// Bytes of the length in front of every record.
const FRAME: u32 = 2;

/// Where the records of one batch lie.
#[derive(Debug)]
pub(super) struct BatchPlaces {
    pub(super) segment: SegmentNo,
    pub(super) header: BatchHeader,
    /// Where the batch begins in its segment.
    pub(super) offset: u64,
    /// Where each record begins, from the start of the batch, and its payloads, from the start of
    /// the payloads of the batch.
    records: Box<[(u32, u32)]>,
}

/// Where one record that is not the last of its batch lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Within {
    pub(super) place: Place,
    pub(super) length: usize,
    /// Bytes of the record after it.
    pub(super) next_length: usize,
    pub(super) payload_offset: u64,
}

impl BatchPlaces {
    /// What a walk over a batch found. None where numbers do not fit, which no limit allows.
    pub(super) fn of(
        segment: SegmentNo,
        header: &BatchHeader,
        offset: u64,
        spans: &Spans,
    ) -> Option<Self> {
        let place = |span: &crate::log::chain::Span| {
            let payload = span.payload.checked_sub(header.payload_offset)?;
            Some((span.start, u32::try_from(payload).ok()?))
        };
        let records = spans.list.iter().map(place).collect::<Option<_>>()?;
        Some(Self { segment, header: header.clone(), offset, records })
    }

    /// A record and the one after it; none for the last, which only the batch hash vouches for.
    pub(super) fn within(&self, seq: Seq) -> Option<Within> {
        let at = usize::try_from(seq.0.checked_sub(self.header.first.0)?).ok()?;
        let (start, payload) = *self.records.get(at)?;
        let (next, _) = *self.records.get(at + 1)?;
        let frames_end =
            u32::try_from(HEADER_BYTES).ok()?.checked_add(self.header.frames_length)?;
        let end = match self.records.get(at + 2) {
            Some((after, _)) => after.checked_sub(FRAME)?,
            None => frames_end,
        };
        Some(Within {
            place: Place {
                segment: self.segment,
                offset: self.offset + u64::from(start),
                batch: self.header.batch,
            },
            length: next.checked_sub(FRAME)?.checked_sub(start)? as usize,
            next_length: end.checked_sub(next)? as usize,
            payload_offset: self.header.payload_offset + u64::from(payload),
        })
    }

    fn holds(&self, seq: Seq) -> bool {
        seq.0.checked_sub(self.header.first.0).is_some_and(|at| at < self.records.len() as u64)
    }

    const fn cost(&self) -> usize {
        BATCH_COST + self.records.len() * size_of::<(u32, u32)>()
    }
}

/// The batches remembered, by their first record: those of late, and those before them.
#[derive(Debug, Default)]
pub(super) struct Places {
    late: BTreeMap<Seq, Arc<BatchPlaces>>,
    before: BTreeMap<Seq, Arc<BatchPlaces>>,
    /// Bytes that `late` takes.
    cost: usize,
}

impl Places {
    /// The batch that holds a record, where it is remembered.
    pub(super) fn get(&mut self, seq: Seq) -> Option<Arc<BatchPlaces>> {
        if let Some(batch) = holder(&self.late, seq) {
            return Some(batch);
        }
        let batch = holder(&self.before, seq)?;
        self.put(Arc::clone(&batch));
        Some(batch)
    }

    /// Remembers a batch. When there are too many, those that nobody asked for lately are dropped.
    pub(super) fn put(&mut self, batch: Arc<BatchPlaces>) {
        if self.cost > 0 && self.cost + batch.cost() > MOST {
            self.before = std::mem::take(&mut self.late);
            self.cost = 0;
        }
        let cost = batch.cost();
        if self.late.insert(batch.header.first, batch).is_none() {
            self.cost += cost;
        }
    }
}

fn holder(batches: &BTreeMap<Seq, Arc<BatchPlaces>>, seq: Seq) -> Option<Arc<BatchPlaces>> {
    let (_, batch) = batches.range(..=seq).next_back()?;
    batch.holds(seq).then(|| Arc::clone(batch))
}
