//! Owns which files make a backup of a head, and how much of each.
//!
//! Invariant: nothing above the head is named; what is named was durable before the head was.

use std::sync::Arc;

use ledger_format::payload_file;

use super::BackupError;
use super::content::Content;
use crate::config::{self, CONFIG_FILE};
use crate::error::StoreError;
use crate::head::Position;
use crate::keys::{KEYS_DIR, SLOTS_A, SLOTS_B, Snapshot};
use crate::layout::{self, ANCHORS, CHECKPOINTS};
use crate::reader::Reader;
use crate::storage::{RelPath, Storage, StorageFile};

/// Names the files of the head of this reader, in the order in which they are copied: keys last,
/// because only what is erased meanwhile changes, and what is erased is known by then.
pub(super) fn files(
    storage: &Arc<dyn Storage>,
    reader: &Reader,
    position: &Position,
    counter: u64,
) -> Result<Vec<(RelPath, Content)>, BackupError> {
    let mut files = vec![(CONFIG_FILE, Content::Bytes(config::read_bytes(&**storage)?))];
    for segment in reader.segments() {
        let file = open(&**storage, &segment.file)?;
        files.push((segment.file, Content::Prefix(file, segment.length)));
    }
    files.extend(payloads(&**storage, position)?);
    files.extend(notes(&**storage, position)?);
    // The copy ends cleanly with this head, whatever its holder did since.
    let anchor = position.anchor(reader.ledger(), counter, true).encode().to_vec();
    for name in &ANCHORS {
        files.push((name.clone(), Content::Bytes(anchor.clone())));
    }
    let snapshot = Snapshot::open(storage, reader.ledger(), position.head.next_payload)?;
    let snapshot = Arc::new(snapshot);
    debug_assert!(SLOTS_A.parent() == Some(KEYS_DIR));
    for name in [SLOTS_A, SLOTS_B] {
        files.push((name, Content::Keys(Arc::clone(&snapshot))));
    }
    Ok(files)
}

fn payloads(
    storage: &dyn Storage,
    position: &Position,
) -> Result<Vec<(RelPath, Content)>, BackupError> {
    let begins = payload_file::HEADER_BYTES as u64;
    let mut files = Vec::new();
    for number in 0..=position.payload_file {
        let path = layout::payload_file(number);
        let is_last = number == position.payload_file;
        if is_last && position.payload_end <= begins {
            // Before the first payload there may be no file, or a half-made one.
            break;
        }
        let file = open(storage, &path)?;
        let length = if is_last { position.payload_end } else { file.len()? };
        files.push((path, Content::Prefix(file, length)));
    }
    Ok(files)
}

/// Checkpoints of this head and of those before it.
fn notes(
    storage: &dyn Storage,
    position: &Position,
) -> Result<Vec<(RelPath, Content)>, BackupError> {
    if !storage.exists(&CHECKPOINTS)? {
        return Ok(Vec::new());
    }
    let mut files = Vec::new();
    for name in storage.list(&CHECKPOINTS)? {
        let size = name.strip_suffix(".note").and_then(|size| size.parse::<u64>().ok());
        if size.is_some_and(|size| size <= position.head.seq.0.saturating_add(1)) {
            let path = layout::inside(&CHECKPOINTS, &name);
            let file = open(storage, &path)?;
            let length = file.len()?;
            files.push((path, Content::Prefix(file, length)));
        }
    }
    Ok(files)
}

fn open(storage: &dyn Storage, path: &RelPath) -> Result<Arc<dyn StorageFile>, BackupError> {
    match storage.open_read(path) {
        Err(error) if error.is_not_found() => {
            let what = "a file of the ledger";
            Err(StoreError::damaged(path, 0, None, what, "this file", "no file").into())
        }
        opened => Ok(opened?.into()),
    }
}
