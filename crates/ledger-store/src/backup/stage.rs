//! Owns writing one file so that it is there whole or not at all, and not writing one that is there.
//!
//! Invariant: a name other than that of [`UNFINISHED`] stands for a file that was flushed whole.

use ledger_format::hash::FileHasher;

use super::content::Content;
use super::manifest::FileEntry;
use super::{BackupError, Copied};
use crate::storage::{RelPath, Storage, StorageFile};

/// What a file is called while it is written.
pub(super) const UNFINISHED: &str = "unfinished";

/// Writes `content` to the first of `places`, unless one of them holds the same bytes. Returns the
/// entry of what is there now. A copy that lies in a place before the one that holds the same bytes
/// is removed for good: it is of an earlier try, and would be taken for the newer one.
pub(super) fn put(
    storage: &dyn Storage,
    places: &[RelPath],
    path: &RelPath,
    content: &Content,
    copied: &mut Copied,
) -> Result<FileEntry, BackupError> {
    let length = content.length();
    let mut known = None;
    for (at, place) in places.iter().enumerate() {
        let Some(file) = same_length(storage, place, length)? else { continue };
        let digest = match known {
            Some(digest) => digest,
            None => *known.insert(content.digest()?),
        };
        if Content::Prefix(file.into(), length).digest()? == digest {
            for stale in places.iter().take(at) {
                remove(storage, stale)?;
            }
            copied.kept += 1;
            copied.kept_bytes += length;
            return Ok(FileEntry { path: path.clone(), length, digest });
        }
    }
    let Some(place) = places.first() else {
        return Err(BackupError::Restless("the list of places"));
    };
    let digest = write(storage, place, content)?;
    copied.files += 1;
    copied.bytes += length;
    Ok(FileEntry { path: path.clone(), length, digest })
}

/// The file under this name, if it has this length.
pub(super) fn same_length(
    storage: &dyn Storage,
    place: &RelPath,
    length: u64,
) -> Result<Option<Box<dyn StorageFile>>, BackupError> {
    match storage.open_read(place) {
        Err(error) if error.is_not_found() => Ok(None),
        Err(error) => Err(error.into()),
        Ok(file) => Ok((file.len()? == length).then_some(file)),
    }
}

fn remove(storage: &dyn Storage, place: &RelPath) -> Result<(), BackupError> {
    if storage.exists(place)? {
        storage.remove_file(place)?;
        storage.sync_dir(&place.parent().unwrap_or(RelPath::ROOT))?;
    }
    Ok(())
}

/// Beside its place, flushed, then in its place, with the name durable. Returns the digest of what
/// was written.
fn write(
    storage: &dyn Storage,
    place: &RelPath,
    content: &Content,
) -> Result<[u8; 32], BackupError> {
    let dir = place.parent().unwrap_or(RelPath::ROOT);
    storage.create_dir(&dir)?;
    let unfinished = dir.join(UNFINISHED).expect("a plain name");
    remove(storage, &unfinished)?;
    let file = storage.create_exclusive(&unfinished)?;
    let (mut at, mut hasher) = (0, FileHasher::new());
    content.each(&mut |piece| {
        file.write_all_at(piece, at)?;
        hasher.update(piece);
        at += piece.len() as u64;
        Ok(())
    })?;
    file.sync_all()?;
    storage.rename(&unfinished, place)?;
    storage.sync_dir(&dir)?;
    let mut above = dir.parent();
    while let Some(parent) = above {
        storage.sync_dir(&parent)?;
        above = parent.parent();
    }
    Ok(hasher.digest())
}
