//! The storage seam: everything the ledger does to bytes at rest goes through [`Storage`].
//!
//! Owns the two traits, the path type and the error type that every implementation shares.
//! Two implementations exist: [`FsStorage`] on a local file system and [`MemStorage`], which
//! models what a power cut leaves behind. [`conformance`] holds both to the same contract.
//!
//! Invariants:
//! - A storage is rooted at one ledger directory and cannot name anything outside it.
//! - Nothing is durable until it is asked for: file content after `sync_data`, directory entries
//!   after `sync_dir` of the directory that holds them.
//! - An operation either does all it says or returns an error; only `read_at` may do less.
//! - A failed sync says nothing about what reached the medium, and a later sync that succeeds
//!   does not repair it. The caller must stop writing.
//!
//! May not: interpret the bytes, retry a failed flush, read a clock.

pub mod conformance;
mod error;
pub(crate) mod fs;
mod mem;
mod netfs;
mod path;

use std::fmt;

pub use error::{LockError, Op, StorageError};
pub use fs::FsStorage;
pub use mem::{Fault, FaultPlan, MemStorage, Survival, TraceEntry};
pub use path::{PathError, RelPath};

/// Name of the lock file at the root of a ledger directory.
pub const LOCK_FILE: RelPath = RelPath::from_static("lock");

/// One ledger directory.
///
/// All paths are relative to its root. Methods take `&self` and may be called from any thread.
pub trait Storage: fmt::Debug + Send + Sync {
    /// Creates an empty file for reading and writing. Fails if the name exists, whatever it names.
    ///
    /// The new name is durable only after [`Storage::sync_dir`] of its parent.
    fn create_exclusive(&self, path: &RelPath) -> Result<Box<dyn StorageFile>, StorageError>;

    /// Opens an existing regular file for reading only.
    fn open_read(&self, path: &RelPath) -> Result<Box<dyn StorageFile>, StorageError>;

    /// Opens an existing regular file for reading and writing. Never creates or truncates.
    fn open_write(&self, path: &RelPath) -> Result<Box<dyn StorageFile>, StorageError>;

    /// Whether a file or directory of this name exists.
    fn exists(&self, path: &RelPath) -> Result<bool, StorageError>;

    /// Names (not paths) of everything directly inside `dir`, in byte order.
    ///
    /// A name that is not UTF-8 is an error: the ledger never makes one, and leaving it out would
    /// hide it.
    fn list(&self, dir: &RelPath) -> Result<Vec<String>, StorageError>;

    /// Creates a directory and its missing parents; one that exists already is no error.
    ///
    /// Each new name is durable only after [`Storage::sync_dir`] of the directory it is in.
    fn create_dir(&self, dir: &RelPath) -> Result<(), StorageError>;

    /// Makes the entries of `dir` (creations, renames, removals) durable. Not recursive.
    fn sync_dir(&self, dir: &RelPath) -> Result<(), StorageError>;

    /// Renames a file or directory, replacing an existing file at `to`.
    ///
    /// Across directories, sync the directory of `to` before that of `from`: in the other order a
    /// crash in between can lose both names.
    fn rename(&self, from: &RelPath, to: &RelPath) -> Result<(), StorageError>;

    /// Removes the name of a file. Open handles stay usable.
    fn remove_file(&self, path: &RelPath) -> Result<(), StorageError>;

    /// Removes a directory and all that is in it. Not atomic: an error or a crash leaves a part.
    /// The root itself cannot be removed.
    fn remove_dir_all(&self, dir: &RelPath) -> Result<(), StorageError>;

    /// Takes the exclusive ledger lock without waiting. It is released when the guard is dropped.
    fn try_lock(&self) -> Result<Box<dyn LockGuard>, LockError>;
}

/// One open file of a [`Storage`].
///
/// Offsets and lengths are in bytes. There is no cursor, so handles may be shared by threads.
pub trait StorageFile: fmt::Debug + Send + Sync {
    /// Where the file was when it was opened.
    fn path(&self) -> &RelPath;

    /// Current length in bytes.
    fn len(&self) -> Result<u64, StorageError>;

    /// Whether the length is zero.
    fn is_empty(&self) -> Result<bool, StorageError> {
        Ok(self.len()? == 0)
    }

    /// Reads up to `buf.len()` bytes and returns how many. Fewer may come back at any time; zero
    /// means that `offset` is at or beyond the end, or that `buf` is empty.
    fn read_at(&self, buf: &mut [u8], offset: u64) -> Result<usize, StorageError>;

    /// Fills `buf` or fails. Where the file ends too soon the error is
    /// [`StorageError::is_unexpected_end`] and its offset is where the bytes ran out.
    fn read_exact_at(&self, buf: &mut [u8], offset: u64) -> Result<(), StorageError>;

    /// Writes all of `data`, growing the file if needed; a gap reads as zeros. When it fails, any
    /// part may have been written. Writing nothing does nothing, and does not grow the file.
    fn write_all_at(&self, data: &[u8], offset: u64) -> Result<(), StorageError>;

    /// Cuts or grows the file to `len`; what is added reads as zeros and may take no space.
    fn set_len(&self, len: u64) -> Result<(), StorageError>;

    /// Writes `len` real zero bytes from `offset`, growing the file if needed, so that later
    /// writes there find their blocks allocated.
    fn zero_fill(&self, offset: u64, len: u64) -> Result<(), StorageError>;

    /// Releases a range: it reads as zeros afterwards, and the length stays. Writes zeros instead
    /// where holes are not supported. The part of the range beyond the end is ignored.
    fn punch_hole(&self, offset: u64, len: u64) -> Result<(), StorageError>;

    /// Flushes content, and as much of the length as is needed to read it back.
    ///
    /// After an error nothing is known about earlier writes and trying again is not safe: the
    /// system may have dropped them and will report success.
    fn sync_data(&self) -> Result<(), StorageError>;

    /// [`StorageFile::sync_data`], and all other metadata of the file. Not its directory entry.
    fn sync_all(&self) -> Result<(), StorageError>;
}

/// Proof of holding the ledger lock; dropping it releases the lock.
pub trait LockGuard: fmt::Debug + Send + Sync {
    /// Whether the lock file is still the one that was locked. `false` means that it (or the whole
    /// directory) was replaced and another process may hold the new one: stop writing.
    fn still_held(&self) -> Result<bool, StorageError>;
}

/// Calls `read` until `buf` is full. Returns the offset of the end if the file ends before that.
fn fill(
    buf: &mut [u8],
    offset: u64,
    mut read: impl FnMut(&mut [u8], u64) -> Result<usize, StorageError>,
) -> Result<Option<u64>, StorageError> {
    let (mut rest, mut at) = (buf, offset);
    while !rest.is_empty() {
        let count = read(rest, at)?;
        at = at.saturating_add(count as u64);
        if count == 0 {
            return Ok(Some(at));
        }
        rest = rest.get_mut(count..).unwrap_or_default();
    }
    Ok(None)
}
