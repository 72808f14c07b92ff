//! Replacing the master key, with a crash at every operation.

use super::*;
use crate::storage::{Fault, FaultPlan, Survival};

fn made() -> (MemStorage, Vec<KeyState>) {
    let storage = MemStorage::new();
    let store = create(&storage);
    store.allocate_ahead(2).unwrap();
    store.erase(&[PayloadId(9), PayloadId(130)]).unwrap();
    let before = states(&store, store.slots());
    (storage, before)
}

fn open_with(storage: &MemStorage, byte: u8) -> Result<KeyStore, StoreError> {
    KeyStore::open(Arc::new(storage.clone()), LEDGER, Some(&master(byte)))
}

#[test]
fn afterwards_only_the_new_master_key_opens_the_same_keys() {
    on_both(|storage| {
        let store = KeyStore::create(Arc::clone(&storage), LEDGER, &master(1)).unwrap();
        store.reserve(300).unwrap();
        let before = states(&store, store.slots());
        assert_eq!(store.rotate_master(&master(1), &master(2)).unwrap(), 3);
        assert_eq!(states(&store, store.slots()), before);
        store.reserve(200).unwrap();
        let old = KeyStore::open(Arc::clone(&storage), LEDGER, Some(&master(1)));
        assert!(matches!(old, Err(StoreError::WrongMaster { .. })));
        let store = KeyStore::open(storage, LEDGER, Some(&master(2))).unwrap();
        assert_eq!(states(&store, before.len() as u64), before);
        assert_eq!(faults(&store).1, []);
        // Again with the same keys: nothing to do.
        assert_eq!(store.rotate_master(&master(1), &master(2)).unwrap(), 4);
        assert_eq!(states(&store, before.len() as u64), before);
    });
}

#[test]
fn a_rotation_is_finished_after_a_crash_at_any_operation() {
    let (base, before) = made();
    let seeds = (0..12).map(Survival::Seeded);
    let survivals: Vec<_> =
        [Survival::Nothing, Survival::Everything].into_iter().chain(seeds).collect();
    let mut at = 0;
    loop {
        let storage = base.crash(Survival::Everything);
        let store = open_with(&storage, 1).unwrap();
        storage.set_fault(FaultPlan::at(storage.ops() + at, Fault::StopInside { bytes: 1_024 }));
        let done = store.rotate_master(&master(1), &master(2)).is_ok();
        for how in &survivals {
            let left = storage.crash(*how);
            // One of the two opens the store: the old one until the very end.
            let store = match open_with(&left, 1) {
                Ok(store) => store,
                Err(StoreError::WrongMaster { .. }) => open_with(&left, 2).unwrap(),
                Err(error) => panic!("operation {at}: {error}"),
            };
            store.rotate_master(&master(1), &master(2)).unwrap();
            assert_eq!(states(&store, 378), before, "operation {at}, {how:?}");
            let left = left.crash(Survival::Nothing);
            assert!(open_with(&left, 1).is_err());
            let store = open_with(&left, 2).unwrap();
            assert_eq!(states(&store, 378), before, "operation {at}, {how:?}");
            assert_eq!(faults(&store).1, []);
        }
        if done {
            assert!(at > 10);
            return;
        }
        at += 1;
    }
}

#[test]
fn in_between_pages_say_which_master_key_they_need() {
    let (storage, before) = made();
    let store = open_with(&storage, 1).unwrap();
    // Stop at the very end: all pages are done, the header is not.
    let mut ops = 0;
    let probe = storage.crash(Survival::Everything);
    if let Ok(store) = open_with(&probe, 1) {
        let begun = probe.ops();
        store.rotate_master(&master(1), &master(2)).unwrap();
        ops = probe.ops() - begun;
    }
    let header_ops = 7;
    storage.set_fault(FaultPlan::stop_before(storage.ops() + ops - header_ops));
    store.rotate_master(&master(1), &master(2)).unwrap_err();
    let left = storage.crash(Survival::Everything);
    let store = open_with(&left, 1).unwrap();
    let states: Vec<_> = (0..378).map(|slot| store.key(PayloadId(slot))).collect();
    let unfinished = |state: &Result<KeyState, StoreError>| {
        matches!(state, Err(StoreError::RotationUnfinished { .. }))
    };
    assert!(states.iter().any(unfinished));
    for (state, before) in states.iter().zip(&before) {
        assert!(unfinished(state) || state.as_ref().is_ok_and(|state| state == before));
    }
    // A third key is not taken for either.
    assert!(store.rotate_master(&master(1), &master(3)).is_err());
    assert!(store.rotate_master(&master(3), &master(2)).is_err());
    store.rotate_master(&master(1), &master(2)).unwrap();
}
