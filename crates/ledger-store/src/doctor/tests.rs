//! The map of whole, damaged and foreign directories.

use std::collections::BTreeSet;

use super::*;
use crate::storage::MemStorage;
use crate::verify::tests::{LEDGER, Made, made_in_memory, path};

fn map_of(made: &Made) -> DirectoryMap {
    let erased = |id: PayloadId| made.erased.contains(&id);
    examine(&made.storage, Some(LEDGER), None, &erased)
}

/// Every byte of every file is in exactly one region.
fn accounts_for_everything(map: &DirectoryMap, storage: &MemStorage) {
    let snapshot = storage.snapshot();
    let mapped: BTreeSet<_> = map.files.iter().map(|file| file.file.clone()).collect();
    assert_eq!(mapped, snapshot.keys().cloned().collect());
    for file in &map.files {
        assert_eq!(file.length, snapshot[&file.file].len() as u64, "{}", file.file);
        let mut at = 0;
        for region in &file.regions {
            assert_eq!(region.from, at, "{}: {:?}", file.file, file.regions);
            assert!(region.to > region.from);
            at = region.to;
        }
        assert_eq!(at, file.length, "{}: {:?}", file.file, file.regions);
    }
}

#[test]
fn a_whole_ledger_has_no_other_regions() {
    let (storage, made) = made_in_memory();
    let map = map_of(&made);
    accounts_for_everything(&map, &storage);
    let states = [RegionState::Whole, RegionState::Zeros, RegionState::Outside];
    for file in &map.files {
        assert!(file.unread.is_none());
        assert!(file.regions.iter().all(|region| states.contains(&region.state)), "{file:?}");
    }
    let records: u64 = map
        .files
        .iter()
        .filter(|file| file.file.as_str().ends_with(".seg"))
        .flat_map(|file| file.regions.iter().filter_map(|region| region.records))
        .map(|(first, last)| last.0 - first.0 + 1)
        .sum();
    assert_eq!(records, made.head.head.seq.0 + 1, "{map:?}");
}

#[test]
fn a_flipped_byte_is_inside_a_small_damaged_region() {
    let (storage, made) = made_in_memory();
    for (file, bytes) in storage.snapshot() {
        if file.as_str() == "lock" {
            continue;
        }
        // Most of a long file is pages and headers, which are covered as a whole.
        let step = if bytes.len() > 5_000 { 11 } else { 1 };
        for at in (0..bytes.len() as u64).step_by(step) {
            storage.flip_bit(&file, at, u8::try_from(at % 8).unwrap()).unwrap();
            let map = map_of(&made);
            accounts_for_everything(&map, &storage);
            // Whether an erasure is over is for `verify` to say.
            let told = [RegionState::Damaged, RegionState::Unfinished];
            let hit = |bad: &Region| bad.from <= at && at < bad.to && told.contains(&bad.state);
            let one = map.files.iter().find(|one| one.file == file).unwrap();
            assert!(one.regions.iter().any(hit), "{file} byte {at}: {one:#?}");
            let damaged: u64 = map.damaged().map(|(_, region)| region.to - region.from).sum();
            let most = bytes.len().min(4_096) as u64;
            assert!(damaged <= most, "{file} byte {at}: {damaged} bytes are called damaged");
            storage.flip_bit(&file, at, u8::try_from(at % 8).unwrap()).unwrap();
        }
    }
}

#[test]
fn a_changed_record_is_named_with_its_neighbours_at_most() {
    let (storage, made) = made_in_memory();
    let file = path("log/0000000000.seg");
    let before = map_of(&made);
    let whole = before.files.iter().find(|one| one.file == file).unwrap();
    let (first, last) = whole.regions.iter().find_map(|region| region.records).unwrap();
    for at in (4_096 + 170..whole.length).step_by(7) {
        storage.flip_bit(&file, at, 1).unwrap();
        let map = map_of(&made);
        let bad: Vec<_> = map.damaged().map(|(_, region)| region.clone()).collect();
        let (from, to) = bad[0].records.unwrap();
        assert!(first <= from && to <= last && to.0 - from.0 <= 2, "{at}: {bad:?}");
        storage.flip_bit(&file, at, 1).unwrap();
    }
}

#[test]
fn what_is_cut_off_missing_foreign_or_garbage_is_mapped_all_the_same() {
    let (storage, made) = made_in_memory();
    for (file, bytes) in storage.snapshot() {
        for length in [0, 1, 100, bytes.len() / 2] {
            storage.edit(&file, |content| content.truncate(length)).unwrap();
            accounts_for_everything(&map_of(&made), &storage);
            storage.edit(&file, |content| *content = vec![0xA5; length]).unwrap();
            accounts_for_everything(&map_of(&made), &storage);
        }
        storage.edit(&file, |content| content.clone_from(&bytes)).unwrap();
    }
    for ledger in [None, Some(LedgerId([1; 16]))] {
        let map = examine(&made.storage, ledger, None, &|_| false);
        accounts_for_everything(&map, &storage);
        assert_eq!(map.damaged().next().is_some(), ledger.is_some());
    }
    let empty: Arc<dyn Storage> = Arc::new(MemStorage::new());
    assert_eq!(examine(&empty, None, None, &|_| false).files, []);
}

#[test]
fn an_unfinished_batch_is_no_damage() {
    let (storage, made) = crate::verify::tests::left_open();
    let (file, end) = (layout::segment(made.head.segment), made.head.segment_end);
    storage.edit(&file, |bytes| bytes.truncate(usize::try_from(end).unwrap())).unwrap();
    storage.edit(&file, |bytes| bytes.extend([7; 90])).unwrap();
    storage.edit(&file, |bytes| bytes.extend([0; 50])).unwrap();
    let map = map_of(&made);
    accounts_for_everything(&map, &storage);
    assert_eq!(map.damaged().next(), None, "{map:#?}");
    let segment = map.files.iter().find(|one| one.file == file).unwrap();
    let tail: Vec<_> = segment.regions.iter().rev().take(2).collect();
    assert_eq!((tail[1].from, tail[1].to), (end, end + 90));
    assert_eq!(tail[1].state, RegionState::Unfinished);
    assert_eq!(tail[0].state, RegionState::Zeros);
}

#[test]
fn an_examination_changes_nothing() {
    let (storage, made) = made_in_memory();
    storage.flip_bit(&path("log/0000000001.seg"), 4_200, 0).unwrap();
    let before = storage.snapshot();
    let _ = storage.take_trace();
    map_of(&made);
    assert_eq!(storage.snapshot(), before);
    let mut trace = storage.take_trace().into_iter();
    assert!(!trace.any(|entry| entry.op.is_mutating()));
}
