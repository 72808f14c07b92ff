//! Owns finding what is damaged inside one batch whose header holds.
//!
//! Every record is named by the link of the one after it, the last one by the batch hash. A changed
//! byte breaks the link behind its record, and the one before it too where the byte is in the
//! record's own link. So the records between broken links are what may be changed, and no others.

use ledger_format::batch::{BatchHeader, HEADER_BYTES, TRAILER_BYTES};
use ledger_format::bytes::Reader;
use ledger_format::hash::{self, RecordHasher};
use ledger_format::{BatchHash, RecordHash, Seq, TreeRoot};

use crate::log::outline::Outline;

/// A part of a batch that may be damaged, from the start of the batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) what: &'static str,
    pub(super) records: (Seq, Seq),
}

/// What was found in a batch.
#[derive(Debug, Default)]
pub(super) struct Health {
    pub(super) bad: Vec<Part>,
    /// Hash of the last record, where the batch hash vouches for it.
    pub(super) last: Option<RecordHash>,
    /// Where each record lies.
    pub(super) records: Vec<(usize, usize)>,
}

struct Framed {
    /// Where its frame begins and ends.
    from: usize,
    to: usize,
    prev: RecordHash,
    hash: RecordHash,
}

/// Examines the bytes of a batch. `before` is the hash of the record before it, where that is
/// known.
pub(super) fn examine(
    hasher: &RecordHasher,
    header: &BatchHeader,
    bytes: &[u8],
    before: Option<RecordHash>,
) -> Health {
    let (frames, whole) = frames(hasher, header, bytes);
    let seq = |number: usize| Seq(header.first.0.saturating_add(number as u64));
    let final_seq = seq((header.count as usize).saturating_sub(1));
    let trailer = bytes.len().saturating_sub(TRAILER_BYTES);
    let mut health = Health {
        records: frames.iter().map(|frame| (frame.from + 2, frame.to)).collect(),
        ..Health::default()
    };
    let mut known = before;
    for (number, frame) in frames.iter().enumerate() {
        let broken = known.is_some_and(|known| known != frame.prev);
        known = Some(frame.hash);
        // The link of the first record leads out of the batch.
        let from = number.checked_sub(1).and_then(|before| frames.get(before)).unwrap_or(frame);
        if broken {
            let first = seq(number.saturating_sub(1));
            let (from, to) = (from.from, frame.to);
            let what = "a record that is not the one its neighbour names";
            mark(&mut health.bad, Part { from, to, what, records: (first, seq(number)) });
        }
    }
    if !whole {
        // The frame before the one that does not decode may have another length than it says.
        let last = frames.last();
        let from = last.map_or(HEADER_BYTES, |frame| frame.from);
        let first = seq(frames.len().saturating_sub(1));
        let what = "frames that do not decode";
        mark(&mut health.bad, Part { from, to: bytes.len(), what, records: (first, final_seq) });
        return health;
    }
    let Some(last) = frames.last() else {
        return health;
    };
    if batch_hash(bytes, &frames, trailer) {
        health.last = Some(last.hash);
    } else {
        let what = "the last record or the hash of its batch";
        let (from, to) = (last.from, bytes.len());
        mark(&mut health.bad, Part { from, to, what, records: (final_seq, final_seq) });
    }
    health
}

/// The frames up to the first that does not decode, and whether that is all of them.
fn frames(hasher: &RecordHasher, header: &BatchHeader, bytes: &[u8]) -> (Vec<Framed>, bool) {
    let end = bytes.len().saturating_sub(TRAILER_BYTES);
    let mut reader = Reader::new("a frame", bytes.get(HEADER_BYTES..end).unwrap_or_default());
    let mut frames = Vec::new();
    let mut at = HEADER_BYTES;
    for number in 0..u64::from(header.count) {
        let record = reader.u16().and_then(|length| reader.take(usize::from(length)));
        let Ok(record) = record else {
            return (frames, false);
        };
        let outline = match Outline::of(record) {
            Ok(outline) if outline.seq.0 == header.first.0.saturating_add(number) => outline,
            _ => return (frames, false),
        };
        let to = at + 2 + record.len();
        frames.push(Framed { from: at, to, prev: outline.prev, hash: hasher.hash(record) });
        at = to;
    }
    (frames, reader.rest().is_empty())
}

fn batch_hash(bytes: &[u8], frames: &[Framed], trailer: usize) -> bool {
    let mut lengths = Vec::with_capacity(2 * frames.len());
    for frame in frames {
        lengths.extend_from_slice(bytes.get(frame.from..frame.from + 2).unwrap_or_default());
    }
    let mut stored = Reader::new("a batch", bytes.get(trailer..).unwrap_or_default());
    let (Ok(root), Ok(hash)) = (stored.array().map(TreeRoot), stored.array().map(BatchHash)) else {
        return false;
    };
    let header = bytes.get(..HEADER_BYTES).unwrap_or_default();
    frames.last().is_some_and(|last| hash::batch(header, &lengths, &last.hash, &root) == hash)
}

/// Adds a part; parts that touch become one.
fn mark(bad: &mut Vec<Part>, part: Part) {
    match bad.last_mut() {
        Some(last) if last.to >= part.from => {
            last.to = last.to.max(part.to);
            last.records.1 = last.records.1.max(part.records.1);
        }
        _ => bad.push(part),
    }
}
