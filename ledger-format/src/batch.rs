//! Owns the batch: the unit that becomes durable, or does not, as a whole.
//!
//! Layout: header (160 bytes, with a check of its own so that lengths can be trusted before the
//! body is read), frames (length u16, record bytes), trailer (Merkle root, batch hash).
//! Invariants: records lie in sequence; the header's counts and ranges describe exactly what
//! follows; a batch is self-contained but for the chain values it continues.

use alloc::vec::Vec;

use crate::bytes::{Reader, Writer};
use crate::{
    BatchHash, BatchNo, FormatError, PayloadId, RecordHash, Seq, TreeRoot, hash, limits,
    payload_file,
};

/// First bytes of every batch.
pub const MAGIC: [u8; 8] = *b"MLBATCH1";
/// Format major of a batch, and the oldest format its reader must know. Both are 1 in version 1.
pub const MAJOR: u16 = 1;
/// Length of the header.
pub const HEADER_BYTES: usize = 160;
/// Length of the trailer.
pub const TRAILER_BYTES: usize = 64;
/// BLAKE3 chain, SHA-256 tree.
pub const SUITE: u8 = 1;
/// `last_erasure` of a ledger that never erased anything.
pub const NO_ERASURE: u64 = u64::MAX;
const CHECKED_BYTES: usize = HEADER_BYTES - 16;

/// What a batch says before its records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchHeader {
    /// Its number.
    pub batch: BatchNo,
    /// Sequence number of its first record.
    pub first: Seq,
    /// How many records it holds; one at least.
    pub count: u32,
    /// Bytes of all frames.
    pub frames_length: u32,
    /// Epoch of the holder that wrote it.
    pub epoch: u64,
    /// Hash of the batch before; zero for batch 0.
    pub previous: BatchHash,
    /// No payload with this number or a higher one exists after this batch.
    pub next_payload: PayloadId,
    /// Number of the payload file that holds the payloads of this batch.
    pub payload_file: u32,
    /// Where they begin in it.
    pub payload_offset: u64,
    /// How many bytes they take.
    pub payload_length: u64,
    /// Last erasure intent up to this batch.
    pub last_erasure: Option<Seq>,
}

