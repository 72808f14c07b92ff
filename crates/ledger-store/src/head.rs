//! Owns what a durable head is: the last record and batch, and where they end on the medium.
//!
//! Invariant: a [`Position`] and an anchor hold the same facts; one is made from the other and no
//! third description exists.

use ledger_format::anchor::Anchor;
use ledger_format::{
    BatchHash, BatchNo, LedgerId, Micros, PayloadId, RecordHash, SegmentNo, Seq, TreeRoot,
};

/// The durable head of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// The last record.
    pub seq: Seq,
    /// Its hash.
    pub hash: RecordHash,
    /// Its time.
    pub recorded_at: Micros,
    /// The last batch.
    pub batch: BatchNo,
    /// Its hash.
    pub batch_hash: BatchHash,
    /// Merkle root over all records up to `seq`.
    pub root: TreeRoot,
    /// Epoch of the holder that wrote the batch.
    pub epoch: u64,
    /// No payload with this number or a higher one exists.
    pub next_payload: PayloadId,
    /// Last erasure intent.
    pub last_erasure: Option<Seq>,
}

/// A head and where it ends in the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The head.
    pub head: Head,
    /// Segment that holds its last batch.
    pub segment: SegmentNo,
    /// Where that batch ends in the segment, in bytes from its start.
    pub segment_end: u64,
    /// Payload file in use.
    pub payload_file: u32,
    /// Where the last payload range ends in it.
    pub payload_end: u64,
}

impl Position {
    /// What an anchor says.
    #[must_use]
    pub const fn of_anchor(anchor: &Anchor) -> Self {
        Self {
            head: Head {
                seq: anchor.seq,
                hash: anchor.record_hash,
                recorded_at: anchor.recorded_at,
                batch: anchor.batch,
                batch_hash: anchor.batch_hash,
                root: anchor.root,
                epoch: anchor.epoch,
                next_payload: anchor.next_payload,
                last_erasure: anchor.last_erasure,
            },
            segment: anchor.segment,
            segment_end: anchor.segment_end,
            payload_file: anchor.payload_file,
            payload_end: anchor.payload_end,
        }
    }

    pub(crate) const fn anchor(&self, ledger: LedgerId, counter: u64, clean: bool) -> Anchor {
        Anchor {
            ledger,
            counter,
            clean,
            epoch: self.head.epoch,
            batch: self.head.batch,
            batch_hash: self.head.batch_hash,
            seq: self.head.seq,
            record_hash: self.head.hash,
            recorded_at: self.head.recorded_at,
            root: self.head.root,
            segment: self.segment,
            segment_end: self.segment_end,
            payload_file: self.payload_file,
            payload_end: self.payload_end,
            next_payload: self.head.next_payload,
            last_erasure: self.head.last_erasure,
        }
    }
}
