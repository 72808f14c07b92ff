//! Owns the directory of what recovery took out of the log: copies, never read by the ledger.
//!
//! Invariants: a copy is durable before its original is cut off; no copy replaces another.

use crate::error::StoreError;
use crate::layout;
use crate::storage::{RelPath, Storage, StorageFile};

/// Bytes copied at a time.
const CHUNK: u64 = 1024 * 1024;

/// Names tried before giving up: as many interrupted recoveries can leave a copy of one tail.
const ATTEMPTS: u32 = 1_000;

/// Copies `length` bytes from `offset` of a file, and returns where they are now.
pub(crate) fn keep(
    storage: &dyn Storage,
    source: &dyn StorageFile,
    offset: u64,
    length: u64,
) -> Result<RelPath, StoreError> {
    storage.create_dir(&layout::QUARANTINE)?;
    storage.sync_dir(&RelPath::ROOT)?;
    let (path, copy) = create(storage, source.path(), offset)?;
    let mut done = 0;
    while done < length {
        let count = (length - done).min(CHUNK);
        let mut bytes = vec![0; usize::try_from(count).expect("a chunk fits memory")];
        source.read_exact_at(&mut bytes, offset + done)?;
        copy.write_all_at(&bytes, done)?;
        done += count;
    }
    copy.sync_all()?;
    storage.sync_dir(&layout::QUARANTINE)?;
    Ok(path)
}

fn create(
    storage: &dyn Storage,
    source: &RelPath,
    offset: u64,
) -> Result<(RelPath, Box<dyn StorageFile>), StoreError> {
    let name = source.file_name().unwrap_or("file");
    for attempt in 0..ATTEMPTS {
        let path = layout::inside(&layout::QUARANTINE, &format!("{name}.at-{offset}.{attempt}"));
        match storage.create_exclusive(&path) {
            Err(error) if error.is_already_exists() => {}
            created => return Ok((path, created?)),
        }
    }
    Err(StoreError::Invalid {
        what: "the quarantine is full of copies of one tail: move them elsewhere and open again",
    })
}
