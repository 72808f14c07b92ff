//! [`FsStorage`]: the ledger directory on a local file system.
//!
//! This module, its child and the lock are the only code that opens the files of a ledger.
//!
//! Invariants:
//! - Every path is resolved from a descriptor of the ledger directory that is held open, so a
//!   directory that is moved or replaced meanwhile never mixes two ledgers.
//! - Files are regular files, mode 0600; directories 0700; a symbolic link in place of a file is
//!   refused, and so is one in place of the log or the views: it may lead into another ledger, and
//!   copies miss what it leads to. Links to other directories are followed: the owner may keep a part
//!   on another disk.
//! - No writing on network file systems.
//!
//! May not: follow a name out of the ledger by itself, retry a failed flush.

mod file;
#[cfg(test)]
mod tests;

use std::ffi::{CStr, CString};
use std::fs::{DirBuilder, File};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags};
use rustix::io::{Errno, retry_on_intr};

use self::file::FsFile;
use super::error::NOT_REGULAR;
use super::{LockError, LockGuard, Op, RelPath, Storage, StorageError, StorageFile, netfs};
use crate::lock::FsLock;

/// A ledger directory on a local file system.
#[derive(Debug)]
pub struct FsStorage {
    root: Arc<Root>,
}

impl FsStorage {
    /// Opens an existing directory for reading and writing. Refuses network file systems.
    pub fn open(root: &Path) -> Result<Self, StorageError> {
        let root = Root::open(root, true)?;
        refuse_network(&root)?;
        Ok(Self { root: Arc::new(root) })
    }

    /// Opens an existing directory for reading, on any file system. Everything that would change
    /// it fails with [`StorageError::is_read_only`].
    pub fn open_read_only(root: &Path) -> Result<Self, StorageError> {
        Ok(Self { root: Arc::new(Root::open(root, false)?) })
    }

    /// Makes the directory (not its parents) where it is missing, makes its name durable, and
    /// opens it as [`FsStorage::open`] does.
    pub fn create(root: &Path) -> Result<Self, StorageError> {
        let fail = |source: io::Error| StorageError::new(Op::CreateRoot, root, source);
        match DirBuilder::new().mode(0o700).create(root) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(fail(error)),
            _ => {}
        }
        let storage = Self::open(root)?;
        if let Some(parent) = storage.root.path.parent() {
            File::open(parent).and_then(|dir| dir.sync_all()).map_err(fail)?;
        }
        Ok(storage)
    }

    /// The absolute path of the directory when it was opened.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root.path
    }

    /// Whether another opener holds the ledger at this moment. Changes nothing, not even the lock
    /// file, and so works where nothing may be written.
    ///
    /// # Errors
    /// When the lock file is there and cannot be opened.
    pub fn is_held(&self) -> Result<bool, StorageError> {
        FsLock::is_held(&self.root)
    }

    fn file(
        &self,
        op: Op,
        path: &RelPath,
        flags: OFlags,
    ) -> Result<Box<dyn StorageFile>, StorageError> {
        let file = self.root.open_file(op, path, flags)?;
        Ok(Box::new(FsFile::new(Arc::clone(&self.root), path.clone(), file)))
    }
}

impl Storage for FsStorage {
    fn create_exclusive(&self, path: &RelPath) -> Result<Box<dyn StorageFile>, StorageError> {
        self.root.check_writable(Op::CreateExclusive, path)?;
        self.file(Op::CreateExclusive, path, OFlags::RDWR | OFlags::CREATE | OFlags::EXCL)
    }

    fn open_read(&self, path: &RelPath) -> Result<Box<dyn StorageFile>, StorageError> {
        self.file(Op::OpenRead, path, OFlags::RDONLY)
    }

    fn open_write(&self, path: &RelPath) -> Result<Box<dyn StorageFile>, StorageError> {
        self.root.check_writable(Op::OpenWrite, path)?;
        self.file(Op::OpenWrite, path, OFlags::RDWR)
    }

    fn exists(&self, path: &RelPath) -> Result<bool, StorageError> {
        let name = Root::name(path);
        match retry_on_intr(|| rustix::fs::statat(&self.root.dir, name, AtFlags::SYMLINK_NOFOLLOW))
        {
            Ok(_) => Ok(true),
            Err(Errno::NOENT | Errno::NOTDIR) => Ok(false),
            Err(errno) => Err(self.root.error(Op::Exists, path, errno)),
        }
    }

