//! Owns the tests with damaged files: the answers are the same, or there are none.

use std::fs::{self, OpenOptions as FileOptions};
use std::io::{Read, Seek, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use super::model::{built, compare_every};
use super::world::{LEDGER, Step, World};
use crate::{Fold, OpenOptions, Opened, Rebuild, ViewError, Views};

const OPTIONS: OpenOptions = OpenOptions::new(LEDGER);

/// A fixed sequence that looks random.
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end.max(1)
    }
}

fn history() -> World {
    let mut chance = Chance(0x1234_5678_9abc_def1);
    let steps: Vec<Step> = (0..120)
        .map(|_| {
            let mut number = || chance.below(65_536) as u16;
            (number() as u8, number(), number(), number(), number())
        })
        .collect();
    World::of(&steps)
}

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

/// Damages copies of closed views and opens them. A wrong answer fails inside the comparison.
fn damage_copies(clean: bool, rounds: u64, damage: impl Fn(&Path, &mut Chance)) -> Outcomes {
    let world = history();
    let dir = tempfile::tempdir().expect("a directory");
    let good = dir.path().join("good");
    built(&good, &world).close().expect("closes");
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
            Opened::Ready(views) => match compare_every(&views, &world, 31) {
                Ok(()) => outcomes.same += 1,
                Err(ViewError::Doubt { .. }) => outcomes.doubt += 1,
                Err(other) => panic!("an unexpected error: {other}"),
            },
        }
        assert!(bad.exists(), "opening deletes nothing");
    }
    outcomes
}

fn flip(dir: &Path, chance: &mut Chance) {
    let files = files(dir);
    let path = &files[chance.below(files.len() as u64) as usize];
    let mut file = FileOptions::new().read(true).write(true).open(path).expect("opens");
    // The end of the data is where most rows are; the rest of the file is padding.
    let length = file.metadata().expect("its length").len();
    let at = chance.below(length);
    let mut byte = [0];
    file.seek(SeekFrom::Start(at)).expect("seeks");
    file.read_exact(&mut byte).expect("reads");
    byte[0] ^= 1 << chance.below(8);
    file.seek(SeekFrom::Start(at)).expect("seeks");
    file.write_all(&byte).expect("writes");
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
        let outcomes = damage_copies(clean, 24, flip);
        assert!(outcomes.same > 0, "{outcomes:?}");
    }
}

#[test]
fn a_cut_file_never_gives_a_wrong_answer() {
    for clean in [true, false] {
        let outcomes = damage_copies(clean, 24, cut);
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

/// Harder than an end of the process: the files of one copy are of different moments.
#[test]
fn copies_taken_while_rows_are_stored_are_whole_or_unusable() {
    let world = history();
    let dir = tempfile::tempdir().expect("a directory");
    let live = dir.path().join("live");
    let views = Rebuild::begin(&live, OPTIONS).expect("begins").finish().expect("finishes");
    let mut copies = 0;
    std::thread::scope(|threads| {
        let writer = threads.spawn(|| {
            for changes in &world.changes {
                views.apply(std::slice::from_ref(changes)).expect("continues");
                views.flush().expect("flushes");
            }
        });
        while !writer.is_finished() && copies < 12 {
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
        compare_every(&views, &world, 31).expect("no doubt");
    }
}

#[test]
fn undamaged_copies_open_with_and_without_the_mark() {
    for clean in [true, false] {
        let outcomes = damage_copies(clean, 2, |_, _| {});
        assert_eq!(outcomes.same, 2, "{outcomes:?}");
    }
}
