//! Reading the log up to the durable head: as a stream, by number, by segment, and payloads.
//!
//! Owns what readers may see. Invariant: nothing above the durable head is handed out; a reader in
//! the holder's process sees its head at once, any other one sees the anchor.
//! May not: write anything, or need the lock.

mod cursor;
mod files;
mod index;
mod places;
mod point;
mod shared;
mod stream;
mod types;

use std::ops::ControlFlow;
use std::sync::Arc;

use ledger_format::{BatchNo, LedgerId, SegmentNo, Seq, batch, limits, payload_file};

use self::cursor::Cursor;
use self::files::FileKey;
pub(crate) use self::shared::Shared;
pub use self::stream::RecordStream;
pub use self::types::{
    BatchRecord, Check, Place, SegmentEnd, SegmentInfo, StoredRecord, VerifiedBatch,
};
use crate::error::{Lost, StoreError};
use crate::head::{Head, Position};
use crate::layout;
use crate::log::{blank_anchors, list_segments, read_anchors, read_headers, valid_end};
use crate::storage::Storage;

/// Reads a log. Clones share open files and indexes.
#[derive(Clone, Debug)]
pub struct Reader {
    shared: Arc<Shared>,
    /// Why the anchor cannot be trusted in full.
    warning: Option<Arc<StoreError>>,
}

/// A log that was opened without its anchor.
#[derive(Debug)]
pub struct Unanchored {
    /// Reads up to the last batch that is valid.
    pub reader: Reader,
    /// Why it ends there, if bytes follow that are no valid batch.
    pub stopped: Option<StoreError>,
}

impl Reader {
    /// Opens a log without taking its lock. Its head is the anchor's; nothing is written.
    ///
    /// # Errors
    /// [`StoreError::NotALedger`], [`StoreError::Foreign`], [`StoreError::Lost`] when the log ends
    /// below the anchor, [`StoreError::AnchorDamaged`] when no copy of the anchor is valid,
    /// [`StoreError::Damaged`] and [`StoreError::Unsupported`] for what the headers say, or a
    /// failing storage. One damaged copy of the anchor is no error, see [`Reader::warning`].
    pub fn open(storage: Arc<dyn Storage>, ledger: LedgerId) -> Result<Self, StoreError> {
        let (position, warning) = anchored(&*storage, ledger)?;
        let headers = match &position {
            Some(position) => headers_up_to(&*storage, ledger, position)?,
            None => Vec::new(),
        };
        let shared = Shared::new(storage, ledger, position, headers);
        Ok(Self { shared: Arc::new(shared), warning: warning.map(Arc::new) })
    }

    /// Opens a log whatever its anchor says, up to the last batch that is valid. Reads the last
    /// segment. Only for finding out how much of a damaged log there is: what it shows above the
    /// anchor may never have been acknowledged.
    ///
    /// # Errors
    /// [`StoreError::NotALedger`] or a failing storage. Damage is not an error here.
    pub fn open_unanchored(
        storage: Arc<dyn Storage>,
        ledger: LedgerId,
    ) -> Result<Unanchored, StoreError> {
        if list_segments(&*storage).is_ok_and(|numbers| numbers.is_empty())
            && read_anchors(&*storage)?.are_missing()
        {
            let missing = "log and anchors are missing".to_owned();
            return Err(StoreError::NotALedger { missing });
        }
        let (headers, position, stopped) = valid_end(&*storage, ledger)?;
        let shared = Shared::new(storage, ledger, position, headers.list);
        let reader = Self { shared: Arc::new(shared), warning: None };
        Ok(Unanchored { reader, stopped })
    }

    pub(crate) const fn of(shared: Arc<Shared>) -> Self {
        Self { shared, warning: None }
    }