impl BatchHeader {
    /// Encodes the header with its check.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Writer::with_capacity(HEADER_BYTES);
        out.put(&MAGIC).u16(MAJOR).u16(MAJOR).u8(SUITE).u8(0).u16(160);
        out.u64(self.batch.0).u64(self.first.0).u32(self.count).u32(self.frames_length);
        out.u64(self.epoch).put(&self.previous.0).u64(self.next_payload.0);
        out.u32(self.payload_file).zeros(4).u64(self.payload_offset).u64(self.payload_length);
        out.u64(self.last_erasure.map_or(NO_ERASURE, |seq| seq.0));
        out.pad_to(CHECKED_BYTES);
        let check = hash::check(out.as_slice());
        out.put(&check.0);
        out.into_vec()
    }

    /// Decodes a header from the first bytes of a batch.
    ///
    /// # Errors
    /// Any [`FormatError`]: bad magic first, then the check, then single fields.
    pub fn decode(bytes: &[u8]) -> Result<Self, FormatError> {
        let mut reader = Reader::new("a batch header", bytes);
        reader.magic(&MAGIC)?;
        let mut whole = Reader::new("a batch header", bytes);
        let checked = whole.take(CHECKED_BYTES)?;
        if hash::check(checked).0 != whole.array::<16>()? {
            return Err(FormatError::CheckMismatch { what: "batch header check" });
        }
        let (major, min_reader) = (reader.u16()?, reader.u16()?);
        for found in [major, min_reader] {
            if found != MAJOR {
                return Err(FormatError::UnsupportedVersion { what: "a batch", found });
            }
        }
        let suite = reader.u8()?;
        if suite != SUITE {
            return Err(FormatError::UnknownNumber { what: "hash suite", found: u64::from(suite) });
        }
        reader.zeros(1)?;
        if usize::from(reader.u16()?) != HEADER_BYTES {
            return Err(FormatError::BadValue { what: "a batch header of another length" });
        }
        let header = Self {
            batch: BatchNo(reader.u64()?),
            first: Seq(reader.u64()?),
            count: reader.u32()?,
            frames_length: reader.u32()?,
            epoch: reader.u64()?,
            previous: BatchHash(reader.array()?),
            next_payload: PayloadId(reader.u64()?),
            payload_file: reader.u32()?,
            payload_offset: {
                reader.zeros(4)?;
                reader.u64()?
            },
            payload_length: reader.u64()?,
            last_erasure: match reader.u64()? {
                NO_ERASURE => None,
                seq => Some(Seq(seq)),
            },
        };
        // Reserved up to the check: 144 - 120 bytes.
        reader.zeros(24)?;
        header.check()?;
        Ok(header)
    }

    /// Bytes of the whole batch.
    #[must_use]
    pub const fn batch_length(&self) -> usize {
        HEADER_BYTES + self.frames_length as usize + TRAILER_BYTES
    }

    fn check(&self) -> Result<(), FormatError> {
        let framing = (HEADER_BYTES + TRAILER_BYTES) as u64 + u64::from(self.frames_length);
        let total = framing.saturating_add(self.payload_length);
        at_most("batch length", total, limits::BATCH_BYTES as u64)?;
        if self.count == 0 {
            return Err(FormatError::BadValue { what: "a batch without records" });
        }
        at_most("records of a batch", u64::from(self.count), limits::BATCH_RECORDS as u64)?;
        if self.first.0.checked_add(u64::from(self.count)).is_none() {
            return Err(FormatError::BadValue { what: "a sequence number beyond the last one" });
        }
        let begins = [self.batch.0 == 0, self.first.0 == 0, self.previous.is_zero()];
        if begins != [true; 3] && begins != [false; 3] {
            return Err(FormatError::BadValue { what: "only batch 0 has nothing before it" });
        }
        if self.first.0 < self.batch.0 {
            return Err(FormatError::BadValue {
                what: "fewer records than batches before a batch",
            });
        }
        if self.payload_length > 0 && self.payload_offset < payload_file::HEADER_BYTES as u64 {
            return Err(FormatError::BadValue { what: "payloads inside a payload file's header" });
        }
        let end = self.payload_offset.saturating_add(self.payload_length);
        at_most("payload file length", end, limits::PAYLOAD_FILE_BYTES)
    }
}

fn at_most(what: &'static str, found: u64, limit: u64) -> Result<(), FormatError> {
    if found > limit { Err(FormatError::TooLarge { what, found, limit }) } else { Ok(()) }
}

/// Frames records one after another.
#[derive(Clone, Debug, Default)]
pub struct FrameWriter {
    frames: Writer,
    lengths: Writer,
    count: u32,
}

impl FrameWriter {
    /// Appends one record.
    ///
    /// # Errors
    /// [`FormatError::TooLarge`] when the record or the batch would pass its limit.
    pub fn push(&mut self, record: &[u8]) -> Result<(), FormatError> {
        let length = u16::try_from(record.len()).map_err(|_| FormatError::TooLarge {
            what: "record length",
            found: record.len() as u64,
            limit: limits::RECORD_BYTES as u64,
        })?;
        let total = HEADER_BYTES + self.len() + 2 + record.len() + TRAILER_BYTES;
        at_most("batch length", total as u64, limits::BATCH_BYTES as u64)?;
        let count = u64::from(self.count) + 1;
        at_most("records of a batch", count, limits::BATCH_RECORDS as u64)?;
        self.frames.u16(length).put(record);
        self.lengths.u16(length);
        self.count += 1;
        Ok(())
    }

    /// Number of records so far.
    #[must_use]
    pub const fn count(&self) -> u32 {
        self.count
    }

    /// Bytes of all frames so far.
    #[must_use]
    pub fn len(&self) -> usize {
        self.frames.as_slice().len()
    }

