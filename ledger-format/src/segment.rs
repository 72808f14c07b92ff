//! Owns the header of a segment file (4,096 bytes): which ledger it belongs to, what precedes it,
//! and the Merkle frontier at its beginning, so that a segment can be verified on its own.

use alloc::vec::Vec;

use crate::bytes::{Reader, Writer};
use crate::tree::Frontier;
use crate::{BatchHash, BatchNo, FormatError, LedgerId, RecordHash, SegmentNo, Seq, hash, limits};

/// First bytes of every segment file.
pub const MAGIC: [u8; 8] = *b"MLSEGMT1";
/// Version of the header.
pub const VERSION: u16 = 1;
/// Length of the header; the first batch begins here.
pub const HEADER_BYTES: usize = 4_096;
const CHECKED_BYTES: usize = HEADER_BYTES - 16;

/// What a segment says about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SegmentHeader {
    /// The ledger.
    pub ledger: LedgerId,
    /// Number of this segment.
    pub segment: SegmentNo,
    /// Number of its first batch.
    pub first_batch: BatchNo,
    /// Sequence number of its first record.
    pub first_seq: Seq,
    /// Epoch of the holder that made it.
    pub epoch: u64,
    /// Hash of the record before its first; zero for segment 0.
    pub previous_record: RecordHash,
    /// Hash of the batch before its first; zero for segment 0.
    pub previous_batch: BatchHash,
    /// Length of the segment before, up to the end of its last batch; 0 for segment 0.
    pub previous_length: u64,
    /// Merkle frontier over all records before its first.
    pub frontier: Frontier,
}

impl SegmentHeader {
    /// Encodes the header with its check.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Writer::with_capacity(HEADER_BYTES);
        out.put(&MAGIC).u16(VERSION).zeros(6).put(&self.ledger.0);
        out.u64(self.segment.0).u64(self.first_batch.0).u64(self.first_seq.0).u64(self.epoch);
        out.put(&self.previous_record.0).put(&self.previous_batch.0).u64(self.previous_length);
        for node in self.frontier.nodes() {
            out.put(node);
        }
        out.pad_to(CHECKED_BYTES);
        let check = hash::check(out.as_slice());
        out.put(&check.0);
        out.into_vec()
    }

    /// Decodes a header from the first bytes of a segment file.
    ///
    /// # Errors
    /// Any [`FormatError`].
    pub fn decode(bytes: &[u8]) -> Result<Self, FormatError> {
        let mut reader = Reader::new("a segment header", bytes);
        reader.magic(&MAGIC)?;
        let mut whole = Reader::new("a segment header", bytes);
        let checked = whole.take(CHECKED_BYTES)?;
        if hash::check(checked).0 != whole.array::<16>()? {
            return Err(FormatError::CheckMismatch { what: "segment header check" });
        }
        let version = reader.u16()?;
        if version != VERSION {
            return Err(FormatError::UnsupportedVersion { what: "a segment", found: version });
        }
        reader.zeros(6)?;
        let ledger = LedgerId(reader.array()?);
        let segment = SegmentNo(reader.u64()?);
        let first_batch = BatchNo(reader.u64()?);
        let first_seq = Seq(reader.u64()?);
        let epoch = reader.u64()?;
        let previous_record = RecordHash(reader.array()?);
        let previous_batch = BatchHash(reader.array()?);
        let previous_length = reader.u64()?;
        let levels = first_seq.0.count_ones() as usize;
        let mut nodes = Vec::with_capacity(levels.min(limits::FRONTIER_LEVELS));
        for _ in 0..levels {
            nodes.push(reader.array()?);
        }
        let frontier = Frontier::from_parts(first_seq.0, nodes)?;
        let header = Self {
            ledger,
            segment,
            first_batch,
            first_seq,
            epoch,
            previous_record,
            previous_batch,
            previous_length,
            frontier,
        };
        header.check()?;
        // The check covers every byte; comparing with a re-encoding refuses set padding too.
        if header.encode() != bytes.get(..HEADER_BYTES).unwrap_or_default() {
            return Err(FormatError::NotCanonical { what: "a segment header" });
        }
        Ok(header)
    }

    fn check(&self) -> Result<(), FormatError> {
        let begins = [
            self.segment.0 == 0,
            self.first_batch.0 == 0,
            self.first_seq.0 == 0,
            self.previous_batch.is_zero(),
            self.previous_record.is_zero(),
            self.previous_length == 0,
        ];
        if begins == [true; 6] || begins == [false; 6] {
            Ok(())
        } else {
            Err(FormatError::BadValue { what: "only segment 0 has nothing before it" })
        }
    }
}
