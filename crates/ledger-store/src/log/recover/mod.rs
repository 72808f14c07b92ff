//! Owns opening an existing log for writing: what is refused, what is dropped, what is rewritten.
//!
//! Invariants: at or below the anchor every fault refuses; above it only the last batch may fail,
//! only in a way that an unfinished write explains, and it is kept in quarantine before it is cut
//! off; after an unclean stop nothing is served that was not written and flushed again. Only the
//! segments from the anchor on are read, of the others the headers.
//! May not: change anything before everything was checked.

mod headers;
mod repair;
mod tail;
mod walk;

use std::sync::Arc;

use ledger_format::segment::SegmentHeader;
use ledger_format::tree::Frontier;
use ledger_format::{BatchNo, LedgerId, Seq};

pub(crate) use self::headers::{Headers, LONGEST_FILE, list_segments, read_headers};
use self::walk::Walk;
pub(crate) use self::walk::valid_end;
use super::anchor_file::{AnchorWriter, Anchors, create_blank, read_anchors};
use crate::error::{Lost, StoreError};
use crate::head::{Head, Position};
use crate::layout;
use crate::quarantine::{self, Taken};
use crate::storage::{RelPath, Storage};

/// What opening a log found and did.
#[derive(Clone, Debug)]
pub struct Recovery {
    /// The durable head; `None` before the first batch.
    pub head: Option<Head>,
    /// Whether the last holder ended without closing, so that the end of the log was rewritten.
    pub unclean: bool,
    /// The batch that was not complete and was taken out.
    pub dropped: Option<DroppedTail>,
    /// Everything taken out since the last record, this time and before: no record tells of it yet.
    pub untold: Vec<Taken>,
    /// The epoch of the new holder.
    pub next_epoch: u64,
    /// What the anchor said.
    pub anchored: Option<Head>,
}

/// A batch above the anchor that is not whole, with nothing behind it: it was never answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LooseTail {
    /// The number it would have had.
    pub batch: BatchNo,
    /// The record it would have begun with.
    pub seq: Seq,
    /// The file it is in.
    pub file: RelPath,
    /// Where it begins.
    pub offset: u64,
    /// How many bytes, up to the last one that is not zero.
    pub bytes: u64,
    /// What is wrong with it.
    pub reason: String,
}

/// A tail that was taken out of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DroppedTail {
    /// What it was.
    pub tail: LooseTail,
    /// Where its bytes are now.
    pub quarantine: RelPath,
}

/// A log that is ready for a new holder.
#[derive(Debug)]
pub(crate) struct Recovered {
    pub(crate) position: Option<Position>,
    pub(crate) frontier: Frontier,
    pub(crate) headers: Vec<Arc<SegmentHeader>>,
    pub(crate) anchors: AnchorWriter,
    /// Whether the anchor of this position says that it was closed.
    pub(crate) clean: bool,
    pub(crate) recovery: Recovery,
}

/// What a log was found to be before anything was changed.
struct Seen {
    anchored: Option<Position>,
    headers: Headers,
    walk: Walk,
    tail: Option<LooseTail>,
}

/// Looks at the log from the anchor on. Everything that refuses, refuses here.
fn look(storage: &dyn Storage, ledger: LedgerId, anchors: &Anchors) -> Result<Seen, StoreError> {
    let anchored = anchors.latest().map(Position::of_anchor);
    let headers = sound_headers(storage, ledger, anchored.as_ref())?;
    let mut walk = walk::from_anchor(storage, ledger, &headers, anchored.as_ref())?;
    check_unanchored(anchors, &walk)?;
    check_payload_files(storage, walk.position.as_ref())?;
    let tail = match walk.loose.take() {
        None if headers.torn_last => repair::torn_segment(storage, &headers, &walk)?,
        loose => loose,
    };
    Ok(Seen { anchored, headers, walk, tail })
}

/// The tail that the next holder will drop, if there is one. Changes nothing; the caller keeps
/// holders away meanwhile.
///
/// # Errors
/// Why the log cannot be held as it is: as [`crate::Appender::open`].
pub fn loose_tail(
    storage: &dyn Storage,
    ledger: LedgerId,
) -> Result<Option<LooseTail>, StoreError> {
    let anchors = read_anchors(storage)?;
    match anchors.problem(ledger) {
        Some(problem) => Err(problem),
        None => Ok(look(storage, ledger, &anchors)?.tail),
    }
}

/// The end of a log that is whole from its valid anchor on, whatever the other copy is.
pub(crate) fn confirmed_end(
    storage: &dyn Storage,
    ledger: LedgerId,
    anchors: &Anchors,
) -> Result<Option<Position>, StoreError> {
    Ok(look(storage, ledger, anchors)?.walk.position)
}

