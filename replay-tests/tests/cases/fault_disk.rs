//! What a disk, another process and a clock can do to a holder that runs.

use ledger_format::Micros;
use ledger_store::storage::{Fault, FaultPlan, LOCK_FILE, Op, Storage as _};
use memledger::civil::When;
use memledger::{ErrorKind, Filter, Question};
use replay_tests::crash::check::whole;
use replay_tests::tail::{Tail, hashes, say, try_say};
use replay_tests::witness::at;
use replay_tests::workload::time;

const HOUR: i64 = 3_600_000_000;

#[test]
fn fault_13_one_failed_flush_ends_the_writer() {
    let tail = Tail::new();
    let mut flushes = 0;
    for op in 0..60 {
        let mut stand = tail.stand(|_| ());
        let ledger = stand.open().unwrap();
        say(&ledger, "before");
        let before = hashes(&ledger);
        let first = stand.disk.ops() + op;
        stand.disk.set_fault(FaultPlan::at(first, Fault::Io));
        let answer = try_say(&ledger, "while the disk fails");
        let trace = stand.disk.trace();
        let failed = trace.iter().find(|entry| entry.index == first);
        let is_flush = failed.is_some_and(|entry| {
            entry.op == Op::SyncData && !entry.path.as_str().starts_with("anchor")
        });
        if !is_flush {
            continue;
        }
        flushes += 1;
        let error = answer.expect_err("a flush failed");
        assert!(error.to_string().contains("unknown"), "{error}");
        assert_eq!(hashes(&ledger), before, "nothing above the durable head is shown");
        let again = try_say(&ledger, "again").expect_err("the disk works again, the writer not");
        assert_eq!(again.kind(), ErrorKind::Unavailable, "{again}");
        drop(ledger);
        let ledger = stand.open().unwrap();
        assert_eq!(hashes(&ledger)[..before.len()], before);
        whole(&ledger).unwrap();
        say(&ledger, "after");
    }
    assert!(flushes >= 2, "{flushes}");
}

#[test]
fn fault_16_a_short_write_leaves_no_hole() {
    let tail = Tail::new();
    let mut short = 0;
    for op in 0..40 {
        let mut stand = tail.stand(|_| ());
        let ledger = stand.open().unwrap();
        let before = hashes(&ledger);
        stand.disk.set_fault(FaultPlan::at(stand.disk.ops() + op, Fault::Short { bytes: 512 }));
        let answer = try_say(&ledger, &"long enough to be cut. ".repeat(90));
        stand.disk.set_fault(FaultPlan::none());
        short += usize::from(answer.is_err());
        drop(ledger);
        let ledger = stand.open().unwrap();
        let found = hashes(&ledger);
        assert_eq!(found[..before.len()], before);
        assert!(answer.is_err() || found.len() > before.len(), "operation {op}");
        say(&ledger, "after");
        whole(&ledger).unwrap();
    }
    assert!(short >= 2, "{short}");
}

#[test]
fn fault_17_a_read_error_gives_an_error_and_never_a_part() {
    let tail = Tail::new();
    let mut stand = tail.stand(|_| ());
    let ledger = stand.open().unwrap();
    let history = Filter { include_history: true, ..Filter::default() };
    let question = Question { from_archive: true, ..at(When::Seq(9), None) };
    let ask = || ledger.snapshot(&question)?.list(&history);
    let truth = ask().unwrap();
    let begun = stand.disk.ops();
    ask().unwrap();
    let reads = stand.disk.ops() - begun;
    let mut errors = 0;
    for op in 0..reads {
        for fault in [Fault::Io, Fault::Short { bytes: 3 }] {
            stand.disk.set_fault(FaultPlan::at(stand.disk.ops() + op, fault));
            match ask() {
                Ok(listing) => assert_eq!(listing, truth, "read {op}: {fault:?}"),
                Err(_) => errors += 1,
            }
        }
    }
    assert!(errors >= reads / 2, "{errors} errors of {reads} reads");
    assert_eq!(ask().unwrap(), truth, "the next one is answered");
}

/// The lock is gone: its file was deleted while the first holder was paused. What keeps it out then
/// is in the data.
#[test]
fn fault_18_a_holder_that_was_paused_does_not_write_beside_its_successor() {
    let tail = Tail::new();
    let mut stand = tail.stand(|_| ());
    let first = stand.open().unwrap();
    say(&first, "before the pause");
    stand.disk.remove_file(&LOCK_FILE).unwrap();
    let second = stand.open().unwrap();
    say(&second, "of the second holder");
    let error = try_say(&first, "after the pause").expect_err("the first holder was replaced");
    assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
    say(&second, "and another one");
    let kept = hashes(&second);
    whole(&second).unwrap();
    drop(first);
    second.close().unwrap();
    let ledger = stand.open().unwrap();
    assert_eq!(hashes(&ledger), kept);
    whole(&ledger).unwrap();
}

#[test]
fn fault_21_recorded_time_never_goes_back_and_a_jump_is_flagged_or_refused() {
    let tail = Tail::new();
    let mut stand = tail.stand(|_| ());
    stand.confirm_clock = false;
    let ledger = stand.open().unwrap();
    let at = |offset: i64| Micros(time::BASE + offset);
    let mut last = Micros(time::BASE);
    for offset in [HOUR, 0, HOUR, 2 * HOUR, -HOUR] {
        stand.clock.set(at(offset));
        let seq = say(&ledger, "whatever the clock says");
        let entry = ledger.show(seq).unwrap().unwrap();
        assert!(entry.recorded_at >= last, "{offset}");
        assert_eq!(entry.recorded_at, last.max(at(offset)));
        last = entry.recorded_at;
    }
    stand.clock.set(at(10 * 365 * 24 * HOUR));
    let before = hashes(&ledger);
    let error = try_say(&ledger, "in ten years").expect_err("a jump");
    assert!(error.to_string().contains("--confirm-clock"), "{error}");
    assert_eq!(hashes(&ledger), before);
    ledger.close().unwrap();
    // Confirmed, it is recorded, and the correction is an event of its own.
    stand.confirm_clock = true;
    let ledger = stand.open().unwrap();
    let seq = say(&ledger, "in ten years");
    let events = ledger.log(ledger_format::Seq(before.len() as u64), 9).unwrap();
    assert!(events.iter().any(|entry| entry.event.contains("clock")), "{events:?}");
    assert!(ledger.show(seq).unwrap().unwrap().recorded_at > last);
}
