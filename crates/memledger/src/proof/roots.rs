//! Owns the tree of the log: roots after any number of records, and the hashes of proofs.
//!
//! Roots at the end of a batch are stored there, and segments begin with their frontier: a root in
//! between costs hashing the records of one segment at most. May not: vouch for what is stored;
//! that is what verifying the log is for.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use ledger_format::segment::{HEADER_BYTES, SegmentHeader};
use ledger_format::tree::Frontier;
use ledger_format::{Seq, TreeRoot};
use ledger_proof::Hash;
use ledger_proof::merkle::{Gatherer, Span};
use ledger_store::storage::Storage;
use ledger_store::{Check, Reader};

use super::blocks::Blocks;
use crate::error::{Error, ErrorKind, Result};

/// How many records apart two ranges are read in one go.
const NEAR: u64 = 16_384;

/// Number of records up to the durable head.
pub(super) fn size(reader: &Reader) -> u64 {
    reader.head().map_or(0, |head| head.seq.0.saturating_add(1))
}

/// The root over the first `size` records; none when there are fewer.
pub(super) fn root(
    storage: &dyn Storage,
    reader: &Reader,
    wanted: u64,
) -> Result<Option<TreeRoot>> {
    if wanted > size(reader) {
        return Ok(None);
    }
    match reader.head() {
        Some(head) if head.seq.0.checked_add(1) == Some(wanted) => return Ok(Some(head.root)),
        _ => {}
    }
    if let Some(stored) = stored_root(reader, wanted)? {
        return Ok(Some(stored));
    }
    let mut tree = frontier_before(storage, reader, wanted)?;
    let from = Seq(tree.size());
    if from.0 < wanted {
        reader.for_each_batch(from, Check::None, |batch| {
            for record in batch.records() {
                if record.seq.0 == tree.size() && tree.size() < wanted {
                    tree.push(record.bytes);
                }
            }
            Ok(if tree.size() < wanted {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            })
        })?;
    }
    Ok((tree.size() == wanted).then(|| tree.root()))
}

/// The root that is stored behind so many records, where a batch ends there.
fn stored_root(reader: &Reader, wanted: u64) -> Result<Option<TreeRoot>> {
    let mut found = None;
    if let Some(last) = wanted.checked_sub(1) {
        reader.for_each_batch(Seq(last), Check::None, |batch| {
            found = (batch.last_seq().0 == last).then_some(batch.root);
            Ok(ControlFlow::Break(()))
        })?;
    }
    Ok(found)
}

/// Roots after several sizes, in one pass over the batches where they are stored.
pub(super) fn roots(
    storage: &dyn Storage,
    reader: &Reader,
    sizes: &BTreeSet<u64>,
) -> Result<BTreeMap<u64, TreeRoot>> {
    let mut found = BTreeMap::new();
    if sizes.len() > 1 {
        reader.for_each_batch(Seq(0), Check::None, |batch| {
            let end = batch.last_seq().0.saturating_add(1);
            if sizes.contains(&end) {
                found.insert(end, batch.root);
            }
            Ok(ControlFlow::Continue(()))
        })?;
    }
    for wanted in sizes {
        if !found.contains_key(wanted)
            && let Some(root) = root(storage, reader, *wanted)?
        {
            found.insert(*wanted, root);
        }
    }
    Ok(found)
}

/// The hashes that a proof needs. What `blocks` know is not read again.
pub(super) fn gather(
    reader: &Reader,
    mut gatherer: Gatherer,
    blocks: &Blocks,
) -> Result<Vec<Hash>> {
    gatherer.begin_with(|span| blocks.over(span));
    for span in together(gatherer.wanted()) {
        reader.for_each_batch(Seq(span.start), Check::None, |batch| {
            for record in batch.records() {
                gatherer.push(record.seq.0, record.bytes);
            }
            let done = batch.last_seq().0.saturating_add(1) >= span.end;
            Ok(if done { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        })?;
    }
    gatherer.finish().map_err(|error| Error::new(ErrorKind::Damaged, error.to_string()))
}

/// Ranges that lie near each other as one: a reading begins at the start of a segment, so that one
/// long reading costs less than two.
fn together(spans: Vec<Span>) -> Vec<Span> {
    let mut merged: Vec<Span> = Vec::new();
    for span in spans {
        match merged.last_mut() {
            Some(last) if span.start <= last.end.saturating_add(NEAR) => {
                last.end = last.end.max(span.end);
            }
            _ => merged.push(span),
        }
    }
    merged
}

/// The tree at the beginning of the segment that holds the last of `wanted` records.
fn frontier_before(storage: &dyn Storage, reader: &Reader, wanted: u64) -> Result<Frontier> {
    let segments = reader.segments();
    let Some(segment) = segments.iter().rev().find(|segment| segment.first_seq.0 <= wanted) else {
        return Ok(Frontier::new());
    };
    let mut header = vec![0; HEADER_BYTES];
    let file = storage.open_read(&segment.file).map_err(ledger_store::StoreError::from)?;
    file.read_exact_at(&mut header, 0).map_err(ledger_store::StoreError::from)?;
    let header = SegmentHeader::decode(&header).map_err(|error| {
        Error::new(
            ErrorKind::Damaged,
            format!(
                "the header of {} does not decode: {error}; run `memledger verify`",
                segment.file
            ),
        )
    })?;
    Ok(header.frontier)
}
