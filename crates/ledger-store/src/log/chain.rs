//! Owns the checks that make batches a chain: numbers, links, batch hash, Merkle root.
//!
//! Invariants: a state moves on only over a batch that passed; hashing reads stored bytes where
//! they lie. The links are checked before anything moves, so that recovery can drop a batch whose
//! content is torn and go on from the state before it.
//! May not: read files or decide what a fault means.

use ledger_format::batch::{BatchHeader, HEADER_BYTES};
use ledger_format::bytes::Reader;
use ledger_format::hash::{self, RecordHasher};
use ledger_format::segment::SegmentHeader;
use ledger_format::tree::{self, Frontier};
use ledger_format::{BatchHash, BatchNo, Micros, PayloadId, RecordHash, Seq, TreeRoot};

use super::fault::Fault;
use super::outline::Outline;
use crate::head::{Head, Position};

/// A batch as it lies in a segment. The header has passed its own check, nothing else has.
#[derive(Clone, Debug)]
pub(crate) struct RawBatch<'a> {
    /// Where it begins in the segment.
    pub(crate) offset: u64,
    /// All its bytes.
    pub(crate) bytes: &'a [u8],
    pub(crate) header: BatchHeader,
    pub(crate) root: TreeRoot,
    pub(crate) hash: BatchHash,
}

impl RawBatch<'_> {
    pub(crate) fn end(&self) -> u64 {
        self.offset + self.bytes.len() as u64
    }
}

/// One record of a batch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    /// Where its bytes begin, from the start of the batch.
    pub(crate) start: u32,
    pub(crate) length: u32,
    pub(crate) hash: RecordHash,
    /// Where its first payload lies in the payload file.
    pub(crate) payload: u64,
}

/// The records of the batch in hand. Kept between batches, so that a stream allocates once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Spans {
    pub(crate) list: Vec<Span>,
    lengths: Vec<u8>,
    recorded_at: Micros,
}

/// What the next batch has to continue.
#[derive(Clone, Debug)]
pub(crate) struct ChainState {
    pub(crate) next_batch: BatchNo,
    pub(crate) next_seq: Seq,
    pub(crate) record: RecordHash,
    pub(crate) batch: BatchHash,
    pub(crate) frontier: Frontier,
    /// The root as the last batch says it, where the tree was not computed.
    said: Option<TreeRoot>,
    /// Epoch of the segment.
    epoch: u64,
    recorded_at: Micros,
    next_payload: PayloadId,
    last_erasure: Option<Seq>,
    payload_file: u32,
    payload_end: u64,
}

impl ChainState {
    /// What the header of a segment says comes before its first batch.
    pub(crate) fn at_segment(header: &SegmentHeader) -> Self {
        Self {
            next_batch: header.first_batch,
            next_seq: header.first_seq,
            record: header.previous_record,
            batch: header.previous_batch,
            frontier: header.frontier.clone(),
            said: None,
            epoch: header.epoch,
            recorded_at: Micros::MIN,
            next_payload: PayloadId(0),
            last_erasure: None,
            payload_file: 0,
            payload_end: 0,
        }
    }

    /// Checks that a segment continues this state, and goes on in it.
    pub(crate) fn enter(&mut self, header: &SegmentHeader, length: u64) -> Result<(), Fault> {
        let same = |what, expected: String, found: String| {
            if expected == found { Ok(()) } else { Err(Fault::broken(what, expected, found)) }
        };
        same(
            "the first batch of a segment",
            self.next_batch.to_string(),
            header.first_batch.to_string(),
        )?;
        same(
            "the first record of a segment",
            self.next_seq.to_string(),
            header.first_seq.to_string(),
        )?;
        same(
            "the record hash that a segment continues",
            self.record.to_string(),
            header.previous_record.to_string(),
        )?;
        same(
            "the batch hash that a segment continues",
            self.batch.to_string(),
            header.previous_batch.to_string(),
        )?;
        same(
            "the length of the segment before",
            length.to_string(),
            header.previous_length.to_string(),
        )?;
        same(
            "the Merkle tree that a segment continues",
            self.said.unwrap_or_else(|| self.frontier.root()).to_string(),
            header.frontier.root().to_string(),
        )?;
        if header.epoch < self.epoch {
            let least = format!("{} or more", self.epoch);
            return Err(Fault::broken("the epoch of a segment", least, header.epoch));
        }
        self.epoch = header.epoch;
        Ok(())
    }