    /// Whether no record was pushed.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Finishes the batch. `header.count` and `header.frames_length` are set from what was pushed.
    ///
    /// # Errors
    /// [`FormatError`] when no reader would accept the batch: it must not be written.
    pub fn finish(
        self,
        header: &BatchHeader,
        last: &RecordHash,
        root: &TreeRoot,
    ) -> Result<(Vec<u8>, BatchHash), FormatError> {
        let frames_length = u32::try_from(self.len())
            .map_err(|_| FormatError::BadValue { what: "a batch longer than its length field" })?;
        let header = BatchHeader { count: self.count, frames_length, ..header.clone() };
        header.check()?;
        let header = header.encode();
        let batch_hash = hash::batch(&header, self.lengths.as_slice(), last, root);
        let mut out = Writer::with_capacity(header.len() + self.len() + TRAILER_BYTES);
        out.put(&header).put(self.frames.as_slice()).put(&root.0).put(&batch_hash.0);
        Ok((out.into_vec(), batch_hash))
    }
}

/// A batch over its stored bytes.
#[derive(Clone, Debug)]
pub struct BatchView<'a> {
    /// The header.
    pub header: BatchHeader,
    header_bytes: &'a [u8],
    frames: &'a [u8],
    /// Merkle root over all records up to and including this batch.
    pub root: TreeRoot,
    /// Stored hash of the batch.
    pub hash: BatchHash,
}

impl<'a> BatchView<'a> {
    /// Decodes a batch from bytes that begin with it and may go on after it.
    ///
    /// # Errors
    /// [`FormatError`] when the header does not decode or bytes are missing.
    pub fn decode(bytes: &'a [u8]) -> Result<Self, FormatError> {
        let header = BatchHeader::decode(bytes)?;
        let mut reader = Reader::new("a batch", bytes);
        let header_bytes = reader.take(HEADER_BYTES)?;
        let frames = reader.take(header.frames_length as usize)?;
        let root = TreeRoot(reader.array()?);
        let hash = BatchHash(reader.array()?);
        Ok(Self { header, header_bytes, frames, root, hash })
    }

    /// Bytes of the whole batch.
    #[must_use]
    pub const fn length(&self) -> usize {
        self.header.batch_length()
    }

    /// The records as stored, in order. Ends at the first frame that does not fit, with an error.
    #[must_use]
    pub const fn records(&self) -> Records<'a> {
        Records { reader: Reader::new("a record frame", self.frames), left: self.header.count }
    }

    /// Checks the batch hash against `last`, the hash of its last record as the chain gives it.
    ///
    /// # Errors
    /// [`FormatError`] when frames do not fit or the stored hash differs.
    pub fn check_hash(&self, last: &RecordHash) -> Result<(), FormatError> {
        let mut lengths = Writer::with_capacity(2 * self.header.count as usize);
        for record in self.records() {
            let length = u16::try_from(record?.len()).map_err(|_| FormatError::BadValue {
                what: "a frame longer than its length field",
            })?;
            lengths.u16(length);
        }
        if hash::batch(self.header_bytes, lengths.as_slice(), last, &self.root) == self.hash {
            Ok(())
        } else {
            Err(FormatError::CheckMismatch { what: "batch hash" })
        }
    }
}

/// Iterates over the stored records of a batch.
#[derive(Clone, Debug)]
pub struct Records<'a> {
    reader: Reader<'a>,
    left: u32,
}

impl<'a> Iterator for Records<'a> {
    type Item = Result<&'a [u8], FormatError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.left == 0 {
            let end = self.reader.end();
            self.reader = Reader::new("a record frame", &[]);
            return end.err().map(Err);
        }
        self.left -= 1;
        let record = self.reader.u16().and_then(|length| self.reader.take(usize::from(length)));
        if record.is_err() {
            self.left = 0;
            self.reader = Reader::new("a record frame", &[]);
        }
        Some(record)
    }
}
