//! Owns where a test keeps a ledger: a directory, with the master keys beside the ledger, and a clock
//! that is set by hand. All of it goes with the test, and nothing is written elsewhere.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ledger_format::{LedgerId, Micros};
use memledger::clock::DeclaredClock;
use memledger::{InitOptions, Ledger, MasterEnv, OpenOptions, Result};
use tempfile::TempDir;

/// A directory for ledgers of one id, and their clock.
#[derive(Debug)]
pub struct Place {
    dir: TempDir,
    pub clock: Arc<DeclaredClock>,
    pub id: LedgerId,
}

impl Place {
    /// A new ledger whose clock stands at an instant.
    #[must_use]
    pub fn new(at: Micros) -> (Self, Ledger) {
        let dir = fast_dir();
        let clock = Arc::new(DeclaredClock::new(at));
        let path = dir.path().join("ledger");
        let master = keys_beside(&path);
        let options = InitOptions { clock: clock.clone(), master, ..InitOptions::default() };
        let created = Ledger::init(&path, options).unwrap();
        let place = Self { dir, clock, id: created.id };
        (place, created.ledger)
    }

    /// Where the ledger is.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        self.dir.path().join("ledger")
    }

    /// Another path in the same directory.
    #[must_use]
    pub fn beside(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// The file of the master key.
    #[must_use]
    pub fn master(&self) -> PathBuf {
        keys_beside(&self.path()).default_file(&self.id).unwrap()
    }

    /// How this place opens ledgers.
    #[must_use]
    pub fn options(&self) -> OpenOptions {
        let master = keys_beside(&self.path());
        OpenOptions { clock: self.clock.clone(), master, ..OpenOptions::default() }
    }

    /// Opens the ledger.
    #[must_use]
    pub fn open(&self) -> Ledger {
        self.open_at(&self.path()).unwrap()
    }

    /// Opens a ledger that lies elsewhere.
    ///
    /// # Errors
    /// As [`Ledger::open`].
    pub fn open_at(&self, path: &Path) -> Result<Ledger> {
        Ledger::open(path, self.options())
    }

    /// Opens a ledger for reading from its archive.
    ///
    /// # Errors
    /// As [`Ledger::open_archive`].
    pub fn archive_at(&self, path: &Path) -> Result<Ledger> {
        Ledger::open_archive(path, self.options())
    }

    /// Copies the ledger as it lies there: what a killed holder would leave.
    #[must_use]
    pub fn copy(&self, name: &str) -> PathBuf {
        let to = self.beside(name);
        copy_tree(&self.path(), &to);
        to
    }
}

/// Where the master key of a ledger and of its copies is: in a directory beside them.
#[must_use]
pub fn keys_beside(ledger: &Path) -> MasterEnv {
    let keys = ledger.parent().unwrap().join("keys");
    MasterEnv { key_dir: Some(keys), ..MasterEnv::default() }
}

/// A directory that is gone after the test: in memory where the machine has such a place, because
/// what is tested with it is not the disk.
#[must_use]
pub fn fast_dir() -> TempDir {
    tempfile::tempdir_in("/dev/shm").unwrap_or_else(|_| tempfile::tempdir().unwrap())
}

/// Copies a directory with all that is in it.
pub fn copy_tree(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_tree(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// All files below a directory, in order.
#[must_use]
pub fn files(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.append(&mut files(&path));
        } else {
            found.push(path);
        }
    }
    found.sort_unstable();
    found
}
