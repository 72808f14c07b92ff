//! Cost of an append as the ledger grows (goal P2): the last 10,000 against the first 10,000.

use std::time::Duration;

use crate::measure::{goal, time, title};
use crate::world::{create, fill};

pub(crate) fn run(records: u64) {
    title(&format!("P2: appends in flight by 512, first and last 10,000 of {records}"));
    let dir = tempfile::tempdir().unwrap();
    let (ledger, clock) = create(&dir.path().join("ledger"));
    let step = 10_000;
    let mut took: Vec<Duration> = Vec::new();
    for _ in 0..records / step {
        took.push(time(|| fill(&ledger, &clock, step, 1_000)).1);
    }
    // The very first steps warm caches and grow files: compare medians of ten.
    let median = |steps: &[Duration]| {
        let mut steps = steps.to_vec();
        steps.sort();
        steps[steps.len() / 2].as_secs_f64()
    };
    let ten = took.len().min(10);
    let (first, last) = (median(&took[..ten]), median(&took[took.len() - ten..]));
    println!("10,000 appends: {first:.3} s at the beginning, {last:.3} s at the end");
    goal("P2 last / first", "<= 1.2", &format!("{:.2}", last / first));
    let (_, open) = time(|| {
        ledger.close().unwrap();
        crate::world::reopen(&dir.path().join("ledger")).close().unwrap();
    });
    println!("close, open and close again: {:.3} s", open.as_secs_f64());
}