    /// Checks the header of the next batch against this state.
    pub(crate) fn continues(&self, header: &BatchHeader) -> Result<(), Fault> {
        if header.batch != self.next_batch {
            return Err(Fault::broken("a batch number", self.next_batch, header.batch));
        }
        if header.first != self.next_seq {
            return Err(Fault::broken("the first record of a batch", self.next_seq, header.first));
        }
        if header.previous != self.batch {
            return Err(Fault::broken("the link to the batch before", self.batch, header.previous));
        }
        if header.epoch != self.epoch {
            return Err(Fault::broken("the epoch of a batch", self.epoch, header.epoch));
        }
        if header.next_payload < self.next_payload {
            let least = format!("{} or more", self.next_payload);
            return Err(Fault::broken("the next payload number", least, header.next_payload));
        }
        if header.last_erasure < self.last_erasure {
            return Err(Fault::broken(
                "the last erasure",
                format!("{:?} or later", self.last_erasure),
                format!("{:?}", header.last_erasure),
            ));
        }
        let place = (header.payload_file, header.payload_offset);
        if place < (self.payload_file, self.payload_end) {
            return Err(Fault::broken(
                "the payload range of a batch",
                format!("file {} from byte {}", self.payload_file, self.payload_end),
                format!("file {} from byte {}", place.0, place.1),
            ));
        }
        Ok(())
    }

    /// Walks the records of a batch that [`ChainState::continues`] accepted, checks their links
    /// and the batch hash, and leaves them in `spans`.
    pub(crate) fn links(
        &self,
        batch: &RawBatch<'_>,
        hasher: &RecordHasher,
        spans: &mut Spans,
    ) -> Result<(), Fault> {
        let mut running = self.running();
        walk(batch, spans, |record, outline, at| {
            running.pass(outline.seq, outline.prev, outline.recorded_at, at)?;
            running.record = hasher.hash(record);
            Ok(running.record)
        })?;
        spans.recorded_at = running.recorded_at;
        check_batch_hash(batch, &spans.lengths, &running.record)
    }

    /// What the next record has to continue.
    pub(crate) const fn running(&self) -> Running {
        Running { seq: self.next_seq, record: self.record, recorded_at: self.recorded_at }
    }

    /// Goes on to the state after a batch whose links were checked.
    pub(crate) fn advance(&mut self, batch: &RawBatch<'_>, spans: &Spans) -> Result<(), Fault> {
        let leaves = spans.list.iter().map(|span| tree::leaf(span.bytes(batch.bytes)));
        let record = spans.list.last().map_or(self.record, |span| span.hash);
        let end = Running { seq: self.next_seq, record, recorded_at: spans.recorded_at };
        self.advance_to(batch, leaves, &end)
    }

    /// As [`ChainState::advance`], for a batch whose leaves are known and whose last record was
    /// passed by `end`.
    pub(crate) fn advance_to(
        &mut self,
        batch: &RawBatch<'_>,
        leaves: impl Iterator<Item = tree::Node>,
        end: &Running,
    ) -> Result<(), Fault> {
        leaves.for_each(|leaf| self.frontier.push_leaf(leaf));
        let root = self.frontier.root();
        if root != batch.root {
            // The batch hash covers the stored root, so the bytes are as they were written.
            return Err(Fault::broken("a Merkle root", root, batch.root));
        }
        self.move_to(batch, end);
        Ok(())
    }

    /// As [`ChainState::advance_to`] without computing the tree: the root is what the batch says.
    pub(crate) fn advance_unhashed(&mut self, batch: &RawBatch<'_>, end: &Running) {
        self.said = Some(batch.root);
        self.move_to(batch, end);
    }

    fn move_to(&mut self, batch: &RawBatch<'_>, end: &Running) {
        let header = &batch.header;
        self.next_batch = header.batch.next();
        self.next_seq = Seq(header.first.0 + u64::from(header.count));
        self.record = end.record;
        self.batch = batch.hash;
        self.recorded_at = end.recorded_at;
        self.next_payload = header.next_payload;
        self.last_erasure = header.last_erasure;
        self.payload_file = header.payload_file;
        self.payload_end = header.payload_offset + header.payload_length;
    }

    /// Where the log stands after `batch`, the last one this state went over.
    pub(crate) fn position(&self, batch: &RawBatch<'_>, segment: &SegmentHeader) -> Position {
        let header = &batch.header;
        Position {
            head: Head {
                seq: Seq(header.first.0 + u64::from(header.count.saturating_sub(1))),
                hash: self.record,
                recorded_at: self.recorded_at,
                batch: header.batch,
                batch_hash: batch.hash,
                root: batch.root,
                epoch: header.epoch,
                next_payload: header.next_payload,
                last_erasure: header.last_erasure,
            },
            segment: segment.segment,
            segment_end: batch.end(),
            payload_file: self.payload_file,
            payload_end: self.payload_end,
        }
    }
}

/// A walk from record to record.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Running {
    seq: Seq,
    /// Hash of the last record; whoever passes one sets it.
    pub(crate) record: RecordHash,
    recorded_at: Micros,
}

impl Running {
    /// Goes over records that are not looked at, up to the last one of a batch.
    pub(crate) const fn skip_to(&mut self, seq: Seq, prev: RecordHash) {
        self.seq = seq;
        self.record = prev;
    }

