//! What crashes leave: never less than what was synced, and otherwise every outcome there is.

use std::collections::BTreeSet;

use super::*;

const SEEDS: u64 = 400;

/// The distinct things that seeded crashes leave.
fn outcomes<T: Ord>(storage: &MemStorage, look: impl Fn(&MemStorage) -> T) -> BTreeSet<T> {
    (0..SEEDS).map(|seed| look(&storage.crash(Survival::Seeded(seed)))).collect()
}

fn file_of(storage: &MemStorage) -> Option<Vec<u8>> {
    storage.contents(&path("file"))
}

#[test]
fn synced_content_is_kept_and_unsynced_content_is_not() {
    let (storage, file) = with_file(b"kept");
    file.write_all_at(b"lost", 0).unwrap();
    assert_eq!(file_of(&storage).unwrap(), b"lost", "readers see it before the crash");
    assert_eq!(file_of(&storage.crash(Survival::Nothing)).unwrap(), b"kept");
    assert_eq!(file_of(&storage.crash(Survival::Everything)).unwrap(), b"lost");
    file.sync_data().unwrap();
    assert_eq!(outcomes(&storage, file_of), BTreeSet::from([Some(b"lost".to_vec())]));
}

#[test]
fn a_crash_leaves_the_storage_it_came_from_alone() {
    let (storage, file) = with_file(b"one");
    file.write_all_at(b"two", 0).unwrap();
    let left = storage.crash(Survival::Nothing);
    left.open_write(&path("file")).unwrap().write_all_at(b"new", 0).unwrap();
    assert_eq!(file_of(&storage).unwrap(), b"two");
}

#[test]
fn a_synced_file_without_a_synced_name_may_be_lost() {
    let storage = MemStorage::new();
    let file = storage.create_exclusive(&path("file")).unwrap();
    file.write_all_at(b"x", 0).unwrap();
    file.sync_all().unwrap();
    assert_eq!(file_of(&storage.crash(Survival::Nothing)), None);
    let all = outcomes(&storage, file_of);
    assert_eq!(all, BTreeSet::from([None, Some(b"x".to_vec())]));
}

#[test]
fn a_synced_name_without_synced_content_is_an_empty_file() {
    let storage = MemStorage::new();
    let file = storage.create_exclusive(&path("file")).unwrap();
    storage.sync_dir(&RelPath::ROOT).unwrap();
    file.write_all_at(b"x", 0).unwrap();
    assert_eq!(file_of(&storage.crash(Survival::Nothing)).unwrap(), b"");
    let expected = [b"".to_vec(), b"\0".to_vec(), b"x".to_vec()].map(Some);
    assert_eq!(outcomes(&storage, file_of), BTreeSet::from(expected));
}

#[test]
fn each_directory_keeps_its_own_entries() {
    let storage = MemStorage::new();
    storage.create_dir(&path("a")).unwrap();
    storage.create_exclusive(&path("a/file")).unwrap();
    storage.sync_dir(&path("a")).unwrap();
    assert!(!storage.crash(Survival::Nothing).exists(&path("a")).unwrap());
    storage.sync_dir(&RelPath::ROOT).unwrap();
    assert!(storage.crash(Survival::Nothing).exists(&path("a/file")).unwrap());
}

#[test]
fn writes_tear_at_sectors_and_only_there() {
    let (storage, file) = with_file(&[b'a'; 4 * 512]);
    // Begins and ends inside a sector: parts of 312, 512 and 88 bytes.
    file.write_all_at(&[b'b'; 912], 200).unwrap();
    let all = outcomes(&storage, |left| {
        let bytes = file_of(left).unwrap();
        assert_eq!(bytes.len(), 4 * 512);
        let parts = [200..512, 512..1024, 1024..1112].map(|part| {
            let part = &bytes[part];
            assert!(part.iter().all(|byte| *byte == part[0]), "torn inside a sector");
            part[0] == b'b'
        });
        assert!(bytes[..200].iter().chain(&bytes[1112..]).all(|byte| *byte == b'a'));
        parts
    });
    assert_eq!(all.len(), 8, "every choice of three sectors happens: {all:?}");
}

#[test]
fn a_torn_extension_has_any_length_up_to_its_end() {
    let (storage, file) = with_file(b"");
    file.write_all_at(&[b'b'; 1024], 0).unwrap();
    let lengths = outcomes(&storage, |left| file_of(left).unwrap().len());
    assert_eq!(lengths, BTreeSet::from([0, 512, 1024]));
    let zeros = outcomes(&storage, |left| file_of(left).unwrap() == [0; 1024]);
    assert_eq!(zeros.len(), 2, "length without content is among the outcomes");
}

