//! Owns the tests of building: one digest for every way, the order of records, swapping.

use proptest::prelude::*;
use std::path::Path;

use ledger_format::{Event, LedgerId, Micros, Seq};

use super::model::{built, compare};
use super::world::{LEDGER, World, long, memory_id, scope, steps, write};
use crate::{Fold, OpenOptions, Opened, Rebuild, Unusable, ViewDigest, ViewError, Views};

const OPTIONS: OpenOptions = OpenOptions::new(LEDGER);

fn empty(dir: &Path) -> Views {
    Rebuild::begin(dir, OPTIONS).expect("begins").finish().expect("finishes")
}

fn fold_to(world: &World, count: usize) -> (u64, ViewDigest) {
    let mut fold = Fold::new(LEDGER);
    world.changes.iter().take(count).for_each(|changes| fold.push(changes).expect("continues"));
    (fold.rows(), fold.digest())
}

fn digest(views: &Views) -> (u64, ViewDigest) {
    (views.counts().expect("counts").rows, views.digest())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10, ..ProptestConfig::default() })]
    /// One by one, in pieces of any size with everything forgotten between, with and without a
    /// close between, rebuilt in small chunks, or only folded: one digest.
    #[test]
    fn every_way_of_building_gives_the_same_rows(
        steps in steps(150),
        sizes in prop::collection::vec(1usize..70, 1..8),
    ) {
        let world = World::of(&steps);
        let dir = tempfile::tempdir().expect("a directory");
        let singly = empty(&dir.path().join("singly"));
        for (at, changes) in world.changes.iter().enumerate() {
            singly.apply(std::slice::from_ref(changes)).expect("continues");
            if at % 40 == 0 {
                prop_assert_eq!(digest(&singly), fold_to(&world, at + 1), "at {}", at);
            }
        }
        let pieces = dir.path().join("pieces");
        let mut views = empty(&pieces);
        let mut rest = world.changes.as_slice();
        for (round, size) in sizes.iter().cycle().enumerate() {
            if rest.is_empty() || round > 200 { break; }
            let (piece, later) = rest.split_at((*size).min(rest.len()));
            views.apply(piece).expect("continues");
            views.forget_recent();
            rest = later;
            if round % 3 == 2 {
                match round % 4 {
                    0 => views.close().expect("closes"),
                    1 => drop(views),
                    _ => views.flush().map(|()| drop(views)).expect("flushes"),
                }
                views = Views::open(&pieces, OPTIONS).ready().expect("opens");
                // What was only gathered is lost without a close: the log has it.
                let next = views.applied().map_or(0, |applied| applied.seq.0 + 1);
                rest = &world.changes[usize::try_from(next).expect("small")..];
            }
        }
        let mut rebuild = Rebuild::begin(&dir.path().join("rebuilt"), OPTIONS)
            .expect("begins")
            .with_chunk_bytes(3_000);
        world.changes.iter().for_each(|changes| rebuild.push(changes).expect("continues"));
        let rebuilt = rebuild.finish().expect("finishes");
        let fold = fold_to(&world, usize::MAX);
        views.apply(rest).expect("continues");
        prop_assert_eq!(digest(&singly), fold, "one by one");
        prop_assert_eq!(digest(&views), fold, "in pieces");
        prop_assert_eq!(digest(&rebuilt), fold, "rebuilt");
        compare(&views, &world).expect("no doubt");
        let checked = views.check_rows().expect("all rows read");
        prop_assert_eq!((checked.rows, checked.digest), fold);
    }
}

/// Long enough for snapshots of live sets and many pages.
#[test]
fn long_histories_give_the_same_rows_in_pieces() {
    same_in_pieces(&long(1_500));
}

/// Sets far above the size where snapshots are as frequent as for small ones; some members are never
/// live.
#[test]
fn large_sets_give_the_same_rows_in_pieces() {
    let mut world = World::without_states();
    for number in 0..1_200 {
        let mut write = write(memory_id(number), None);
        write.valid_until = number.is_multiple_of(5).then_some(Micros(1));
        let old = number.checked_sub(300).filter(|old| !old.is_multiple_of(5));
        write.supersedes = old.map(memory_id).into_iter().collect();
        world.record(scope(1), Event::Write(write));
    }
    same_in_pieces(&world);
}

fn same_in_pieces(world: &World) {
    let fold = fold_to(world, usize::MAX);
    for (number, size) in [1, 17, 200, 1_500].into_iter().enumerate() {
        let dir = tempfile::tempdir().expect("a directory");
        let views = empty(dir.path());
        for piece in world.changes.chunks(size) {
            views.apply(piece).expect("continues");
            views.forget_recent();
            if number % 2 == 1 {
                views.flush().expect("flushes");
            }
        }
        assert_eq!(digest(&views), fold, "in pieces of {size}");
        let checked = views.check_rows().expect("all rows read");
        assert_eq!((checked.rows, checked.digest), fold);
    }
    let dir = tempfile::tempdir().expect("a directory");
    let mut rebuild = Rebuild::begin(dir.path(), OPTIONS).expect("begins").with_chunk_bytes(20_000);
    world.changes.iter().for_each(|changes| rebuild.push(changes).expect("continues"));
    assert_eq!(digest(&rebuild.finish().expect("finishes")), fold, "rebuilt in chunks");
}

