//! [`MemStorage`]: a ledger directory in memory that knows what a power cut would leave of it.
//!
//! Owns the model that crash tests rest on. Per file it keeps what is on the medium and the
//! unsynced changes since; per directory the same for its entries, so that a synced file can still
//! lose its name. [`MemStorage::crash`] makes a new storage out of what survives, any number of
//! times from one state. A [`FaultPlan`] makes chosen operations fail.
//!
//! Invariants:
//! - What was synced without an error survives every crash.
//! - An unsynced change survives, or not, independently of every other; a write of content may
//!   survive in any part at 512-byte granularity, or as length alone, which reads as zeros.
//! - The same calls in the same order with the same plan and seed give the same bytes.
//! - After a failed flush, what it covered is not made durable by a later one, as on Linux, where
//!   the pages are clean by then.
//!
//! Stricter than most real file systems on purpose: syncing a file does not make its name durable.
//! May not: touch a real file, a clock or a random source.

mod change;
mod dir;
mod fault;
mod file;
mod handle;
mod node;
mod state;
mod survive;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustix::io::Errno;

use self::dir::DirNode;
pub use self::fault::{Fault, FaultPlan, TraceEntry};
use self::handle::{MemFile, MemLock};
use self::state::State;
pub use self::survive::Survival;
use super::{LOCK_FILE, LockError, LockGuard, Op, RelPath, Storage, StorageError, StorageFile};

/// The longest file the model takes, in bytes (1 GiB): a wild offset is an error, not an abort.
const MAX_FILE_LEN: u64 = 1 << 30;

/// A ledger directory in memory. Clones share it.
#[derive(Clone)]
pub struct MemStorage {
    state: Arc<Mutex<State>>,
}

impl MemStorage {
    /// An empty directory.
    #[must_use]
    pub fn new() -> Self {
        Self::of(State::new())
    }

    /// What a new process finds after the machine lost power now. This storage stays as it is, so
    /// one state can be crashed in many ways; the new one has no locks, faults, trace or count.
    #[must_use]
    pub fn crash(&self, how: Survival) -> Self {
        Self::of(self.state().crash(how))
    }

    /// Replaces the plan. Its numbers are on the same scale as [`MemStorage::ops`]. A storage that
    /// has stopped stays stopped.
    pub fn set_fault(&self, plan: FaultPlan) {
        self.state().plan = plan;
    }

    /// Operations begun so far, failed ones included: the number the next one will have.
    #[must_use]
    pub fn ops(&self) -> u64 {
        self.state().ops
    }

    /// The operations begun so far and since the last [`MemStorage::take_trace`].
    #[must_use]
    pub fn trace(&self) -> Vec<TraceEntry> {
        self.state().trace.clone()
    }

    /// As [`MemStorage::trace`], and forgets them, so that a long run stays small.
    #[must_use]
    pub fn take_trace(&self) -> Vec<TraceEntry> {
        std::mem::take(&mut self.state().trace)
    }

    /// Whether a stop of the plan was reached, after which everything fails.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.state().stopped
    }

    /// Inverts bit `bit` (0 is the lowest) of the byte at `offset`, on the medium and for readers.
    /// Counts as no operation. Fails if the file does not reach that far.
    pub fn flip_bit(&self, path: &RelPath, offset: u64, bit: u8) -> Result<(), StorageError> {
        let mut found = false;
        self.edit(path, |bytes| {
            let byte = usize::try_from(offset).ok().and_then(|at| bytes.get_mut(at));
            if let Some(byte) = byte {
                *byte ^= 1 << (bit % 8);
                found = true;
            }
        })?;
        if found {
            return Ok(());
        }
        Err(StorageError::new(Op::WriteAllAt, path.as_str(), Errno::INVAL).at(offset))
    }

    /// Changes the bytes of a file behind everybody's back, on the medium and for readers: damage
    /// and tampering. Everything unsynced in the file becomes durable first. No operation.
    pub fn edit(
        &self,
        path: &RelPath,
        change: impl FnOnce(&mut Vec<u8>),
    ) -> Result<(), StorageError> {
        let mut state = self.state();
        let fail = |errno| StorageError::new(Op::WriteAllAt, path.as_str(), errno);
        let id = state.find(path).map_err(fail)?;
        state.file_mut(id).map_err(fail)?.edit(change);
        Ok(())
    }

    /// What a reader would find in a file now; `None` if there is no such file. No operation.
    #[must_use]
    pub fn contents(&self, path: &RelPath) -> Option<Vec<u8>> {
        let state = self.state();
        let id = state.find(path).ok()?;
        state.file(id).ok().map(|file| file.bytes().to_vec())
    }

    /// Every file with its bytes, as a reader would find them now. No operation.
    #[must_use]
    pub fn snapshot(&self) -> BTreeMap<RelPath, Vec<u8>> {
        self.state().snapshot()
    }

    fn of(state: State) -> Self {
        Self { state: Arc::new(Mutex::new(state)) }
    }

    /// A test that panics while it holds the lock must not hide its own message behind ours.
    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    fn open(&self, op: Op, path: &RelPath) -> Result<Box<dyn StorageFile>, StorageError> {
        let mut state = self.state();
        state.begin(op, path)?;
        let id = state.find_file(path).map_err(|errno| error(op, path, errno))?;
        Ok(Box::new(MemFile::new(&self.state, path, id, op != Op::OpenRead)))
    }

    /// One operation on names: counted, then done.
    fn names<T>(
        &self,
        op: Op,
        path: &RelPath,
        run: impl FnOnce(&mut State) -> Result<T, Errno>,
    ) -> Result<T, StorageError> {
        let mut state = self.state();
        state.begin(op, path)?;
        run(&mut state).map_err(|errno| error(op, path, errno))
    }
}

