//! Cost of an append as the ledger grows (goal P2): the last windows of appends against the first,
//! by processor time, which other work on the machine does not change, and by the clock.

use std::time::Duration;

use crate::measure::{cpu, goal, resident_bytes, time, title};
use crate::world::{create, fill};

/// Appends in a window.
const WINDOW: u64 = 10_000;
/// Windows at each end whose medians are compared: the very first ones warm caches and grow files.
const ENDS: usize = 10;
/// What a memory may take in memory beside the cache, in bytes.
const PER_MEMORY: u64 = 250;

/// One window of appends, with everything that follows it on other threads.
struct Window {
    cpu: Duration,
    wall: Duration,
}

pub(crate) fn run(records: u64) {
    title(&format!("P2: appends in flight by 512, windows of {WINDOW}, {records} in all"));
    let dir = tempfile::tempdir().unwrap();
    let (ledger, clock) = create(&dir.path().join("ledger"));
    let empty = resident_bytes();
    let mut windows = Vec::new();
    for number in 1..=records / WINDOW {
        let ((_, wall), cpu) = cpu(|| time(|| fill(&ledger, &clock, WINDOW, 1_000)));
        windows.push(Window { cpu, wall });
        if number.is_multiple_of((records / WINDOW / 10).max(1)) {
            let resident = resident_bytes() - empty;
            let (cpu, wall) = (micros(cpu), micros(wall));
            println!(
                "{:>9} records: {cpu:>5.1} us CPU, {wall:>5.1} us an append; {:>5} MiB more than empty",
                number * WINDOW,
                resident >> 20
            );
        }
    }
    let ends = ENDS.min(windows.len());
    let (first, last) = (&windows[..ends], &windows[windows.len() - ends..]);
    let ratio = |of: fn(&Window) -> Duration| median(last, of) / median(first, of);
    goal("P2 last / first, CPU", "<= 1.2", &format!("{:.2}", ratio(|window| window.cpu)));
    goal("P2 last / first, wall", "<= 1.2", &format!("{:.2}", ratio(|window| window.wall)));
    let beside = (resident_bytes() - empty).saturating_sub(64 << 20) / records;
    let wanted = format!("<= {PER_MEMORY}");
    goal("P2 resident bytes per memory beside 64 MiB of cache", &wanted, &beside);
    let place = dir.path().join("ledger");
    report("close", || ledger.close().unwrap());
    let ledger = report("open for reading", || crate::world::reopen(&place));
    report("first write", || fill(&ledger, &clock, 1, 1));
    report("close again", || ledger.close().unwrap());
}

fn report<T>(what: &str, work: impl FnOnce() -> T) -> T {
    let ((value, wall), cpu) = cpu(|| time(work));
    println!("{what}: {:.3} s, {:.3} s CPU", wall.as_secs_f64(), cpu.as_secs_f64());
    value
}

/// Microseconds an append took.
fn micros(window: Duration) -> f64 {
    window.as_secs_f64() * 1e6 / WINDOW as f64
}

fn median(windows: &[Window], of: fn(&Window) -> Duration) -> f64 {
    let mut taken: Vec<Duration> = windows.iter().map(of).collect();
    taken.sort();
    taken[taken.len() / 2].as_secs_f64()
}
