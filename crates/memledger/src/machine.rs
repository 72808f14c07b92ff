//! Owns what a ledger runs on: the disk its files lie on, where its keys come from, and whether its
//! threads take turns.
//!
//! Invariants: the default is the machine itself; nothing here changes what the bytes mean. May not:
//! be chosen by what a ledger says.

use std::path::Path;
use std::sync::Arc;

use ledger_store::storage::{FsStorage, Storage, StorageError};
use ledger_store::{Entropy, OsEntropy};

/// What a ledger runs on. The default is what everybody uses; tests and simulations put a disk that
/// fails in its place, and keys that can be drawn again.
#[derive(Clone, Debug)]
pub struct Machine {
    /// Where the files of the ledger lie; none: in the directory that is opened. The views are no
    /// part of it: they are in the directory, or nowhere.
    pub disk: Option<Arc<dyn Storage>>,
    /// Where keys come from.
    pub entropy: Arc<dyn Entropy>,
    /// Whether there are views. Without them every answer is replayed from the archive.
    pub views: bool,
    /// Whether the threads of the ledger take turns with its caller: whoever was answered finds that
    /// nothing more is under way, and nothing happens while nobody asks. One caller that does one
    /// thing after another then causes the same operations every time, given the same disk, clock,
    /// chance and entropy and [`StoreOptions::sequential`](ledger_store::StoreOptions::sequential).
    pub in_turns: bool,
}

impl Default for Machine {
    fn default() -> Self {
        Self { disk: None, entropy: Arc::new(OsEntropy), views: true, in_turns: false }
    }
}

impl Machine {
    /// A machine that does the same every time, without views.
    #[must_use]
    pub fn simulated(disk: Arc<dyn Storage>, entropy: Arc<dyn Entropy>) -> Self {
        Self { disk: Some(disk), entropy, views: false, in_turns: true }
    }

    /// The disk of an existing ledger.
    pub(crate) fn open(
        &self,
        dir: &Path,
        read_only: bool,
    ) -> Result<Arc<dyn Storage>, StorageError> {
        match &self.disk {
            Some(disk) => Ok(Arc::clone(disk)),
            None if read_only => Ok(Arc::new(FsStorage::open_read_only(dir)?)),
            None => Ok(Arc::new(FsStorage::open(dir)?)),
        }
    }

    /// The disk of a new ledger.
    pub(crate) fn create(&self, dir: &Path) -> Result<Arc<dyn Storage>, StorageError> {
        match &self.disk {
            Some(disk) => Ok(Arc::clone(disk)),
            None => Ok(Arc::new(FsStorage::create(dir)?)),
        }
    }
}
