//! Owns what a commit does, in order: room, places, bytes, both flushes, head; and making room for
//! a batch before it is made.
//!
//! Invariant: nothing of a batch is written before there is room for all of it.

use std::sync::Arc;

use ledger_format::segment::{HEADER_BYTES, SegmentHeader};
use ledger_format::{BatchNo, SegmentNo};

use super::Appender;
use crate::error::StoreError;
use crate::head::{Head, Position};
use crate::log::builder::{Base, BatchBuilder, Finished};
use crate::log::flusher::{Flusher, write_and_flush};
use crate::log::payload_writer::PayloadPlace;
use crate::log::segment_file;
use crate::log::write_error::WriteError;

impl Appender {
    pub(super) fn write_batch(&mut self, builder: BatchBuilder) -> Result<Head, WriteError> {
        // A process that was paused may have a successor by now, whose log goes on elsewhere.
        self.check_lock()?;
        self.enter_segment(builder.base(), builder.log_bytes())?;
        let payload_length = builder.payload_bytes();
        let storage = Arc::clone(self.shared.storage());
        let place = self.payloads.place(&*storage, &self.options, payload_length)?;
        let finished = self.flush_both(place, builder)?;
        self.check_lock()?;

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
        let segment = self.segment.as_mut().expect("a batch is written into an open segment");
        segment.advance(length);
        self.frontier = finished.frontier;
        let number = self.shared.last_segment().unwrap_or_default();
        Position {
            head: Head {
                seq: finished.last_seq,
                hash: finished.last,
                recorded_at: finished.recorded_at,
                batch: self.shared.position().map_or(BatchNo(0), |old| old.head.batch.next()),
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

    /// Makes room for a batch of so many bytes.
    pub(super) fn make_room(
        &mut self,
        base: &Base,
        log: u64,
        payload: u64,
    ) -> Result<(), WriteError> {
        self.enter_segment(base, log)?;
        let storage = Arc::clone(self.shared.storage());
        self.payloads.place(&*storage, &self.options, payload).map(drop)
    }

    /// Whether the segment in use is the one for a batch of so many bytes.
    pub(super) fn segment_takes(&self, length: u64) -> bool {
        self.segment.as_ref().is_some_and(|segment| {
            let is_empty = segment.end() == HEADER_BYTES as u64;
            is_empty || segment.end() + length <= self.options.segment_bytes
        })
    }

    /// Makes sure that a segment of this holder has room for a batch.
    fn enter_segment(&mut self, base: &Base, length: u64) -> Result<(), WriteError> {
        let fits = self.segment_takes(length);
        if let Some(segment) = &mut self.segment {
            if fits {
                return segment.reserve(length);
            }
            segment.seal().map_err(WriteError::poison)?;
            self.segment = None;
        }
        self.check_lock()?;
        let before = self.shared.position();
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

    /// Closes the batch over its place, writes both ranges and waits until both are down.
    fn flush_both(
        &mut self,
        place: PayloadPlace,
        mut builder: BatchBuilder,
    ) -> Result<Finished, WriteError> {
        let segment = self.segment.as_ref().expect("a batch is written into an open segment");
        let (file, at) = (Arc::clone(segment.file()), segment.end());
        let (payload, length) = (builder.take_payload(), builder.payload_bytes());
        let finish = || builder.finish(place.number, place.offset, length);
        let Some(payload_file) = place.file else {
            let finished = finish();
            write_and_flush(&*file, &finished.bytes, at).map_err(WriteError::poison)?;
            return Ok(finished);
        };
        if !self.options.concurrent {
            let finished = finish();
            let payload = payload.concat();
            payload_file.write_all_at(&payload, place.offset).map_err(WriteError::poison)?;
            file.write_all_at(&finished.bytes, at).map_err(WriteError::poison)?;
            payload_file.sync_data().map_err(WriteError::poison)?;
            file.sync_data().map_err(WriteError::poison)?;
            return Ok(finished);
        }
        let gone = || WriteError::poison(thread("the payload thread ended"));
        let flusher = self.flusher()?;
        if !flusher.begin(payload_file, payload, place.offset) {
            return Err(gone());
        }
        // Hashed while the payloads are on their way.
        let finished = finish();
        let log = write_and_flush(&*file, &finished.bytes, at);
        // Waited for even if the log failed: no write may still be under way after this.
        let payloads = flusher.wait().ok_or_else(gone)?;
        log.and(payloads).map_err(WriteError::poison)?;
        Ok(finished)
    }

    fn flusher(&mut self) -> Result<&Flusher, WriteError> {
        let flusher = match self.flusher.take() {
            Some(running) => running,
            None => Flusher::start().map_err(|error| {
                WriteError::poison(thread(&format!("no thread for payloads: {error}")))
            })?,
        };
        Ok(self.flusher.insert(flusher))
    }
}

fn thread(cause: &str) -> StoreError {
    StoreError::Poisoned { cause: cause.to_owned() }
}
