//! Owns the two copies of the head anchor: reading and judging them, writing them in turn.
//!
//! Invariants: both copies exist from creation on, blank until the first batch, and the first
//! commit of a ledger is answered after it has written both. So a blank pair with more than one batch, a
//! missing copy or an unreadable one is damage and never a fresh ledger. Writing is in place: one
//! sector, flushed, no rename.

use std::sync::Arc;

use ledger_format::LedgerId;
use ledger_format::anchor::{Anchor, BYTES};

use crate::error::StoreError;
use crate::head::Position;
use crate::layout::ANCHORS;
use crate::storage::{RelPath, Storage, StorageFile};

/// One copy as it was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum AnchorCopy {
    Missing,
    /// All zero: not written yet.
    Blank,
    Valid(Box<Anchor>),
    Unreadable(String),
}

/// Both copies as they were found.
#[derive(Clone, Debug)]
pub struct Anchors {
    pub(crate) copies: [AnchorCopy; 2],
}

/// Reads both copies of the head anchor.
///
/// # Errors
/// [`StoreError::Storage`] when the storage fails. What the copies hold is no error here.
pub fn read_anchors(storage: &dyn Storage) -> Result<Anchors, StoreError> {
    let [first, second] = &ANCHORS;
    Ok(Anchors { copies: [read(storage, first)?, read(storage, second)?] })
}

impl Anchors {
    /// The valid copy with the higher counter.
    #[must_use]
    pub fn latest(&self) -> Option<&Anchor> {
        self.newest().map(|(_, anchor)| anchor)
    }

    /// Whether no copy exists at all.
    #[must_use]
    pub fn are_missing(&self) -> bool {
        self.copies.iter().all(|copy| *copy == AnchorCopy::Missing)
    }

    /// Whether both copies wait for the first batch.
    #[must_use]
    pub fn are_blank(&self) -> bool {
        self.copies.iter().all(|copy| *copy == AnchorCopy::Blank)
    }

    /// Whether no copy holds anything: there is no ledger yet, or one before its first batch.
    #[must_use]
    pub fn are_empty(&self) -> bool {
        let empty = [AnchorCopy::Missing, AnchorCopy::Blank];
        self.copies.iter().all(|copy| empty.contains(copy))
    }

    /// Why nothing may be written: the first copy that cannot be trusted.
    #[must_use]
    pub fn problem(&self, ledger: LedgerId) -> Option<StoreError> {
        if self.are_blank() {
            return None;
        }
        let newest = self.newest();
        for (copy, file) in self.copies.iter().zip(&ANCHORS) {
            let reason = match copy {
                AnchorCopy::Missing => "it is missing".to_owned(),
                AnchorCopy::Unreadable(reason) => reason.clone(),
                // The first commit writes both copies before it is answered, one after the other.
                AnchorCopy::Blank if newest.is_some_and(|(_, anchor)| anchor.counter <= 1) => {
                    continue;
                }
                AnchorCopy::Blank => "it is blank".to_owned(),
                AnchorCopy::Valid(anchor) if anchor.ledger != ledger => {
                    return Some(StoreError::Foreign {
                        file: file.clone(),
                        expected: ledger,
                        found: anchor.ledger,
                    });
                }
                AnchorCopy::Valid(_) => continue,
            };
            return Some(StoreError::AnchorDamaged { file: file.clone(), reason });
        }
        self.are_contradictory().then(|| {
            let reason = "it and the other copy differ under the same counter".to_owned();
            let [file, _] = ANCHORS;
            StoreError::AnchorDamaged { file, reason }
        })
    }

    /// Whether both copies are valid and say different things, so that neither counts.
    #[must_use]
    pub fn are_contradictory(&self) -> bool {
        matches!(
            &self.copies,
            [AnchorCopy::Valid(first), AnchorCopy::Valid(second)]
                if first.counter == second.counter && first != second
        )
    }

    /// The copy that counts: the valid one with the higher counter.
    #[must_use]
    pub fn best(&self) -> Option<&Anchor> {
        self.newest().map(|(_, anchor)| anchor)
    }

