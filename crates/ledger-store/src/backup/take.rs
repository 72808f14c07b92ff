//! Owns taking a backup: the head, the copy, the check, and putting it in force.
//!
//! Invariant: no erasure was carried out between the first byte that was copied and the last, unless
//! its intent is in the copy: an intent is in both anchors before anything is destroyed, so an anchor
//! that names no new one afterwards is proof.

use std::sync::Arc;

use ledger_format::Micros;

use super::content::Content;
use super::directory::{Found, begin, clear, commit, find, roll_forward, staged, waiting};
use super::manifest::Manifest;
use super::view::BackupView;
use super::{BackupError, Copied, select, stage};
use crate::error::StoreError;
use crate::head::Position;
use crate::keys::{SLOTS_A, SLOTS_B};
use crate::log::read_anchors;
use crate::reader::Reader;
use crate::storage::Storage;

/// How often a copy is begun again because of erasures.
const TRIES: usize = 8;

/// What the backup says about itself.
#[derive(Clone, Debug)]
pub struct TakeOptions {
    /// When it is taken.
    pub taken_at: Micros,
    /// The program that takes it.
    pub program: String,
}

/// A backup that was taken.
#[derive(Debug)]
pub struct Taken {
    /// What is in it.
    pub manifest: Manifest,
    /// What was there before.
    pub before: Option<Manifest>,
    /// What was copied.
    pub copied: Copied,
    /// Whether the first backup here was interrupted before.
    pub resumed: bool,
}

/// Looks at what would be the new backup.
pub type Accept<'a, E> = &'a mut dyn FnMut(&Arc<dyn Storage>) -> Result<(), E>;

/// Takes a backup of the head of `reader`, which needs no lock, into `to`. Before the new backup takes
/// effect `accept` looks at it as a whole; when it refuses, what was there before stays in force.
///
/// # Errors
/// [`BackupError`]; or whatever `accept` says.
pub fn take<E: From<BackupError>>(
    from: &Arc<dyn Storage>,
    reader: &Reader,
    to: &Arc<dyn Storage>,
    options: &TakeOptions,
    accept: Accept<'_, E>,
) -> Result<Taken, E> {
    let first = reader.position().ok_or(BackupError::Empty)?;
    // Before the lock, which would leave its file in a directory that is somebody else's.
    refuse(find(to)?)?;
    let _lock = to.try_lock().map_err(StoreError::from).map_err(BackupError::from)?;
    roll_forward(&**to)?;
    let (before, resumed) = match find(to)? {
        Found::Backup(view) => (Some(view.manifest().clone()), false),
        found => (None, matches!(found, Found::Unfinished)),
    };
    match &before {
        Some(before) => continues(before, reader, &first)?,
        None => begin(&**to)?,
    }
    let (manifest, copied) = copy(from, reader, to, options)?;
    if before.as_ref().is_some_and(|before| before.files == manifest.files) {
        // Nothing changed: the backup that is there is this one.
        clear(&**to)?;
        let view = BackupView::new(Arc::clone(to), manifest.clone(), false);
        accept(&(Arc::new(view) as Arc<dyn Storage>))?;
        return Ok(Taken { manifest, before, copied, resumed });
    }
    accept(&(Arc::new(staged(to, &manifest)) as Arc<dyn Storage>))?;
    commit(&**to, &manifest)?;
    Ok(Taken { manifest, before, copied, resumed })
}

/// The first copy of the key pages, as it was just put.
fn twin(to: &dyn Storage, content: &Content) -> Result<Content, BackupError> {
    let length = content.length();
    for place in [waiting(&SLOTS_A), SLOTS_A] {
        if let Some(file) = stage::same_length(to, &place, length)? {
            return Ok(Content::Prefix(file.into(), length));
        }
    }
    Err(BackupError::Restless("the key pages"))
}

fn refuse(found: Found) -> Result<(), BackupError> {
    match found {
        Found::Other(what) => Err(BackupError::Occupied(what)),
        _ => Ok(()),
    }
}

/// A backup is only ever replaced by one that begins with it.
fn continues(before: &Manifest, reader: &Reader, head: &Position) -> Result<(), BackupError> {
    if before.ledger != reader.ledger() {
        return Err(BackupError::Foreign { found: before.ledger });
    }
    if before.last > head.head.seq {
        return Err(BackupError::Newer { backup: before.last, ledger: head.head.seq });
    }
    if reader.record(before.last)?.hash != before.hash {
        return Err(BackupError::OtherHistory { seq: before.last });
    }
    Ok(())
}

/// Copies until no erasure came in between.
fn copy(
    from: &Arc<dyn Storage>,
    reader: &Reader,
    to: &Arc<dyn Storage>,
    options: &TakeOptions,
) -> Result<(Manifest, Copied), BackupError> {
    for _ in 0..TRIES {
        let position = reader.position().ok_or(BackupError::Empty)?;
        let counter = read_anchors(&**from)?.best().map_or(1, |anchor| anchor.counter);
        let mut copied = Copied::default();
        let mut files = Vec::new();
        for (path, content) in select::files(from, reader, &position, counter)? {
            let places = [waiting(&path), path.clone()];
            // A page may have changed since the first copy of it was read, and the two would differ.
            let content = if path == SLOTS_B { twin(&**to, &content)? } else { content };
            files.push(stage::put(&**to, &places, &path, &content, &mut copied)?);
        }
        files.sort_by(|one, other| one.path.cmp(&other.path));
        reader.refresh()?;
        let now = reader.position().ok_or(BackupError::Empty)?;
        if now.head.last_erasure == position.head.last_erasure {
            let manifest = Manifest {
                ledger: reader.ledger(),
                last: position.head.seq,
                hash: position.head.hash,
                root: position.head.root,
                recorded_at: position.head.recorded_at,
                taken_at: options.taken_at,
                program: options.program.clone(),
                files,
            };
            return Ok((manifest, copied));
        }
    }
    Err(BackupError::Restless("what is erased"))
}
