//! Owns the one holder of a log: where it stands, its lock, and what a commit does in which order.
//!
//! Invariants: the head moves after both flushes and not before; a commit that failed in a way that
//! may have left anything behind ends the appender; nothing that failed is flushed again.
//! May not: read a clock (the caller says what time it is) or decode a body.

use std::sync::Arc;

use ledger_format::payload_file;
use ledger_format::segment::{HEADER_BYTES, SegmentHeader};
use ledger_format::tree::Frontier;
use ledger_format::{
    BatchHash, BatchNo, LedgerId, Micros, PayloadId, RecordHash, SegmentNo, Seq, limits,
};

use super::ahead::AheadFile;
use super::anchor_file::{AnchorWriter, create_blank, read_anchors};
use super::builder::{Base, BatchBuilder, Finished};
use super::flusher::{Flusher, write_and_flush};
use super::payload_writer::{PayloadPlace, PayloadWriter};
use super::recover::{Recovery, list_segments, recover};
use super::segment_file;
use super::write_error::WriteError;
use crate::error::StoreError;
use crate::head::{Head, Position};
use crate::layout;
use crate::options::StoreOptions;
use crate::reader::{Reader, Shared};
use crate::storage::{LockGuard, RelPath, Storage};

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
    /// Makes an empty log and holds it. The first commit makes the first segment and the first
    /// anchor.
    ///
    /// # Errors
    /// [`StoreError::AlreadyThere`] where a log is, [`StoreError::Busy`] while another opener holds
    /// the directory, [`StoreError::Invalid`] for options beyond the limits of the format, or a
    /// failing storage.
    pub fn create(
        storage: Arc<dyn Storage>,
        ledger: LedgerId,
        epoch: u64,
        options: StoreOptions,
    ) -> Result<Self, StoreError> {
        check_options(&options)?;
        let lock = storage.try_lock()?;
        refuse_existing(&*storage)?;
        for dir in [layout::LOG, layout::PAYLOADS, layout::QUARANTINE] {
            storage.create_dir(&dir)?;
        }
        storage.sync_dir(&RelPath::ROOT)?;
        create_blank(&*storage)?;
        let anchors = AnchorWriter::open(&*storage, ledger, &read_anchors(&*storage)?)?;
        let shared = Shared::new(storage, ledger, None, Vec::new());
        shared.go_live();
        Ok(Self {
            payloads: PayloadWriter::new(ledger, 0, payload_file::HEADER_BYTES as u64),
            shared: Arc::new(shared),
            options,
            epoch,
            frontier: Frontier::new(),
            segment: None,
            flusher: None,
            anchors,
            anchored: None,
            anchored_clean: false,
            unanchored_bytes: 0,
            dirty_since: None,
            poisoned: None,
            lock,
        })
    }

    /// Takes the lock of an existing log and recovers it.
    ///
    /// # Errors
    /// [`StoreError::NotALedger`], [`StoreError::Busy`], [`StoreError::AnchorDamaged`],
    /// [`StoreError::Lost`], [`StoreError::Damaged`], [`StoreError::Foreign`],
    /// [`StoreError::Unsupported`], [`StoreError::Invalid`] for options beyond the limits of the
    /// format, or a failing storage.
    pub fn open(
        storage: Arc<dyn Storage>,
        ledger: LedgerId,
        options: StoreOptions,
    ) -> Result<(Self, Recovery), StoreError> {
        check_options(&options)?;
        // Before the lock, which would leave its file in a directory that is no ledger.
        refuse_missing(&*storage)?;
        let lock = storage.try_lock()?;
        let recovered = recover(&*storage, ledger)?;
        let position = recovered.position;
        let (file, end) = position.map_or((0, payload_file::HEADER_BYTES as u64), |position| {
            (position.payload_file, position.payload_end)
        });
        let shared = Shared::new(storage, ledger, position, recovered.headers);
        shared.go_live();
        let appender = Self {
            payloads: PayloadWriter::new(ledger, file, end),
            shared: Arc::new(shared),
            options,
            epoch: recovered.recovery.next_epoch,
            frontier: recovered.frontier,
            segment: None,
            flusher: None,
            anchors: recovered.anchors,
            anchored: position,
            anchored_clean: recovered.clean,
            unanchored_bytes: 0,
            dirty_since: None,
            poisoned: None,
            lock,
        };
        Ok((appender, recovered.recovery))
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
            return Err(StoreError::Invalid {
                what: "a batch without records",
            });
        }
        let base = builder.base();
        let next = self.head().map_or((BatchNo(0), BatchHash::ZERO), |head| {
            (head.batch.next(), head.batch_hash)
        });
        if (base.batch, base.previous) != next || base.epoch != self.epoch {
            return Err(StoreError::Invalid {
                what: "a batch that was begun at another head",
            });
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
        let ahead = match &mut self.segment {
            Some(segment) => segment.fill_ahead(),
            None => Ok(()),
        };
        let done = ahead.and_then(|()| self.payloads.fill_ahead());
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
            return Err(StoreError::Invalid {
                what: "a range that holds no payload",
            });
        }
        let done = self
            .overwrite(file, offset, u64::from(length))
            .map_err(WriteError::poison);
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

    fn write_batch(&mut self, mut builder: BatchBuilder) -> Result<Head, WriteError> {
        self.enter_segment(&builder)?;
        let payload_length = builder.payload_bytes();
        let storage = Arc::clone(self.shared.storage());
        let place = self
            .payloads
            .place(&*storage, &self.options, payload_length)?;
        let payload = builder.take_payload();
        let (number, offset) = (place.number, place.offset);
        let finished = builder.finish(number, offset, payload_length);
        self.flush_both(place, payload, &finished.bytes)?;

        let first = self.shared.position().is_none();
        self.payloads.advance(payload_length);
        let length = finished.bytes.len() as u64;
        let position = self.take_in(finished, length);
        self.unanchored_bytes += length + payload_length;
        if first {
            // With a blank copy a damaged log could not be told from a fresh one for certain.
            self.write_anchor_at(&position, false)?;
            self.write_anchor_at(&position, false)?;
        }
        self.shared.publish(position);
        Ok(position.head)
    }

    /// The position after a batch that is durable.
    fn take_in(&mut self, finished: Finished, length: u64) -> Position {
        let segment = self
            .segment
            .as_mut()
            .expect("a batch is written into an open segment");
        segment.advance(length);
        self.frontier = finished.frontier;
        let number = self.shared.last_segment().unwrap_or_default();
        Position {
            head: Head {
                seq: finished.last_seq,
                hash: finished.last,
                recorded_at: finished.recorded_at,
                batch: self
                    .shared
                    .position()
                    .map_or(BatchNo(0), |old| old.head.batch.next()),
                batch_hash: finished.hash,
                root: finished.root,
                epoch: self.epoch,
                next_payload: finished.next_payload,
                last_erasure: finished.last_erasure,
            },
            segment: number,
            segment_end: segment.end(),
            payload_file: self.payloads.number(),
            payload_end: self.payloads.end(),
        }
    }

    /// Makes sure that a segment of this holder has room for the batch.
    fn enter_segment(&mut self, builder: &BatchBuilder) -> Result<(), WriteError> {
        let length = builder.log_bytes();
        if let Some(segment) = &mut self.segment {
            let is_empty = segment.end() == HEADER_BYTES as u64;
            if is_empty || segment.end() + length <= self.options.segment_bytes {
                return segment.reserve(length);
            }
            segment.seal().map_err(WriteError::poison)?;
            self.segment = None;
        }
        self.check_lock()?;
        let before = self.shared.position();
        let base = builder.base();
        let header = SegmentHeader {
            ledger: self.shared.ledger(),
            segment: before.map_or(SegmentNo(0), |position| position.segment.next()),
            first_batch: base.batch,
            first_seq: base.first,
            epoch: self.epoch,
            previous_record: base.record,
            previous_batch: base.previous,
            previous_length: before.map_or(0, |position| position.segment_end),
            frontier: base.frontier.clone(),
        };
        let mut segment = segment_file::create(&**self.shared.storage(), &header, &self.options)?;
        self.shared.add_segment(header);
        let room = segment.reserve(length);
        self.segment = Some(segment);
        room
    }

    /// Writes both ranges and waits until both are down.
    fn flush_both(
        &mut self,
        place: PayloadPlace,
        payload: Vec<u8>,
        batch: &[u8],
    ) -> Result<(), WriteError> {
        let segment = self
            .segment
            .as_ref()
            .expect("a batch is written into an open segment");
        let (file, at) = (Arc::clone(segment.file()), segment.end());
        let Some(payload_file) = place.file else {
            return write_and_flush(&*file, batch, at).map_err(WriteError::poison);
        };
        if !self.options.concurrent {
            payload_file
                .write_all_at(&payload, place.offset)
                .map_err(WriteError::poison)?;
            file.write_all_at(batch, at).map_err(WriteError::poison)?;
            payload_file.sync_data().map_err(WriteError::poison)?;
            return file.sync_data().map_err(WriteError::poison);
        }
        let gone = || StoreError::Poisoned {
            cause: "the payload thread ended".to_owned(),
        };
        if self.flusher.is_none() {
            let started = Flusher::start().map_err(|error| StoreError::Poisoned {
                cause: format!("the payload thread could not be started: {error}"),
            });
            self.flusher = Some(started.map_err(WriteError::poison)?);
        }
        let flusher = self.flusher.as_ref().expect("it was just started");
        if !flusher.begin(payload_file, payload, place.offset) {
            return Err(WriteError::poison(gone()));
        }
        let log = write_and_flush(&*file, batch, at);
        // Waited for even if the log failed: no write may still be under way after this.
        let payloads = flusher.wait().ok_or_else(|| WriteError::poison(gone()))?;
        log.and(payloads).map_err(WriteError::poison)
    }

    fn write_anchor(&mut self, clean: bool) -> Result<(), WriteError> {
        match self.shared.position() {
            Some(position) => self.write_anchor_at(&position, clean),
            None => Ok(()),
        }
    }

    fn write_anchor_at(&mut self, position: &Position, clean: bool) -> Result<(), WriteError> {
        self.check_lock()?;
        self.anchors
            .write(position, clean)
            .map_err(WriteError::poison)?;
        self.anchored = Some(*position);
        self.anchored_clean = clean;
        self.unanchored_bytes = 0;
        self.dirty_since = None;
        Ok(())
    }

    fn overwrite(&self, number: u32, offset: u64, length: u64) -> Result<(), StoreError> {
        let file = self
            .shared
            .storage()
            .open_write(&layout::payload_file(number))?;
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
            Some(cause) => Err(StoreError::Poisoned {
                cause: cause.clone(),
            }),
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

fn check_options(options: &StoreOptions) -> Result<(), StoreError> {
    let fits = options.segment_bytes <= limits::SEGMENT_BYTES
        && options.payload_file_bytes <= limits::PAYLOAD_FILE_BYTES;
    if fits {
        Ok(())
    } else {
        Err(StoreError::Invalid {
            what: "files longer than the format allows",
        })
    }
}

fn refuse_existing(storage: &dyn Storage) -> Result<(), StoreError> {
    if let Some(number) = list_segments(storage)?.first() {
        return Err(StoreError::AlreadyThere {
            file: layout::segment(*number),
        });
    }
    if read_anchors(storage)?.are_empty() {
        return Ok(());
    }
    let [file, _] = layout::ANCHORS;
    Err(StoreError::AlreadyThere { file })
}

fn refuse_missing(storage: &dyn Storage) -> Result<(), StoreError> {
    let anchors = read_anchors(storage)?;
    if anchors.are_empty() && !anchors.are_blank() && list_segments(storage)?.is_empty() {
        let missing = if anchors.are_missing() {
            "log and anchors are missing"
        } else {
            "its creation was interrupted before the first record"
        };
        return Err(StoreError::NotALedger {
            missing: missing.to_owned(),
        });
    }
    Ok(())
}
