//! One open file of a ledger directory.
//!
//! Owns the loops that turn what the system may do in part into what the contract promises.
//! May not: keep a cursor, buffer, or call a flush twice.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use super::Root;
use crate::storage::{Op, RelPath, StorageError, StorageFile, fill};

/// Large enough that the calls do not matter, small enough to sit in the binary.
static ZEROS: [u8; 64 * 1024] = [0; 64 * 1024];

#[derive(Debug)]
pub(super) struct FsFile {
    root: Arc<Root>,
    path: RelPath,
    file: File,
}

impl FsFile {
    pub(super) fn new(root: Arc<Root>, path: RelPath, file: File) -> Self {
        Self { root, path, file }
    }

    fn error(&self, op: Op, source: impl Into<io::Error>) -> StorageError {
        self.root.error(op, &self.path, source)
    }

    fn length(&self, op: Op) -> Result<u64, StorageError> {
        Ok(self.file.metadata().map_err(|error| self.error(op, error))?.len())
    }

    fn read(&self, buf: &mut [u8], offset: u64) -> Result<usize, StorageError> {
        loop {
            match self.file.read_at(buf, offset) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                done => return done.map_err(|error| self.error(Op::ReadAt, error).at(offset)),
            }
        }
    }

    /// Our own loop instead of the standard one: the error then says how far it came.
    fn write(&self, op: Op, data: &[u8], offset: u64) -> Result<(), StorageError> {
        let (mut rest, mut at) = (data, offset);
        while !rest.is_empty() {
            match self.file.write_at(rest, at) {
                Ok(0) => return Err(self.error(op, io::ErrorKind::WriteZero).at(at)),
                Ok(count) => {
                    rest = rest.get(count..).unwrap_or_default();
                    at = at.saturating_add(count as u64);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.error(op, error).at(at)),
            }
        }
        Ok(())
    }

    fn write_zeros(&self, op: Op, offset: u64, len: u64) -> Result<(), StorageError> {
        let (mut at, mut left) = (offset, len);
        while left > 0 {
            let count = usize::try_from(left).unwrap_or(ZEROS.len()).min(ZEROS.len());
            self.write(op, ZEROS.get(..count).unwrap_or_default(), at)?;
            at = at.saturating_add(count as u64);
            left -= count as u64;
        }
        Ok(())
    }

    #[cfg(target_os = "linux")]
    fn release(&self, offset: u64, len: u64) -> Result<(), StorageError> {
        use rustix::fs::{FallocateFlags, fallocate};
        use rustix::io::{Errno, retry_on_intr};
        let mode = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
        match retry_on_intr(|| fallocate(&self.file, mode, offset, len)) {
            Err(Errno::OPNOTSUPP | Errno::NOSYS) => self.write_zeros(Op::PunchHole, offset, len),
            done => done.map_err(|errno| self.error(Op::PunchHole, errno).at(offset)),
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn release(&self, offset: u64, len: u64) -> Result<(), StorageError> {
        self.write_zeros(Op::PunchHole, offset, len)
    }
}

impl StorageFile for FsFile {
    fn path(&self) -> &RelPath {
        &self.path
    }

    fn len(&self) -> Result<u64, StorageError> {
        self.length(Op::Len)
    }

    fn read_at(&self, buf: &mut [u8], offset: u64) -> Result<usize, StorageError> {
        self.read(buf, offset)
    }

    fn read_exact_at(&self, buf: &mut [u8], offset: u64) -> Result<(), StorageError> {
        match fill(buf, offset, |buf, at| self.read(buf, at))? {
            None => Ok(()),
            Some(end) => Err(self.error(Op::ReadAt, io::ErrorKind::UnexpectedEof).at(end)),
        }
    }

    fn write_all_at(&self, data: &[u8], offset: u64) -> Result<(), StorageError> {
        self.write(Op::WriteAllAt, data, offset)
    }

    fn set_len(&self, len: u64) -> Result<(), StorageError> {
        self.file.set_len(len).map_err(|error| self.error(Op::SetLen, error).at(len))
    }

    fn zero_fill(&self, offset: u64, len: u64) -> Result<(), StorageError> {
        self.write_zeros(Op::ZeroFill, offset, len)
    }

    fn punch_hole(&self, offset: u64, len: u64) -> Result<(), StorageError> {
        let end = offset.saturating_add(len).min(self.length(Op::PunchHole)?);
        match end.checked_sub(offset) {
            None | Some(0) => Ok(()),
            Some(inside) => self.release(offset, inside),
        }
    }

    fn sync_data(&self) -> Result<(), StorageError> {
        self.file.sync_data().map_err(|error| self.error(Op::SyncData, error))
    }

    fn sync_all(&self) -> Result<(), StorageError> {
        self.file.sync_all().map_err(|error| self.error(Op::SyncAll, error))
    }
}
