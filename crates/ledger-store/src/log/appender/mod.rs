//! Owns the one holder of a log: where it stands, its lock, and what a commit does in which order.
//!
//! Invariants: the head moves after both flushes and not before; a commit that failed in a way that
//! may have left anything behind ends the appender; nothing that failed is flushed again.
//! May not: read a clock (the caller says what time it is) or decode a body.

mod commit;
mod open;

use std::sync::Arc;

use ledger_format::payload_file;
use ledger_format::segment::HEADER_BYTES;
use ledger_format::tree::Frontier;
use ledger_format::{BatchHash, BatchNo, LedgerId, Micros, PayloadId, RecordHash, Seq};

use super::ahead::AheadFile;
use super::anchor_file::AnchorWriter;
use super::builder::{Base, BatchBuilder};
use super::filler::Filler;
use super::flusher::Flusher;
use super::payload_writer::PayloadWriter;
use super::write_error::WriteError;
use crate::error::StoreError;
use crate::head::{Head, Position};
use crate::layout;
use crate::options::StoreOptions;
use crate::reader::{Reader, Shared};
use crate::storage::LockGuard;

/// The holder of a log.
#[derive(Debug)]
pub struct Appender {
    shared: Arc<Shared>,
    options: StoreOptions,
    epoch: u64,
    frontier: Frontier,
    /// This holder's segment; made by its first commit.
    segment: Option<AheadFile>,
    payloads: PayloadWriter,
    flusher: Option<Flusher>,
    filler: Option<Filler>,
    anchors: AnchorWriter,
    /// What the last anchor of this ledger says.
    anchored: Option<Position>,
    anchored_clean: bool,
    unanchored_bytes: u64,
    /// When the caller first told the time with something to anchor.
    dirty_since: Option<u64>,
    poisoned: Option<String>,
    lock: Box<dyn LockGuard>,
}

impl Appender {
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

    /// The epoch that this holder's batches carry.
    #[must_use]
    pub const fn epoch(&self) -> u64 {
        self.epoch
    }

    /// Whether a write failed, so that nothing more can be written by this appender.
    #[must_use]
    pub const fn is_poisoned(&self) -> bool {
        self.poisoned.is_some()
    }

    /// Whether this holder has committed nothing yet: its next batch opens its segment.
    #[must_use]
    pub fn is_first_batch(&self) -> bool {
        self.head().is_none_or(|head| head.epoch != self.epoch)
    }

    /// A reader that sees the durable head of this appender at once.
    #[must_use]
    pub fn reader(&self) -> Reader {
        Reader::of(Arc::clone(&self.shared))
    }

    /// Begins a batch after the durable head.
    #[must_use]
    pub fn begin(&self) -> BatchBuilder {
        let head = self.head();
        let base = Base {
            batch: head.map_or(BatchNo(0), |head| head.batch.next()),
            first: head.map_or(Seq(0), |head| head.seq.next()),
            record: head.map_or(RecordHash::ZERO, |head| head.hash),
            previous: head.map_or(BatchHash::ZERO, |head| head.batch_hash),
            recorded_at: head.map_or(Micros::MIN, |head| head.recorded_at),
            frontier: self.frontier.clone(),
            epoch: self.epoch,
            next_payload: head.map_or(PayloadId(0), |head| head.next_payload),
            last_erasure: head.and_then(|head| head.last_erasure),
        };
        BatchBuilder::new(base, self.shared.hasher().clone())
    }

    /// Makes room on the disk for a batch as it stands and for so many bytes more of records and
    /// of payloads, so that whoever adds them knows before that they can be written. Writes zeros
    /// and new files, nothing of the batch.
    ///
    /// # Errors
    /// As [`Appender::commit`]: with a full disk, nothing happened, and the appender stays usable.
    pub fn reserve(
        &mut self,
        batch: &BatchBuilder,
        record_bytes: u64,
        payload_bytes: u64,
    ) -> Result<(), StoreError> {
        self.check_usable()?;
        let log = batch.log_bytes().saturating_add(record_bytes);
        let payload = batch.payload_bytes().saturating_add(payload_bytes);
        let done = self.make_room(batch.base(), log, payload);
        self.settle(done)
    }

