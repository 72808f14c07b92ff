//! A stop or a failure at every single operation, with every kind of survival.

use ledger_format::Seq;

use super::*;
use crate::Class;
use crate::storage::{Fault, FaultPlan, Op, Survival};

const SLOTS: [u64; 4] = [3, 125, 126, 300];

/// All or nothing of what was not flushed, or a choice by so many seeds.
fn survivals(seeds: u64) -> impl Iterator<Item = Survival> {
    [Survival::Everything, Survival::Nothing].into_iter().chain((0..seeds).map(Survival::Seeded))
}

fn made() -> (MemStorage, Vec<KeyState>) {
    let storage = MemStorage::new();
    let store = create(&storage);
    store.allocate_ahead(2).unwrap();
    let before = states(&store, store.slots());
    (storage.crash(Survival::Nothing), before)
}

/// Runs `change` with a stop at each of its operations and hands what is left to `check`, with
/// whether the change had come to its end.
fn sweep(
    base: &MemStorage,
    seeds: u64,
    faults: impl Fn(u64) -> Fault,
    change: impl Fn(&KeyStore) -> Result<(), StoreError>,
    check: impl Fn(&MemStorage, bool),
) {
    let mut at = 0;
    loop {
        // Each round starts from the same bytes.
        let storage = base.crash(Survival::Everything);
        let store = open(&storage).unwrap();
        let from = storage.ops();
        storage.set_fault(FaultPlan::at(from + at, faults(at)));
        let done = change(&store).is_ok();
        for how in survivals(seeds) {
            check(&storage.crash(how), done);
        }
        if done {
            assert!(at > 4, "the sweep ended before it began");
            return;
        }
        at += 1;
    }
}

/// Every slot is what it was, or zero if it was to be erased.
fn intact_or_zero(storage: &MemStorage, before: &[KeyState], done: bool) {
    intact_or_zero_of(storage, before, &SLOTS, done);
}

fn intact_or_zero_of(storage: &MemStorage, before: &[KeyState], targets: &[u64], done: bool) {
    let store = open(storage).unwrap();
    for (slot, before) in (0..).zip(before) {
        let now = store.key(PayloadId(slot)).unwrap();
        let target = targets.contains(&slot);
        let zero = target && now == KeyState::Zero;
        assert!(zero || (!done && &now == before) || (!target && &now == before), "slot {slot}");
    }
}

#[test]
fn erasing_survives_a_stop_at_every_operation() {
    let (base, before) = made();
    let slots = SLOTS.map(PayloadId);
    for bytes in [None, Some(0), Some(512), Some(2_048)] {
        let fault = |_| bytes.map_or(Fault::Stop, |bytes| Fault::StopInside { bytes });
        sweep(
            &base,
            12,
            fault,
            |store| store.erase(&slots).map(drop),
            |left, done| {
                intact_or_zero(left, &before, done);
                // The erasure is resumed, and then nothing is left of it.
                let store = open(left).unwrap();
                store.erase(&slots).unwrap();
                let left = left.crash(Survival::Nothing);
                intact_or_zero(&left, &before, true);
                assert_eq!(super::faults(&open(&left).unwrap()).1, []);
            },
        );
    }
}

#[test]
fn a_second_crash_while_the_first_is_made_good_loses_nothing() {
    let (base, before) = made();
    // Others on the same pages, so far behind that a cut leaves no whole page.
    let later = [60, 240, 340];
    let targets = [SLOTS.as_slice(), later.as_slice()].concat();
    let erase = |store: &KeyStore| store.erase(&SLOTS.map(PayloadId)).map(drop);
    sweep(
        &base,
        1,
        |_| Fault::StopInside { bytes: 512 },
        erase,
        |left, _| {
            for at in 0.. {
                let again = left.crash(Survival::Everything);
                let store = open(&again).unwrap();
                again
                    .set_fault(FaultPlan::at(again.ops() + at, Fault::StopInside { bytes: 1_024 }));
                if store.erase(&later.map(PayloadId)).is_ok() {
                    break;
                }
                for how in survivals(1) {
                    intact_or_zero_of(&again.crash(how), &before, &targets, false);
                }
            }
        },
    );
}

