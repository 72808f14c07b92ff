//! Owns the digest over the bytes of all segments, and the mark that one check leaves for the next.
//!
//! Digests of segments are chained, so a mark is of fixed size however many there are, and the last
//! segment may have grown since. A mark speaks of bytes only: what they mean was for the check that
//! left it. May not: be stored in a ledger.

use std::sync::{Mutex, PoisonError};

use ledger_format::SegmentNo;
use ledger_format::hash::BytesHasher;

use super::findings::{Found, Topic};
use super::work::Work;
use crate::layout;

/// The bytes of the segments up to some batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ByteMark {
    /// The segment that holds the batch.
    pub segment: SegmentNo,
    /// Where the batch ends in it.
    pub end: u64,
    /// The digests of all segments before, each folded into that of the one before it.
    pub before: [u8; 32],
    /// Digest of the segment up to there.
    pub last: [u8; 32],
}

/// Digests what is checked, in order.
#[derive(Debug, Default)]
pub(super) struct Digests(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    open: Option<Open>,
    /// Segments before the open one, folded; none when they were not read and nobody said.
    before: Option<[u8; 32]>,
    mark: Option<ByteMark>,
    /// Whether the bytes up to the given mark were the same, once it was reached.
    same: Option<bool>,
    bytes: u64,
}

#[derive(Debug)]
struct Open {
    number: SegmentNo,
    length: u64,
    hasher: BytesHasher,
}

impl Digests {
    /// Begins a segment. `first` says that it is the first one of the check.
    pub(super) fn begin(&self, work: &Work<'_>, number: SegmentNo, header: &[u8], first: bool) {
        if !work.digests() {
            return;
        }
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = work.options.mark.filter(|mark| mark.segment == number);
        state.before = match state.open.take() {
            _ if first && number == SegmentNo(0) => Some([0; 32]),
            _ if first => known.map(|mark| mark.before),
            Some(open) => state.before.map(|before| fold(&before, &open)),
            None => None,
        };
        state.open = Some(Open { number, length: 0, hasher: BytesHasher::default() });
        state.take(work.options.mark, header);
    }

    /// Adds the next bytes of the segment.
    pub(super) fn add(&self, work: &Work<'_>, bytes: &[u8]) {
        if work.digests() {
            let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            state.take(work.options.mark, bytes);
            state.leave();
        }
    }

    /// The end: reports bytes that changed since the mark, and leaves a new one.
    pub(super) fn end(&self, work: &Work<'_>) -> Option<ByteMark> {
        let state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = work.options.mark {
            work.counts.expected(Topic::Bytes, state.bytes.max(1));
            if state.same == Some(true) {
                work.counts.checked(Topic::Bytes, state.bytes);
            }
            if state.same == Some(false) {
                let file = layout::segment(known.segment);
                let what = "the bytes of the log up to here";
                let expected = "those that an earlier verification found whole";
                let found = "other bytes; `verify --level log` finds the place";
                let found = Found::damage(Topic::Bytes, &file, what, expected, found);
                work.add(found.at(known.end));
            }
        }
        state.mark
    }
}

impl State {
    /// Goes over bytes, and stops at the mark on the way.
    fn take(&mut self, known: Option<ByteMark>, bytes: &[u8]) {
        let Some(open) = &mut self.open else { return };
        self.bytes += bytes.len() as u64;
        let before = self.before;
        let ahead = known
            .filter(|mark| mark.segment == open.number)
            .and_then(|mark| {
                Some((mark, usize::try_from(mark.end.checked_sub(open.length)?).ok()?))
            })
            .filter(|(_, ahead)| (1..=bytes.len()).contains(ahead));
        let Some((mark, ahead)) = ahead else {
            open.add(bytes);
            return;
        };
        let (until, rest) = bytes.split_at(ahead);
        open.add(until);
        self.same = Some(before == Some(mark.before) && open.hasher.digest() == mark.last);
        open.add(rest);
    }

    /// Leaves a mark behind what was gone over.
    fn leave(&mut self) {
        if let (Some(open), Some(before)) = (&self.open, self.before) {
            let last = open.hasher.digest();
            self.mark = Some(ByteMark { segment: open.number, end: open.length, before, last });
        }
    }
}

impl Open {
    fn add(&mut self, bytes: &[u8]) {
        self.hasher.update(bytes);
        self.length += bytes.len() as u64;
    }
}

fn fold(before: &[u8; 32], open: &Open) -> [u8; 32] {
    let mut hasher = BytesHasher::default();
    hasher.update(before).update(&open.number.0.to_le_bytes());
    hasher.update(&open.length.to_le_bytes()).update(&open.hasher.digest());
    hasher.digest()
}
