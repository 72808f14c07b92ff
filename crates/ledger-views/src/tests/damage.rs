//! Owns the tests with damaged files: the answers are the same, or there are none.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions as FileOptions};
use std::path::{Path, PathBuf};

use super::model::built;
use super::world::{Chance, LEDGER, long};
use crate::guard::Place;
use crate::source::{Go, Source as _};
use crate::table::Table;
use crate::{Fold, OpenOptions, Opened, Rebuild, Unusable, ViewError, Views};

const OPTIONS: OpenOptions = OpenOptions::new(LEDGER);

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("made");
    for entry in fs::read_dir(from).expect("lists") {
        let entry = entry.expect("an entry");
        let target = to.join(entry.file_name());
        if entry.file_type().expect("a type").is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).expect("copied");
        }
    }
}

fn files(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).expect("lists") {
        let path = entry.expect("an entry").path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found.sort();
    found
}

/// What became of damaged views.
#[derive(Debug, Default)]
struct Outcomes {
    same: usize,
    unusable: usize,
    doubt: usize,
}

type Rows = BTreeMap<Vec<u8>, Vec<u8>>;

fn rows(views: &Views) -> Result<Rows, ViewError> {
    let mut rows = Rows::new();
    views.table.each(&[], &[0xff], |key, value| {
        rows.insert(key.to_vec(), value.to_vec());
        Ok(Go::On)
    })?;
    Ok(rows)
}

/// Every answer is made of rows that are looked up, sought or scanned: all must be what they were.
fn compare_rows(views: &Views, good: &Rows) -> Result<(), ViewError> {
    for (key, value) in good {
        let found = views.table.get(key, |value| Ok(value.to_vec()))?;
        assert_eq!(found.as_ref(), Some(value), "looked up");
        let found = views.table.last(&[], key, |key, value| Ok((key.to_vec(), value.to_vec())))?;
        assert_eq!(found.as_ref(), Some(&(key.clone(), value.clone())), "sought");
    }
    assert!(rows(views)? == *good, "scanned");
    Ok(())
}

/// Damages copies of closed views and opens them. A wrong answer fails inside the comparison.
fn damage_copies(clean: bool, rounds: u64, damage: impl Fn(&Path, &mut Chance)) -> Outcomes {
    let dir = tempfile::tempdir().expect("a directory");
    let good = dir.path().join("good");
    let views = built(&good, &long(2_500));
    let expected = rows(&views).expect("no doubt");
    views.close().expect("closes");
    let mut outcomes = Outcomes::default();
    let mut chance = Chance(0xfeed_5eed_0bad_cafe);
    for round in 0..rounds {
        let bad = dir.path().join(round.to_string());
        copy(&good, &bad);
        for mark in files(&bad).iter().filter(|path| !clean && path.ends_with("CLEAN")) {
            fs::remove_file(mark).expect("removed");
        }
        damage(&bad, &mut chance);
        match Views::open(&bad, OPTIONS) {
            Opened::Unusable(_) => outcomes.unusable += 1,
            Opened::Ready(views) => match compare_rows(&views, &expected) {
                Ok(()) => outcomes.same += 1,
                Err(ViewError::Doubt { .. }) => outcomes.doubt += 1,
                Err(other) => panic!("an unexpected error: {other}"),
            },
        }
        assert!(bad.exists(), "opening deletes nothing");
        fs::remove_dir_all(&bad).expect("removed");
    }
    outcomes
}

/// Flips a bit where there is something: most of the files is padding.
fn flip(dir: &Path, chance: &mut Chance) {
    let files = files(dir);
    let path = &files[chance.below(files.len() as u64) as usize];
    let mut bytes = fs::read(path).expect("reads");
    let full: Vec<usize> = (0..bytes.len()).filter(|at| bytes[*at] != 0).collect();
    if let Some(at) = full.get(chance.below(full.len() as u64) as usize) {
        bytes[*at] ^= 1 << chance.below(8);
        fs::write(path, bytes).expect("writes");
    }
}

fn cut(dir: &Path, chance: &mut Chance) {
    let files = files(dir);
    let path = &files[chance.below(files.len() as u64) as usize];
    let file = FileOptions::new().write(true).open(path).expect("opens");
    let length = file.metadata().expect("its length").len();
    file.set_len(chance.below(length)).expect("cut");
}

fn delete(dir: &Path, chance: &mut Chance) {
    let files = files(dir);
    fs::remove_file(&files[chance.below(files.len() as u64) as usize]).expect("removed");
}

