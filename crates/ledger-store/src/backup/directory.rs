//! Owns what a backup directory is found to be, and putting a new backup in force.
//!
//! Invariant: `next.toml` takes effect by its name alone: with it the new backup is whole, whether or
//! not its files are moved yet, and without it the old one is.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::BackupError;
use super::manifest::Manifest;
use super::view::BackupView;
use crate::error::StoreError;
use crate::layout::{LOG, PAYLOADS};
use crate::storage::{LOCK_FILE, RelPath, Storage};

/// The manifest: a directory with this file is a backup and is never written to as a ledger.
pub const BACKUP_FILE: RelPath = RelPath::from_static("backup.toml");
/// The manifest of a backup whose files are being moved into place.
const NEXT: RelPath = RelPath::from_static("next.toml");
/// The next manifest until it takes effect.
const UNFINISHED_NEXT: RelPath = RelPath::from_static("next.toml.new");
/// There from before the first file until a backup is in force: what lies here is a backup in the making.
const BEGUN: RelPath = RelPath::from_static("backup.begun");
/// What the name of a file ends with that waits for the next backup, beside its place: a name that moves
/// between directories can be lost in both.
const WAITING: &str = ".next";
/// No manifest is longer; a longer one is not read into memory.
const LONGEST: u64 = 1 << 28;

/// What lies in a directory.
#[derive(Debug)]
pub enum Found {
    /// Nothing.
    Nothing,
    /// What an interrupted first backup leaves.
    Unfinished,
    /// A whole backup.
    Backup(BackupView),
    /// Something else: what.
    Other(String),
}

/// Looks at a directory. Changes nothing.
///
/// # Errors
/// [`BackupError::Damaged`] for a manifest that cannot be read, or a failing storage.
pub fn find(storage: &Arc<dyn Storage>) -> Result<Found, BackupError> {
    for (name, moving) in [(NEXT, true), (BACKUP_FILE, false)] {
        if storage.exists(&name)? {
            let manifest = read(&**storage, &name)?;
            return Ok(Found::Backup(BackupView::new(Arc::clone(storage), manifest, moving)));
        }
    }
    if storage.exists(&BEGUN)? {
        return Ok(Found::Unfinished);
    }
    let names = storage.list(&RelPath::ROOT)?;
    let names: Vec<&String> = names.iter().filter(|name| *name != LOCK_FILE.as_str()).collect();
    Ok(match names.as_slice() {
        [] => Found::Nothing,
        names if names.iter().any(|name| *name == "ledger.toml" || *name == "log") => {
            Found::Other("a ledger".to_owned())
        }
        [first, ..] => Found::Other(format!("other things ({first:?})")),
    })
}

/// Says that a backup is in the making, before anything else is.
pub(super) fn begin(storage: &dyn Storage) -> Result<(), BackupError> {
    if !storage.exists(&BEGUN)? {
        storage.create_exclusive(&BEGUN)?;
    }
    Ok(storage.sync_dir(&RelPath::ROOT)?)
}

/// Where a file of the next backup waits.
pub(super) fn waiting(path: &RelPath) -> RelPath {
    let name = format!("{}{WAITING}", path.file_name().unwrap_or_default());
    let dir = path.parent().unwrap_or(RelPath::ROOT);
    dir.join(&name).expect("a plain name with a plain end is a plain name")
}

/// The next backup as it waits, to be checked before it takes effect.
pub(super) fn staged(storage: &Arc<dyn Storage>, manifest: &Manifest) -> BackupView {
    BackupView::new(Arc::clone(storage), manifest.clone(), true)
}

/// Puts the next backup in force. All its files are durable, in place or beside it.
pub(super) fn commit(storage: &dyn Storage, manifest: &Manifest) -> Result<(), BackupError> {
    if storage.exists(&UNFINISHED_NEXT)? {
        storage.remove_file(&UNFINISHED_NEXT)?;
    }
    let file = storage.create_exclusive(&UNFINISHED_NEXT)?;
    file.write_all_at(manifest.render().as_bytes(), 0)?;
    file.sync_all()?;
    storage.rename(&UNFINISHED_NEXT, &NEXT)?;
    storage.sync_dir(&RelPath::ROOT)?;
    roll_forward(storage)
}

/// Moves the files of a backup that is in force to their places, where that is not done yet.
pub(super) fn roll_forward(storage: &dyn Storage) -> Result<(), BackupError> {
    if !storage.exists(&NEXT)? {
        return Ok(());
    }
    let manifest = read(storage, &NEXT)?;
    let mut dirs: BTreeSet<RelPath> =
        manifest.files.iter().filter_map(|entry| entry.path.parent()).collect();
    dirs.extend([LOG, PAYLOADS]);
    for dir in &dirs {
        storage.create_dir(dir)?;
    }
    for entry in &manifest.files {
        let from = waiting(&entry.path);
        if storage.exists(&from)? {
            storage.rename(&from, &entry.path)?;
        }
    }
    for dir in &dirs {
        storage.sync_dir(dir)?;
    }
    storage.sync_dir(&RelPath::ROOT)?;
    storage.rename(&NEXT, &BACKUP_FILE)?;
    storage.sync_dir(&RelPath::ROOT)?;
    clear(storage)
}

/// Removes what a backup in force does not need.
pub(super) fn clear(storage: &dyn Storage) -> Result<(), BackupError> {
    if storage.exists(&BEGUN)? {
        storage.remove_file(&BEGUN)?;
        storage.sync_dir(&RelPath::ROOT)?;
    }
    Ok(())
}

fn read(storage: &dyn Storage, name: &RelPath) -> Result<Manifest, BackupError> {
    let damaged = |what: String| BackupError::Damaged { file: name.to_string(), what };
    let file = storage.open_read(name)?;
    let length = file.len()?;
    if length > LONGEST {
        return Err(damaged(format!("{length} bytes are too many for this file")));
    }
    let mut bytes = vec![0; usize::try_from(length).unwrap_or_default()];
    file.read_exact_at(&mut bytes, 0).map_err(StoreError::from)?;
    let text = String::from_utf8(bytes).map_err(|error| damaged(format!("no text: {error}")))?;
    Manifest::parse(name, &text)
}
