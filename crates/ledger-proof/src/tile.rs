//! Owns the layout of tiles (c2sp.org/tlog-tiles): which files there are, what they are called, and
//! making them from a stream of records.
//!
//! Invariants: a full tile is made once and never again; the partial tiles of a size are enough to
//! go on from it, and give its root, so that nothing that lies there is built upon unchecked.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use ledger_format::TreeRoot;
use ledger_format::tree::{Frontier, leaf};

use crate::error::ProofError;
use crate::merkle::{Hash, MAX_SIZE};

/// Hashes, or entries, of a full tile.
pub const TILE_WIDTH: u64 = 256;
/// Levels of tiles in the largest tree.
const LEVELS: u8 = 8;
const HASH_BYTES: usize = 32;

/// What a tile holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TileKind {
    /// Records, each after its length (u16, big-endian).
    Entries,
    /// Hashes of subtrees of 256^level records.
    Hashes(u8),
}

/// One file of the layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Tile {
    /// What it holds.
    pub kind: TileKind,
    /// Its number within the level.
    pub index: u64,
    /// How many hashes or entries: 1 to 256.
    pub width: u64,
}

impl Tile {
    /// Its path below the log's prefix.
    #[must_use]
    pub fn path(&self) -> String {
        let mut number = format!("{:03}", self.index % 1_000);
        let mut rest = self.index / 1_000;
        while rest > 0 {
            number = format!("x{:03}/{number}", rest % 1_000);
            rest /= 1_000;
        }
        let partial =
            if self.width < TILE_WIDTH { format!(".p/{}", self.width) } else { String::new() };
        match self.kind {
            TileKind::Entries => format!("tile/entries/{number}{partial}"),
            TileKind::Hashes(level) => format!("tile/{level}/{number}{partial}"),
        }
    }

    /// The partial tiles of a tree of `size` records, from the entries up. They are at the right
    /// edge, one for each level that has one.
    #[must_use]
    pub fn partial(size: u64) -> Vec<Self> {
        let at = |kind, count: u64| {
            let (index, width) = (count / TILE_WIDTH, count % TILE_WIDTH);
            (width > 0).then_some(Self { kind, index, width })
        };
        let levels = (0..LEVELS).map(|level| {
            let count = size.checked_shr(8 * u32::from(level)).unwrap_or(0);
            at(TileKind::Hashes(level), count)
        });
        core::iter::once(at(TileKind::Entries, size)).chain(levels).flatten().collect()
    }
}

/// Takes each tile that is full.
pub type TileSink<'a, E> = dyn FnMut(Tile, &[u8]) -> Result<(), E> + 'a;

/// Makes tiles from records in order.
#[derive(Clone, Debug, Default)]
pub struct Tiler {
    size: u64,
    /// The hashes of each level that are in no full tile yet.
    levels: Vec<Vec<Hash>>,
    /// The entries that are in no full tile yet, as they are stored.
    entries: Vec<u8>,
}

impl Tiler {
    /// Before the first record.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Goes on from a tree whose partial tiles are at hand. Whoever calls compares
    /// [`Tiler::root`] with the root of that tree before going on.
    ///
    /// # Errors
    /// [`ProofError::Malformed`] for tiles that are not of such a tree, [`ProofError::TooLarge`].
    pub fn resume(size: u64, tiles: &[(Tile, Vec<u8>)]) -> Result<Self, ProofError> {
        if size > MAX_SIZE {
            return Err(ProofError::TooLarge { what: "the size of a tree", limit: MAX_SIZE });
        }
        let mut tiler = Self { size, ..Self::default() };
        let wanted = Tile::partial(size);
        if wanted.len() != tiles.len() || !wanted.iter().eq(tiles.iter().map(|(tile, _)| tile)) {
            return Err(malformed("these are not the partial tiles of that size"));
        }
        for (tile, bytes) in tiles {
            match tile.kind {
                TileKind::Entries => tiler.take_entries(tile.width, bytes)?,
                TileKind::Hashes(level) => {
                    let (hashes, rest) = bytes.as_chunks::<HASH_BYTES>();
                    if !rest.is_empty() || hashes.len() as u64 != tile.width {
                        return Err(malformed("a tile of hashes has another length"));
                    }
                    tiler.level(level).extend(hashes);
                }
            }
        }
        Ok(tiler)
    }