    fn list(&self, dir: &RelPath) -> Result<Vec<String>, StorageError> {
        let names = self
            .root
            .open_dir(dir)
            .and_then(|fd| entry_names(&fd))
            .map_err(|errno| self.root.error(Op::List, dir, errno))?;
        let mut texts = Vec::with_capacity(names.len());
        for name in names {
            texts.push(name.into_string().map_err(|error| {
                let source = io::Error::new(io::ErrorKind::InvalidData, error);
                self.root.error(Op::List, dir, source)
            })?);
        }
        texts.sort_unstable();
        Ok(texts)
    }

    fn create_dir(&self, dir: &RelPath) -> Result<(), StorageError> {
        self.root.check_writable(Op::CreateDir, dir)?;
        let mut path = RelPath::ROOT;
        for part in dir.parts() {
            path = path.join(part).expect("a part of a path is a path");
            match rustix::fs::mkdirat(&self.root.dir, path.as_str(), Mode::RWXU) {
                Ok(()) => {}
                // Something of that name is there; it has to be a directory.
                Err(Errno::EXIST) => {
                    self.root
                        .open_dir(&path)
                        .map_err(|errno| self.root.error(Op::CreateDir, &path, errno))?;
                }
                Err(errno) => return Err(self.root.error(Op::CreateDir, &path, errno)),
            }
        }
        Ok(())
    }

    fn sync_dir(&self, dir: &RelPath) -> Result<(), StorageError> {
        self.root.check_writable(Op::SyncDir, dir)?;
        self.root
            .open_dir(dir)
            .and_then(|fd| retry_on_intr(|| rustix::fs::fsync(&fd)))
            .map_err(|errno| self.root.error(Op::SyncDir, dir, errno))
    }

    fn rename(&self, from: &RelPath, to: &RelPath) -> Result<(), StorageError> {
        self.root.check_writable(Op::Rename, from)?;
        let dir = &self.root.dir;
        rustix::fs::renameat(dir, Root::name(from), dir, Root::name(to))
            .map_err(|errno| self.root.error(Op::Rename, from, errno))
    }

    fn remove_file(&self, path: &RelPath) -> Result<(), StorageError> {
        self.root.check_writable(Op::RemoveFile, path)?;
        rustix::fs::unlinkat(&self.root.dir, Root::name(path), AtFlags::empty())
            .map_err(|errno| self.root.error(Op::RemoveFile, path, errno))
    }

    fn remove_dir_all(&self, dir: &RelPath) -> Result<(), StorageError> {
        self.root.check_writable(Op::RemoveDirAll, dir)?;
        let name = CString::new(dir.as_str()).expect("a path holds no NUL");
        let done = if dir.is_root() {
            Err(Errno::INVAL)
        } else {
            remove_tree(self.root.dir.as_fd(), &name)
        };
        done.map_err(|errno| self.root.error(Op::RemoveDirAll, dir, errno))
    }

    fn try_lock(&self) -> Result<Box<dyn LockGuard>, LockError> {
        self.root.check_writable(Op::TryLock, &super::LOCK_FILE)?;
        Ok(Box::new(FsLock::acquire(&self.root)?))
    }
}

/// The open ledger directory, shared by the storage, its files and its lock.
#[derive(Debug)]
pub(crate) struct Root {
    dir: OwnedFd,
    path: PathBuf,
    writable: bool,
}

impl Root {
    fn open(path: &Path, writable: bool) -> Result<Self, StorageError> {
        // Made absolute once, so that a change of working directory changes nothing.
        let full = std::fs::canonicalize(path)
            .map_err(|error| StorageError::new(Op::OpenRoot, path, error))?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let dir = retry_on_intr(|| rustix::fs::open(&full, flags, Mode::empty()))
            .map_err(|errno| StorageError::new(Op::OpenRoot, &full, errno))?;
        refuse_links(&dir, &full)?;
        Ok(Self { dir, path: full, writable })
    }

    /// The absolute path of `path`, for messages and for looking at what the name means now.
    pub(crate) fn full(&self, path: &RelPath) -> PathBuf {
        if path.is_root() { self.path.clone() } else { self.path.join(path.as_str()) }
    }

    pub(crate) fn error(
        &self,
        op: Op,
        path: &RelPath,
        source: impl Into<io::Error>,
    ) -> StorageError {
        StorageError::new(op, self.full(path), source)
    }