impl Default for MemStorage {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for MemStorage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemStorage").field("ops", &self.ops()).finish_non_exhaustive()
    }
}

impl Storage for MemStorage {
    fn create_exclusive(&self, path: &RelPath) -> Result<Box<dyn StorageFile>, StorageError> {
        let id = self.names(Op::CreateExclusive, path, |state| state.create_file(path))?;
        Ok(Box::new(MemFile::new(&self.state, path, id, true)))
    }

    fn open_read(&self, path: &RelPath) -> Result<Box<dyn StorageFile>, StorageError> {
        self.open(Op::OpenRead, path)
    }

    fn open_write(&self, path: &RelPath) -> Result<Box<dyn StorageFile>, StorageError> {
        self.open(Op::OpenWrite, path)
    }

    fn exists(&self, path: &RelPath) -> Result<bool, StorageError> {
        self.names(Op::Exists, path, |state| Ok(state.find(path).is_ok()))
    }

    fn list(&self, dir: &RelPath) -> Result<Vec<String>, StorageError> {
        self.names(Op::List, dir, |state| {
            let id = state.find(dir)?;
            Ok(state.dir(id)?.names())
        })
    }

    fn create_dir(&self, dir: &RelPath) -> Result<(), StorageError> {
        self.names(Op::CreateDir, dir, |state| state.create_dirs(dir))
    }

    fn sync_dir(&self, dir: &RelPath) -> Result<(), StorageError> {
        let mut state = self.state();
        let begun = state.begin(Op::SyncDir, dir);
        let id = state.find(dir);
        if let Err(failed) = begun {
            if let Ok(id) = id
                && !state.stopped
            {
                state.abandon(id);
            }
            return Err(failed);
        }
        id.and_then(|id| state.dir_mut(id))
            .map(DirNode::sync)
            .map_err(|errno| error(Op::SyncDir, dir, errno))
    }

    fn rename(&self, from: &RelPath, to: &RelPath) -> Result<(), StorageError> {
        self.names(Op::Rename, from, |state| state.rename(from, to))
    }

    fn remove_file(&self, path: &RelPath) -> Result<(), StorageError> {
        self.names(Op::RemoveFile, path, |state| state.remove_file(path))
    }

    fn remove_dir_all(&self, dir: &RelPath) -> Result<(), StorageError> {
        self.names(Op::RemoveDirAll, dir, |state| state.remove_tree(dir))
    }

    fn try_lock(&self) -> Result<Box<dyn LockGuard>, LockError> {
        let id = self.names(Op::TryLock, &LOCK_FILE, State::lock_file)?;
        match id {
            Some(id) => Ok(Box::new(MemLock::new(&self.state, id))),
            None => Err(LockError::Held {
                path: LOCK_FILE.as_str().into(),
                pid: Some(std::process::id()),
            }),
        }
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

fn error(op: Op, path: &RelPath, errno: Errno) -> StorageError {
    let shown = if path.is_root() { "." } else { path.as_str() };
    StorageError::new(op, shown, errno)
}
