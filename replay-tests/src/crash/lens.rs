//! Owns what stands between the ledger and its disk in a sweep: a reader of another process that
//! looks whenever the log is about to be flushed, and mistakes made on purpose.
//!
//! Invariant: without a [`Planted`] mistake every operation reaches the disk as it was asked for.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use ledger_format::{RecordHash, Seq};
use ledger_store::storage::{
    LockError, LockGuard, MemStorage, RelPath, Storage, StorageError, StorageFile,
};
use ledger_store::{LedgerConfig, Reader};

use crate::stand::Lens;

/// A mistake that the sweep has to find.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Planted {
    /// One flush of the log is not done, and said to be.
    DropOneFlush,
    /// The two copies of a key page reach the medium in the other order.
    SwapTwoWrites,
    /// The head anchor is not written any more.
    SkipTheAnchor,
    /// Key slots that a dead process may have used are handed out again as they are.
    ReuseAKeySlot,
    /// A reader is shown what is in the files, flushed or not.
    ServeAboveTheHead,
}

/// The flush of the log that is dropped.
const DROPPED: u64 = 6;
/// Writes of anchors that still happen.
const ANCHORS: u64 = 4;

/// What the other process saw as the last record.
pub type Seen = Arc<Mutex<Vec<(Seq, RecordHash)>>>;

/// A disk with a watching reader, and with a mistake, if there is one.
#[must_use]
pub fn lens(planted: Option<Planted>, seen: &Seen) -> Lens {
    let seen = Arc::clone(seen);
    let counts = Arc::new(Mutex::new(Counts::default()));
    Arc::new(move |disk| {
        let files = disk.snapshot().into_iter();
        let shared = Shared {
            disk: disk.clone(),
            planted,
            seen: Arc::clone(&seen),
            counts: Arc::clone(&counts),
            lengths: files.map(|(path, bytes)| (path, bytes.len() as u64)).collect(),
        };
        Arc::new(Disk(Arc::new(shared)))
    })
}

#[derive(Debug, Default)]
struct Counts {
    flushes: u64,
    anchors: u64,
    /// A flush that was put off.
    owed: Option<Arc<dyn StorageFile>>,
}

#[derive(Debug)]
struct Shared {
    disk: MemStorage,
    planted: Option<Planted>,
    seen: Seen,
    counts: Arc<Mutex<Counts>>,
    /// How long each file was when the process began.
    lengths: BTreeMap<RelPath, u64>,
}

impl Shared {
    /// What a process that holds nothing is shown at this moment.
    fn look(&self) {
        let disk: Arc<dyn Storage> = Arc::new(self.disk.clone());
        let Ok(config) = LedgerConfig::read(&*disk) else { return };
        let reader = if self.planted == Some(Planted::ServeAboveTheHead) {
            Reader::open_unanchored(disk, config.ledger).map(|opened| opened.reader)
        } else {
            Reader::open(disk, config.ledger)
        };
        let head = reader.ok().and_then(|reader| reader.head());
        self.seen.lock().unwrap().extend(head.map(|head| (head.seq, head.hash)));
    }

    fn wrap(self: &Arc<Self>, file: Box<dyn StorageFile>) -> Box<dyn StorageFile> {
        Box::new(Handle { file: Arc::from(file), shared: Arc::clone(self) })
    }

    fn is_planted(&self, planted: Planted) -> bool {
        self.planted == Some(planted)
    }
}

#[derive(Debug)]
struct Disk(Arc<Shared>);

impl Storage for Disk {
    fn create_exclusive(&self, path: &RelPath) -> Result<Box<dyn StorageFile>, StorageError> {
        Ok(self.0.wrap(self.0.disk.create_exclusive(path)?))
    }

    fn open_read(&self, path: &RelPath) -> Result<Box<dyn StorageFile>, StorageError> {
        Ok(self.0.wrap(self.0.disk.open_read(path)?))
    }

    fn open_write(&self, path: &RelPath) -> Result<Box<dyn StorageFile>, StorageError> {
        Ok(self.0.wrap(self.0.disk.open_write(path)?))
    }

