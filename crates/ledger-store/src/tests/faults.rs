//! Failing operations: what poisons an appender, and what does not.

use super::{LEDGER, commit, cut_by, open_after, record, records, shared, small};
use crate::storage::{Fault, FaultPlan, MemStorage, Op, Survival, TraceEntry};
use crate::{Appender, Class, StoreError};

fn holder() -> (MemStorage, Appender) {
    let storage = MemStorage::new();
    let mut appender = Appender::create(shared(&storage), LEDGER, 1, small()).unwrap();
    for _ in 0..3 {
        commit(&mut appender).unwrap();
    }
    drop(storage.take_trace());
    (storage, appender)
}

/// The work to be disturbed: enough to roll segments and payload files.
fn work(appender: &mut Appender, done: &mut u64) -> Result<(), StoreError> {
    for now in 0..5 {
        commit(appender)?;
        *done += 1;
        appender.maintain(now * 600, false)?;
    }
    Ok(())
}

#[test]
fn a_failed_flush_poisons_and_is_never_tried_again() {
    let (storage, mut appender) = holder();
    work(&mut appender, &mut 0).unwrap();
    let syncs: Vec<u64> = storage
        .trace()
        .iter()
        .filter(|entry| matches!(entry.op, Op::SyncData | Op::SyncAll | Op::SyncDir))
        .map(|entry| entry.index)
        .collect();
    assert!(syncs.len() > 10);
    for op in syncs {
        let (storage, mut appender) = holder();
        storage.set_fault(FaultPlan::at(op, Fault::Io));
        let mut done = 0;
        let error = work(&mut appender, &mut done).unwrap_err();
        assert_eq!(error.class(), Class::Poisoned, "op {op}: {error}");
        assert!(appender.is_poisoned());
        let after = storage.ops();
        assert_eq!(commit(&mut appender).unwrap_err().class(), Class::Poisoned);
        assert_eq!(appender.maintain(0, true).unwrap_err().class(), Class::Poisoned);
        assert_eq!(appender.anchor().unwrap_err().class(), Class::Poisoned);
        let seen = records(&appender.reader()).unwrap().len() as u64;
        assert_eq!(seen, 6 + 2 * done, "readers keep what is durable");
        assert_eq!(appender.close().unwrap_err().class(), Class::Poisoned);
        let touched = storage.take_trace().into_iter().filter(|entry| entry.index >= after);
        assert_eq!(touched.filter(|entry| entry.op.is_mutating()).count(), 0, "op {op}");
        reopens(&storage, 6 + 2 * done, None, &format!("op {op}"));
    }
}

/// A flush that failed, a new holder in the same running system, and then a power cut: what the
/// new holder showed is there. Without writing it again it was in memory only.
#[test]
fn what_a_recovery_shows_after_a_failed_flush_survives_a_crash() {
    let life = |storage: &MemStorage| -> Result<(), StoreError> {
        let mut appender = Appender::create(shared(storage), LEDGER, 1, small())?;
        work(&mut appender, &mut 0)
    };
    let whole = MemStorage::new();
    life(&whole).unwrap();
    let syncs = whole
        .trace()
        .into_iter()
        .filter(|entry| matches!(entry.op, Op::SyncData | Op::SyncAll | Op::SyncDir));
    let mut shown_any = 0;
    for entry in syncs {
        let storage = MemStorage::new();
        storage.set_fault(FaultPlan::at(entry.index, Fault::Io));
        life(&storage).unwrap_err();
        // Creation itself failed: there is nothing to show yet.
        let Ok((mut appender, _)) = Appender::open(shared(&storage), LEDGER, small()) else {
            continue;
        };
        check_shown(&storage, &appender, &entry);
        commit(&mut appender).unwrap();
        appender.maintain(0, true).unwrap();
        check_shown(&storage, &appender, &entry);
        shown_any += 1;
    }
    assert!(shown_any > 10, "{shown_any}");
}

/// What a holder shows is there after a power cut.
fn check_shown(storage: &MemStorage, appender: &Appender, fault: &TraceEntry) {
    let shown = records(&appender.reader()).unwrap();
    if shown.is_empty() {
        return;
    }
    for how in [Survival::Nothing, Survival::Seeded(1)] {
        let copy = storage.crash(how);
        let (appender, _) = Appender::open(shared(&copy), LEDGER, small())
            .unwrap_or_else(|error| panic!("{fault} {how:?}: {error}"));
        let found = records(&appender.reader()).unwrap();
        assert_eq!(found, shown, "{fault} {how:?}");
    }
}

/// After any crash everything acknowledged is there, and at most one batch more.
fn reopens(storage: &MemStorage, acknowledged: u64, cut: Option<&TraceEntry>, context: &str) {
    for how in [Survival::Nothing, Survival::Everything, Survival::Seeded(1), Survival::Seeded(2)] {
        let copy = storage.crash(how);
        let appender =
            open_after(&copy, cut).unwrap_or_else(|error| panic!("{context} {how:?}: {error}"));
        let found = records(&appender.reader()).unwrap().len() as u64;
        let expected = acknowledged..=acknowledged + 2;
        assert!(expected.contains(&found), "{context} {how:?}: {found} of {acknowledged}");
    }
}

