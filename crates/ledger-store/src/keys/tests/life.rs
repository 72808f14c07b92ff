//! The ordinary life: make, reserve, read, erase, reopen.

use std::collections::BTreeSet;

use ledger_format::Seq;

use super::*;
use crate::Class;
use crate::storage::Op;

#[test]
fn keys_are_the_same_after_a_reopen() {
    on_both(|storage| {
        let store = KeyStore::create(Arc::clone(&storage), LEDGER, &master(1)).unwrap();
        let given = store.reserve(200).unwrap();
        let pepper = store.pepper().unwrap();
        assert!(matches!(pepper, KeyState::Key(_)));
        assert_eq!(given.first().unwrap().0, PayloadId(1));
        let store = KeyStore::open(storage, LEDGER, Some(&master(1))).unwrap();
        for (slot, key) in given {
            assert_eq!(store.key(slot).unwrap(), KeyState::Key(key));
        }
        assert_eq!(store.pepper().unwrap(), pepper);
        assert_eq!(store.key(PayloadId(store.slots())).unwrap(), KeyState::Missing);
        assert_eq!(store.key(PayloadId(u64::MAX)).unwrap(), KeyState::Missing);
    });
}

#[test]
fn a_wrong_master_key_is_no_damage() {
    on_both(|storage| {
        KeyStore::create(Arc::clone(&storage), LEDGER, &master(1)).unwrap();
        let error = KeyStore::open(storage, LEDGER, Some(&master(2))).unwrap_err();
        assert!(matches!(error, StoreError::WrongMaster { .. }), "{error}");
        assert_eq!(error.class(), Class::CannotCheck);
    });
}

#[test]
fn without_a_master_key_the_store_opens_and_erases() {
    on_both(|storage| {
        let made = KeyStore::create(Arc::clone(&storage), LEDGER, &master(1)).unwrap();
        made.reserve(3).unwrap();
        let store = KeyStore::open(Arc::clone(&storage), LEDGER, None).unwrap();
        assert_eq!(store.key(PayloadId(2)).unwrap(), KeyState::NoMaster);
        assert_eq!(store.is_zero(PayloadId(2)).unwrap(), Some(false));
        assert_eq!(store.erase(&[PayloadId(2)]).unwrap(), 1);
        assert_eq!(store.key(PayloadId(2)).unwrap(), KeyState::Zero);
        assert_eq!(store.is_zero(PayloadId(2)).unwrap(), Some(true));
        assert_eq!(store.is_zero(PayloadId(1 << 40)).unwrap(), None);
        let refused = store.reset_unreferenced(PayloadId(3)).unwrap_err();
        assert_eq!(refused.class(), Class::CannotCheck);
    });
}

#[test]
fn keys_of_another_ledger_are_refused() {
    let storage = MemStorage::new();
    create(&storage);
    let other = LedgerId([2; 16]);
    let error = KeyStore::open(Arc::new(storage), other, Some(&master(1))).unwrap_err();
    assert!(error.to_string().contains("belongs to ledger"), "{error}");
}

#[test]
fn erasing_destroys_these_keys_and_no_others() {
    on_both(|storage| {
        let store = KeyStore::create(Arc::clone(&storage), LEDGER, &master(1)).unwrap();
        store.reserve(400).unwrap();
        let before = states(&store, 400);
        let slots = [PayloadId(300), PayloadId(5), PayloadId(126), PayloadId(5), PayloadId(125)];
        assert_eq!(store.erase(&slots).unwrap(), 4);
        assert_eq!(store.erase(&slots).unwrap(), 0);
        let reopened = KeyStore::open(storage, LEDGER, Some(&master(1))).unwrap();
        for store in [store, reopened] {
            for (slot, before) in (0..).map(PayloadId).zip(&before) {
                let erased = slots.contains(&slot);
                let expected = if erased { &KeyState::Zero } else { before };
                assert_eq!(&store.key(slot).unwrap(), expected, "slot {slot}");
            }
            assert_eq!(faults(&store).1, []);
        }
    });
}

#[test]
fn erased_keys_leave_neither_file() {
    let storage = MemStorage::new();
    let store = create(&storage);
    store.reserve(10).unwrap();
    let place = 4_096 + 64 + 7 * 32;
    let masked = |path: &RelPath| storage.contents(path).unwrap()[place..place + 32].to_vec();
    assert_ne!(masked(&SLOTS_A), [0; 32]);
    assert_eq!(masked(&SLOTS_A), masked(&SLOTS_B));
    store.erase(&[PayloadId(7)]).unwrap();
    assert_eq!(masked(&SLOTS_A), [0; 32]);
    assert_eq!(masked(&SLOTS_B), [0; 32]);
}

#[test]
fn a_slot_outside_the_files_is_refused_before_anything_is_erased() {
    let storage = MemStorage::new();
    let store = create(&storage);
    let error = store.erase(&[PayloadId(1), PayloadId(126)]).unwrap_err();
    assert!(matches!(error, StoreError::NoSuchSlot { .. }), "{error}");
    assert!(matches!(store.key(PayloadId(1)).unwrap(), KeyState::Key(_)));
}

