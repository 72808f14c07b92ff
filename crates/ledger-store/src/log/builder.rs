//! Owns putting records into one batch: sequence, links, frames, Merkle tree, payload range.
//!
//! Invariants: what is pushed continues the head the builder was begun at; an error leaves the
//! builder as it was; the bytes are laid out once, where they are written from.
//! May not: touch a file.

use ledger_format::batch::{BatchHeader, HEADER_BYTES, TRAILER_BYTES};
use ledger_format::hash::{self, RecordHasher};
use ledger_format::payload::Sealed;
use ledger_format::tree::Frontier;
use ledger_format::{
    BatchHash, BatchNo, Extension, Micros, PayloadId, Record, RecordHash, RecordHeader, Seq,
    TreeRoot, limits,
};

use crate::error::StoreError;

/// A record to be appended.
#[derive(Clone, Debug)]
pub struct NewRecord {
    /// Its fixed header; `seq` and `prev` are overwritten.
    pub header: RecordHeader,
    /// Its body.
    pub body: Vec<u8>,
    /// Its sealed payloads.
    pub payloads: Vec<Sealed>,
    /// Its extensions, sorted by tag.
    pub extensions: Vec<Extension>,
}

/// What a batch continues.
#[derive(Clone, Debug)]
pub(crate) struct Base {
    pub(crate) batch: BatchNo,
    pub(crate) first: Seq,
    pub(crate) record: RecordHash,
    pub(crate) previous: BatchHash,
    pub(crate) recorded_at: Micros,
    pub(crate) frontier: Frontier,
    pub(crate) epoch: u64,
    pub(crate) next_payload: PayloadId,
    pub(crate) last_erasure: Option<Seq>,
}

/// A batch in the making.
#[derive(Clone, Debug)]
pub struct BatchBuilder {
    base: Base,
    hasher: RecordHasher,
    /// Room for the header, then the frames.
    bytes: Vec<u8>,
    lengths: Vec<u8>,
    /// Where each record begins and ends in `bytes`.
    records: Vec<(usize, usize)>,
    /// Stored payloads, one after another; joined where they are written.
    payload: Vec<Vec<u8>>,
    payload_bytes: u64,
    frontier: Frontier,
    last: RecordHash,
    recorded_at: Micros,
    next_payload: PayloadId,
    last_erasure: Option<Seq>,
}

/// A finished batch.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) bytes: Vec<u8>,
    pub(crate) hash: BatchHash,
    pub(crate) root: TreeRoot,
    pub(crate) last_seq: Seq,
    pub(crate) last: RecordHash,
    pub(crate) recorded_at: Micros,
    pub(crate) next_payload: PayloadId,
    pub(crate) last_erasure: Option<Seq>,
    pub(crate) frontier: Frontier,
}

impl BatchBuilder {
    pub(crate) fn new(base: Base, hasher: RecordHasher) -> Self {
        Self {
            hasher,
            bytes: vec![0; HEADER_BYTES],
            lengths: Vec::new(),
            records: Vec::new(),
            payload: Vec::new(),
            payload_bytes: 0,
            frontier: base.frontier.clone(),
            last: base.record,
            recorded_at: base.recorded_at,
            next_payload: base.next_payload,
            last_erasure: base.last_erasure,
            base,
        }
    }

    /// Appends one record and returns where it stands and its hash.
    ///
    /// # Errors
    /// [`StoreError::TooLarge`] when the batch would pass a limit; [`StoreError::Format`] when the
    /// record cannot be encoded; [`StoreError::Invalid`] when its time lies before that of the
    /// record before it or a payload is not as long as its reference says. The builder is then as
    /// it was.
    pub fn push(&mut self, record: NewRecord) -> Result<(Seq, RecordHash), StoreError> {
        let NewRecord { header, body, payloads, extensions } = record;
        if header.recorded_at < self.recorded_at {
            return Err(StoreError::Invalid {
                what: "a record's time lies before that of the record before it",
            });
        }
        let seq = self.next_seq();
        let mut references = Vec::with_capacity(payloads.len());
        let mut payload_bytes = 0u64;
        let mut next_payload = self.next_payload;
        for sealed in &payloads {
            if sealed.stored.len() as u64 != u64::from(sealed.reference.length) {
                return Err(StoreError::Invalid {
                    what: "a sealed payload is not as long as its reference says",
                });
            }
            payload_bytes += sealed.stored.len() as u64;
            next_payload = next_payload.max(sealed.reference.id.next());
            references.push(sealed.reference.clone());
        }
        let recorded_at = header.recorded_at;
        let header = RecordHeader { seq, prev: self.last, ..header };
        let bytes = Record { header, body, payloads: references, extensions }.encode()?;
        let length = u16::try_from(bytes.len()).expect("a record that encodes has a 16-bit length");
        self.check_room(2 + bytes.len() as u64 + payload_bytes)?;

        let hash = self.hasher.hash(&bytes);
        self.bytes.extend_from_slice(&length.to_le_bytes());
        let start = self.bytes.len();
        self.bytes.extend_from_slice(&bytes);
        self.records.push((start, self.bytes.len()));
        self.lengths.extend_from_slice(&length.to_le_bytes());
        self.payload.extend(payloads.into_iter().map(|sealed| sealed.stored));
        self.payload_bytes += payload_bytes;
        self.frontier.push(&bytes);
        self.last = hash;
        self.recorded_at = recorded_at;
        self.next_payload = next_payload;
        Ok((seq, hash))
    }

