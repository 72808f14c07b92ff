//! Owns the directory of what recovery and repair took out of the ledger: copies, each with a note
//! that says where it was, why it was taken and which record came next.
//!
//! Invariants: copy and note are durable before the original is changed; no copy replaces another; a
//! note without its last line is of a copy that was interrupted, and does not count. The copies are
//! never read by the ledger, and of the notes only those are that no record can have told of yet.

mod note;

use ledger_format::Seq;

pub use self::note::{Taken, TakenAs};
use crate::error::StoreError;
use crate::layout;
use crate::storage::{RelPath, Storage, StorageFile};

/// Bytes copied at a time.
const CHUNK: u64 = 1024 * 1024;

/// Names tried before giving up: as many interrupted recoveries can leave a copy of one tail.
const ATTEMPTS: u32 = 1_000;

/// What the name of a note adds to that of its copy.
const NOTE: &str = ".note";

/// Longer files are no notes of ours.
const LONGEST_NOTE: u64 = 64 * 1024;

/// Copies what `taken` names from its file, with a note, and returns where the copy is now.
pub(crate) fn keep(
    storage: &dyn Storage,
    source: Option<&dyn StorageFile>,
    taken: &Taken,
) -> Result<RelPath, StoreError> {
    storage.create_dir(&layout::QUARANTINE)?;
    storage.sync_dir(&RelPath::ROOT)?;
    let (path, copy) = create(storage, taken)?;
    if let Some(source) = source {
        copy_bytes(source, taken.offset, taken.bytes, &*copy)?;
    }
    copy.sync_all()?;
    let note = storage.create_exclusive(&note_of(&path))?;
    note.write_all_at(taken.render().as_bytes(), 0)?;
    note.sync_all()?;
    storage.sync_dir(&layout::QUARANTINE)?;
    Ok(path)
}

fn copy_bytes(
    source: &dyn StorageFile,
    offset: u64,
    length: u64,
    copy: &dyn StorageFile,
) -> Result<(), StoreError> {
    let mut done = 0;
    while done < length {
        let count = (length - done).min(CHUNK);
        let mut bytes = vec![0; usize::try_from(count).expect("a chunk fits memory")];
        source.read_exact_at(&mut bytes, offset + done)?;
        copy.write_all_at(&bytes, done)?;
        done += count;
    }
    Ok(())
}

fn create(
    storage: &dyn Storage,
    taken: &Taken,
) -> Result<(RelPath, Box<dyn StorageFile>), StoreError> {
    let (name, offset) = (taken.file.file_name().unwrap_or("file"), taken.offset);
    for attempt in 0..ATTEMPTS {
        let path = layout::inside(&layout::QUARANTINE, &format!("{name}.at-{offset}.{attempt}"));
        if storage.exists(&note_of(&path))? {
            continue;
        }
        match storage.create_exclusive(&path) {
            Err(error) if error.is_already_exists() => {}
            created => return Ok((path, created?)),
        }
    }
    Err(StoreError::Invalid {
        what: "the quarantine is full of copies of one tail: move them elsewhere and open again",
    })
}

fn note_of(copy: &RelPath) -> RelPath {
    let name = copy.file_name().unwrap_or("file");
    layout::inside(&layout::QUARANTINE, &format!("{name}{NOTE}"))
}

/// Everything that was taken while `next` was the number of the next record: as long as it is, no
/// record can tell of it. A recovery that was interrupted and begun again counts once.
pub(crate) fn untold(storage: &dyn Storage, next: Seq) -> Result<Vec<Taken>, StoreError> {
    let names = match storage.list(&layout::QUARANTINE) {
        Err(error) if error.is_not_found() => return Ok(Vec::new()),
        names => names?,
    };
    let mut untold: Vec<Taken> = Vec::new();
    for name in names.iter().filter(|name| name.ends_with(NOTE)) {
        let Some(taken) = read_note(storage, name)?.filter(|taken| taken.next == next) else {
            continue;
        };
        match untold.iter_mut().find(|one| one.is_same_work(&taken)) {
            // What a stop left in memory only may be gone the second time.
            Some(one) => one.bytes = one.bytes.max(taken.bytes),
            None => untold.push(taken),
        }
    }
    Ok(untold)
}

/// A note that holds. What else lies in the quarantine is nobody's business here.
fn read_note(storage: &dyn Storage, name: &str) -> Result<Option<Taken>, StoreError> {
    let Ok(path) = layout::QUARANTINE.join(name) else { return Ok(None) };
    let file = storage.open_read(&path)?;
    let length = file.len()?;
    if length > LONGEST_NOTE {
        return Ok(None);
    }
    let mut bytes = vec![0; usize::try_from(length).expect("a note fits memory")];
    file.read_exact_at(&mut bytes, 0)?;
    Ok(std::str::from_utf8(&bytes).ok().and_then(Taken::parse))
}