    fn exists(&self, path: &RelPath) -> Result<bool, StorageError> {
        self.0.disk.exists(path)
    }

    fn list(&self, dir: &RelPath) -> Result<Vec<String>, StorageError> {
        self.0.disk.list(dir)
    }

    fn create_dir(&self, dir: &RelPath) -> Result<(), StorageError> {
        self.0.disk.create_dir(dir)
    }

    fn sync_dir(&self, dir: &RelPath) -> Result<(), StorageError> {
        self.0.disk.sync_dir(dir)
    }

    fn rename(&self, from: &RelPath, to: &RelPath) -> Result<(), StorageError> {
        self.0.disk.rename(from, to)
    }

    fn remove_file(&self, path: &RelPath) -> Result<(), StorageError> {
        self.0.disk.remove_file(path)
    }

    fn remove_dir_all(&self, dir: &RelPath) -> Result<(), StorageError> {
        self.0.disk.remove_dir_all(dir)
    }

    fn try_lock(&self) -> Result<Box<dyn LockGuard>, LockError> {
        self.0.disk.try_lock()
    }
}

#[derive(Debug)]
struct Handle {
    file: Arc<dyn StorageFile>,
    shared: Arc<Shared>,
}

impl Handle {
    fn is_in(&self, part: &str) -> bool {
        self.file.path().as_str().starts_with(part)
    }

    /// Whether a write is left out.
    fn swallows(&self, offset: u64) -> bool {
        if self.is_in("anchor") && self.shared.is_planted(Planted::SkipTheAnchor) {
            let mut counts = self.shared.counts.lock().unwrap();
            counts.anchors += 1;
            return counts.anchors > ANCHORS;
        }
        let length = self.shared.lengths.get(self.file.path()).copied().unwrap_or_default();
        self.is_in("keys/slots")
            && offset < length
            && self.shared.is_planted(Planted::ReuseAKeySlot)
    }
}

impl StorageFile for Handle {
    fn path(&self) -> &RelPath {
        self.file.path()
    }

    fn len(&self) -> Result<u64, StorageError> {
        self.file.len()
    }

    fn read_at(&self, buf: &mut [u8], offset: u64) -> Result<usize, StorageError> {
        self.file.read_at(buf, offset)
    }

    fn read_exact_at(&self, buf: &mut [u8], offset: u64) -> Result<(), StorageError> {
        self.file.read_exact_at(buf, offset)
    }

    fn write_all_at(&self, data: &[u8], offset: u64) -> Result<(), StorageError> {
        if self.swallows(offset) {
            return Ok(());
        }
        self.file.write_all_at(data, offset)
    }

    fn set_len(&self, len: u64) -> Result<(), StorageError> {
        self.file.set_len(len)
    }

    fn zero_fill(&self, offset: u64, len: u64) -> Result<(), StorageError> {
        self.file.zero_fill(offset, len)
    }

    fn punch_hole(&self, offset: u64, len: u64) -> Result<(), StorageError> {
        self.file.punch_hole(offset, len)
    }

    fn sync_data(&self) -> Result<(), StorageError> {
        if self.is_in("log/") {
            self.shared.look();
            let mut counts = self.shared.counts.lock().unwrap();
            counts.flushes += 1;
            if counts.flushes == DROPPED && self.shared.is_planted(Planted::DropOneFlush) {
                return Ok(());
            }
        }
        if self.shared.is_planted(Planted::SwapTwoWrites) {
            if self.is_in("keys/slots.a") {
                self.shared.counts.lock().unwrap().owed = Some(Arc::clone(&self.file));
                return Ok(());
            }
            if self.is_in("keys/slots.b") {
                self.file.sync_data()?;
                let owed = self.shared.counts.lock().unwrap().owed.take();
                return owed.map_or(Ok(()), |file| file.sync_data());
            }
        }
        self.file.sync_data()
    }

    fn sync_all(&self) -> Result<(), StorageError> {
        self.file.sync_all()
    }
}