    /// Appends all records or none.
    ///
    /// # Errors
    /// As [`BatchBuilder::push`]; the builder is then as it was before the first of them.
    /// [`StoreError::TooLarge`] says `alone` only if the builder was empty.
    pub fn push_all(
        &mut self,
        records: Vec<NewRecord>,
    ) -> Result<Vec<(Seq, RecordHash)>, StoreError> {
        let (bytes, payload, count) = (self.bytes.len(), self.payload.len(), self.records.len());
        let payload_bytes = self.payload_bytes;
        let frontier = self.frontier.clone();
        let (last, recorded_at) = (self.last, self.recorded_at);
        let next_payload = self.next_payload;
        let done: Result<Vec<_>, _> = records.into_iter().map(|record| self.push(record)).collect();
        done.map_err(|error| {
            self.bytes.truncate(bytes);
            self.lengths.truncate(2 * count);
            self.payload.truncate(payload);
            self.payload_bytes = payload_bytes;
            self.records.truncate(count);
            self.frontier = frontier;
            (self.last, self.recorded_at, self.next_payload) = (last, recorded_at, next_payload);
            match error {
                StoreError::TooLarge { records, bytes, .. } => {
                    StoreError::TooLarge { records, bytes, alone: count == 0 }
                }
                error => error,
            }
        })
    }

    /// Says that payload numbers below `next` may be in use after this batch. Never goes back.
    pub fn set_next_payload(&mut self, next: PayloadId) {
        self.next_payload = self.next_payload.max(next);
    }

    /// Says that the record `seq` is the last erasure intent. Never goes back.
    pub fn set_last_erasure(&mut self, seq: Seq) {
        self.last_erasure = self.last_erasure.max(Some(seq));
    }

    /// Records so far.
    #[must_use]
    pub fn count(&self) -> usize {
        self.records.len()
    }

    /// Bytes of the batch as it stands, payloads included.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.log_bytes() + self.payload_bytes
    }

    /// Whether nothing was pushed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// Where the next record will stand.
    #[must_use]
    pub fn next_seq(&self) -> Seq {
        Seq(self.base.first.0 + self.records.len() as u64)
    }

    /// The stored bytes of the record with this place in the batch; empty if there is none.
    #[must_use]
    pub fn record_bytes(&self, place: usize) -> &[u8] {
        self.records
            .get(place)
            .and_then(|(start, end)| self.bytes.get(*start..*end))
            .unwrap_or_default()
    }

    pub(crate) fn base(&self) -> &Base {
        &self.base
    }

    /// Bytes that the batch takes in the segment.
    pub(crate) fn log_bytes(&self) -> u64 {
        (self.bytes.len() + TRAILER_BYTES) as u64
    }

    /// The payload range, in pieces.
    pub(crate) fn take_payload(&mut self) -> Vec<Vec<u8>> {
        std::mem::take(&mut self.payload)
    }

    pub(crate) const fn payload_bytes(&self) -> u64 {
        self.payload_bytes
    }

    /// Closes the batch over the payload range it was given.
    pub(crate) fn finish(self, file: u32, offset: u64, payload_length: u64) -> Finished {
        let small = "check_room keeps a batch far below 4 GiB";
        let header = BatchHeader {
            batch: self.base.batch,
            first: self.base.first,
            count: u32::try_from(self.records.len()).expect(small),
            frames_length: u32::try_from(self.bytes.len() - HEADER_BYTES).expect(small),
            epoch: self.base.epoch,
            previous: self.base.previous,
            next_payload: self.next_payload,
            payload_file: file,
            payload_offset: offset,
            payload_length,
            last_erasure: self.last_erasure,
        }
        .encode();
        let root = self.frontier.root();
        let hash = hash::batch(&header, &self.lengths, &self.last, &root);
        let mut bytes = self.bytes;
        if let Some(place) = bytes.get_mut(..HEADER_BYTES) {
            place.copy_from_slice(&header);
        }
        bytes.extend_from_slice(&root.0);
        bytes.extend_from_slice(&hash.0);
        Finished {
            bytes,
            hash,
            root,
            last_seq: Seq(self.base.first.0 + (self.records.len() as u64).saturating_sub(1)),
            last: self.last,
            recorded_at: self.recorded_at,
            next_payload: self.next_payload,
            last_erasure: self.last_erasure,
            frontier: self.frontier,
        }
    }

    fn check_room(&self, more: u64) -> Result<(), StoreError> {
        let (records, bytes) = (self.records.len() + 1, self.bytes() + more);
        if records > limits::BATCH_RECORDS || bytes > limits::BATCH_BYTES as u64 {
            return Err(StoreError::TooLarge { records, bytes, alone: self.is_empty() });
        }
        Ok(())
    }
}
