//! The exclusive lock of a ledger directory on a file system.
//!
//! Owns the file `lock`: an advisory `flock` on an open descriptor, and the holder's process id as
//! text for the message that a second opener gets.
//!
//! Invariants:
//! - The lock lives in the descriptor, not in the file: it goes when the process does, however it
//!   ends, and the text alone never locks anybody out.
//! - A lock counts only while the path still names the locked file. Somebody who replaces the file
//!   or the directory lets a second holder in; [`LockGuard::still_held`] is how the first finds out.
//! - The file is never removed: an opener that waits between its open and its lock would otherwise
//!   lock a file that nobody else can see.
//!
//! May not: wait, or touch any other file.

use std::fs::File;
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::sync::Arc;

use rustix::fs::{FlockOperation, OFlags, flock};
use rustix::io::{Errno, retry_on_intr};

use crate::storage::fs::Root;
use crate::storage::{LOCK_FILE, LockError, LockGuard, Op, StorageError};

/// How often a lock file that is replaced under our hands is tried again.
const ATTEMPTS: u32 = 5;

/// Bytes of the text: a process id padded to its longest and a newline. Always the same length, so
/// that it is replaced by one write and a reader never sees half of it.
const TEXT_LEN: usize = 11;

/// A held lock.
#[derive(Debug)]
pub(crate) struct FsLock {
    root: Arc<Root>,
    file: File,
    /// Device and number of the locked file, which no descriptor ever changes.
    identity: (u64, u64),
}

impl FsLock {
    /// Takes the lock or says who has it.
    pub(crate) fn acquire(root: &Arc<Root>) -> Result<Self, LockError> {
        let fail = |source: io::Error| root.error(Op::TryLock, &LOCK_FILE, source);
        for _ in 0..ATTEMPTS {
            let file = root.open_file(Op::TryLock, &LOCK_FILE, OFlags::RDWR | OFlags::CREATE)?;
            match retry_on_intr(|| flock(&file, FlockOperation::NonBlockingLockExclusive)) {
                Ok(()) => {}
                Err(Errno::WOULDBLOCK) => {
                    let pid = read_holder(&file);
                    return Err(LockError::Held { path: root.full(&LOCK_FILE), pid });
                }
                Err(errno) => return Err(fail(errno.into()).into()),
            }
            let held = file.metadata().map_err(fail)?;
            let identity = (held.dev(), held.ino());
            let lock = Self { root: Arc::clone(root), file, identity };
            // Replaced between the open and the lock: what is locked is not what others will see.
            if !lock.is_current(Op::TryLock)? {
                continue;
            }
            let text = format!("{:<10}\n", std::process::id());
            lock.file.write_all_at(text.as_bytes(), 0).map_err(fail)?;
            return Ok(lock);
        }
        Err(fail(io::Error::other("the lock file or its directory was moved or replaced")).into())
    }

    /// Whether somebody holds the lock. Looks only: nothing is created, written or waited for.
    pub(crate) fn is_held(root: &Root) -> Result<bool, StorageError> {
        let file = match root.open_file(Op::TryLock, &LOCK_FILE, OFlags::RDONLY) {
            Err(error) if error.is_not_found() => return Ok(false),
            opened => opened?,
        };
        match retry_on_intr(|| flock(&file, FlockOperation::NonBlockingLockShared)) {
            Ok(()) => Ok(false),
            Err(Errno::WOULDBLOCK) => Ok(true),
            Err(errno) => Err(root.error(Op::TryLock, &LOCK_FILE, errno)),
        }
    }

    fn is_current(&self, op: Op) -> Result<bool, StorageError> {
        let fail = |error: io::Error| self.root.error(op, &LOCK_FILE, error);
        // By the full path and not from the root's descriptor: a replaced directory shows too.
        match std::fs::symlink_metadata(self.root.full(&LOCK_FILE)) {
            Ok(named) => Ok(self.identity == (named.dev(), named.ino())),
            Err(error) => match error.kind() {
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Ok(false),
                _ => Err(fail(error)),
            },
        }
    }
}

impl LockGuard for FsLock {
    fn still_held(&self) -> Result<bool, StorageError> {
        self.is_current(Op::StillHeld)
    }
}

impl Drop for FsLock {
    /// Blanks the process id, so that the next holder's rival is not shown ours. Closing the
    /// descriptor releases the lock whether or not this works.
    fn drop(&mut self) {
        let _ = self.file.write_all_at(&[b' '; TEXT_LEN - 1], 0);
    }
}

/// The process id in a lock file, if one can be read.
fn read_holder(file: &File) -> Option<u32> {
    let mut text = [0; TEXT_LEN];
    file.read_exact_at(&mut text, 0).ok()?;
    std::str::from_utf8(&text).ok()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic)]
    use crate::storage::{FsStorage, LockError, Storage};

    fn holder(storage: &FsStorage) -> Option<u32> {
        match storage.try_lock() {
            Err(LockError::Held { pid, .. }) => pid,
            other => panic!("not refused: {other:?}"),
        }
    }

    #[test]
    fn a_second_opener_is_told_who_holds_it() {
        let dir = tempfile::tempdir().unwrap();
        let first = FsStorage::open(dir.path()).unwrap();
        let second = FsStorage::open(dir.path()).unwrap();
        let guard = first.try_lock().unwrap();
        assert_eq!(holder(&second), Some(std::process::id()));
        assert!(guard.still_held().unwrap());
        drop(guard);
        second.try_lock().unwrap();
    }

    #[test]
    fn text_left_by_a_dead_holder_locks_nobody_out() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("lock"), "4242      \n").unwrap();
        let storage = FsStorage::open(dir.path()).unwrap();
        let guard = storage.try_lock().unwrap();
        let text = std::fs::read_to_string(dir.path().join("lock")).unwrap();
        assert_eq!(text.trim(), std::process::id().to_string());
        drop(guard);
        let text = std::fs::read_to_string(dir.path().join("lock")).unwrap();
        assert_eq!(text, "          \n");
    }

    #[test]
    fn unreadable_text_is_an_unknown_holder() {
        let dir = tempfile::tempdir().unwrap();
        let storage = FsStorage::open(dir.path()).unwrap();
        let _guard = storage.try_lock().unwrap();
        std::fs::write(dir.path().join("lock"), "who knows?\n").unwrap();
        assert_eq!(holder(&storage), None);
    }

    #[test]
    fn a_replaced_lock_file_is_noticed() {
        let dir = tempfile::tempdir().unwrap();
        let storage = FsStorage::open(dir.path()).unwrap();
        let guard = storage.try_lock().unwrap();
        std::fs::rename(dir.path().join("lock"), dir.path().join("gone")).unwrap();
        assert!(!guard.still_held().unwrap());
        std::fs::write(dir.path().join("lock"), "").unwrap();
        assert!(!guard.still_held().unwrap());
    }

    #[test]
    fn a_lock_file_that_is_a_link_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink("elsewhere", dir.path().join("lock")).unwrap();
        let storage = FsStorage::open(dir.path()).unwrap();
        assert!(matches!(storage.try_lock(), Err(LockError::Storage(_))));
        assert!(!dir.path().join("elsewhere").exists());
    }
}
