//! What runs out, and the sweep that records it.

use std::time::Duration;

use memledger::format::Layer;
use memledger::{Deadline, Status, Terms};

use crate::bench::{Bench, HOUR, NOON};

#[test]
fn the_end_of_a_lifetime_is_decided_when_it_is_read_and_a_sweep_only_records_it() {
    let bench = Bench::new();
    let short = bench.says("The door code of today is on the board", |p| {
        p.ttl_until = Some(Deadline::After(Duration::from_secs(3_600)));
    });
    let session = bench.says("Run 7 is under way", |p| p.layer = Some(Layer::Session));
    assert!(bench.ledger.plan_sweep(None).unwrap().is_empty());
    bench.at(NOON + HOUR - 1);
    assert_eq!(bench.status(short), Status::Open);
    bench.at(NOON + HOUR);
    let before = memledger::format::Seq(bench.size() - 1);
    assert_eq!((bench.status(short), bench.status(session)), (Status::Expired, Status::Open));
    let plan = bench.ledger.plan_sweep(None).unwrap();
    assert_eq!(plan.steps.len(), 1);
    assert_eq!(plan.steps[0].memory, short);
    let done = bench.ledger.carry_out(&plan, Terms::default(), None).unwrap();
    assert_eq!((bench.status(short), bench.status(session)), (Status::Expired, Status::Open));
    // What was known then stays known then: the end had come and was not on record.
    assert_eq!(bench.status_at(short, done.last().unwrap().seq), Status::Expired);
    let moved = bench.status_at(short, before);
    assert_eq!(moved, Status::Open, "at the time of that record");
    let size = bench.size();
    assert!(bench.ledger.plan_sweep(None).unwrap().is_empty(), "a second sweep finds nothing");
    assert!(bench.ledger.carry_out(&plan, Terms::default(), None).is_err(), "a plan holds once");
    assert_eq!(bench.size(), size);
}

#[test]
fn a_sweep_with_a_schedule_says_when_it_is_due() {
    let bench = Bench::new();
    let sweep = |bench: &Bench, every: Option<u64>| {
        let plan = bench.ledger.plan_sweep(every.map(Duration::from_secs)).unwrap();
        if !plan.is_empty() {
            bench.ledger.carry_out(&plan, Terms::default(), None).unwrap();
        }
        plan.records()
    };
    assert_eq!(bench.ledger.status().unwrap().sweep, None);
    assert_eq!(sweep(&bench, Some(3_600)), 2, "the schedule, and the run");
    let next = |bench: &Bench| bench.ledger.status().unwrap().sweep.unwrap().next.unwrap().0;
    assert_eq!(next(&bench), NOON + HOUR);
    assert_eq!(sweep(&bench, Some(3_600)), 0, "not due");
    bench.at(NOON + 3 * HOUR);
    assert_eq!(next(&bench), NOON + HOUR, "overdue");
    assert_eq!(sweep(&bench, None), 1, "the run, though it found nothing");
    assert_eq!(next(&bench), NOON + 4 * HOUR);
    let bench = bench.reopened();
    assert_eq!(next(&bench), NOON + 4 * HOUR);
    assert_eq!(sweep(&bench, Some(0)), 2);
    assert_eq!(bench.ledger.status().unwrap().sweep.unwrap().next, None);
}