    /// Whether the files in use are the ones for a batch as it stands and so many bytes more.
    /// Otherwise what is in the batch should be committed first: [`Appender::reserve`] would leave
    /// the place that was made for it.
    #[must_use]
    pub fn has_place(&self, batch: &BatchBuilder, record_bytes: u64, payload_bytes: u64) -> bool {
        let log = batch.log_bytes().saturating_add(record_bytes);
        let payload = batch.payload_bytes().saturating_add(payload_bytes);
        self.segment_takes(log) && self.payloads.takes(&self.options, payload)
    }

    /// Writes a batch and its payload range and returns when both are durable.
    ///
    /// # Errors
    /// [`StoreError::Invalid`] for an empty batch or one that was begun at another head, and
    /// [`StoreError::Storage`] for a full disk that was noticed before anything was written: the
    /// appender stays usable. Everything else ends it, [`StoreError::Poisoned`] above all: then it
    /// is unknown whether the batch is durable.
    pub fn commit(&mut self, builder: BatchBuilder) -> Result<Head, StoreError> {
        self.check_usable()?;
        if builder.is_empty() {
            return Err(StoreError::Invalid { what: "a batch without records" });
        }
        let base = builder.base();
        let next = self
            .head()
            .map_or((BatchNo(0), BatchHash::ZERO), |head| (head.batch.next(), head.batch_hash));
        if (base.batch, base.previous) != next || base.epoch != self.epoch {
            return Err(StoreError::Invalid { what: "a batch that was begun at another head" });
        }
        let done = self.write_batch(builder);
        self.settle(done)
    }

    /// Off the answer path: anchors the head when it is due, and writes zeros ahead of need.
    /// `now_millis` is any clock that does not go backwards; `idle` says that nothing waits, so
    /// that whatever is not anchored is anchored now.
    ///
    /// # Errors
    /// As [`Appender::commit`]; a full disk is no error here.
    pub fn maintain(&mut self, now_millis: u64, idle: bool) -> Result<(), StoreError> {
        self.check_usable()?;
        if self.shared.position() != self.anchored {
            let since = *self.dirty_since.get_or_insert(now_millis);
            let due = idle
                || self.unanchored_bytes >= self.options.anchor_bytes
                || now_millis.saturating_sub(since) >= self.options.anchor_millis;
            if due {
                let done = self.write_anchor(false);
                self.settle(done)?;
            }
        }
        self.start_filler();
        let filler = self.filler.as_ref();
        let ahead = match &mut self.segment {
            Some(segment) => segment.fill_ahead(filler),
            None => Ok(()),
        };
        let done = ahead.and_then(|()| self.payloads.fill_ahead(filler));
        self.settle(done)
    }

    /// Anchors the head now, if it is not.
    ///
    /// # Errors
    /// As [`Appender::commit`].
    pub fn anchor(&mut self) -> Result<(), StoreError> {
        self.check_usable()?;
        if self.shared.position() == self.anchored {
            return Ok(());
        }
        let done = self.write_anchor(false);
        self.settle(done)
    }

    /// Says in the anchor that the ledger is in use, if it says that it was closed. Needed before
    /// anything but the log is changed, such as key pages, so that a stop in between is seen as
    /// one; the first batch needs no anchor for that.
    ///
    /// # Errors
    /// As [`Appender::commit`].
    pub fn mark_in_use(&mut self) -> Result<(), StoreError> {
        self.check_usable()?;
        if !self.anchored_clean {
            return Ok(());
        }
        let done = self.write_anchor(false);
        self.settle(done)
    }

