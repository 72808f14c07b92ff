//! Tiles against the foreign implementation's reader, which authenticates every tile it reads.

use std::collections::BTreeMap;

use ledger_format::tree::{Frontier, leaf};
use ledger_proof::{ProofError, Tile, TileKind, Tiler};
use tlog_tiles::tlog::{self, HashReader as _};
use tlog_tiles::{TileHashReader, TileReader};

use crate::support::record;

type Files = BTreeMap<String, Vec<u8>>;

/// Exports up to each size in turn, going on from what the size before left.
fn exported(sizes: &[u64]) -> (Files, Tiler) {
    let mut files = Files::new();
    let mut size = 0;
    for next in sizes {
        let tiles: Vec<(Tile, Vec<u8>)> = Tile::partial(size)
            .into_iter()
            .map(|tile| (tile, files[&tile.path()].clone()))
            .collect();
        let mut tiler = Tiler::resume(size, &tiles).unwrap();
        let mut out = |tile: Tile, bytes: &[u8]| -> Result<(), ProofError> {
            assert!(files.insert(tile.path(), bytes.to_vec()).is_none(), "{tile:?} twice");
            Ok(())
        };
        (size..*next).for_each(|index| tiler.push(&record(index), &mut out).unwrap());
        for (tile, bytes) in tiler.partial() {
            files.insert(tile.path(), bytes);
        }
        size = *next;
    }
    let tiles: Vec<_> =
        Tile::partial(size).into_iter().map(|tile| (tile, files[&tile.path()].clone())).collect();
    (files, Tiler::resume(size, &tiles).unwrap())
}

struct Reader(Files);

impl TileReader for Reader {
    fn height(&self) -> u8 {
        8
    }
    fn read_tiles(&self, tiles: &[tlog_tiles::Tile]) -> Result<Vec<Vec<u8>>, tlog::Error> {
        // Go's paths carry the height, those of c2sp.org/tlog-tiles do not.
        let path = |tile: &tlog_tiles::Tile| tile.path().replacen("tile/8/", "tile/", 1);
        tiles
            .iter()
            .map(|tile| self.0.get(&path(tile)).cloned().ok_or(tlog::Error::InvalidTile))
            .collect()
    }
    fn save_tiles(&self, _: &[tlog_tiles::Tile], _: &[Vec<u8>]) {}
}

/// Reads leaves through tiles, all of which are authenticated against the root.
fn reads(files: &Files, size: u64, root: [u8; 32], leaves: &[u64]) -> bool {
    let reader = Reader(files.clone());
    let tiles = TileHashReader::new(size, tlog::Hash(root), &reader);
    let indexes: Vec<u64> = leaves.iter().map(|n| tlog::stored_hash_index(0, *n)).collect();
    let wanted: Vec<_> = leaves.iter().map(|n| tlog::record_hash(&record(*n)).0).collect();
    tiles.read_hashes(&indexes).is_ok_and(|found| found.iter().map(|hash| hash.0).eq(wanted))
}

#[test]
fn the_foreign_reader_takes_our_tiles_at_every_kind_of_size() {
    for size in [1, 2, 255, 256, 257, 511, 512, 513, 65_535, 65_536, 65_537, 70_000] {
        let (files, tiler) = exported(&[size]);
        let mut tree = Frontier::new();
        (0..size).for_each(|index| tree.push_leaf(leaf(&record(index))));
        assert_eq!(tiler.root(), tree.root(), "{size}");
        let leaves: Vec<u64> = [0, size / 3, size / 2, size - 1].into();
        assert!(reads(&files, size, tiler.root().0, &leaves), "{size}");
    }
}

#[test]
fn going_on_gives_the_same_tiles_as_beginning_anew() {
    let steps = [1, 255, 256, 257, 300, 512, 700, 66_000];
    let (in_steps, tiler) = exported(&steps);
    let (at_once, same) = exported(&[66_000]);
    assert_eq!(tiler.root(), same.root());
    for (path, bytes) in &at_once {
        assert_eq!(in_steps.get(path), Some(bytes), "{path}");
    }
}

#[test]
fn one_changed_byte_of_a_tile_makes_it_fail() {
    let size = 300;
    let (files, tiler) = exported(&[size]);
    let root = tiler.root().0;
    let all: Vec<u64> = (0..size).collect();
    assert!(reads(&files, size, root, &all));
    for (path, bytes) in files.iter().filter(|(path, _)| !path.contains("entries")) {
        for at in (0..bytes.len()).step_by(31) {
            let mut changed = files.clone();
            changed.get_mut(path).unwrap()[at] ^= 1;
            assert!(!reads(&changed, size, root, &all), "{path} was changed at {at}");
        }
    }
}

#[test]
fn entries_are_the_leaves_and_a_partial_tile_is_built_upon_only_when_it_is_whole() {
    let (files, _) = exported(&[300]);
    let entries = &files["tile/entries/001.p/44"];
    let length = usize::from(u16::from_be_bytes([entries[0], entries[1]]));
    assert_eq!(&entries[2..2 + length], record(256));
    let tiles: Vec<(Tile, Vec<u8>)> =
        Tile::partial(300).into_iter().map(|tile| (tile, files[&tile.path()].clone())).collect();
    assert_eq!(tiles.len(), 3);
    assert!(Tiler::resume(301, &tiles).is_err());
    for at in 0..tiles.len() {
        let mut cut = tiles.clone();
        cut[at].1.pop();
        assert!(Tiler::resume(300, &cut).is_err(), "{:?}", cut[at].0);
        let mut short = tiles.clone();
        let whole = short[at].1.len();
        short[at].1.truncate(whole - 32);
        assert!(Tiler::resume(300, &short).is_err(), "a hash less: {:?}", short[at].0);
        let mut without = tiles.clone();
        without.remove(at);
        assert!(Tiler::resume(300, &without).is_err());
    }
    let mut changed = tiles.clone();
    changed[1].1[0] ^= 1;
    let root = Tiler::resume(300, &tiles).unwrap().root();
    assert_ne!(Tiler::resume(300, &changed).unwrap().root(), root);
}

/// The example of c2sp.org/tlog-tiles: a tree of 70,000, and the path of tile 1,234,067.
#[test]
fn names_and_widths_are_those_of_the_specification() {
    let path = |kind, index, width| Tile { kind, index, width }.path();
    assert_eq!(path(TileKind::Hashes(0), 1_234_067, 256), "tile/0/x001/x234/067");
    assert_eq!(path(TileKind::Entries, 7, 255), "tile/entries/007.p/255");
    let widths: Vec<_> = Tile::partial(70_000).iter().map(Tile::path).collect();
    let wanted =
        ["tile/entries/273.p/112", "tile/0/273.p/112", "tile/1/001.p/17", "tile/2/000.p/1"];
    assert_eq!(widths, wanted);
    let of_256: Vec<_> = Tile::partial(256).iter().map(Tile::path).collect();
    assert_eq!(of_256, ["tile/1/000.p/1"]);
    assert!(Tile::partial(0).is_empty());
}
