//! A stop at every operation of a holder leaves residue at most, never what is called damage.

use super::*;
use crate::storage::{Fault, FaultPlan, Survival};

/// Writes, allocates keys, erases, closes.
fn work(holder: &mut Holder) -> Result<(), StoreError> {
    holder.write(&["one", "two"])?;
    holder.keys.allocate_ahead(1)?;
    holder.write(&["three"])?;
    holder.erase(PayloadId(2))?;
    holder.write(&["a text that needs another payload file", &noise(900)])
}

fn sweep(fault: Fault, survivals: &[Survival]) {
    let storage = MemStorage::new();
    let mut first = Holder::create(Arc::new(storage.clone()));
    first.write(&["zero"]).unwrap();
    first.close();
    let base = storage.crash(Survival::Everything);
    let mut at = 0;
    loop {
        let storage = base.crash(Survival::Everything);
        let shared: Arc<dyn Storage> = Arc::new(storage.clone());
        let (appender, recovery) = Appender::open(Arc::clone(&shared), LEDGER, options()).unwrap();
        let keys = open_keys(&shared);
        keys.reset_unreferenced(recovery.head.unwrap().next_payload).unwrap();
        let (payloads, erased) = (Vec::new(), BTreeSet::new());
        let mut holder = Holder { storage: shared, appender, keys, payloads, erased };
        storage.set_fault(FaultPlan::at(storage.ops() + at, fault));
        let done = work(&mut holder).is_ok();
        let reached = holder.appender.position().unwrap();
        for how in survivals {
            let left = storage.crash(*how);
            let cut = storage.trace().last().map(|entry| entry.path.clone());
            let made = Made {
                storage: Arc::new(left),
                // The intent may be durable although its answer was not given.
                erased: BTreeSet::from([PayloadId(2)]),
                payloads: Vec::new(),
                head: reached,
            };
            let report = check(&made);
            let bad: Vec<_> = damage(&report)
                .into_iter()
                // An anchor is one sector, which no medium cuts; the model does.
                .filter(|one| !one.file.as_str().starts_with("anchor"))
                .collect();
            let torn_anchor = cut.is_some_and(|file| file.as_str().starts_with("anchor"));
            let intended = report.head.is_some_and(|head| head.head.last_erasure.is_some());
            let bad: Vec<_> =
                bad.into_iter().filter(|one| intended || one.claim != "payloads").collect();
            if !torn_anchor {
                assert!(bad.is_empty(), "operation {at}, {how:?}: {}", text(&report));
            }
            // Nothing that was answered is missing.
            let head = report.claim("records").unwrap();
            assert!(
                head.checked > reached.head.seq.0 || torn_anchor,
                "operation {at}, {how:?}: {}",
                text(&report)
            );
        }
        if done {
            assert!(at > 30);
            return;
        }
        at += 1;
    }
}

#[test]
fn stopped_before_an_operation() {
    sweep(Fault::Stop, &[Survival::Nothing, Survival::Everything, Survival::Seeded(1)]);
}

#[test]
fn stopped_inside_an_operation() {
    let seeded = (10..16).map(Survival::Seeded);
    let survivals: Vec<_> = [Survival::Everything].into_iter().chain(seeded).collect();
    sweep(Fault::StopInside { bytes: 100 }, &survivals);
}
