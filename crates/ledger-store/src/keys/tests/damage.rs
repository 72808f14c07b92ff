//! Damaged, missing and exchanged copies.

use super::*;
use crate::Class;

const PAGES: u64 = 3;

fn made() -> (MemStorage, Vec<KeyState>) {
    let storage = MemStorage::new();
    let store = create(&storage);
    store.allocate_ahead(PAGES - 1).unwrap();
    let all = states(&store, store.slots());
    (storage, all)
}

#[test]
fn a_flipped_bit_anywhere_is_reported_and_loses_nothing() {
    let (storage, before) = made();
    for file in [SLOTS_A, SLOTS_B] {
        let len = storage.contents(&file).unwrap().len() as u64;
        assert_eq!(len, (PAGES + 1) * 4_096);
        for (at, bit) in (0..len).zip((0..8).cycle()) {
            storage.flip_bit(&file, at, bit).unwrap();
            let store = open(&storage).unwrap();
            let (seen, found) = faults(&store);
            assert_eq!((seen.whole, seen.expected), (7, 8), "{file} byte {at}");
            assert_eq!(found.len(), 1, "{file} byte {at}");
            assert_eq!((&found[0].file, found[0].offset), (&file, at / 4_096 * 4_096));
            assert_eq!(found[0].page, (at / 4_096).checked_sub(1));
            assert!(found[0].repairable);
            // Every key is still read, from the other copy.
            let slot = (at / 4_096).saturating_sub(1) * PAGE_SLOTS + at % PAGE_SLOTS;
            let state = store.key(PayloadId(slot)).unwrap();
            assert_eq!(
                Some(&state),
                before.get(usize::try_from(slot).unwrap()),
                "{file} byte {at}"
            );
            storage.flip_bit(&file, at, bit).unwrap();
        }
    }
    assert_eq!(faults(&open(&storage).unwrap()).1, []);
}

#[test]
fn both_copies_damaged_is_an_error_for_that_page_only() {
    let (storage, before) = made();
    for (file, at) in [(SLOTS_A, 2 * 4_096 + 10), (SLOTS_B, 2 * 4_096 + 2_000)] {
        storage.flip_bit(&file, at, 3).unwrap();
    }
    let store = open(&storage).unwrap();
    for (slot, before) in (0..).zip(&before) {
        match store.key(PayloadId(slot)) {
            Ok(state) => assert_eq!(&state, before),
            Err(error) => {
                assert!((126..252).contains(&slot), "{slot}: {error}");
                assert_eq!(error.class(), Class::Damaged);
            }
        }
    }
    let (seen, found) = faults(&store);
    assert_eq!((seen.whole, seen.expected, found.len()), (6, 8, 2));
    assert!(found.iter().all(|fault| !fault.repairable && fault.page == Some(1)));
    assert_eq!(store.erase(&[PayloadId(130)]).unwrap_err().class(), Class::Damaged);
    assert_eq!(store.erase(&[PayloadId(3)]).unwrap(), 1);
    // Pages that nothing refers to are written anew.
    store.reset_unreferenced(PayloadId(126)).unwrap();
    assert_eq!(faults(&store).1, []);
}

#[test]
fn both_headers_damaged_is_an_error() {
    let (storage, _) = made();
    storage.flip_bit(&SLOTS_A, 9, 0).unwrap();
    storage.flip_bit(&SLOTS_B, 4_095, 0).unwrap();
    assert_eq!(open(&storage).unwrap_err().class(), Class::Damaged);
}

#[test]
fn a_change_heals_the_damaged_copy_before_it_touches_the_whole_one() {
    for file in [SLOTS_A, SLOTS_B] {
        let (storage, before) = made();
        storage.flip_bit(&file, 4_096 + 100, 0).unwrap();
        let store = open(&storage).unwrap();
        let _ = storage.take_trace();
        store.erase(&[PayloadId(0)]).unwrap();
        let first = storage
            .take_trace()
            .into_iter()
            .find(|entry| entry.len == 4_096 && entry.op.is_mutating());
        assert_eq!(first.unwrap().path, file);
        assert_eq!(faults(&store).1, []);
        assert_eq!(states(&store, store.slots())[1..], before[1..]);
    }
}

