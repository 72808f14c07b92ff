//! The model itself: the contract, damage, locks and the trace.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod faults;
mod survival;

use super::*;
use crate::storage::conformance;

fn path(text: &str) -> RelPath {
    RelPath::new(text).unwrap()
}

/// A storage with one file whose name and first content are durable.
fn with_file(content: &[u8]) -> (MemStorage, Box<dyn StorageFile>) {
    let storage = MemStorage::new();
    let file = storage.create_exclusive(&path("file")).unwrap();
    file.write_all_at(content, 0).unwrap();
    file.sync_data().unwrap();
    storage.sync_dir(&RelPath::ROOT).unwrap();
    (storage, file)
}

#[test]
fn keeps_the_contract() {
    conformance::check(&MemStorage::new()).unwrap();
}

#[test]
fn what_a_crash_leaves_keeps_the_contract_too() {
    for seed in 0..20 {
        let storage = MemStorage::new();
        storage.create_dir(&path("a/b")).unwrap();
        storage.create_exclusive(&path("a/b/c")).unwrap();
        storage.rename(&path("a/b"), &path("d")).unwrap();
        let left = storage.crash(Survival::Seeded(seed));
        for name in left.list(&RelPath::ROOT).unwrap() {
            left.remove_dir_all(&path(&name)).unwrap();
        }
        conformance::check(&left).unwrap();
    }
}

#[test]
fn a_wild_offset_is_an_error() {
    let (_, file) = with_file(b"x");
    assert!(file.write_all_at(b"x", u64::MAX).is_err());
    assert!(file.set_len(1 << 40).is_err());
    assert!(file.zero_fill(0, u64::MAX).is_err());
    file.punch_hole(u64::MAX, u64::MAX).unwrap();
    assert_eq!(file.len().unwrap(), 1);
}

#[test]
fn damage_is_on_the_medium_and_counts_as_no_operation() {
    let (storage, file) = with_file(b"abc");
    let before = storage.ops();
    storage.flip_bit(&path("file"), 1, 0).unwrap();
    assert_eq!(storage.contents(&path("file")).unwrap(), b"acc");
    storage.edit(&path("file"), |bytes| bytes.truncate(2)).unwrap();
    assert!(storage.flip_bit(&path("file"), 2, 0).is_err());
    assert!(storage.flip_bit(&path("none"), 0, 0).unwrap_err().is_not_found());
    assert_eq!(storage.ops(), before);
    assert_eq!(file.len().unwrap(), 2);
    let left = storage.crash(Survival::Nothing);
    assert_eq!(left.contents(&path("file")).unwrap(), b"ac");
}

#[test]
fn a_lock_dies_with_its_process() {
    let storage = MemStorage::new();
    let _guard = storage.try_lock().unwrap();
    assert!(matches!(storage.try_lock(), Err(LockError::Held { .. })));
    for how in [Survival::Nothing, Survival::Everything] {
        storage.crash(how).try_lock().unwrap();
    }
}

#[test]
fn the_trace_names_every_operation() {
    let (storage, file) = with_file(b"abc");
    let mut buf = [0; 2];
    file.read_at(&mut buf, 1).unwrap();
    let trace = storage.take_trace();
    let shown: Vec<String> = trace.iter().map(ToString::to_string).collect();
    assert_eq!(
        shown,
        [
            "0 create_exclusive file",
            "1 write_all_at file 0+3",
            "2 sync_data file",
            "3 sync_dir .",
            "4 read_at file 1+2",
        ]
    );
    assert_eq!(storage.ops(), 5);
    assert!(storage.trace().is_empty());
}
