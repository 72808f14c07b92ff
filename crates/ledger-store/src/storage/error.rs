//! What can go wrong at the storage seam, always with the operation and the place.
//!
//! Owns [`StorageError`], [`LockError`] and the names of operations.
//! May not: decide what a failure means for the ledger.

use std::fmt;
use std::io;
use std::path::PathBuf;

/// An operation of [`Storage`](super::Storage), [`StorageFile`](super::StorageFile) or
/// [`LockGuard`](super::LockGuard).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
#[expect(missing_docs, reason = "each variant is the method of the same name")]
pub enum Op {
    CreateExclusive,
    OpenRead,
    OpenWrite,
    Exists,
    List,
    CreateDir,
    SyncDir,
    Rename,
    RemoveFile,
    RemoveDirAll,
    TryLock,
    StillHeld,
    Len,
    ReadAt,
    WriteAllAt,
    SetLen,
    ZeroFill,
    PunchHole,
    SyncData,
    SyncAll,
    /// Opening the ledger directory itself.
    OpenRoot,
    /// Making the ledger directory itself.
    CreateRoot,
}

impl Op {
    /// The method's name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.names().0
    }

    /// Whether the operation can change what is stored or what is durable.
    #[must_use]
    pub fn is_mutating(self) -> bool {
        !matches!(
            self,
            Self::OpenRead
                | Self::OpenWrite
                | Self::Exists
                | Self::List
                | Self::StillHeld
                | Self::Len
                | Self::ReadAt
                | Self::OpenRoot
        )
    }

    /// The method's name, and what to say after "could not".
    fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::CreateExclusive => ("create_exclusive", "create"),
            Self::OpenRead => ("open_read", "open for reading"),
            Self::OpenWrite => ("open_write", "open for writing"),
            Self::Exists => ("exists", "look up"),
            Self::List => ("list", "list"),
            Self::CreateDir => ("create_dir", "create directory"),
            Self::SyncDir => ("sync_dir", "flush directory"),
            Self::Rename => ("rename", "rename"),
            Self::RemoveFile => ("remove_file", "remove"),
            Self::RemoveDirAll => ("remove_dir_all", "remove directory"),
            Self::TryLock => ("try_lock", "lock"),
            Self::StillHeld => ("still_held", "check the lock"),
            Self::Len => ("len", "measure"),
            Self::ReadAt => ("read_at", "read"),
            Self::WriteAllAt => ("write_all_at", "write"),
            Self::SetLen => ("set_len", "set the length of"),
            Self::ZeroFill => ("zero_fill", "write zeros to"),
            Self::PunchHole => ("punch_hole", "release space in"),
            Self::SyncData => ("sync_data", "flush"),
            Self::SyncAll => ("sync_all", "flush"),
            Self::OpenRoot => ("open", "open ledger directory"),
            Self::CreateRoot => ("create", "create ledger directory"),
        }
    }
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What is said of what is no regular file.
pub(crate) const NOT_REGULAR: &str = "not a regular file";

/// A storage operation that failed.
#[derive(Debug)]
pub struct StorageError {
    /// What was tried.
    pub op: Op,
    /// On what: the full path on a file system, the relative one in memory.
    pub path: PathBuf,
    /// At which byte, where the operation has a place.
    pub offset: Option<u64>,
    /// What the system said.
    pub source: io::Error,
}

impl StorageError {
    /// An error of `op` on `path`.
    pub fn new(op: Op, path: impl Into<PathBuf>, source: impl Into<io::Error>) -> Self {
        Self { op, path: path.into(), offset: None, source: source.into() }
    }

    /// The same error with its place in the file.
    #[must_use]
    pub fn at(mut self, offset: u64) -> Self {
        self.offset = Some(offset);
        self
    }

    /// The disk is full or a quota is used up (`ENOSPC`, `EDQUOT`).
    #[must_use]
    pub fn is_no_space(&self) -> bool {
        matches!(self.source.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
    }

    /// The name does not exist.
    #[must_use]
    pub fn is_not_found(&self) -> bool {
        self.source.kind() == io::ErrorKind::NotFound
    }

    /// The name exists already.
    #[must_use]
    pub fn is_already_exists(&self) -> bool {
        self.source.kind() == io::ErrorKind::AlreadyExists
    }

    /// The file system, or this storage, takes no writes.
    #[must_use]
    pub fn is_read_only(&self) -> bool {
        self.source.kind() == io::ErrorKind::ReadOnlyFilesystem
    }

    /// Something else than a regular file, or than a directory, lies where one belongs: a link, a
    /// directory, a pipe. Links are not followed, so they are a loop of their own.
    #[must_use]
    pub fn is_misplaced(&self) -> bool {
        use std::io::ErrorKind::{IsADirectory, NotADirectory};
        let irregular = self.source.to_string() == NOT_REGULAR;
        let errno = self.source.raw_os_error();
        let link = errno == Some(rustix::io::Errno::LOOP.raw_os_error());
        irregular || link || matches!(self.source.kind(), IsADirectory | NotADirectory)
    }

    /// The file ended before an exact read was filled.
    #[must_use]
    pub fn is_unexpected_end(&self) -> bool {
        self.source.kind() == io::ErrorKind::UnexpectedEof
    }
}

impl fmt::Display for StorageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "could not {} {}", self.op.names().1, self.path.display())?;
        if let Some(offset) = self.offset {
            write!(f, " at byte {offset}")?;
        }
        write!(f, ": {}", self.source)
    }
}

impl std::error::Error for StorageError {
    /// The message already contains the system's, so the chain goes on below it.
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.source()
    }
}

/// Why the ledger lock was not taken.
#[derive(Debug)]
#[non_exhaustive]
pub enum LockError {
    /// Another opener holds it.
    Held {
        /// The lock file.
        path: PathBuf,
        /// The holder's process id, as it wrote it; `None` if it has not yet, or not readably.
        pid: Option<u32>,
    },
    /// The lock file could not be opened, locked or written.
    Storage(StorageError),
}

impl fmt::Display for LockError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Held { path, pid: Some(pid) } => write!(
                f,
                "the ledger is open in process {pid}, which holds {}; close it there first",
                path.display()
            ),
            Self::Held { path, pid: None } => write!(
                f,
                "the ledger is open in another process, which holds {}; close it there first",
                path.display()
            ),
            Self::Storage(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for LockError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Held { .. } => None,
            Self::Storage(error) => error.source(),
        }
    }
}

impl From<StorageError> for LockError {
    fn from(error: StorageError) -> Self {
        Self::Storage(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::io::Errno;

    #[test]
    fn messages_name_operation_place_and_cause() {
        let error = StorageError::new(Op::WriteAllAt, "log/1.seg", Errno::NOSPC).at(4096);
        assert_eq!(
            error.to_string(),
            "could not write log/1.seg at byte 4096: No space left on device (os error 28)"
        );
    }

    #[test]
    fn predicates_read_the_system_error() {
        let of = |errno: Errno| StorageError::new(Op::WriteAllAt, "x", errno);
        assert!(of(Errno::NOSPC).is_no_space());
        assert!(of(Errno::DQUOT).is_no_space());
        assert!(!of(Errno::IO).is_no_space());
        assert!(of(Errno::NOENT).is_not_found());
        assert!(of(Errno::EXIST).is_already_exists());
        assert!(of(Errno::ROFS).is_read_only());
        assert!(!of(Errno::ACCESS).is_read_only());
    }

    #[test]
    fn a_held_lock_names_the_holder() {
        let error = LockError::Held { path: "lock".into(), pid: Some(4242) };
        assert!(error.to_string().contains("process 4242"), "{error}");
    }
}