    /// Opens a regular file and refuses everything else under that name. Non-blocking, because
    /// opening a pipe would otherwise wait for its other end.
    pub(crate) fn open_file(
        &self,
        op: Op,
        path: &RelPath,
        flags: OFlags,
    ) -> Result<File, StorageError> {
        let flags = flags | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
        let name = Self::name(path);
        let mode = Mode::RUSR | Mode::WUSR;
        let fail = |errno: Errno| self.error(op, path, errno);
        let fd =
            retry_on_intr(|| rustix::fs::openat(&self.dir, name, flags, mode)).map_err(fail)?;
        let stat = rustix::fs::fstat(&fd).map_err(fail)?;
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => Ok(File::from(fd)),
            FileType::Directory => Err(fail(Errno::ISDIR)),
            _ => {
                let source = io::Error::new(io::ErrorKind::InvalidInput, NOT_REGULAR);
                Err(self.error(op, path, source))
            }
        }
    }

    fn open_dir(&self, dir: &RelPath) -> rustix::io::Result<OwnedFd> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let name = Self::name(dir);
        retry_on_intr(|| rustix::fs::openat(&self.dir, name, flags, Mode::empty()))
    }

    fn check_writable(&self, op: Op, path: &RelPath) -> Result<(), StorageError> {
        if self.writable { Ok(()) } else { Err(self.error(op, path, Errno::ROFS)) }
    }

    /// The name to hand to the system: the root is the directory the descriptor stands for.
    fn name(path: &RelPath) -> &str {
        if path.is_root() { "." } else { path.as_str() }
    }
}

/// Directories that a ledger keeps within itself.
const OWN: [&str; 2] = ["log", "views"];

fn refuse_links(dir: &OwnedFd, path: &Path) -> Result<(), StorageError> {
    for name in OWN {
        let found = retry_on_intr(|| rustix::fs::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW));
        let is_link =
            found.is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Symlink);
        if is_link {
            let text = format!(
                "'{name}' is a symbolic link, and a ledger keeps its {name} within its own \
                 directory; put the directory that it leads to in its place, or move the ledger as \
                 a whole"
            );
            let source = io::Error::new(io::ErrorKind::InvalidInput, text);
            return Err(StorageError::new(Op::OpenRoot, path, source));
        }
    }
    Ok(())
}

fn entry_names(dir: &OwnedFd) -> rustix::io::Result<Vec<CString>> {
    let mut names = Vec::new();
    for entry in Dir::read_from(dir)? {
        let entry = entry?;
        let name = entry.file_name();
        if name != c"." && name != c".." {
            names.push(name.to_owned());
        }
    }
    Ok(names)
}

/// Removes depth first, from descriptors, so that a link put in place meanwhile is removed and not
/// followed. The names are read before the first removal: some file systems skip entries otherwise.
fn remove_tree(parent: BorrowedFd<'_>, name: &CStr) -> rustix::io::Result<()> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let dir = retry_on_intr(|| rustix::fs::openat(parent, name, flags, Mode::empty()))?;
    for entry in entry_names(&dir)? {
        match rustix::fs::unlinkat(&dir, &entry, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => {}
            Err(Errno::ISDIR) => remove_tree(dir.as_fd(), &entry)?,
            // POSIX lets a system refuse to unlink a directory with EPERM instead.
            Err(Errno::PERM) => match remove_tree(dir.as_fd(), &entry) {
                Err(Errno::NOTDIR) => return Err(Errno::PERM),
                done => done?,
            },
            Err(errno) => return Err(errno),
        }
    }
    rustix::fs::unlinkat(parent, name, AtFlags::REMOVEDIR)
}

#[cfg(target_os = "linux")]
fn refuse_network(root: &Root) -> Result<(), StorageError> {
    let fail = |source: io::Error| StorageError::new(Op::OpenRoot, &root.path, source);
    let stat = rustix::fs::fstatfs(&root.dir).map_err(|errno| fail(errno.into()))?;
    // The kernel's number has 32 bits in a field that some targets sign-extend.
    let f_type = u32::try_from(stat.f_type & 0xFFFF_FFFF).expect("masked to 32 bits");
    let mountinfo = if f_type == netfs::FUSE {
        std::fs::read_to_string("/proc/self/mountinfo").map_err(fail)?
    } else {
        String::new()
    };
    let device = rustix::fs::fstat(&root.dir).map_err(|errno| fail(errno.into()))?.st_dev;
    let (major, minor) = (rustix::fs::major(device), rustix::fs::minor(device));
    match netfs::refused(f_type, netfs::mount_type(&mountinfo, major, minor)) {
        None => Ok(()),
        Some(kind) => {
            let text = format!(
                "{kind} is a network or shared file system, where locks and flushes cannot be \
                 relied on; keep the ledger on a local disk, or open it read-only"
            );
            Err(fail(io::Error::new(io::ErrorKind::Unsupported, text)))
        }
    }
}

/// Elsewhere the kind of a file system is not known by number; the documentation says so.
#[cfg(not(target_os = "linux"))]
fn refuse_network(_root: &Root) -> Result<(), StorageError> {
    Ok(())
}