    /// Reads the anchor again and moves on to its head. Does nothing for a reader that was made by
    /// an appender, which moves by itself.
    ///
    /// # Errors
    /// As [`Reader::open`]; also [`StoreError::Lost`] when the anchor went backwards.
    pub fn refresh(&self) -> Result<(), StoreError> {
        let storage = self.shared.storage();
        let ledger = self.shared.ledger();
        if self.shared.is_live() {
            return Ok(());
        }
        let (found, _) = anchored(&**storage, ledger)?;
        let known = self.shared.position();
        let Some(position) = found else { return Ok(()) };
        if known == Some(position) {
            return Ok(());
        }
        if let Some(known) = known
            && position.head.seq < known.head.seq
        {
            return Err(lost(&known, &position, Some(position.head.seq)));
        }
        let headers = headers_up_to(&**storage, ledger, &position)?;
        self.shared.replace(position, headers);
        Ok(())
    }

    /// The durable head; `None` before the first batch.
    #[must_use]
    pub fn head(&self) -> Option<Head> {
        self.shared.position().map(|position| position.head)
    }

    /// Where the durable head ends in the files.
    #[must_use]
    pub fn position(&self) -> Option<Position> {
        self.shared.position()
    }

    /// The ledger.
    #[must_use]
    pub fn ledger(&self) -> LedgerId {
        self.shared.ledger()
    }

    /// Why a copy of the anchor cannot be trusted: reading goes on, writing is refused.
    #[must_use]
    pub fn warning(&self) -> Option<&StoreError> {
        self.warning.as_deref()
    }

    /// The records from `from` up to the durable head of this moment, in order. After an error it
    /// ends.
    #[must_use]
    pub fn stream(&self, from: Seq, check: Check) -> RecordStream {
        RecordStream::new(Cursor::new(Arc::clone(&self.shared), from, check), from)
    }