#[test]
fn slots_are_handed_out_once_to_many_threads() {
    on_both(|storage| {
        let store = KeyStore::create(storage, LEDGER, &master(1)).unwrap();
        let given: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8)
                .map(|thread| {
                    let store = &store;
                    scope.spawn(move || {
                        let counts = (0..20).map(|round| (thread * 7 + round) % 23);
                        counts.flat_map(|count| store.reserve(count).unwrap()).collect::<Vec<_>>()
                    })
                })
                .collect();
            threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
        });
        let slots: BTreeSet<PayloadId> = given.iter().map(|(slot, _)| *slot).collect();
        let keys: BTreeSet<[u8; 32]> = given.iter().map(|(_, key)| **key).collect();
        assert!(given.len() > 1_000);
        assert_eq!(slots.len(), given.len());
        assert_eq!(keys.len(), given.len());
        assert!(!slots.contains(&PEPPER_SLOT));
        for (slot, key) in given {
            assert_eq!(store.key(slot).unwrap(), KeyState::Key(key));
        }
    });
}

#[test]
fn nothing_is_reserved_before_it_is_known_what_is_in_use() {
    let storage = MemStorage::new();
    create(&storage).reserve(50).unwrap();
    let store = open(&storage).unwrap();
    assert_eq!(store.reserve(1).unwrap_err().class(), Class::Invalid);
    assert_eq!(store.allocate_ahead(1).unwrap_err().class(), Class::Invalid);
    assert_eq!(store.available(), 0);
    store.reset_unreferenced(PayloadId(20)).unwrap();
    assert_eq!(store.reserve(1).unwrap().first().unwrap().0, PayloadId(20));
}

#[test]
fn unreferenced_keys_are_replaced_and_referenced_ones_stay() {
    on_both(|storage| {
        let store = KeyStore::create(Arc::clone(&storage), LEDGER, &master(1)).unwrap();
        store.allocate_ahead(3).unwrap();
        let before = states(&store, store.slots());
        for from in [0, 1, 125, 126, 127, 200, 504] {
            let store = KeyStore::open(Arc::clone(&storage), LEDGER, Some(&master(1))).unwrap();
            let before_this = states(&store, store.slots());
            store.reset_unreferenced(PayloadId(from)).unwrap();
            let after = states(&store, store.slots());
            for (slot, (old, new)) in before_this.iter().zip(&after).enumerate() {
                let referenced = slot == 0 || (slot as u64) < from;
                assert_eq!(old == new, referenced, "slot {slot} from {from}");
            }
            assert_eq!(store.available(), 504 - from.max(1));
            assert_eq!(faults(&store).1, []);
        }
        assert_eq!(states(&store, 1), before[..1]);
        let store = KeyStore::open(storage, LEDGER, Some(&master(1))).unwrap();
        let error = store.reset_unreferenced(PayloadId(505)).unwrap_err();
        assert_eq!(error.class(), Class::Damaged, "{error}");
    });
}

#[test]
fn a_reservation_that_finds_slots_pays_for_no_flush() {
    let storage = MemStorage::new();
    let store = create(&storage);
    store.allocate_ahead(2).unwrap();
    let _ = storage.take_trace();
    store.reserve(300).unwrap();
    assert!(storage.take_trace().iter().all(|entry| !entry.op.is_mutating()));
    store.reserve(100).unwrap();
    let flushes = storage.take_trace().iter().filter(|entry| entry.op == Op::SyncData).count();
    assert_eq!(flushes, 2);
}

#[test]
fn erasures_through_never_goes_back() {
    on_both(|storage| {
        let store = KeyStore::create(Arc::clone(&storage), LEDGER, &master(1)).unwrap();
        assert_eq!(store.erasures_through(), None);
        store.set_erasures_through(Seq(0)).unwrap();
        assert_eq!(store.erasures_through(), Some(Seq(0)));
        store.set_erasures_through(Seq(70)).unwrap();
        store.set_erasures_through(Seq(9)).unwrap();
        assert_eq!(store.erasures_through(), Some(Seq(70)));
        let store = KeyStore::open(storage, LEDGER, None).unwrap();
        assert_eq!(store.erasures_through(), Some(Seq(70)));
    });
}

#[test]
fn nothing_that_is_printed_holds_a_key() {
    let store = create(&MemStorage::new());
    let key = store.pepper().unwrap();
    assert_eq!(format!("{key:?}"), "Key(..)");
    let text = format!("{store:?} {:?}", master(7));
    assert!(!text.contains("7, 7"), "{text}");
}

#[test]
fn keys_that_were_taken_over_are_not_handed_out_again() {
    let storage = MemStorage::new();
    let store = create(&storage);
    let key = Zeroizing::new([9; 32]);
    store.adopt(&[(PayloadId(200), Some(key.clone())), (PayloadId(3), None)]).unwrap();
    assert_eq!(store.key(PayloadId(200)).unwrap(), KeyState::Key(key));
    assert_eq!(store.key(PayloadId(3)).unwrap(), KeyState::Zero);
    assert_eq!(store.reserve(1).unwrap()[0].0, PayloadId(201));
}
