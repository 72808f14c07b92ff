//! Owns writing an anchor copy again from the other one.
//!
//! Invariants: only from a valid copy that the log confirms, whole from the batch it names on; never
//! where what is left of the lost copy speaks of records that the log does not have; what the copy
//! held is in quarantine before. May not: decide that one copy is enough where both are lost.

use ledger_format::anchor::{Anchor, BYTES};
use ledger_format::{LedgerId, Seq};

use super::anchor_file::{AnchorCopy, read_anchors};
use super::recover::confirmed_end;
use crate::error::StoreError;
use crate::head::Position;
use crate::layout::ANCHORS;
use crate::quarantine::{self, Taken, TakenAs};
use crate::storage::{RelPath, Storage, StorageError, StorageFile};

/// A copy of the head anchor that can be written again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LostCopy {
    /// Its file.
    pub file: RelPath,
    /// How many bytes it has now.
    pub bytes: u64,
    /// Why it does not count.
    pub reason: String,
    /// The last record that the other copy names.
    pub anchored: Seq,
    /// The last record of the log, which is whole from there on.
    pub end: Seq,
}

/// The copy that [`repair_anchor`] would write again; none when both are as they should be. Changes
/// nothing; the caller keeps holders away meanwhile.
///
/// # Errors
/// As [`repair_anchor`], but for the lock.
pub fn lost_copy(storage: &dyn Storage, ledger: LedgerId) -> Result<Option<LostCopy>, StoreError> {
    Ok(judge(storage, ledger)?.map(|found| found.lost))
}

/// Writes an unreadable or missing copy again from the valid one, byte for byte, and returns where
/// its bytes are now. None when both are as they should be.
///
/// # Errors
/// [`StoreError::Busy`] while a holder has the ledger, [`StoreError::AnchorDamaged`] when no copy
/// is valid, both are and contradict each other, or the lost one seems to name more than the log
/// has; [`StoreError::Lost`] or [`StoreError::Damaged`] when the log does not confirm the valid
/// one, [`StoreError::Foreign`] for another ledger's anchor, or a failing storage.
pub fn repair_anchor(
    storage: &dyn Storage,
    ledger: LedgerId,
) -> Result<Option<RelPath>, StoreError> {
    let _lock = storage.try_lock()?;
    let Some(Found { lost, next, valid }) = judge(storage, ledger)? else {
        return Ok(None);
    };
    let file = match storage.open_write(&lost.file) {
        Err(error) if error.is_not_found() => None,
        opened => Some(opened?),
    };
    let taken = Taken {
        kind: TakenAs::Anchor,
        file: lost.file.clone(),
        offset: 0,
        bytes: lost.bytes,
        next,
        anchor: valid.counter,
        reason: lost.reason,
    };
    let quarantine = quarantine::keep(storage, file.as_deref(), &taken)?;
    let file = file.map_or_else(|| storage.create_exclusive(&lost.file), Ok)?;
    file.set_len(BYTES as u64)?;
    file.write_all_at(&valid.encode(), 0)?;
    file.sync_all()?;
    storage.sync_dir(&RelPath::ROOT)?;
    Ok(Some(quarantine))
}

struct Found {
    lost: LostCopy,
    next: Seq,
    valid: Anchor,
}

fn judge(storage: &dyn Storage, ledger: LedgerId) -> Result<Option<Found>, StoreError> {
    let anchors = read_anchors(storage)?;
    let Some(problem) = anchors.problem(ledger) else {
        return Ok(None);
    };
    let Some((place, valid)) = anchors.newest() else {
        return Err(problem);
    };
    let other = 1 - place;
    let [first, second] = ANCHORS;
    let file = if other == 0 { first } else { second };
    let Some(copy) = anchors.copies.get(other) else {
        return Err(problem);
    };
    let reason = match copy {
        AnchorCopy::Missing => "it was missing".to_owned(),
        AnchorCopy::Blank => "it was blank".to_owned(),
        AnchorCopy::Unreadable(reason) => reason.clone(),
        // Two valid copies that contradict each other, or one of another ledger.
        AnchorCopy::Valid(_) => return Err(problem),
    };
    if valid.ledger != ledger {
        return Err(problem);
    }
    let end = confirmed_end(storage, ledger, &anchors)?.ok_or(problem)?;
    let bytes = length(storage, &file)?;
    check_claim(storage, &file, valid, &end)?;
    let lost = LostCopy { file, bytes, reason, anchored: valid.seq, end: end.head.seq };
    Ok(Some(Found { lost, next: end.head.seq.next(), valid: valid.clone() }))
}

fn length(storage: &dyn Storage, file: &RelPath) -> Result<u64, StorageError> {
    match storage.open_read(file) {
        Err(error) if error.is_not_found() => Ok(0),
        opened => opened?.len(),
    }
}

/// A copy that does not hold proves nothing. But where it still reads like the one that was written
/// after the valid one, and names a batch that the log does not have, writing it again from the
/// older one could hide that the log was cut.
fn check_claim(
    storage: &dyn Storage,
    path: &RelPath,
    valid: &Anchor,
    end: &Position,
) -> Result<(), StoreError> {
    let Some(bytes) = whole_copy(storage, path) else { return Ok(()) };
    let Some(claim) = Anchor::claim(&bytes) else { return Ok(()) };
    let is_next = claim.ledger == valid.ledger && claim.counter == valid.counter.saturating_add(1);
    if !is_next || claim.batch <= end.head.batch {
        return Ok(());
    }
    let reason = format!(
        "and what is left of it names record {}, while the log ends with record {}: records seem to \
         be missing at the end, which writing it again from the other copy would hide; put the log \
         back from a backup",
        claim.seq, end.head.seq
    );
    Err(StoreError::AnchorDamaged { file: path.clone(), reason })
}

fn whole_copy(storage: &dyn Storage, path: &RelPath) -> Option<Vec<u8>> {
    let file: Box<dyn StorageFile> = storage.open_read(path).ok()?;
    let mut bytes = vec![0; BYTES];
    file.read_exact_at(&mut bytes, 0).ok()?;
    Some(bytes)
}