    /// Entries that were stored have to be the leaves that were stored.
    fn take_entries(&mut self, width: u64, bytes: &[u8]) -> Result<(), ProofError> {
        let mut rest = bytes;
        let mut count = 0_u64;
        while let Some((length, after)) = rest.split_first_chunk::<2>() {
            let length = usize::from(u16::from_be_bytes(*length));
            rest = after.get(length..).ok_or_else(|| malformed("an entry is cut"))?;
            count += 1;
        }
        if !rest.is_empty() || count != width {
            return Err(malformed("a tile of entries holds another number of them"));
        }
        self.entries.extend(bytes);
        Ok(())
    }

    /// Number of records so far.
    #[must_use]
    pub const fn size(&self) -> u64 {
        self.size
    }

    /// The root over the records so far.
    #[must_use]
    pub fn root(&self) -> TreeRoot {
        let mut nodes = Vec::new();
        for level in self.levels.iter().rev() {
            let mut tree = Frontier::new();
            level.iter().for_each(|hash| tree.push_leaf(*hash));
            nodes.extend(tree.nodes());
        }
        // As many nodes as the size has one bits, so this is always a frontier of that size.
        Frontier::from_parts(self.size, nodes).map_or(TreeRoot::ZERO, |tree| tree.root())
    }

    /// Takes the next record, of 65,535 bytes at most, and hands out the tiles that it completes.
    ///
    /// # Errors
    /// [`ProofError::TooLarge`]; whatever `out` says.
    pub fn push<E: From<ProofError>>(
        &mut self,
        record: &[u8],
        out: &mut TileSink<'_, E>,
    ) -> Result<(), E> {
        let length = u16::try_from(record.len()).map_err(|_| ProofError::TooLarge {
            what: "the length of an entry in bytes",
            limit: u64::from(u16::MAX),
        })?;
        if self.size >= MAX_SIZE {
            return Err(ProofError::TooLarge { what: "the size of a tree", limit: MAX_SIZE }.into());
        }
        self.entries.extend(length.to_be_bytes());
        self.entries.extend(record);
        self.size += 1;
        if self.size.is_multiple_of(TILE_WIDTH) {
            let index = self.size / TILE_WIDTH - 1;
            out(Tile { kind: TileKind::Entries, index, width: TILE_WIDTH }, &self.entries)?;
            self.entries.clear();
        }
        let mut hash = leaf(record);
        for level in 0..LEVELS {
            let count = self.size >> (8 * u32::from(level));
            let hashes = self.level(level);
            hashes.push(hash);
            if hashes.len() as u64 != TILE_WIDTH {
                break;
            }
            let full = core::mem::take(hashes);
            let mut tree = Frontier::new();
            full.iter().for_each(|hash| tree.push_leaf(*hash));
            let index = count / TILE_WIDTH - 1;
            let tile = Tile { kind: TileKind::Hashes(level), index, width: TILE_WIDTH };
            out(tile, full.as_flattened())?;
            hash = tree.root().0;
        }
        Ok(())
    }

    /// The partial tiles of the records so far.
    #[must_use]
    pub fn partial(&self) -> Vec<(Tile, Vec<u8>)> {
        Tile::partial(self.size)
            .into_iter()
            .map(|tile| match tile.kind {
                TileKind::Entries => (tile, self.entries.clone()),
                TileKind::Hashes(level) => {
                    let hashes = self.levels.get(usize::from(level));
                    (tile, hashes.map(|hashes| hashes.as_flattened().to_vec()).unwrap_or_default())
                }
            })
            .collect()
    }

    fn level(&mut self, level: u8) -> &mut Vec<Hash> {
        let at = usize::from(level);
        if self.levels.len() <= at {
            self.levels.resize(at + 1, Vec::new());
        }
        // The level was just made where it was missing.
        self.levels.get_mut(at).expect("a level that was made is there")
    }
}

const fn malformed(why: &'static str) -> ProofError {
    ProofError::Malformed { what: "set of tiles", line: 0, why }
}