    /// Goes over a record that begins at `at`, if it continues the one before.
    pub(crate) fn pass(
        &mut self,
        seq: Seq,
        prev: RecordHash,
        recorded_at: Micros,
        at: u64,
    ) -> Result<(), Fault> {
        if seq != self.seq {
            return Err(Fault::torn("a sequence number", self.seq, seq).at(at, self.seq));
        }
        if prev != self.record {
            let fault = Fault::torn("the link to the record before", self.record, prev);
            return Err(fault.at(at, self.seq));
        }
        if recorded_at < self.recorded_at {
            let least = format!("{} or later", self.recorded_at.0);
            return Err(Fault::torn("a record's time", least, recorded_at.0).at(at, self.seq));
        }
        self.recorded_at = recorded_at;
        self.seq = self.seq.next();
        Ok(())
    }
}

impl Span {
    pub(crate) fn bytes<'a>(&self, batch: &'a [u8]) -> &'a [u8] {
        let start = self.start as usize;
        batch
            .get(start..start + self.length as usize)
            .expect("a span lies inside the batch it was made from")
    }
}

/// Walks the records of a batch without any hashing but that of the last record: every other hash
/// is what the record after it says.
pub(crate) fn structure(
    batch: &RawBatch<'_>,
    hasher: &RecordHasher,
    spans: &mut Spans,
) -> Result<(), Fault> {
    let mut seq = batch.header.first;
    walk(batch, spans, |_, outline, at| {
        if outline.seq != seq {
            return Err(Fault::torn("a sequence number", seq, outline.seq).at(at, seq));
        }
        seq = seq.next();
        // Shifted to the record it belongs to below.
        Ok(outline.prev)
    })?;
    let mut following = spans.list.last().map(|span| hasher.hash(span.bytes(batch.bytes)));
    for span in spans.list.iter_mut().rev() {
        if let Some(hash) = following {
            following = Some(std::mem::replace(&mut span.hash, hash));
        }
    }
    Ok(())
}

/// Checks one record after [`structure`]: against the link of the record after it, or against the
/// batch hash if it is the last one.
pub(crate) fn check_record(
    batch: &RawBatch<'_>,
    hasher: &RecordHasher,
    spans: &Spans,
    place: usize,
) -> Result<(), Fault> {
    let Some(span) = spans.list.get(place) else {
        return Err(Fault::torn("a record", "a record of this number in the batch", "none"));
    };
    if place + 1 == spans.list.len() {
        return check_batch_hash(batch, &spans.lengths, &span.hash);
    }
    let found = hasher.hash(span.bytes(batch.bytes));
    if found == span.hash {
        Ok(())
    } else {
        Err(Fault::torn("a record", span.hash, found).at(u64::from(span.start), batch.header.first))
    }
}

fn check_batch_hash(batch: &RawBatch<'_>, lengths: &[u8], last: &RecordHash) -> Result<(), Fault> {
    let header = batch.bytes.get(..HEADER_BYTES).unwrap_or_default();
    let found = hash::batch(header, lengths, last, &batch.root);
    if found == batch.hash { Ok(()) } else { Err(Fault::torn("a batch hash", batch.hash, found)) }
}

/// Walks the frames. `check` gets a record, its outline and where it begins, and gives its hash.
fn walk(
    batch: &RawBatch<'_>,
    spans: &mut Spans,
    mut check: impl FnMut(&[u8], &Outline, u64) -> Result<RecordHash, Fault>,
) -> Result<(), Fault> {
    spans.list.clear();
    spans.lengths.clear();
    let frames = batch
        .bytes
        .get(HEADER_BYTES..HEADER_BYTES + batch.header.frames_length as usize)
        .unwrap_or_default();
    let mut reader = Reader::new("a record frame", frames);
    let mut at = HEADER_BYTES;
    let mut payload = batch.header.payload_offset;
    for number in 0..u64::from(batch.header.count) {
        let seq = Seq(batch.header.first.0 + number);
        // Behind a batch header that passed its check only content can be torn.
        let torn = |error| Fault::torn("a record", "a whole record", error).at(at as u64, seq);
        let length = reader.u16().map_err(torn)?;
        let record = reader.take(usize::from(length)).map_err(torn)?;
        let outline = Outline::of(record).map_err(torn)?;
        let start = at + 2;
        let hash = check(record, &outline, start as u64)?;
        spans.lengths.extend_from_slice(&length.to_le_bytes());
        spans.list.push(Span {
            start: u32::try_from(start).expect("a batch is far below 4 GiB"),
            length: u32::from(length),
            hash,
            payload,
        });
        payload = payload.saturating_add(outline.payload_bytes);
        at = start + record.len();
    }
    reader.end().map_err(|error| Fault::torn("the frames of a batch", "their end", error))?;
    let (expected, found) = (batch.header.payload_length, payload - batch.header.payload_offset);
    if expected == found {
        Ok(())
    } else {
        Err(Fault::torn("the payload bytes of a batch", expected, found))
    }
}
