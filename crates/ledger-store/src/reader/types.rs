//! Owns what readers hand out.

use ledger_format::batch::BatchHeader;
use ledger_format::tree::Frontier;
use ledger_format::{BatchHash, BatchNo, RecordHash, SegmentNo, Seq, TreeRoot};

use crate::log::chain::Span;
use crate::storage::RelPath;

/// How much a reader checks on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check {
    /// Everything that the log can prove by itself: links, sequence, batch hashes, Merkle roots.
    Chain,
    /// Only that batch headers pass their check and records lie in sequence. Changed bytes inside
    /// a record are not noticed, and its hash is the one that the record after it names.
    None,
}

/// Where a record lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The segment.
    pub segment: SegmentNo,
    /// Where the record's bytes begin in the segment file.
    pub offset: u64,
    /// The batch.
    pub batch: BatchNo,
}

/// A record as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredRecord {
    /// Its number.
    pub seq: Seq,
    /// Its hash.
    pub hash: RecordHash,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Where they lie.
    pub place: Place,
    /// The payload file of its batch.
    pub payload_file: u32,
    /// Where its first payload lies there; later ones follow in the order of the references.
    pub payload_offset: u64,
}

/// A record inside a batch in memory.
#[derive(Clone, Copy, Debug)]
pub struct BatchRecord<'a> {
    /// Its number.
    pub seq: Seq,
    /// Its hash.
    pub hash: RecordHash,
    /// Its bytes as stored.
    pub bytes: &'a [u8],
    /// Where they lie.
    pub place: Place,
    /// The payload file of its batch.
    pub payload_file: u32,
    /// Where its first payload lies there; later ones follow in the order of the references.
    pub payload_offset: u64,
}

impl BatchRecord<'_> {
    /// The same record with bytes of its own.
    #[must_use]
    pub fn to_stored(&self) -> StoredRecord {
        StoredRecord {
            seq: self.seq,
            hash: self.hash,
            bytes: self.bytes.to_vec(),
            place: self.place,
            payload_file: self.payload_file,
            payload_offset: self.payload_offset,
        }
    }
}

/// A batch in memory that passed the checks asked for.
#[derive(Clone, Copy, Debug)]
pub struct VerifiedBatch<'a> {
    /// Its header.
    pub header: &'a BatchHeader,
    /// Its hash.
    pub hash: BatchHash,
    /// Merkle root over all records up to its last.
    pub root: TreeRoot,
    /// The segment it lies in.
    pub segment: SegmentNo,
    /// Where it begins there.
    pub offset: u64,
    /// All its bytes.
    pub bytes: &'a [u8],
    pub(crate) spans: &'a [Span],
}

impl<'a> VerifiedBatch<'a> {
    /// How many records it holds.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.spans.len()
    }

    /// Whether it holds none; the format has no such batch.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// Its last record.
    #[must_use]
    pub const fn last_seq(&self) -> Seq {
        Seq(self.header.first.0 + (self.spans.len() as u64).saturating_sub(1))
    }

    /// Its records in order.
    pub fn records(&self) -> impl ExactSizeIterator<Item = BatchRecord<'a>> + use<'a> {
        let batch = *self;
        batch.spans.iter().enumerate().map(move |(at, span)| batch.of_span(at, span))
    }

    /// The record with this place in the batch.
    #[must_use]
    pub fn record(&self, at: usize) -> Option<BatchRecord<'a>> {
        self.spans.get(at).map(|span| self.of_span(at, span))
    }

    fn of_span(&self, at: usize, span: &Span) -> BatchRecord<'a> {
        BatchRecord {
            seq: Seq(self.header.first.0 + at as u64),
            hash: span.hash,
            bytes: span.bytes(self.bytes),
            place: Place {
                segment: self.segment,
                offset: self.offset + u64::from(span.start),
                batch: self.header.batch,
            },
            payload_file: self.header.payload_file,
            payload_offset: span.payload,
        }
    }
}

/// A segment up to the durable head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SegmentInfo {
    /// Its number.
    pub number: SegmentNo,
    /// Its first record.
    pub first_seq: Seq,
    /// Its first batch.
    pub first_batch: BatchNo,
    /// Epoch of the holder that wrote it.
    pub epoch: u64,
    /// Its file.
    pub file: RelPath,
    /// Bytes up to the end of its last batch at or below the head.
    pub length: u64,
}

/// Where a scan of a segment ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SegmentEnd {
    /// The batch that would come next.
    pub next_batch: BatchNo,
    /// The record that would come next.
    pub next_seq: Seq,
    /// Hash of the last record; not kept by a scan without checks.
    pub record: RecordHash,
    /// Hash of the last batch; not kept by a scan without checks.
    pub batch: BatchHash,
    /// The Merkle tree up to here; not kept by a scan without checks.
    pub frontier: Frontier,
    /// Bytes of the segment up to here.
    pub length: u64,
}
