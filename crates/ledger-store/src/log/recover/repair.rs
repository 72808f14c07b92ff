//! Owns what recovery changes after an unclean stop.
//!
//! Invariants: every step can be interrupted and begun again; what is cut off was copied before;
//! what stays above the anchor is written with the same bytes and flushed, because a flush that
//! failed may have left it in memory only.

use ledger_format::payload_file;
use ledger_format::{BatchNo, SegmentNo, Seq};

use super::headers::Headers;
use super::tail::Tail;
use super::walk::Walk;
use super::{DroppedTail, LooseTail};
use crate::error::StoreError;
use crate::head::Position;
use crate::layout;
use crate::quarantine::{self, Taken, TakenAs};
use crate::storage::{RelPath, Storage};

/// Bytes rewritten at a time.
const CHUNK: u64 = 1024 * 1024;

/// Copies the tail that will be cut off.
pub(super) fn keep(
    storage: &dyn Storage,
    tail: Option<LooseTail>,
    anchor: u64,
) -> Result<Option<DroppedTail>, StoreError> {
    let Some(tail) = tail else { return Ok(None) };
    let file = storage.open_read(&tail.file)?;
    let taken = Taken {
        kind: TakenAs::Tail,
        file: tail.file.clone(),
        offset: tail.offset,
        bytes: tail.bytes,
        next: tail.seq,
        anchor,
        reason: tail.reason.clone(),
    };
    let quarantine = quarantine::keep(storage, Some(&*file), &taken)?;
    Ok(Some(DroppedTail { tail, quarantine }))
}

/// Brings the files to exactly what the walk found. The caller keeps the tail before and writes the
/// anchor afterwards.
pub(super) fn repair(
    storage: &dyn Storage,
    headers: &Headers,
    walk: &Walk,
    anchored: Option<&Position>,
) -> Result<(), StoreError> {
    let unused = unused_payload_files(storage, walk.position.as_ref())?;
    rewrite_segments(storage, walk.position.as_ref(), anchored)?;
    rewrite_payloads(storage, walk.position.as_ref(), anchored)?;
    remove_segments(storage, headers, walk)?;
    for path in &unused {
        storage.remove_file(path)?;
        storage.sync_dir(&layout::PAYLOADS)?;
    }
    Ok(())
}

/// A segment whose header is not whole holds no batch; what it does hold is a tail all the same.
pub(super) fn torn_segment(
    storage: &dyn Storage,
    headers: &Headers,
    walk: &Walk,
) -> Result<Option<LooseTail>, StoreError> {
    let path = layout::segment(SegmentNo(headers.list.len() as u64));
    let file = storage.open_read(&path)?;
    let tail = Tail::read(&*file, 0, file.len()?)?;
    let (batch, seq) = walk.position.map_or((BatchNo(0), Seq(0)), |position| {
        (position.head.batch.next(), position.head.seq.next())
    });
    // Whoever wrote a batch there had seen the header durable.
    if let Some(offset) = tail.later_batch(BatchNo(batch.0.saturating_sub(1))) {
        let what = "a segment header";
        let found = format!("none, but a batch at byte {offset}");
        return Err(StoreError::damaged(&path, 0, Some(seq), what, what, found));
    }
    if tail.is_zero() {
        return Ok(None);
    }
    let reason = "the header of its segment is not whole".to_owned();
    Ok(Some(LooseTail { batch, seq, file: path, offset: 0, bytes: tail.content(), reason }))
}

/// Rewrites every segment from the anchored one to that of the head, and cuts the last one.
fn rewrite_segments(
    storage: &dyn Storage,
    position: Option<&Position>,
    anchored: Option<&Position>,
) -> Result<(), StoreError> {
    let Some(position) = position else {
        return Ok(());
    };
    let first = anchored.map_or(0, |anchored| anchored.segment.0);
    for number in first..=position.segment.0 {
        let path = layout::segment(SegmentNo(number));
        let from = match anchored {
            Some(anchored) if anchored.segment.0 == number => anchored.segment_end,
            _ => 0,
        };
        let end = (number == position.segment.0).then_some(position.segment_end);
        rewrite(storage, &path, from, end)?;
    }
    Ok(())
}

fn rewrite_payloads(
    storage: &dyn Storage,
    position: Option<&Position>,
    anchored: Option<&Position>,
) -> Result<(), StoreError> {
    let Some(position) = position else {
        return Ok(());
    };
    let first = anchored.map_or(0, |anchored| anchored.payload_file);
    for number in first..=position.payload_file {
        let is_last = number == position.payload_file;
        if is_last && position.payload_end <= payload_file::HEADER_BYTES as u64 {
            continue;
        }
        let path = layout::payload_file(number);
        let from = match anchored {
            Some(anchored) if anchored.payload_file == number => anchored.payload_end,
            _ => 0,
        };
        // Before the first payload an anchor says that the header is there, which it may not be.
        let from = if from <= payload_file::HEADER_BYTES as u64 { 0 } else { from };
        rewrite(storage, &path, from, is_last.then_some(position.payload_end))?;
    }
    Ok(())
}

/// Writes a file again from some byte on, with the same bytes up to `end` and no more, and flushes
/// it. Its name was durable before a batch was written into it.
fn rewrite(
    storage: &dyn Storage,
    path: &RelPath,
    from: u64,
    end: Option<u64>,
) -> Result<(), StoreError> {
    let file = storage.open_write(path)?;
    let end = end.map_or_else(|| file.len(), Ok)?;
    let mut at = from;
    while at < end {
        let count = (end - at).min(CHUNK);
        let mut bytes = vec![0; usize::try_from(count).expect("a chunk fits memory")];
        file.read_exact_at(&mut bytes, at)?;
        file.write_all_at(&bytes, at)?;
        at += count;
    }
    file.set_len(end)?;
    file.sync_all()?;
    Ok(())
}

/// Removes the segments that no batch was committed to: at most the last one.
fn remove_segments(
    storage: &dyn Storage,
    headers: &Headers,
    walk: &Walk,
) -> Result<(), StoreError> {
    let first = walk.position.map_or(0, |position| position.segment.next().0);
    let count = headers.list.len() as u64 + u64::from(headers.torn_last);
    for number in first..count {
        storage.remove_file(&layout::segment(SegmentNo(number)))?;
    }
    if first < count {
        storage.sync_dir(&layout::LOG)?;
    }
    Ok(())
}

/// The payload file that no committed range lies in: at most the last one.
fn unused_payload_files(
    storage: &dyn Storage,
    position: Option<&Position>,
) -> Result<Vec<RelPath>, StoreError> {
    let names = match storage.list(&layout::PAYLOADS) {
        Err(error) if error.is_not_found() => return Ok(Vec::new()),
        names => names?,
    };
    let begins = payload_file::HEADER_BYTES as u64;
    let first = match position {
        Some(position) if position.payload_end > begins => position.payload_file + 1,
        Some(position) => position.payload_file,
        None => 0,
    };
    let unused: Vec<RelPath> = names
        .iter()
        .filter(|name| matches!(layout::payload_number(name), Some(Ok(number)) if number >= first))
        .map(|name| layout::inside(&layout::PAYLOADS, name))
        .collect();
    if let [_, second, ..] = unused.as_slice() {
        let what = "the row of payload files";
        return Err(StoreError::damaged(second, 0, None, what, "no file", "a file"));
    }
    Ok(unused)
}
