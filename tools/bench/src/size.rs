//! Bytes: log per plain write, views per event, memory of the writer per memory (goal P6).

use crate::measure::{goal, title};
use crate::world::{create, fill};

pub(crate) fn run(records: u64) {
    title(&format!("P6: bytes after {records} writes (60 bytes of text, a source, a key each)"));
    let dir = tempfile::tempdir().unwrap();
    let (ledger, clock) = create(&dir.path().join("ledger"));
    let before = ledger.status().unwrap();
    fill(&ledger, &clock, records, records / 10);
    let after = ledger.status().unwrap();
    let events = (after.size - before.size) as f64;
    let log = (after.log_bytes - before.log_bytes) as f64;
    let views = (after.view_bytes.unwrap_or(0) - before.view_bytes.unwrap_or(0)) as f64;
    println!("{events} events ({} records), log {log} bytes, views {views} bytes", after.size);
    goal("P6 log bytes per event", "<= 400", &format!("{:.0}", log / events));
    goal("P6 view bytes per event", "<= 400", &format!("{:.0}", views / events));
    let state = resident();
    ledger.close().unwrap();
    println!(
        "resident memory of the whole process with {records} memories: {} MB",
        state / 1_000_000
    );
}

/// Resident bytes of this process, from the kernel.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    status.split(' ').nth(1).and_then(|pages| pages.parse::<u64>().ok()).unwrap_or(0) * 4_096
}