    pub(crate) fn newest(&self) -> Option<(usize, &Anchor)> {
        let valid = self.copies.iter().enumerate().filter_map(|(place, copy)| match copy {
            AnchorCopy::Valid(anchor) => Some((place, &**anchor)),
            _ => None,
        });
        valid.max_by_key(|(_, anchor)| anchor.counter)
    }
}

fn read(storage: &dyn Storage, path: &RelPath) -> Result<AnchorCopy, StoreError> {
    let file = match storage.open_read(path) {
        Ok(file) => file,
        Err(error) if error.is_not_found() => return Ok(AnchorCopy::Missing),
        Err(error) => return Err(error.into()),
    };
    let length = file.len()?;
    let wrong_length = || format!("it has {length} bytes instead of {BYTES}");
    if length > BYTES as u64 {
        return Ok(AnchorCopy::Unreadable(wrong_length()));
    }
    let mut bytes = vec![0; usize::try_from(length).unwrap_or(BYTES)];
    if let Err(error) = file.read_exact_at(&mut bytes, 0) {
        // A bad sector of this copy must not keep anybody from the other one.
        return Ok(AnchorCopy::Unreadable(error.to_string()));
    }
    // A shorter one is what a creation that was interrupted leaves.
    if bytes.iter().all(|byte| *byte == 0) {
        return Ok(AnchorCopy::Blank);
    }
    if bytes.len() != BYTES {
        return Ok(AnchorCopy::Unreadable(wrong_length()));
    }
    Ok(match Anchor::decode(&bytes) {
        Ok(anchor) => AnchorCopy::Valid(Box::new(anchor)),
        Err(error) => AnchorCopy::Unreadable(error.to_string()),
    })
}

/// Makes both copies, blank. Those that an interrupted creation left are made anew, because their
/// names may not be durable. Names and content are when this returns.
pub(crate) fn create_blank(storage: &dyn Storage) -> Result<(), StoreError> {
    for path in &ANCHORS {
        if storage.exists(path)? {
            storage.remove_file(path)?;
        }
        let file = storage.create_exclusive(path)?;
        file.zero_fill(0, BYTES as u64)?;
        file.sync_all()?;
    }
    storage.sync_dir(&RelPath::ROOT)?;
    Ok(())
}

/// Writes anchors, each into the copy that holds the older one.
#[derive(Debug)]
pub(crate) struct AnchorWriter {
    ledger: LedgerId,
    files: [Arc<dyn StorageFile>; 2],
    next: usize,
    counter: u64,
}

impl AnchorWriter {
    /// Goes on after what was found.
    pub(crate) fn open(
        storage: &dyn Storage,
        ledger: LedgerId,
        found: &Anchors,
    ) -> Result<Self, StoreError> {
        let [first, second] = &ANCHORS;
        let files = [storage.open_write(first)?.into(), storage.open_write(second)?.into()];
        let (next, counter) =
            found.newest().map_or((0, 0), |(place, anchor)| (1 - place, anchor.counter));
        Ok(Self { ledger, files, next, counter })
    }

    /// Writes what the newer copy says into it again: its flush may have failed, and then it is in
    /// memory only.
    pub(crate) fn confirm(&self, found: &Anchors) -> Result<(), StoreError> {
        let Some((place, anchor)) = found.newest() else {
            return Ok(());
        };
        let file = self.files.get(place).expect("there are two places");
        file.write_all_at(&anchor.encode(), 0)?;
        file.sync_data()?;
        Ok(())
    }

    pub(crate) fn write(&mut self, position: &Position, clean: bool) -> Result<(), StoreError> {
        self.counter += 1;
        let anchor = position.anchor(self.ledger, self.counter, clean);
        let file = self.files.get(self.next).expect("there are two places");
        file.write_all_at(&anchor.encode(), 0)?;
        file.sync_data()?;
        self.next = 1 - self.next;
        Ok(())
    }
}