    /// The batches that hold `from` and what follows, up to the durable head of this moment,
    /// without copying a record. With [`Check::Chain`] checking begins at the start of the segment
    /// of `from`.
    ///
    /// # Errors
    /// The first fault that is found, or the first error of `visit`.
    pub fn for_each_batch(
        &self,
        from: Seq,
        check: Check,
        mut visit: impl FnMut(&VerifiedBatch<'_>) -> Result<ControlFlow<()>, StoreError>,
    ) -> Result<(), StoreError> {
        let mut cursor = Cursor::new(Arc::clone(&self.shared), from, check);
        while cursor.advance()? {
            if let Some(batch) = cursor.batch()
                && visit(&batch)?.is_break()
            {
                break;
            }
        }
        Ok(())
    }

    /// All batches of one segment, checked against its header and the header after it (or the
    /// head), so that segments can be verified side by side.
    ///
    /// # Errors
    /// [`StoreError::Invalid`] for a segment that is not there; otherwise as
    /// [`Reader::for_each_batch`].
    pub fn scan_segment(
        &self,
        segment: SegmentNo,
        check: Check,
        mut visit: impl FnMut(&VerifiedBatch<'_>) -> Result<ControlFlow<()>, StoreError>,
    ) -> Result<SegmentEnd, StoreError> {
        let mut cursor = Cursor::one_segment(Arc::clone(&self.shared), segment, check)?;
        while cursor.advance()? {
            if let Some(batch) = cursor.batch()
                && visit(&batch)?.is_break()
            {
                break;
            }
        }
        Ok(cursor.reached())
    }

    /// One record, found through an index in memory that is built on first use of a segment; where
    /// the records of its batch lie is remembered. Its bytes are read and checked every time:
    /// against the link of the record after it, or the hash of its batch.
    ///
    /// # Errors
    /// [`StoreError::NoRecord`] above the head, [`StoreError::Damaged`] for bytes that are not what
    /// was written, or a failing storage.
    pub fn record(&self, seq: Seq) -> Result<StoredRecord, StoreError> {
        point::record(&self.shared, seq)
    }

    /// Stored bytes of one payload. Whether they are the right ones is checked by opening them.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] when file or range are not there, [`StoreError::Foreign`] for a file
    /// of another ledger, [`StoreError::Invalid`] for a length that no payload has, or a failing
    /// storage.
    pub fn payload(&self, file: u32, offset: u64, length: u32) -> Result<Vec<u8>, StoreError> {
        if offset < payload_file::HEADER_BYTES as u64 || length as usize > limits::BATCH_BYTES {
            return Err(StoreError::Invalid { what: "a range that holds no payload" });
        }
        let handle = self.shared.file(FileKey::Payload(file))?;
        let mut bytes = vec![0; length as usize];
        match handle.read_exact_at(&mut bytes, offset) {
            Err(error) if error.is_unexpected_end() => {
                let at = error.offset.unwrap_or(offset);
                let what = "a payload range";
                let (expected, found) = (format!("{length} bytes"), "the end of the file");
                Err(StoreError::damaged(handle.path(), at, None, what, expected, found))
            }
            done => Ok(done.map(|()| bytes)?),
        }
    }

    /// The segments up to the durable head.
    #[must_use]
    pub fn segments(&self) -> Vec<SegmentInfo> {
        let view = self.shared.view();
        view.segments()
            .iter()
            .enumerate()
            .map(|(index, header)| SegmentInfo {
                number: header.segment,
                first_seq: header.first_seq,
                first_batch: header.first_batch,
                epoch: header.epoch,
                file: layout::segment(header.segment),
                length: view.end_of(index),
            })
            .collect()
    }
}

/// The position of the valid anchor, and what is wrong with the other copy.
fn anchored(
    storage: &dyn Storage,
    ledger: LedgerId,
) -> Result<(Option<Position>, Option<StoreError>), StoreError> {
    let mut anchors = read_anchors(storage)?;
    if anchors.problem(ledger).is_some() {
        // A holder may have been writing it just then.
        anchors = read_anchors(storage)?;
    }
    if anchors.are_missing() && list_segments(storage)?.is_empty() {
        let missing = "log and anchors are missing".to_owned();
        return Err(StoreError::NotALedger { missing });
    }
    if anchors.are_blank() {
        // A commit that was not answered may have left one batch, and nothing can have left two.
        let (_, end, _) = valid_end(storage, ledger)?;
        if end.is_some_and(|end| end.head.batch > BatchNo(0)) {
            return Err(blank_anchors());
        }
    }
    let position = anchors.latest().map(Position::of_anchor);
    match anchors.problem(ledger) {
        None => Ok((position, None)),
        Some(problem @ StoreError::AnchorDamaged { .. })
            if position.is_some() && !anchors.are_contradictory() =>
        {
            Ok((position, Some(problem)))
        }
        Some(problem) => Err(problem),
    }
}

/// The headers of all segments up to the anchored one, which has to end in the anchored batch.
fn headers_up_to(
    storage: &dyn Storage,
    ledger: LedgerId,
    position: &Position,
) -> Result<Vec<Arc<ledger_format::segment::SegmentHeader>>, StoreError> {
    let mut numbers = list_segments(storage)?;
    numbers.retain(|number| *number <= position.segment);
    let headers = read_headers(storage, ledger, &numbers)?;
    if let Some(stop) = headers.stop {
        return Err(stop.error);
    }
    let length = headers.lengths.last().copied().unwrap_or_default();
    let is_there = numbers.last() == Some(&position.segment) && length >= position.segment_end;
    if !is_there {
        let mut end = *position;
        end.segment = numbers.last().copied().unwrap_or_default();
        end.segment_end = length;
        return Err(lost(position, &end, None));
    }
    let path = layout::segment(position.segment);
    let file = storage.open_read(&path)?;
    let mut trailer = [0; batch::TRAILER_BYTES];
    let at = position.segment_end.saturating_sub(trailer.len() as u64);
    file.read_exact_at(&mut trailer, at)?;
    let (root, hash) = trailer.split_at(32);
    if root == position.head.root.0 && hash == position.head.batch_hash.0 {
        return Ok(headers.list);
    }
    if trailer.iter().all(|byte| *byte == 0) {
        let end = Position { segment_end: at, ..*position };
        return Err(lost(position, &end, None));
    }
    let what = "the batch that the anchor names";
    let mut found = ledger_format::BatchHash::ZERO;
    found.0.copy_from_slice(hash);
    let seq = Some(position.head.seq);
    Err(StoreError::damaged(&path, at, seq, what, position.head.batch_hash, found))
}

fn lost(anchored: &Position, end: &Position, found: Option<Seq>) -> StoreError {
    StoreError::Lost(Box::new(Lost {
        file: layout::segment(end.segment),
        offset: end.segment_end,
        found,
        anchored: anchored.head.seq,
        batch: anchored.head.batch,
    }))
}
