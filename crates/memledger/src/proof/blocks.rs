//! Owns the saved hashes of whole blocks of records, which shorten proofs: one for every 256.
//!
//! A proof names up to one hash for each level of the tree, and those near the root are over most of
//! the log. With the blocks known, a proof reads the block of its record and what follows the last
//! whole one.
//!
//! A shortcut and never a truth: they lie among the views, so that whoever deletes those deletes them
//! too, and a proof that they led to is checked against its checkpoint before it is handed out. Where
//! it does not hold, it is made again from the log alone.

use std::ops::ControlFlow;

use ledger_format::tree::Frontier;
use ledger_format::{LedgerId, Seq};
use ledger_proof::Hash;
use ledger_proof::merkle::Span;
use ledger_store::storage::{RelPath, Storage, StorageError};
use ledger_store::{Check, Reader};

use super::roots::size;
use crate::error::Result;

const DIR: RelPath = RelPath::from_static("views");
const SAVED: RelPath = RelPath::from_static("views/blocks");
const FRESH: RelPath = RelPath::from_static("views/blocks.new");
const MAGIC: &[u8; 8] = b"MLBLOCK\n";
const HEAD_BYTES: usize = 8 + 16;
/// Records of a block, a power of two.
const BLOCK: u64 = 256;
/// The blocks are not saved again for fewer new ones than this.
const WORTH: usize = 16;

/// Roots over the records of whole blocks, from the first record on.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    roots: Vec<Hash>,
    /// How many of them are saved.
    saved: usize,
}

impl Blocks {
    /// What is saved of this ledger; none where it does not read, or is of more records than there
    /// are.
    pub(super) fn load(storage: &dyn Storage, reader: &Reader) -> Self {
        let roots = read(storage, reader.ledger()).unwrap_or_default();
        let there = roots.len() as u64 <= size(reader) / BLOCK;
        let roots = if there { roots } else { Vec::new() };
        Self { saved: roots.len(), roots }
    }

    /// Reads what is missing of the first `size` records.
    pub(super) fn extend(&mut self, reader: &Reader, size: u64) -> Result<()> {
        let whole = size / BLOCK * BLOCK;
        let from = self.records();
        if from >= whole {
            return Ok(());
        }
        let mut tree = Frontier::new();
        reader.for_each_batch(Seq(from), Check::None, |batch| {
            for record in batch.records() {
                let next = self.records() + tree.size();
                if record.seq.0 != next || next >= whole {
                    continue;
                }
                tree.push(record.bytes);
                if tree.size() == BLOCK {
                    self.roots.push(tree.root().0);
                    tree = Frontier::new();
                }
            }
            let done = self.records() >= whole;
            Ok(if done { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        })?;
        Ok(())
    }

    /// The tree over the whole blocks at the beginning of a range, as far as they are known.
    pub(super) fn over(&self, span: Span) -> Frontier {
        let known = || {
            let first = usize::try_from(span.start / BLOCK).ok()?;
            let count = (span.end - span.start) / BLOCK;
            if !span.start.is_multiple_of(BLOCK) {
                return None;
            }
            let known = self.roots.get(first..)?;
            let count = known.len().min(usize::try_from(count).ok()?);
            let mut tree = Frontier::new();
            known.get(..count)?.iter().for_each(|root| tree.push_leaf(*root));
            // A tree of so many blocks has the nodes of one of so many times 256 records.
            Frontier::from_parts(tree.size() * BLOCK, tree.nodes().to_vec()).ok()
        };
        known().unwrap_or_default()
    }

    /// Saves them when enough is new.
    pub(super) fn save_if_worthwhile(
        &self,
        storage: &dyn Storage,
        ledger: LedgerId,
    ) -> std::result::Result<(), StorageError> {
        if self.roots.len() < self.saved + WORTH.max(self.saved / 8) {
            return Ok(());
        }
        if storage.exists(&FRESH)? {
            storage.remove_file(&FRESH)?;
        }
        storage.create_dir(&DIR)?;
        let file = storage.create_exclusive(&FRESH)?;
        file.write_all_at(&[&MAGIC[..], &ledger.0, self.roots.as_flattened()].concat(), 0)?;
        file.sync_all()?;
        storage.rename(&FRESH, &SAVED)?;
        storage.sync_dir(&DIR)
    }

    /// Takes away what is saved.
    pub(super) fn forget(storage: &dyn Storage) -> std::result::Result<(), StorageError> {
        if storage.exists(&SAVED)? {
            storage.remove_file(&SAVED)?;
            storage.sync_dir(&DIR)?;
        }
        Ok(())
    }

    fn records(&self) -> u64 {
        self.roots.len() as u64 * BLOCK
    }
}

fn read(storage: &dyn Storage, ledger: LedgerId) -> Option<Vec<Hash>> {
    let file = storage.open_read(&SAVED).ok()?;
    let mut bytes = vec![0; usize::try_from(file.len().ok()?).ok()?];
    file.read_exact_at(&mut bytes, 0).ok()?;
    let (head, roots) = bytes.split_at_checked(HEAD_BYTES)?;
    let (roots, rest) = roots.as_chunks();
    let whole = head.strip_prefix(MAGIC)? == ledger.0 && rest.is_empty();
    whole.then(|| roots.to_vec())
}