#[test]
fn unsynced_writes_survive_independently() {
    let (storage, file) = with_file(b"..");
    file.write_all_at(b"1", 0).unwrap();
    file.write_all_at(b"2", 1).unwrap();
    let all: Vec<_> = outcomes(&storage, |left| file_of(left).unwrap()).into_iter().collect();
    assert_eq!(all, [b"..", b".2", b"1.", b"12"]);
}

#[test]
fn lengths_and_holes_are_changes_too() {
    let (storage, file) = with_file(b"abcd");
    file.set_len(2).unwrap();
    file.punch_hole(0, 1).unwrap();
    assert_eq!(file_of(&storage.crash(Survival::Nothing)).unwrap(), b"abcd");
    let all: Vec<_> = outcomes(&storage, |left| file_of(left).unwrap()).into_iter().collect();
    let expected: [&[u8]; 4] = [b"\0b", b"\0bcd", b"ab", b"abcd"];
    assert_eq!(all, expected);
}

#[test]
fn a_rename_without_its_directory_may_be_lost_but_is_never_half_done() {
    let (storage, _file) = with_file(b"x");
    storage.rename(&path("file"), &path("new")).unwrap();
    let names = |left: &MemStorage| left.list(&RelPath::ROOT).unwrap();
    assert_eq!(names(&storage.crash(Survival::Nothing)), ["file"]);
    let all = outcomes(&storage, names);
    assert_eq!(all, BTreeSet::from([vec!["file".to_owned()], vec!["new".to_owned()]]));
    storage.sync_dir(&RelPath::ROOT).unwrap();
    assert_eq!(names(&storage.crash(Survival::Nothing)), ["new"]);
}

#[test]
fn across_directories_the_order_of_the_two_syncs_matters() {
    let moved = |first: &str| {
        let (storage, _file) = with_file(b"x");
        storage.create_dir(&path("dir")).unwrap();
        storage.sync_dir(&RelPath::ROOT).unwrap();
        storage.rename(&path("file"), &path("dir/file")).unwrap();
        let dir = if first == "." { RelPath::ROOT } else { path(first) };
        storage.sync_dir(&dir).unwrap();
        let left = storage.crash(Survival::Nothing);
        (left.exists(&path("file")).unwrap(), left.exists(&path("dir/file")).unwrap())
    };
    assert_eq!(moved("dir"), (true, true), "both names, for the owner to tidy");
    assert_eq!(moved("."), (false, false), "both names lost");
}

#[test]
fn a_removal_can_be_undone_by_a_crash() {
    let (storage, _file) = with_file(b"x");
    storage.remove_file(&path("file")).unwrap();
    assert_eq!(file_of(&storage.crash(Survival::Nothing)).unwrap(), b"x");
    storage.sync_dir(&RelPath::ROOT).unwrap();
    assert_eq!(outcomes(&storage, file_of), BTreeSet::from([None]));
}

#[test]
fn a_tree_may_be_removed_in_part() {
    let storage = MemStorage::new();
    storage.create_dir(&path("views")).unwrap();
    for name in ["views/a", "views/b"] {
        storage.create_exclusive(&path(name)).unwrap();
    }
    storage.sync_dir(&path("views")).unwrap();
    storage.sync_dir(&RelPath::ROOT).unwrap();
    storage.remove_dir_all(&path("views")).unwrap();
    let all = outcomes(&storage, |left| left.list(&path("views")).ok());
    assert_eq!(all.len(), 5, "no directory, or any choice of two files: {all:?}");
}

#[test]
fn one_seed_is_one_crash() {
    let run = |seed| {
        let (storage, file) = with_file(&[1; 4096]);
        for at in 0..20 {
            file.write_all_at(&[2; 700], at * 300).unwrap();
        }
        storage.rename(&path("file"), &path("new")).unwrap();
        storage.crash(Survival::Seeded(seed)).snapshot()
    };
    for seed in 0..50 {
        assert_eq!(run(seed), run(seed), "seed {seed}");
    }
}

#[test]
fn directories_that_a_crash_left_inside_each_other_end_every_walk() {
    let storage = MemStorage::new();
    storage.create_dir(&path("a")).unwrap();
    storage.create_dir(&path("b")).unwrap();
    storage.sync_dir(&RelPath::ROOT).unwrap();
    storage.rename(&path("a"), &path("b/a")).unwrap();
    storage.sync_dir(&path("b")).unwrap();
    storage.rename(&path("b/a"), &path("a")).unwrap();
    storage.rename(&path("b"), &path("a/b")).unwrap();
    storage.sync_dir(&path("a")).unwrap();
    let left = storage.crash(Survival::Nothing);
    assert!(left.exists(&path("a/b/a/b")).unwrap());
    assert!(left.snapshot().is_empty());
    left.remove_dir_all(&path("a")).unwrap();
}