#[test]
fn a_flipped_bit_never_gives_a_wrong_answer() {
    for clean in [true, false] {
        let outcomes = damage_copies(clean, 40, flip);
        assert!(outcomes.same > 0, "{outcomes:?}");
    }
}

#[test]
fn a_cut_file_never_gives_a_wrong_answer() {
    for clean in [true, false] {
        let outcomes = damage_copies(clean, 20, cut);
        assert!(outcomes.unusable > 0, "{outcomes:?}");
    }
}

#[test]
fn a_deleted_file_never_gives_a_wrong_answer() {
    for clean in [true, false] {
        let outcomes = damage_copies(clean, 8, delete);
        assert!(outcomes.unusable > 0, "{outcomes:?}");
    }
}

/// What sled was seen to do after a damage: it opens without an error, and a row is another one, or
/// one too many, or gone.
#[test]
fn rows_that_are_not_what_was_written_are_found_without_the_mark() {
    let dir = tempfile::tempdir().expect("a directory");
    let views = built(dir.path(), &long(60));
    let good = rows(&views).expect("no doubt");
    let meta = views.meta().encode();
    drop(views);
    let (key, value) = good.iter().find(|(_, value)| value.len() > 3).expect("some row");
    let open = || Views::open(dir.path(), OPTIONS).ready().map(|_| ());
    let mut other = value.clone();
    other[2] ^= 1;
    for (row, what) in [
        ((key.clone(), other), Err(Unusable::Mismatch { what: "the digest of the rows" })),
        ((key.clone(), value.clone()), Ok(())),
        ((b"Zz".to_vec(), vec![1]), Err(Unusable::Mismatch { what: "the number of rows" })),
    ] {
        let place = Place::current(dir.path()).expect("reads").expect("in force");
        let table = Table::open(&place.rows(), OpenOptions::CACHE_BYTES);
        let row = [(row.0.as_slice(), row.1.as_slice())].into_iter();
        table.expect("opens").store(row, meta.clone()).expect("stores");
        assert_eq!(open(), what);
    }
}

#[test]
fn the_mark_is_gone_once_views_are_open() {
    let dir = tempfile::tempdir().expect("a directory");
    built(dir.path(), &long(20)).close().expect("closes");
    let marks = || files(dir.path()).iter().filter(|path| path.ends_with("CLEAN")).count();
    assert_eq!(marks(), 1);
    let views = Views::open(dir.path(), OPTIONS).ready().expect("opens");
    assert_eq!(marks(), 0);
    drop(views);
    assert_eq!(marks(), 0, "dropping is not closing");
}

/// Harder than an end of the process: the files of one copy are of different moments.
#[test]
fn copies_taken_while_rows_are_stored_are_whole_or_unusable() {
    let world = long(1_200);
    let dir = tempfile::tempdir().expect("a directory");
    let live = dir.path().join("live");
    let views = Rebuild::begin(&live, OPTIONS).expect("begins").finish().expect("finishes");
    let mut copies = 0;
    std::thread::scope(|threads| {
        let writer = threads.spawn(|| {
            for piece in world.changes.chunks(5) {
                views.apply(piece).expect("continues");
                views.flush().expect("flushes");
            }
        });
        while !writer.is_finished() && copies < 24 {
            copy(&live, &dir.path().join(copies.to_string()));
            copies += 1;
        }
    });
    for number in 0..copies {
        let Opened::Ready(views) = Views::open(&dir.path().join(number.to_string()), OPTIONS)
        else {
            continue;
        };
        let count = views.applied().map_or(0, |applied| applied.seq.0 as usize + 1);
        let mut fold = Fold::new(LEDGER);
        world.changes.iter().take(count).for_each(|changes| fold.push(changes).expect("continues"));
        assert_eq!(views.digest(), fold.digest());
        views.apply(&world.changes[count..]).expect("continues where it stands");
        let mut fold = Fold::new(LEDGER);
        world.changes.iter().for_each(|changes| fold.push(changes).expect("continues"));
        let checked = views.check_rows().expect("all rows read");
        assert_eq!(checked.digest, fold.digest());
    }
}

#[test]
fn undamaged_copies_open_with_and_without_the_mark() {
    for clean in [true, false] {
        let outcomes = damage_copies(clean, 2, |_, _| {});
        assert_eq!(outcomes.same, 2, "{outcomes:?}");
    }
}
