//! A power cut before and inside every operation of a short life of a ledger.

use ledger_format::{RecordHash, Seq};

use super::{LEDGER, commit, cut_by, open_after, records, shared, small};
use crate::storage::{Fault, FaultPlan, MemStorage, Survival, TraceEntry};
use crate::{Appender, Class, StoreError};

/// What was acknowledged: the hash of every record, by its number.
type Acknowledged = Vec<(Seq, RecordHash)>;

/// Makes a ledger, fills some segments, closes and opens it, and goes on. Stops at the first error.
fn live(storage: &MemStorage, acknowledged: &mut Acknowledged) -> Result<(), StoreError> {
    let mut write = |appender: &mut Appender| -> Result<(), StoreError> {
        let head = commit(appender)?;
        acknowledged.push((head.seq, head.hash));
        Ok(())
    };
    let mut appender = Appender::create(shared(storage), LEDGER, 1, small())?;
    for now in 0..9 {
        write(&mut appender)?;
        appender.maintain(now * 400, false)?;
    }
    appender.close()?;
    let (mut appender, _) = Appender::open(shared(storage), LEDGER, small())?;
    write(&mut appender)?;
    write(&mut appender)?;
    appender.maintain(0, true)?;
    write(&mut appender)?;
    drop(appender);
    let (mut appender, _) = Appender::open(shared(storage), LEDGER, small())?;
    write(&mut appender)?;
    appender.close()
}

/// After a crash the log opens, everything acknowledged is there, and it can be gone on with.
fn holds(
    storage: &MemStorage,
    acknowledged: &Acknowledged,
    cut: Option<&TraceEntry>,
    context: &str,
) {
    let mut appender = match open_after(storage, cut) {
        Ok(appender) => appender,
        // The first anchor of all was cut: nothing was answered yet.
        Err(StoreError::AnchorDamaged { .. }) if cut.is_some() && acknowledged.is_empty() => return,
        Err(error) if error.class() == Class::NotALedger && acknowledged.is_empty() => {
            // Creation did not end: it can be begun again.
            Appender::create(shared(storage), LEDGER, 1, small())
                .unwrap_or_else(|error| panic!("{context}: {error}"))
        }
        Err(error) => panic!("{context}: {error}"),
    };
    let found = records(&appender.reader()).unwrap_or_else(|error| panic!("{context}: {error}"));
    for (seq, hash) in acknowledged {
        let at = usize::try_from(seq.0).unwrap();
        assert_eq!(found.get(at).map(|record| record.hash), Some(*hash), "{context}: {seq}");
    }
    let more = found.len().saturating_sub(2 * acknowledged.len());
    assert!(more <= 2, "{context}: at most one batch more than was acknowledged");
    commit(&mut appender).unwrap_or_else(|error| panic!("{context}: {error}"));
    appender.close().unwrap_or_else(|error| panic!("{context}: {error}"));
    let (appender, recovery) = Appender::open(shared(storage), LEDGER, small())
        .unwrap_or_else(|error| panic!("{context}: {error}"));
    assert!(!recovery.unclean, "{context}: it was closed");
    let again = records(&appender.reader()).unwrap_or_else(|error| panic!("{context}: {error}"));
    assert_eq!(again.len(), found.len() + 2, "{context}");
}

/// Two extremes, and seeds that differ from operation to operation.
fn survivals(op: u64) -> impl Iterator<Item = Survival> {
    let seeded = (op * 3..op * 3 + 3).map(Survival::Seeded);
    [Survival::Nothing, Survival::Everything].into_iter().chain(seeded)
}

#[test]
fn what_was_acknowledged_survives_a_crash_at_every_operation() {
    let whole = MemStorage::new();
    let mut acknowledged = Vec::new();
    live(&whole, &mut acknowledged).unwrap();
    assert_eq!(acknowledged.len(), 13);
    let total = whole.ops();
    for op in 0..=total {
        for fault in [Fault::Stop, Fault::StopInside { bytes: 100 }] {
            let storage = MemStorage::new();
            storage.set_fault(FaultPlan::at(op, fault));
            let mut acknowledged = Vec::new();
            let lived = live(&storage, &mut acknowledged);
            assert_eq!(lived.is_err(), op < total, "{op}");
            let cut = cut_by(&storage, op, fault);
            for how in survivals(op) {
                let context = format!("op {op} {fault:?} {how:?}");
                holds(&storage.crash(how), &acknowledged, cut.as_ref(), &context);
            }
        }
    }
}

const TORN: &[u8] = b"MLBATCH1 torn in the middle of its header";

/// The same for the recovery after a crash: it can itself be cut short anywhere.
#[test]
fn recovery_can_be_interrupted_at_every_operation() {
    let storage = MemStorage::new();
    let mut appender = Appender::create(shared(&storage), LEDGER, 1, small()).unwrap();
    let mut acknowledged = Vec::new();
    for _ in 0..7 {
        let head = commit(&mut appender).unwrap();
        acknowledged.push((head.seq, head.hash));
    }
    let position = appender.position().unwrap();
    drop(appender);
    let torn = storage.crash(Survival::Everything);
    torn.edit(&crate::layout::segment(position.segment), |bytes| {
        let end = usize::try_from(position.segment_end).unwrap();
        bytes.truncate(end);
        bytes.extend_from_slice(TORN);
    })
    .unwrap();
    let whole = torn.crash(Survival::Everything);
    let (_, recovery) = Appender::open(shared(&whole), LEDGER, small()).unwrap();
    assert!(recovery.dropped.is_some());
    for op in 0..=whole.ops() {
        let copy = torn.crash(Survival::Everything);
        let fault = Fault::StopInside { bytes: 60 };
        copy.set_fault(FaultPlan::at(op, fault));
        let opened = Appender::open(shared(&copy), LEDGER, small()).map(drop);
        assert_eq!(opened.is_err(), op < whole.ops(), "{op}");
        let cut = cut_by(&copy, op, fault);
        let nothing_else = copy.crash(Survival::Nothing).snapshot();
        let kept = nothing_else.values().any(|bytes| bytes.ends_with(TORN));
        assert!(kept, "op {op}: what is cut off is kept aside before");
        for how in survivals(op) {
            let context = format!("op {op} {how:?}");
            holds(&copy.crash(how), &acknowledged, cut.as_ref(), &context);
        }
    }
}
