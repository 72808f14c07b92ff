//! Owns looking at a backup as at a ledger directory that nobody may change.
//!
//! Invariant: exactly the files of the manifest are there, each from where it lies: in place, or
//! beside it while a new backup waits or is being moved.

use std::sync::Arc;

use rustix::io::Errno;

use super::directory::waiting;
use super::manifest::Manifest;
use super::{BackupError, content::Content, manifest::hex};
use crate::layout::{LOG, PAYLOADS};
use crate::storage::{LockError, LockGuard, Op, RelPath, Storage, StorageError, StorageFile};

/// A backup, as a storage for reading.
#[derive(Debug)]
pub struct BackupView {
    storage: Arc<dyn Storage>,
    manifest: Manifest,
    /// Whether files may wait beside their places.
    moving: bool,
}

impl BackupView {
    pub(super) const fn new(storage: Arc<dyn Storage>, manifest: Manifest, moving: bool) -> Self {
        Self { storage, manifest, moving }
    }

    /// What the backup says it is.
    #[must_use]
    pub const fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Reads every file and compares it with the manifest. `progress` gets the bytes read so far.
    ///
    /// # Errors
    /// [`BackupError::Damaged`] for the first file that is not what it should be.
    pub fn check(&self, progress: &dyn Fn(u64)) -> Result<(), BackupError> {
        let mut done = 0;
        for entry in &self.manifest.files {
            let damaged = |what| BackupError::Damaged { file: entry.path.to_string(), what };
            let file = match self.open_read(&entry.path) {
                Err(error) if error.is_not_found() => return Err(damaged("it is missing".into())),
                opened => opened?,
            };
            let length = file.len()?;
            if length != entry.length {
                return Err(damaged(format!("{length} bytes instead of {}", entry.length)));
            }
            let digest = Content::Prefix(file.into(), length).digest()?;
            if digest != entry.digest {
                let (expected, found) = (hex(&entry.digest), hex(&digest));
                return Err(damaged(format!("its digest is {found}, not {expected}")));
            }
            done += length;
            progress(done);
        }
        Ok(())
    }

    /// Where a file of the backup lies.
    fn place(&self, path: &RelPath) -> Result<RelPath, StorageError> {
        let staged = waiting(path);
        let is_staged = self.moving && self.storage.exists(&staged)?;
        Ok(if is_staged { staged } else { path.clone() })
    }

    fn refused<T>(op: Op, path: &RelPath) -> Result<T, StorageError> {
        Err(StorageError::new(op, path.as_str(), Errno::ROFS))
    }
}

impl Storage for BackupView {
    fn create_exclusive(&self, path: &RelPath) -> Result<Box<dyn StorageFile>, StorageError> {
        Self::refused(Op::CreateExclusive, path)
    }

    fn open_read(&self, path: &RelPath) -> Result<Box<dyn StorageFile>, StorageError> {
        if self.manifest.entry(path).is_none() {
            return Err(StorageError::new(Op::OpenRead, path.as_str(), Errno::NOENT));
        }
        self.storage.open_read(&self.place(path)?)
    }

    fn open_write(&self, path: &RelPath) -> Result<Box<dyn StorageFile>, StorageError> {
        Self::refused(Op::OpenWrite, path)
    }

    fn exists(&self, path: &RelPath) -> Result<bool, StorageError> {
        let is_below = |file: &RelPath| {
            file.as_str().strip_prefix(path.as_str()).is_some_and(|rest| rest.starts_with('/'))
        };
        let mut files = self.manifest.files.iter();
        // Every ledger has these, with files in them or without.
        let is_standing = path.is_root() || *path == LOG || *path == PAYLOADS;
        Ok(is_standing || files.any(|entry| entry.path == *path || is_below(&entry.path)))
    }

    fn list(&self, dir: &RelPath) -> Result<Vec<String>, StorageError> {
        if !self.exists(dir)? {
            return Err(StorageError::new(Op::List, dir.as_str(), Errno::NOENT));
        }
        let depth = dir.parts().count();
        let inside = self.manifest.files.iter().filter_map(|entry| {
            let mut parts = entry.path.parts();
            let is_inside = dir.parts().all(|part| parts.next() == Some(part));
            is_inside.then(|| entry.path.parts().nth(depth).map(str::to_owned))?
        });
        let mut names: Vec<String> = inside.collect();
        names.sort_unstable();
        names.dedup();
        Ok(names)
    }

    fn create_dir(&self, dir: &RelPath) -> Result<(), StorageError> {
        Self::refused(Op::CreateDir, dir)
    }

    fn sync_dir(&self, dir: &RelPath) -> Result<(), StorageError> {
        Self::refused(Op::SyncDir, dir)
    }

    fn rename(&self, from: &RelPath, _to: &RelPath) -> Result<(), StorageError> {
        Self::refused(Op::Rename, from)
    }

    fn remove_file(&self, path: &RelPath) -> Result<(), StorageError> {
        Self::refused(Op::RemoveFile, path)
    }

    fn remove_dir_all(&self, dir: &RelPath) -> Result<(), StorageError> {
        Self::refused(Op::RemoveDirAll, dir)
    }

    fn try_lock(&self) -> Result<Box<dyn LockGuard>, LockError> {
        Self::refused(Op::TryLock, &crate::storage::LOCK_FILE).map_err(LockError::Storage)
    }
}