#[test]
fn records_come_in_order_or_not_at_all() {
    let world = World::of(&[(0, 1, 1, 1, 1); 6]);
    let dir = tempfile::tempdir().expect("a directory");
    let views = empty(dir.path());
    assert_eq!(views.applied(), None);
    let gap = |expected, found| Err(ViewError::Gap { expected: Seq(expected), found: Seq(found) });
    assert_eq!(views.apply(&world.changes[1..]), gap(0, 1));
    views.apply(&world.changes[..2]).expect("continues");
    assert_eq!(views.apply(&world.changes[1..3]), gap(2, 1), "again");
    let holed = [world.changes[2].clone(), world.changes[4].clone()];
    assert_eq!(views.apply(&holed), gap(3, 4), "a hole inside");
    assert_eq!(digest(&views), fold_to(&world, 2), "nothing was applied");
    views.apply(&[]).expect("nothing to do");
    views.apply(&world.changes[2..]).expect("continues after refusals");
    assert_eq!(digest(&views), fold_to(&world, 6));
}

#[test]
fn contradicting_changes_are_refused_whole() {
    let world = World::of(&[(0, 1, 1, 1, 1)]);
    let mut lone = world.changes[0].clone();
    lone.list.truncate(1);
    let mut twice = world.changes[0].clone();
    twice.list.push(twice.list[1].clone());
    let dir = tempfile::tempdir().expect("a directory");
    let views = empty(dir.path());
    for bad in [lone, twice] {
        let refused = views.apply(&[bad]);
        assert!(matches!(refused, Err(ViewError::BadChanges { .. })), "{refused:?}");
    }
    views.apply(&world.changes).expect("continues");
}

#[test]
fn another_ledger_another_schema_and_nothing_are_told_apart() {
    let world = World::of(&[(0, 1, 1, 1, 1); 9]);
    let dir = tempfile::tempdir().expect("a directory");
    let why = |options| Views::open(dir.path(), options).ready().map(|_| ());
    assert_eq!(why(OPTIONS), Err(Unusable::Missing));
    built(dir.path(), &world).close().expect("closes");
    let other = OpenOptions::new(LedgerId([8; 16]));
    assert_eq!(why(other), Err(Unusable::OtherLedger { found: LEDGER }));
    assert_eq!(why(OPTIONS), Ok(()), "asking with another ledger changed nothing");
    std::fs::write(dir.path().join("CURRENT"), "1.77-000001\n").expect("written");
    assert_eq!(why(OPTIONS), Err(Unusable::OtherSchema { views: 1, replay: 77 }));
    std::fs::write(dir.path().join("CURRENT"), "nonsense").expect("written");
    assert!(matches!(why(OPTIONS), Err(Unusable::Damaged { .. })));
}

#[test]
fn open_views_are_in_use() {
    let world = World::of(&[(0, 1, 1, 1, 1); 9]);
    let dir = tempfile::tempdir().expect("a directory");
    let views = built(dir.path(), &world);
    let second = Views::open(dir.path(), OPTIONS);
    assert!(matches!(second, Opened::Unusable(Unusable::InUse)), "{second:?}");
    compare(&views, &world).expect("the first goes on");
}

#[test]
fn an_interrupted_rebuild_leaves_the_old_views_in_force() {
    let world = World::of(&[(0, 1, 1, 1, 1); 30]);
    let dir = tempfile::tempdir().expect("a directory");
    built(dir.path(), &world).close().expect("closes");
    let mut rebuild = Rebuild::begin(dir.path(), OPTIONS).expect("begins").with_chunk_bytes(1);
    world.changes.iter().take(20).for_each(|changes| rebuild.push(changes).expect("continues"));
    drop(rebuild);
    let views = Views::open(dir.path(), OPTIONS).ready().expect("the old ones");
    compare(&views, &world).expect("no doubt");
    drop(views);
    built(dir.path(), &world);
    let left = std::fs::read_dir(dir.path()).expect("lists").count();
    assert_eq!(left, 2, "one generation and its name");
}

#[test]
fn compacting_changes_the_files_and_nothing_else() {
    let world = World::of(&[(0, 1, 1, 1, 1); 40]);
    let dir = tempfile::tempdir().expect("a directory");
    let views = empty(dir.path());
    views.apply(&world.changes[..30]).expect("continues");
    let views = views.compact().expect("copies");
    assert_eq!(digest(&views), fold_to(&world, 30));
    views.apply(&world.changes[30..]).expect("continues");
    let counts = views.counts().expect("counts");
    let views = views.compact().expect("copies");
    assert_eq!(views.counts().expect("counts").bytes_of_rows, counts.bytes_of_rows);
    compare(&views, &world).expect("no doubt");
    views.close().expect("closes");
    let left = std::fs::read_dir(dir.path()).expect("lists").count();
    assert_eq!(left, 2, "one generation and its name");
    let views = Views::open(dir.path(), OPTIONS).ready().expect("opens");
    compare(&views, &world).expect("no doubt");
}

#[test]
fn readers_see_whole_records_while_one_applies() {
    let steps: Vec<_> = (0..400u16).map(|n| (n as u8, n, n / 2, n / 3, n)).collect();
    let world = World::of(&steps);
    let dir = tempfile::tempdir().expect("a directory");
    let views = empty(dir.path());
    std::thread::scope(|threads| {
        let reader = threads.spawn(|| {
            let mut seen = 0;
            while seen < world.last().0 {
                let Some(applied) = views.applied() else { continue };
                seen = applied.seq.0;
                assert_eq!(applied.hash, world.changes[seen as usize].hash);
                let state = &world.states[seen as usize];
                for (id, memory) in state.memories() {
                    assert_eq!(views.birth(*id), Ok(Some(memory.born)));
                    let known = views.version_at(memory.born, applied.seq);
                    assert_eq!(known, Ok(Some(memory.lifecycle.clone())));
                }
            }
        });
        for piece in world.changes.chunks(7) {
            views.apply(piece).expect("continues");
        }
        reader.join().expect("the reader saw nothing else");
    });
}