/// Recovers the log. The caller holds the lock.
pub(crate) fn recover(storage: &dyn Storage, ledger: LedgerId) -> Result<Recovered, StoreError> {
    let anchors = read_anchors(storage)?;
    if let Some(problem) = anchors.problem(ledger) {
        return Err(problem);
    }
    let Seen { anchored, headers, walk, tail } = look(storage, ledger, &anchors)?;
    let closed = anchors.latest().is_some_and(|anchor| anchor.clean);
    let clean = closed && walk.position == anchored && !walk.has_tail && !headers.has_more(&walk);
    if anchors.are_blank() && headers.list.is_empty() && !headers.torn_last {
        create_blank(storage)?;
    }
    let mut writer = AnchorWriter::open(storage, ledger, &anchors)?;
    let mut dropped = None;
    if !clean {
        let counter = anchors.latest().map_or(0, |anchor| anchor.counter);
        dropped = repair::keep(storage, tail, counter)?;
        repair::repair(storage, &headers, &walk, anchored.as_ref())?;
        if let Some(position) = &walk.position {
            writer.confirm(&anchors)?;
            writer.write(position, false)?;
            if anchors.are_blank() {
                writer.write(position, false)?;
            }
        }
    }
    let head = walk.position.map(|position| position.head);
    let unclean = !clean && (walk.position.is_some() || dropped.is_some());
    let untold = quarantine::untold(storage, next_seq(&walk))?;
    let kept = walk.position.map_or(0, |position| position.segment.next().0);
    let mut list = headers.list;
    list.truncate(usize::try_from(kept).unwrap_or(usize::MAX));
    Ok(Recovered {
        position: walk.position,
        frontier: walk.frontier,
        headers: list,
        anchors: writer,
        clean,
        recovery: Recovery {
            head,
            unclean,
            dropped,
            untold,
            next_epoch: head.map_or(1, |head| head.epoch.saturating_add(1)),
            anchored: anchored.map(|position| position.head),
        },
    })
}

fn next_seq(walk: &Walk) -> Seq {
    walk.position.map_or(Seq(0), |position| position.head.seq.next())
}

/// Reads all headers and refuses what an unfinished creation of the last segment does not explain.
fn sound_headers(
    storage: &dyn Storage,
    ledger: LedgerId,
    anchored: Option<&Position>,
) -> Result<Headers, StoreError> {
    let numbers = list_segments(storage)?;
    let mut headers = read_headers(storage, ledger, &numbers)?;
    if let Some(anchored) = anchored
        && numbers.last().is_none_or(|last| *last < anchored.segment)
    {
        let (file, offset) = match numbers.last() {
            Some(last) => (layout::segment(*last), headers.lengths.last().copied().unwrap_or(0)),
            None => (layout::LOG, 0),
        };
        return Err(lost(anchored, file, offset, None));
    }
    let Some(stop) = headers.stop.take() else {
        return Ok(headers);
    };
    let is_last = headers.list.len() + 1 == numbers.len();
    let is_above = anchored.is_none_or(|anchored| headers.list.len() as u64 > anchored.segment.0);
    if stop.torn && is_last && is_above {
        headers.torn_last = true;
        return Ok(headers);
    }
    Err(stop.error)
}

/// A blank anchor pair goes with a log whose first commit was not answered, and with no other.
fn check_unanchored(anchors: &Anchors, walk: &Walk) -> Result<(), StoreError> {
    let more = walk.position.is_some_and(|position| position.head.batch > BatchNo(0));
    if anchors.are_blank() && more { Err(blank_anchors()) } else { Ok(()) }
}

/// What a log with blank anchors and several batches is.
pub(crate) fn blank_anchors() -> StoreError {
    let [file, _] = layout::ANCHORS;
    let reason = "both copies are blank although the log holds several batches".to_owned();
    StoreError::AnchorDamaged { file, reason }
}

/// Every payload file up to the one in use is there and reaches as far as the head says.
fn check_payload_files(
    storage: &dyn Storage,
    position: Option<&Position>,
) -> Result<(), StoreError> {
    let Some(position) = position else {
        return Ok(());
    };
    let begins = ledger_format::payload_file::HEADER_BYTES as u64;
    for number in 0..=position.payload_file {
        let path = layout::payload_file(number);
        let is_last = number == position.payload_file;
        if is_last && position.payload_end <= begins {
            continue;
        }
        let needed = if is_last { position.payload_end } else { begins };
        let file = match storage.open_read(&path) {
            Err(error) if error.is_not_found() => {
                return Err(super::payload_writer::missing(&path, needed));
            }
            opened => opened?,
        };
        let found = file.len()?;
        if found < needed {
            let what = "a payload file";
            let expected = format!("at least {needed} bytes");
            return Err(StoreError::damaged(&path, found, None, what, expected, found));
        }
    }
    Ok(())
}

fn lost(anchored: &Position, file: RelPath, offset: u64, found: Option<Seq>) -> StoreError {
    StoreError::Lost(Box::new(Lost {
        file,
        offset,
        found,
        anchored: anchored.head.seq,
        batch: anchored.head.batch,
    }))
}