#[test]
fn a_full_disk_is_a_clean_refusal_or_poisons_and_loses_nothing() {
    let (storage, mut appender) = holder();
    work(&mut appender, &mut 0).unwrap();
    let operations = storage.take_trace();
    let mut clean = 0;
    for entry in operations.iter().filter(|entry| entry.op.is_mutating()) {
        for fault in [Fault::NoSpace, Fault::Short { bytes: 10 }] {
            let (storage, mut appender) = holder();
            storage.set_fault(FaultPlan::at(entry.index, fault));
            let mut done = 0;
            let outcome = work(&mut appender, &mut done);
            let context = format!("{entry} {fault:?}");
            match outcome {
                // Not needed at once, or tried again with less.
                Ok(()) => {}
                Err(error) if error.class() == Class::NoSpace => {
                    clean += 1;
                    assert!(!appender.is_poisoned(), "{context}");
                    work(&mut appender, &mut done)
                        .unwrap_or_else(|error| panic!("{context}: {error}"));
                }
                Err(error) => {
                    assert_eq!(error.class(), Class::Poisoned, "{context}: {error}");
                }
            }
            let seen = records(&appender.reader()).unwrap().len() as u64;
            assert_eq!(seen, 6 + 2 * done, "{context}");
            let segments = appender.reader().segments();
            assert!(segments.iter().all(|one| one.length > 4096), "{context}: none above the head");
            drop(appender);
            let cut = cut_by(&storage, entry.index, fault);
            reopens(&storage, 6 + 2 * done, cut.as_ref(), &context);
        }
    }
    assert!(clean > 3, "{clean}");
}

/// Room first, then a batch, which must need no more.
fn commit_reserved(storage: &MemStorage, appender: &mut Appender) -> Result<(), StoreError> {
    let mut batch = appender.begin();
    appender.reserve(&batch, 700, 103)?;
    let tag = batch.next_seq().0;
    batch.push(record(tag, &[70, 33]))?;
    batch.push(record(tag + 1, &[]))?;
    assert!(appender.has_place(&batch, 0, 0));
    let before = storage.ops();
    appender.commit(batch)?;
    // Looking at the lock takes no room.
    let beyond =
        |entry: &TraceEntry| !matches!(entry.op, Op::WriteAllAt | Op::SyncData | Op::StillHeld);
    let more: Vec<_> = storage.trace().into_iter().filter(|entry| entry.index >= before).collect();
    assert!(!more.iter().any(beyond), "{more:?}");
    Ok(())
}

#[test]
fn a_batch_with_room_reserved_meets_no_full_disk() {
    let (storage, mut appender) = holder();
    (0..5).for_each(|_| commit_reserved(&storage, &mut appender).unwrap());
    let room = |op| matches!(op, Op::CreateExclusive | Op::ZeroFill);
    let entries: Vec<_> = storage.take_trace().into_iter().filter(|one| room(one.op)).collect();
    assert!(entries.len() > 5, "segments and payload files are rolled");
    for entry in entries {
        let (storage, mut appender) = holder();
        storage.set_fault(FaultPlan::at(entry.index, Fault::NoSpace));
        let (mut done, mut refused) = (0, 0);
        while done < 5 {
            match commit_reserved(&storage, &mut appender) {
                Ok(()) => done += 1,
                Err(error) => {
                    assert_eq!(error.class(), Class::NoSpace, "{entry}: {error}");
                    refused += 1;
                }
            }
            assert!(!appender.is_poisoned() && refused <= 1, "{entry}");
        }
        assert_eq!(records(&appender.reader()).unwrap().len(), 16, "{entry}");
    }
}

#[test]
fn a_batch_that_has_begun_does_not_move_on_to_another_file() {
    let (_storage, mut appender) = holder();
    let mut batch = appender.begin();
    appender.reserve(&batch, 700, 103).unwrap();
    batch.push(record(batch.next_seq().0, &[70, 33])).unwrap();
    assert!(appender.has_place(&batch, 100, 10));
    assert!(!appender.has_place(&batch, 3000, 10), "the segment ends before");
    assert!(!appender.has_place(&batch, 100, 900), "the payload file ends before");
}

#[test]
fn a_replaced_lock_file_ends_the_holder() {
    use crate::storage::{LOCK_FILE, Storage};
    let (storage, mut appender) = holder();
    storage.remove_file(&LOCK_FILE).unwrap();
    let before = storage.snapshot();
    let error = commit(&mut appender).unwrap_err();
    assert_eq!(error.class(), Class::Poisoned, "{error}");
    assert_eq!(storage.snapshot(), before, "nothing is written beside a successor");
    assert_eq!(appender.maintain(0, true).unwrap_err().class(), Class::Poisoned);
}
