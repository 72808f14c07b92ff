//! Open files and held locks of the model.

use std::fmt;
use std::sync::{Arc, Mutex};

use rustix::io::Errno;

use super::file::FileChange;
use super::node::NodeId;
use super::state::{Extent, State};
use super::{MAX_FILE_LEN, error, lock};
use crate::storage::{LOCK_FILE, LockGuard, Op, RelPath, StorageError, StorageFile, fill};

/// An open file: a node, not a name, so it outlives renaming and removal.
pub(super) struct MemFile {
    state: Arc<Mutex<State>>,
    path: RelPath,
    id: NodeId,
    writable: bool,
}

impl MemFile {
    pub(super) fn new(
        state: &Arc<Mutex<State>>,
        path: &RelPath,
        id: NodeId,
        writable: bool,
    ) -> Self {
        Self { state: Arc::clone(state), path: path.clone(), id, writable }
    }

    /// One operation that changes `len` bytes from `offset`: counted, checked, shortened if the
    /// plan says so, and recorded as unsynced. `make` gets the offset and the length to do.
    fn change(
        &self,
        op: Op,
        offset: u64,
        len: u64,
        make: impl FnOnce(usize, usize) -> Option<FileChange>,
    ) -> Result<(), StorageError> {
        let mut state = lock(&self.state);
        let extent = state.begin_at(op, &self.path, offset, len)?;
        let fail = |errno| error(op, &self.path, errno).at(offset);
        if !self.writable {
            return Err(fail(Errno::BADF));
        }
        let (len, failed) = match extent {
            Extent::All => (len, None),
            Extent::Part(bytes, failed) => (len.min(bytes), Some(failed)),
        };
        if offset.saturating_add(len) > MAX_FILE_LEN {
            return Err(fail(Errno::FBIG));
        }
        let fits = "the longest file fits memory";
        let (offset, len) =
            (usize::try_from(offset).expect(fits), usize::try_from(len).expect(fits));
        if let Some(change) = make(offset, len) {
            let id = state.change_id();
            state.file_mut(self.id).map_err(fail)?.change(id, change);
        }
        failed.map_or(Ok(()), Err)
    }

    fn sync(&self, op: Op) -> Result<(), StorageError> {
        let mut state = lock(&self.state);
        if let Err(failed) = state.begin(op, &self.path) {
            if !state.stopped {
                state.abandon(self.id);
            }
            return Err(failed);
        }
        let file = state.file_mut(self.id).map_err(|errno| error(op, &self.path, errno))?;
        file.sync();
        Ok(())
    }
}

impl StorageFile for MemFile {
    fn path(&self) -> &RelPath {
        &self.path
    }

    fn len(&self) -> Result<u64, StorageError> {
        let mut state = lock(&self.state);
        state.begin(Op::Len, &self.path)?;
        let file = state.file(self.id).map_err(|errno| error(Op::Len, &self.path, errno))?;
        Ok(file.bytes().len() as u64)
    }

    fn read_at(&self, buf: &mut [u8], offset: u64) -> Result<usize, StorageError> {
        let mut state = lock(&self.state);
        let wanted = buf.len() as u64;
        let limit = match state.begin_at(Op::ReadAt, &self.path, offset, wanted)? {
            Extent::All => buf.len(),
            // At least one: none would mean the end of the file.
            Extent::Part(bytes, _) => usize::try_from(bytes.max(1)).unwrap_or(usize::MAX),
        };
        let fail = |errno| error(Op::ReadAt, &self.path, errno).at(offset);
        let bytes = state.file(self.id).map_err(fail)?.bytes();
        let rest = usize::try_from(offset).ok().and_then(|at| bytes.get(at..)).unwrap_or_default();
        let count = rest.len().min(buf.len()).min(limit);
        if let (Some(target), Some(source)) = (buf.get_mut(..count), rest.get(..count)) {
            target.copy_from_slice(source);
        }
        Ok(count)
    }

    fn read_exact_at(&self, buf: &mut [u8], offset: u64) -> Result<(), StorageError> {
        match fill(buf, offset, |buf, at| self.read_at(buf, at))? {
            None => Ok(()),
            Some(end) => Err(StorageError {
                source: std::io::ErrorKind::UnexpectedEof.into(),
                ..error(Op::ReadAt, &self.path, Errno::IO).at(end)
            }),
        }
    }

    fn write_all_at(&self, data: &[u8], offset: u64) -> Result<(), StorageError> {
        self.change(Op::WriteAllAt, offset, data.len() as u64, |offset, len| {
            let data = data.get(..len).unwrap_or_default();
            (len > 0).then(|| FileChange::Write { offset, data: data.into() })
        })
    }

    fn set_len(&self, len: u64) -> Result<(), StorageError> {
        self.change(Op::SetLen, len, 0, |len, _| Some(FileChange::SetLen(len)))
    }

    fn zero_fill(&self, offset: u64, len: u64) -> Result<(), StorageError> {
        self.change(Op::ZeroFill, offset, len, |offset, len| {
            (len > 0).then_some(FileChange::Zero { offset, len })
        })
    }

    fn punch_hole(&self, offset: u64, len: u64) -> Result<(), StorageError> {
        let end = {
            let state = lock(&self.state);
            state.file(self.id).map_or(0, |file| file.bytes().len() as u64)
        };
        let inside = offset.saturating_add(len).min(end).saturating_sub(offset);
        // Nothing of it inside the file: still an operation, at a place that is always allowed.
        let start = if inside == 0 { 0 } else { offset };
        self.change(Op::PunchHole, start, inside, |offset, len| {
            (len > 0).then_some(FileChange::Zero { offset, len })
        })
    }

    fn sync_data(&self) -> Result<(), StorageError> {
        self.sync(Op::SyncData)
    }

    fn sync_all(&self) -> Result<(), StorageError> {
        self.sync(Op::SyncAll)
    }
}

impl fmt::Debug for MemFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MemFile({})", self.path)
    }
}

/// A held lock of the model.
pub(super) struct MemLock {
    state: Arc<Mutex<State>>,
    id: NodeId,
}

impl MemLock {
    pub(super) fn new(state: &Arc<Mutex<State>>, id: NodeId) -> Self {
        Self { state: Arc::clone(state), id }
    }
}

impl LockGuard for MemLock {
    fn still_held(&self) -> Result<bool, StorageError> {
        let mut state = lock(&self.state);
        state.begin(Op::StillHeld, &LOCK_FILE)?;
        Ok(state.is_locked(self.id) && state.find(&LOCK_FILE) == Ok(self.id))
    }
}

impl Drop for MemLock {
    fn drop(&mut self) {
        lock(&self.state).unlock(self.id);
    }
}

impl fmt::Debug for MemLock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MemLock")
    }
}