    /// Destroys stored payload bytes: overwritten with zeros, flushed, then released. The head is
    /// anchored before, because recovery checks the payloads of what is not.
    ///
    /// # Errors
    /// [`StoreError::Invalid`] for a range that holds no payload; otherwise as
    /// [`Appender::commit`].
    pub fn erase_payload(&mut self, file: u32, offset: u64, length: u32) -> Result<(), StoreError> {
        self.anchor()?;
        let end = offset.saturating_add(u64::from(length));
        let (last, last_end) = (self.payloads.number(), self.payloads.end());
        if offset < payload_file::HEADER_BYTES as u64 || (file, end) > (last, last_end) {
            return Err(StoreError::Invalid { what: "a range that holds no payload" });
        }
        let done = self.overwrite(file, offset, u64::from(length)).map_err(WriteError::poison);
        self.settle(done)
    }

    /// Ends this holder: cuts off the zeros ahead, anchors the head as cleanly closed, releases
    /// the lock.
    ///
    /// # Errors
    /// As [`Appender::commit`]. The lock is released all the same.
    pub fn close(mut self) -> Result<(), StoreError> {
        self.check_usable()?;
        if let Some(mut segment) = self.segment.take() {
            if segment.end() > HEADER_BYTES as u64 {
                segment.seal()?;
            } else {
                // Made for a batch that then found no room: nobody else has to wonder about it.
                self.shared.storage().remove_file(segment.file().path())?;
                self.shared.storage().sync_dir(&layout::LOG)?;
            }
        }
        self.payloads.seal()?;
        let changed = self.shared.position() != self.anchored || !self.anchored_clean;
        if changed {
            self.write_anchor(true).map_err(|failed| failed.error)?;
        }
        Ok(())
    }

    /// Zeros are written beside the commits where that is allowed. Where no thread can be had they
    /// are written here.
    fn start_filler(&mut self) {
        if self.filler.is_none() && self.options.concurrent && self.segment.is_some() {
            self.filler = Filler::start(Arc::clone(self.shared.storage())).ok();
        }
    }

    fn write_anchor(&mut self, clean: bool) -> Result<(), WriteError> {
        match self.shared.position() {
            Some(position) => self.write_anchor_at(&position, clean),
            None => Ok(()),
        }
    }

    fn write_anchor_at(&mut self, position: &Position, clean: bool) -> Result<(), WriteError> {
        self.check_lock()?;
        self.anchors.write(position, clean).map_err(WriteError::poison)?;
        self.anchored = Some(*position);
        self.anchored_clean = clean;
        self.unanchored_bytes = 0;
        self.dirty_since = None;
        Ok(())
    }

    fn overwrite(&self, number: u32, offset: u64, length: u64) -> Result<(), StoreError> {
        let file = self.shared.storage().open_write(&layout::payload_file(number))?;
        file.zero_fill(offset, length)?;
        file.sync_data()?;
        file.punch_hole(offset, length)?;
        file.sync_data()?;
        Ok(())
    }

    fn check_lock(&self) -> Result<(), WriteError> {
        match self.lock.still_held() {
            Ok(true) => Ok(()),
            Ok(false) => Err(WriteError::poison(StoreError::Poisoned {
                cause: "the lock file was replaced, another process may be writing".to_owned(),
            })),
            Err(error) => Err(WriteError::poison(error)),
        }
    }

    fn check_usable(&self) -> Result<(), StoreError> {
        match &self.poisoned {
            Some(cause) => Err(StoreError::Poisoned { cause: cause.clone() }),
            None => Ok(()),
        }
    }

    /// Ends the appender over a failure that may have left something behind.
    fn settle<T>(&mut self, done: Result<T, WriteError>) -> Result<T, StoreError> {
        done.map_err(|failed| {
            if failed.clean {
                return failed.error;
            }
            let cause = match &failed.error {
                StoreError::Poisoned { cause } => cause.clone(),
                error => error.to_string(),
            };
            self.poisoned = Some(cause.clone());
            match failed.error {
                StoreError::Storage(_) => StoreError::Poisoned { cause },
                error => error,
            }
        })
    }
}
