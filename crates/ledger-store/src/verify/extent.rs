//! Owns where a check begins: with the first segment, or with the one that holds the last record of a
//! head that is taken as checked.
//!
//! A header that does not read on the way leads back to the beginning: then the whole log is checked,
//! and says why.

use ledger_format::batch::{self, BatchHeader};
use ledger_format::limits::PAGE_SLOTS;
use ledger_format::segment::{HEADER_BYTES, SegmentHeader};
use ledger_format::{BatchNo, LedgerId, SegmentNo, Seq};

use super::heads::RememberedHead;
use crate::error::StoreError;
use crate::layout;
use crate::storage::Storage;

/// Most payloads of one record.
const PAYLOADS: u64 = 8;

/// Where a check begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Extent {
    pub(super) segment: SegmentNo,
    pub(super) batch: BatchNo,
    pub(super) seq: Seq,
    pub(super) payload_file: u32,
    /// The first key page that records from there on can need.
    pub(super) key_page: u64,
}

impl Extent {
    /// Whether nothing is left out.
    pub(super) fn is_whole(&self) -> bool {
        self.segment == SegmentNo(0)
    }

    /// Begins with the segment that holds the last record of `since`.
    pub(super) fn since(
        storage: &dyn Storage,
        ledger: LedgerId,
        numbers: &[SegmentNo],
        since: &RememberedHead,
    ) -> Self {
        Self::find(storage, ledger, numbers, since).ok().flatten().unwrap_or_default()
    }

    fn find(
        storage: &dyn Storage,
        ledger: LedgerId,
        numbers: &[SegmentNo],
        since: &RememberedHead,
    ) -> Result<Option<Self>, StoreError> {
        let Some(last) = since.size.checked_sub(1) else { return Ok(None) };
        let (mut low, mut high) = (0, numbers.len());
        let mut found = None;
        while low < high {
            let middle = usize::midpoint(low, high);
            let Some(number) = numbers.get(middle) else { break };
            match read(storage, *number)? {
                (header, _) if header.ledger != ledger || header.segment != *number => {
                    return Ok(None);
                }
                // One that was made and not begun has nothing to check.
                (_, None) => high = middle,
                (header, Some(_)) if header.first_seq.0 > last => high = middle,
                (header, Some(first)) => {
                    found = Some((header, first));
                    low = middle + 1;
                }
            }
        }
        Ok(found.map(|(header, first)| Self::at(&header, &first)))
    }

    fn at(header: &SegmentHeader, first: &BatchHeader) -> Self {
        // Only the number after the batch is known, and how many it can have used at most.
        let least = first.next_payload.0.saturating_sub(PAYLOADS * u64::from(first.count));
        Self {
            segment: header.segment,
            batch: header.first_batch,
            seq: header.first_seq,
            payload_file: first.payload_file,
            key_page: least / PAGE_SLOTS as u64,
        }
    }
}

/// The header of a segment and that of its first batch, if there is one.
fn read(
    storage: &dyn Storage,
    number: SegmentNo,
) -> Result<(SegmentHeader, Option<BatchHeader>), StoreError> {
    let file = storage.open_read(&layout::segment(number))?;
    let mut bytes = vec![0; HEADER_BYTES];
    file.read_exact_at(&mut bytes, 0)?;
    let header = SegmentHeader::decode(&bytes)?;
    let mut first = vec![0; batch::HEADER_BYTES];
    let whole = file.read_exact_at(&mut first, HEADER_BYTES as u64);
    let first = whole.ok().and_then(|()| BatchHeader::decode(&first).ok());
    Ok((header, first))
}