#[test]
fn allocating_survives_a_stop_at_every_operation() {
    let (base, before) = made();
    let allocate = |store: &KeyStore| {
        store.reset_unreferenced(PayloadId(378))?;
        store.reserve(130).map(drop)
    };
    sweep(
        &base,
        12,
        |_| Fault::StopInside { bytes: 700 },
        allocate,
        |left, _| {
            let store = open(left).unwrap();
            assert_eq!(states(&store, 378), before);
            store.reset_unreferenced(PayloadId(378)).unwrap();
            let given = store.reserve(300).unwrap();
            let left = left.crash(Survival::Nothing);
            let store = open(&left).unwrap();
            assert_eq!(super::faults(&store).1, []);
            for (slot, key) in given {
                assert_eq!(store.key(slot).unwrap(), KeyState::Key(key));
            }
        },
    );
}

#[test]
fn resetting_survives_a_stop_at_every_operation() {
    let (base, before) = made();
    let reset = |store: &KeyStore| store.reset_unreferenced(PayloadId(130));
    sweep(
        &base,
        12,
        |_| Fault::StopInside { bytes: 512 },
        reset,
        |left, _| {
            let store = open(left).unwrap();
            assert_eq!(states(&store, 130), before[..130]);
            store.reset_unreferenced(PayloadId(130)).unwrap();
            let store = open(&left.crash(Survival::Nothing)).unwrap();
            assert_eq!(states(&store, 130), before[..130]);
            assert_eq!(super::faults(&store).1, []);
        },
    );
}

#[test]
fn the_header_survives_a_stop_at_every_operation() {
    let (base, _) = made();
    let change = |store: &KeyStore| store.set_erasures_through(Seq(8));
    sweep(
        &base,
        12,
        |_| Fault::StopInside { bytes: 512 },
        change,
        |left, done| {
            let through = open(left).unwrap().erasures_through();
            assert!(through == Some(Seq(8)) || (!done && through.is_none()));
        },
    );
}

#[test]
fn what_was_reserved_is_durable() {
    let storage = MemStorage::new();
    let store = create(&storage);
    for _ in 0..30 {
        let given = store.reserve(17).unwrap();
        for how in [Survival::Nothing, Survival::Seeded(given.len() as u64)] {
            let left = open(&storage.crash(how)).unwrap();
            for (slot, key) in &given {
                assert_eq!(left.key(*slot).unwrap(), KeyState::Key(key.clone()));
            }
        }
    }
}

#[test]
fn a_failed_flush_stops_every_later_change() {
    let (storage, before) = made();
    let store = open(&storage).unwrap();
    let _ = storage.take_trace();
    let from = storage.ops();
    // Find the first flush by its number, then fail it in a fresh copy.
    open(&storage.crash(Survival::Everything)).unwrap();
    let probe = storage.crash(Survival::Everything);
    let probed = open(&probe).unwrap();
    let begun = probe.ops();
    probed.erase(&[PayloadId(3)]).unwrap();
    let flush = probe.trace().into_iter().find(|entry| entry.op == Op::SyncData).unwrap();
    storage.set_fault(FaultPlan::at(from + flush.index - begun, Fault::Io));
    assert_eq!(store.erase(&[PayloadId(3)]).unwrap_err().class(), Class::Io);
    for refused in [
        store.erase(&[PayloadId(200)]).map(drop),
        store.set_erasures_through(Seq(1)),
        store.reset_unreferenced(PayloadId(377)),
    ] {
        assert_eq!(refused.unwrap_err().class(), Class::Poisoned);
    }
    // The medium holds what it held, and a new opener erases for good.
    let left = storage.crash(Survival::Nothing);
    assert_eq!(states(&open(&left).unwrap(), 378), before);
    let again = open(&storage).unwrap();
    again.erase(&[PayloadId(3)]).unwrap();
    let left = storage.crash(Survival::Nothing);
    assert_eq!(open(&left).unwrap().key(PayloadId(3)).unwrap(), KeyState::Zero);
}

#[test]
fn a_full_disk_is_survived_and_tried_again() {
    let (storage, before) = made();
    let store = open(&storage).unwrap();
    store.reset_unreferenced(PayloadId(378)).unwrap();
    let ops = storage.ops();
    for at in 0..4 {
        storage.set_fault(FaultPlan::at(ops + 3 + at, Fault::NoSpace));
        let _ = store.reserve(1);
    }
    storage.set_fault(FaultPlan::none());
    let given = store.reserve(1).unwrap();
    let left = open(&storage.crash(Survival::Nothing)).unwrap();
    assert_eq!(states(&left, 378), before);
    assert_eq!(left.key(given[0].0).unwrap(), KeyState::Key(given[0].1.clone()));
}
