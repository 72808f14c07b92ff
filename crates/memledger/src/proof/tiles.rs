//! Owns exporting the log as tiles (c2sp.org/tlog-tiles): static files that any web server can offer
//! and that other programs verify.
//!
//! Invariants: the checkpoint is written last, so that what it names is there; what an earlier export
//! left is built upon only after its root was found to be this log's; exporting again changes
//! nothing. Entries are records: they hold no text that a person typed.

use std::io;
use std::ops::ControlFlow;

use ledger_format::Seq;
use ledger_proof::{MAX_NOTE_BYTES, ProofError, SignedCheckpoint, Tile, TileSink, Tiler};
use ledger_store::{Check, StoreError};

use super::roots;
use crate::error::{Error, ErrorKind, Result};
use crate::ledger::Ledger;

const CHECKPOINT: &str = "checkpoint";

/// Where tiles go. Paths are relative, with `/` between their parts.
pub trait TileStore {
    /// The bytes of a file; none where there is none.
    ///
    /// # Errors
    /// When it cannot be read.
    fn read(&mut self, path: &str) -> io::Result<Option<Vec<u8>>>;

    /// Writes a file whole, in the place of what was there, and flushes it.
    ///
    /// # Errors
    /// When it cannot be written.
    fn write(&mut self, path: &str, bytes: &[u8]) -> io::Result<()>;
}

/// What an export did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExportedTiles {
    /// Records that were there before.
    pub before: u64,
    /// Records that are there now.
    pub size: u64,
    /// Files that were written.
    pub files: u64,
}

impl Ledger {
    /// Exports the log up to the newest checkpoint that is kept here, continuing what an earlier
    /// export left in the same place.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] without a checkpoint, [`ErrorKind::Damaged`] when what is there is of
    /// another history, [`ErrorKind::Unavailable`] when it cannot be written.
    pub fn export_tiles(&self, store: &mut dyn TileStore) -> Result<ExportedTiles> {
        let newest = self.newest_stored()?;
        let newest = newest.and_then(|stored| stored.note.ok()).ok_or_else(|| {
            Error::new(
                ErrorKind::NotFound,
                "tiles end at a checkpoint, and none is kept here; `memledger checkpoint` makes one",
            )
        })?;
        let size = newest.checkpoint().size;
        let mut tiler = self.tiles_before(store, &newest)?;
        let before = tiler.size();
        let mut files = 0;
        let mut write = |tile: Tile, bytes: &[u8]| {
            files += 1;
            store.write(&tile.path(), bytes).map_err(Stop::Store)
        };
        self.push_records(&mut tiler, size, &mut write)?;
        if tiler.root() != newest.checkpoint().root {
            return Err(damaged(format!(
                "the log does not give the root of its checkpoint of {size} records; run `memledger verify`"
            )));
        }
        if size > before {
            for (tile, bytes) in tiler.partial() {
                write(tile, &bytes)?;
            }
        }
        let note = newest.to_string();
        if store.read(CHECKPOINT).map_err(unavailable)?.as_deref() != Some(note.as_bytes()) {
            store.write(CHECKPOINT, note.as_bytes()).map_err(unavailable)?;
            files += 1;
        }
        Ok(ExportedTiles { before, size, files })
    }

    /// What an earlier export left, if it is of this history.
    fn tiles_before(&self, store: &mut dyn TileStore, newest: &SignedCheckpoint) -> Result<Tiler> {
        let Some(note) = store.read(CHECKPOINT).map_err(unavailable)? else {
            return Ok(Tiler::new());
        };
        let note = note.get(..MAX_NOTE_BYTES.min(note.len())).unwrap_or_default();
        let before = SignedCheckpoint::parse(note)
            .map_err(|error| damaged(format!("the checkpoint of the tiles: {error}")))?;
        let head = before.checkpoint();
        if head.size > newest.checkpoint().size {
            return Err(damaged(format!(
                "the tiles are of {} records, and the newest checkpoint of {}: a rollback, or the tiles of another ledger",
                head.size,
                newest.checkpoint().size
            )));
        }
        if roots::root(&*self.storage, self.vault.reader(), head.size)? != Some(head.root) {
            return Err(another_history(head.size));
        }
        let mut tiles = Vec::new();
        for tile in Tile::partial(head.size) {
            let path = tile.path();
            let bytes = store.read(&path).map_err(unavailable)?;
            let bytes = bytes.ok_or_else(|| damaged(format!("the tile {path} is missing")))?;
            tiles.push((tile, bytes));
        }
        let tiler = Tiler::resume(head.size, &tiles)
            .map_err(|error| damaged(format!("the tiles that are there: {error}")))?;
        if tiler.root() != head.root {
            return Err(another_history(head.size));
        }
        Ok(tiler)
    }

    fn push_records(
        &self,
        tiler: &mut Tiler,
        size: u64,
        write: &mut TileSink<'_, Stop>,
    ) -> Result<()> {
        let mut stop = Ok(());
        if tiler.size() < size {
            let from = Seq(tiler.size());
            self.vault.reader().for_each_batch(from, Check::None, |batch| {
                for record in batch.records() {
                    if record.seq.0 == tiler.size() && tiler.size() < size {
                        stop = tiler.push(record.bytes, write);
                    }
                    if stop.is_err() {
                        return Ok(ControlFlow::Break(()));
                    }
                }
                let done = tiler.size() >= size;
                Ok::<_, StoreError>(if done {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                })
            })?;
        }
        Ok(stop?)
    }
}

/// Why tiles are not made any further.
#[derive(Debug)]
enum Stop {
    Store(io::Error),
    Proof(ProofError),
}

impl From<ProofError> for Stop {
    fn from(error: ProofError) -> Self {
        Self::Proof(error)
    }
}

impl From<Stop> for Error {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Store(error) => unavailable(error),
            Stop::Proof(error) => damaged(error.to_string()),
        }
    }
}

#[allow(clippy::needless_pass_by_value, reason = "it is what map_err hands over")]
fn unavailable(error: io::Error) -> Error {
    Error::new(ErrorKind::Unavailable, format!("the tiles cannot be read or written: {error}"))
}

fn damaged(message: String) -> Error {
    Error::new(ErrorKind::Damaged, message)
}

fn another_history(size: u64) -> Error {
    damaged(format!(
        "the tiles that are there are not of this ledger's first {size} records; export into another directory, and keep this one: it shows another history"
    ))
}
