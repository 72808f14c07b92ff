//! A directory of tiles as a stranger finds it, read by a foreign implementation that has the key.

use std::fs;
use std::path::{Path, PathBuf};

use signed_note::{Note, StandardVerifier, VerifierList};
use tlog_tiles::tlog::{self, HashReader as _};
use tlog_tiles::{Checkpoint, TileHashReader, TileReader};

use crate::bench::Bench;

struct Folder(PathBuf);

impl TileReader for Folder {
    fn height(&self) -> u8 {
        8
    }
    fn read_tiles(&self, tiles: &[tlog_tiles::Tile]) -> Result<Vec<Vec<u8>>, tlog::Error> {
        // Go's paths carry the height, those of c2sp.org/tlog-tiles do not.
        let path = |tile: &tlog_tiles::Tile| tile.path().replacen("tile/8/", "tile/", 1);
        let read = |tile| fs::read(self.0.join(path(tile))).map_err(|_| tlog::Error::InvalidTile);
        tiles.iter().map(read).collect()
    }
    fn save_tiles(&self, _: &[tlog_tiles::Tile], _: &[Vec<u8>]) {}
}

/// The records of a bundle of entries.
fn entries(bytes: &[u8]) -> Option<Vec<&[u8]>> {
    let (mut rest, mut found) = (bytes, Vec::new());
    while let Some((length, after)) = rest.split_first_chunk::<2>() {
        let (entry, after) = after.split_at_checked(usize::from(u16::from_be_bytes(*length)))?;
        found.push(entry);
        rest = after;
    }
    rest.is_empty().then_some(found)
}

/// What a stranger does: signature, tree, every record. None where anything is not right.
fn strangers_check(dir: &Path, key: &str) -> Option<u64> {
    let note = Note::from_bytes(&fs::read(dir.join("checkpoint")).ok()?).ok()?;
    let key = StandardVerifier::new(key).ok()?;
    note.verify(&VerifierList::new(vec![Box::new(key)])).ok()?;
    let head = Checkpoint::from_bytes(note.text()).ok()?;
    let reader = Folder(dir.to_path_buf());
    let tree = TileHashReader::new(head.size(), *head.hash(), &reader);
    let mut index = 0;
    while index < head.size() {
        let width = (head.size() - index).min(256);
        let partial = if width < 256 { format!(".p/{width}") } else { String::new() };
        let bundle = dir.join(format!("tile/entries/{:03}{partial}", index / 256));
        let bytes = fs::read(bundle).ok()?;
        for entry in entries(&bytes)? {
            let leaf = tree.read_hashes(&[tlog::stored_hash_index(0, index)]).ok()?;
            (leaf == [tlog::record_hash(entry)]).then_some(())?;
            index += 1;
        }
    }
    Some(head.size())
}

fn files(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found.sort();
    found
}

/// A ledger with more records than a tile holds, and its key.
fn ledger() -> (Bench, String) {
    let bench = Bench::empty();
    bench.run(["init", "--origin", "support.example", "--quiet"]).ends(0);
    let lines: String = (0..270).map(|n| format!("{{\"text\":\"memory {n}\"}}\n")).collect();
    bench.run_with(["write", "--stdin", "--quiet"], lines.as_bytes()).ends(0);
    let key = bench.run(["key", "show"]).ends(0).out.lines().next().unwrap().to_owned();
    (bench, key)
}

#[test]
fn a_foreign_program_verifies_exported_tiles_and_one_changed_byte_makes_it_fail() {
    let (bench, key) = ledger();
    bench.run(["export", "tiles", "public"]).fails(1, &["memledger checkpoint"]);
    bench.run(["checkpoint"]).ends(0);
    bench.run(["export", "tiles", "public"]).ends(0).shows(&["records", "written"]);
    let public = bench.root().join("public");
    assert_eq!(strangers_check(&public, &key), Some(274));
    for file in files(&public) {
        let good = fs::read(&file).unwrap();
        for at in [0, good.len() / 2, good.len() - 1] {
            let mut changed = good.clone();
            changed[at] ^= 1;
            fs::write(&file, &changed).unwrap();
            assert_eq!(strangers_check(&public, &key), None, "{} at {at}", file.display());
        }
        fs::write(&file, good).unwrap();
    }
    assert_eq!(strangers_check(&public, &key), Some(274));
}

#[test]
fn an_export_is_continued_and_repeating_it_changes_nothing() {
    let (bench, key) = ledger();
    let export = ["export", "tiles", "public", "--json"];
    bench.run(["checkpoint"]).ends(0);
    bench.run(export).ends(0);
    assert_eq!(bench.run(export).ends(0).object()["files"], 0);
    bench.write("one more", &[]);
    bench.run(["checkpoint"]).ends(0);
    let grown = bench.run(export).ends(0).object();
    assert_eq!(grown["before"], 274);
    assert_eq!(strangers_check(&bench.root().join("public"), &key), grown["size"].as_u64());
    bench.run(["export", "tiles", "anew"]).ends(0);
    for file in files(&bench.root().join("anew")) {
        let part = file.strip_prefix(bench.root().join("anew")).unwrap().to_path_buf();
        let continued = fs::read(bench.root().join("public").join(&part)).unwrap();
        assert_eq!(continued, fs::read(&file).unwrap(), "{}", part.display());
    }
}

#[test]
fn tiles_of_another_history_are_not_built_upon() {
    let (bench, _) = ledger();
    bench.run(["checkpoint"]).ends(0);
    bench.run(["export", "tiles", "public"]).ends(0);
    let public = bench.root().join("public");
    let partial = files(&public).into_iter().find(|file| file.ends_with("tile/0/001.p/18"));
    let partial = partial.unwrap();
    let good = fs::read(&partial).unwrap();
    let mut changed = good.clone();
    changed[5] ^= 1;
    fs::write(&partial, changed).unwrap();
    bench.write("one more", &[]);
    bench.run(["checkpoint"]).ends(0);
    bench.run(["export", "tiles", "public"]).fails(3, &["another history"]);
    fs::remove_file(&partial).unwrap();
    bench.run(["export", "tiles", "public"]).fails(3, &["is missing"]);
    fs::write(&partial, good).unwrap();
    bench.run(["export", "tiles", "public"]).ends(0);

    let (other, _) = ledger();
    other.run(["checkpoint"]).ends(0);
    other.run(["export", "tiles", public.to_str().unwrap()]).fails(3, &["rollback"]);
    other.write("longer", &[]);
    other.write("than the first", &[]);
    other.run(["checkpoint"]).ends(0);
    other.run(["export", "tiles", public.to_str().unwrap()]).fails(3, &["another history"]);
}
