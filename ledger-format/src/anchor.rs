//! Owns the head anchor (512 bytes): a lower bound for the log, kept in two files written in turn.
//!
//! Invariants: a log that ends below a valid anchor has lost acknowledged records; an unreadable
//! copy never means that the ledger is fresh.

use alloc::vec::Vec;

use crate::bytes::{Reader, Writer};
use crate::{
    BatchHash, BatchNo, FormatError, LedgerId, Micros, PayloadId, RecordHash, SegmentNo, Seq,
    TreeRoot, hash,
};

/// First bytes of an anchor.
pub const MAGIC: [u8; 8] = *b"MLANCHR1";
/// Version of the layout.
pub const VERSION: u16 = 1;
/// Length of an anchor.
pub const BYTES: usize = 512;
const CHECKED_BYTES: usize = BYTES - 16;

/// A durable head of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Anchor {
    /// The ledger.
    pub ledger: LedgerId,
    /// Counts the anchors written; the higher one of two valid copies counts.
    pub counter: u64,
    /// Whether the holder closed the ledger after this batch.
    pub clean: bool,
    /// Epoch of the holder.
    pub epoch: u64,
    /// The last batch covered.
    pub batch: BatchNo,
    /// Its hash.
    pub batch_hash: BatchHash,
    /// The last record covered.
    pub seq: Seq,
    /// Its hash.
    pub record_hash: RecordHash,
    /// Its time.
    pub recorded_at: Micros,
    /// Root over all records up to it.
    pub root: TreeRoot,
    /// Segment that holds the batch.
    pub segment: SegmentNo,
    /// Where the batch ends in it.
    pub segment_end: u64,
    /// Payload file in use.
    pub payload_file: u32,
    /// Where the last payload range ends in it.
    pub payload_end: u64,
    /// No payload with this number or a higher one exists up to this batch.
    pub next_payload: PayloadId,
    /// Last erasure intent up to this batch.
    pub last_erasure: Option<Seq>,
}

impl Anchor {
    /// Encodes the anchor with its check.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Writer::with_capacity(BYTES);
        out.put(&MAGIC).u16(VERSION).u8(u8::from(self.clean)).zeros(5).put(&self.ledger.0);
        out.u64(self.counter).u64(self.epoch);
        out.u64(self.batch.0).put(&self.batch_hash.0);
        out.u64(self.seq.0).put(&self.record_hash.0).i64(self.recorded_at.0).put(&self.root.0);
        out.u64(self.segment.0).u64(self.segment_end);
        out.u32(self.payload_file).zeros(4).u64(self.payload_end).u64(self.next_payload.0);
        out.u64(self.last_erasure.map_or(u64::MAX, |seq| seq.0));
        out.pad_to(CHECKED_BYTES);
        let check = hash::check(out.as_slice());
        out.put(&check.0);
        out.into_vec()
    }

    /// Decodes an anchor from exactly its bytes.
    ///
    /// # Errors
    /// Any [`FormatError`].
    pub fn decode(bytes: &[u8]) -> Result<Self, FormatError> {
        // A file of another kind is said to be one, and not to be a damaged anchor.
        Reader::new("a head anchor", bytes).magic(&MAGIC)?;
        let mut whole = Reader::new("a head anchor", bytes);
        let checked = whole.take(CHECKED_BYTES)?;
        if hash::check(checked).0 != whole.array::<16>()? {
            return Err(FormatError::CheckMismatch { what: "head anchor check" });
        }
        whole.end()?;
        let anchor = Self::fields(bytes)?;
        if anchor.encode() != bytes {
            return Err(FormatError::NotCanonical { what: "a head anchor" });
        }
        Ok(anchor)
    }

    /// What bytes that fail their check would say if nothing else were wrong with them. It proves
    /// nothing: it can only be a reason for doubt.
    #[must_use]
    pub fn claim(bytes: &[u8]) -> Option<Self> {
        Self::fields(bytes).ok()
    }

    fn fields(bytes: &[u8]) -> Result<Self, FormatError> {
        let mut reader = Reader::new("a head anchor", bytes);
        reader.magic(&MAGIC)?;
        let version = reader.u16()?;
        if version != VERSION {
            return Err(FormatError::UnsupportedVersion { what: "a head anchor", found: version });
        }
        let clean = match reader.u8()? {
            0 => false,
            1 => true,
            _ => return Err(FormatError::ReservedNotZero { what: "anchor flags" }),
        };
        reader.zeros(5)?;
        Ok(Self {
            clean,
            ledger: LedgerId(reader.array()?),
            counter: reader.u64()?,
            epoch: reader.u64()?,
            batch: BatchNo(reader.u64()?),
            batch_hash: BatchHash(reader.array()?),
            seq: Seq(reader.u64()?),
            record_hash: RecordHash(reader.array()?),
            recorded_at: Micros(reader.i64()?),
            root: TreeRoot(reader.array()?),
            segment: SegmentNo(reader.u64()?),
            segment_end: reader.u64()?,
            payload_file: reader.u32()?,
            payload_end: {
                reader.zeros(4)?;
                reader.u64()?
            },
            next_payload: PayloadId(reader.u64()?),
            last_erasure: match reader.u64()? {
                u64::MAX => None,
                seq => Some(Seq(seq)),
            },
        })
    }
}