#[test]
fn a_missing_file_is_reported_and_made_again() {
    for file in [SLOTS_A, SLOTS_B] {
        let (storage, before) = made();
        storage.remove_file(&file).unwrap();
        let store = open(&storage).unwrap();
        assert_eq!(states(&store, store.slots()), before);
        let (seen, found) = faults(&store);
        assert_eq!((seen.whole, seen.expected, found.len()), (4, 8, 4));
        let refused = store.erase(&[PayloadId(3)]).unwrap_err();
        assert!(refused.to_string().contains("repair"), "{refused}");
        assert_eq!(store.repair(PayloadId(u64::MAX)).unwrap(), PAGES + 1);
        assert_eq!(store.repair(PayloadId(u64::MAX)).unwrap(), 0);
        assert_eq!(faults(&store).1, []);
        assert_eq!(storage.contents(&SLOTS_A), storage.contents(&SLOTS_B));
        assert_eq!(states(&open(&storage).unwrap(), PAGES * 126), before);
        assert_eq!(store.erase(&[PayloadId(3)]).unwrap(), 1);
    }
}

#[test]
fn both_files_missing_is_damage_and_no_new_ledger() {
    let (storage, _) = made();
    for file in [SLOTS_A, SLOTS_B] {
        storage.remove_file(&file).unwrap();
    }
    assert_eq!(open(&storage).unwrap_err().class(), Class::Damaged);
}

#[test]
fn pages_that_changed_places_are_not_used() {
    let (storage, before) = made();
    storage.edit(&SLOTS_A, |bytes| bytes[4_096..3 * 4_096].rotate_left(4_096)).unwrap();
    let store = open(&storage).unwrap();
    assert_eq!(states(&store, store.slots()), before);
    let (_, found) = faults(&store);
    assert_eq!(found.len(), 2);
    assert!(found[0].what.contains("key page 1"), "{}", found[0].what);
}

#[test]
fn an_old_copy_put_back_is_reported_and_does_not_count() {
    let (storage, _) = made();
    for (file, residue) in [(SLOTS_A, false), (SLOTS_B, true)] {
        let old = storage.contents(&file).unwrap();
        open(&storage).unwrap().erase(&[PayloadId(3)]).unwrap();
        storage.edit(&file, |bytes| *bytes = old).unwrap();
        let store = open(&storage).unwrap();
        assert_eq!(store.key(PayloadId(3)).unwrap(), KeyState::Zero);
        let (_, found) = faults(&store);
        assert_eq!(found.len(), 1);
        // Copy a is written first, so it is never the one behind after a crash.
        assert_eq!((&found[0].file, found[0].residue), (&file, residue));
        store.repair(PayloadId(u64::MAX)).unwrap();
    }
}

#[test]
fn bytes_after_the_last_page_are_reported() {
    let (storage, _) = made();
    storage.edit(&SLOTS_B, |bytes| bytes.push(0)).unwrap();
    let store = open(&storage).unwrap();
    let (_, found) = faults(&store);
    assert!(found.iter().any(|fault| fault.what.contains("1 bytes follow")), "{found:?}");
}

/// A stop while pages are made ahead of need may leave no whole copy of them. Nothing was handed out
/// from them, so they are no damage: a holder takes them away.
#[test]
fn a_page_that_was_not_whole_before_it_was_needed_is_cut_off() {
    for lengths in [[1, 0], [4095, 1], [0, 4096], [4096, 4096], [5000, 4096]] {
        let (storage, before) = made();
        for (file, more) in [SLOTS_A, SLOTS_B].iter().zip(lengths) {
            storage.edit(file, |bytes| bytes.resize(bytes.len() + more, 0)).unwrap();
        }
        let store = open(&storage).unwrap();
        let all = PAGES * limits::PAGE_SLOTS as u64;
        assert!(store.repair(PayloadId(all + 1)).is_err(), "{lengths:?}: it was in use");
        store.repair(PayloadId(all)).unwrap();
        assert_eq!(states(&store, store.slots()), before, "{lengths:?}");
        let (_, found) = faults(&store);
        assert!(found.is_empty(), "{lengths:?}: {found:?}");
        store.reset_unreferenced(PayloadId(all)).unwrap();
        assert_eq!(store.reserve(1).unwrap()[0].0, PayloadId(all), "{lengths:?}");
    }
}
