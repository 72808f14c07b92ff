//! Building the ledger that all parts measure, and what that shows: the cost of an append as the
//! ledger grows (goal P2), by processor time, which other work on the machine does not change, and
//! by the clock; memory of the writer; bytes (goal P6); closing.
//!
//! A build may be stopped at any time: it goes on behind the last write that is in the log.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use crate::chart;
use crate::load::Load;
use crate::measure::{Spread, cpu, resident_bytes, time, title};
use crate::rows::{OURS, Rows};
use crate::world::{Site, bytes_below, create, reopen};

/// Appends in a window.
const WINDOW: u64 = 10_000;
/// Windows at each end that are compared: the very first ones warm caches and grow files.
const ENDS: usize = 10;
/// The cache of the views, which is not counted as memory of the writer.
const CACHE: u64 = 64 << 20;

/// Microseconds of one append, by a window of them.
struct Window {
    cpu: f64,
    wall: f64,
}

pub(crate) fn run(site: &Site, rows: &mut Rows) {
    title(&format!("building {} records, {WINDOW} a window", site.size));
    let path = site.ledger();
    let fresh = !path.join("ledger.toml").exists();
    let (ledger, clock) = if fresh { create(&path) } else { reopen(&path) };
    let empty = resident_bytes();
    let mut load = Load::resume(&path, ledger.id());
    if load.done() > 0 {
        println!("{} records were there already", load.done());
    }
    while load.done() < site.size {
        let writes = WINDOW.min(site.size - load.done());
        let ((_, wall), cpu) = cpu(|| time(|| load.go_on(&ledger, &clock, writes)));
        if writes == WINDOW {
            keep(site, &[cpu, wall].map(|spent| spent.as_secs_f64() * 1e6 / WINDOW as f64));
        }
    }
    drop(load);
    let memory = resident_bytes().saturating_sub(empty + CACHE) as f64 / site.size as f64;
    let status = ledger.status().unwrap();
    let ((_, wall), spent) = cpu(|| time(|| ledger.close().unwrap()));
    flat(&kept(site), rows);
    if fresh {
        let memory = Spread::one(memory);
        rows.goal("P2 resident bytes per memory beside the cache", "<= 250", memory);
    }
    let events = status.size as f64;
    rows.goal("P6 log bytes per event", "<= 400", Spread::one(status.log_bytes as f64 / events));
    let live = status.view_bytes.unwrap_or(0) as f64;
    rows.goal("P6 view bytes per event, as they grew", "<= 400", Spread::one(live / events));
    let views = path.join("views");
    let saved: u64 = ["state", "names"].iter().map(|name| file_bytes(&views.join(name))).sum();
    let rest = (bytes_below(&views) - saved) as f64;
    rows.goal("P6 view bytes per event, closed", "<= 400", Spread::one(rest / events));
    rows.figure(
        "saved state and names",
        OURS,
        "bytes per event",
        Spread::one(saved as f64 / events),
    );
    let all = bytes_below(&path) as f64 / site.size as f64;
    rows.figure(chart::BYTES, OURS, "bytes", Spread::one(all));
    rows.figure("closing what was built", OURS, "s", Spread::one(wall.as_secs_f64()));
    rows.figure("closing what was built, CPU", OURS, "s", Spread::one(spent.as_secs_f64()));
}

fn file_bytes(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |metadata| metadata.len())
}

fn windows(site: &Site) -> PathBuf {
    site.dir.join("windows.tsv")
}

fn keep(site: &Site, window: &[f64; 2]) {
    let mut file =
        std::fs::OpenOptions::new().create(true).append(true).open(windows(site)).unwrap();
    writeln!(file, "{}\t{}", window[0], window[1]).unwrap();
}

/// The windows of all runs that built this ledger.
fn kept(site: &Site) -> Vec<Window> {
    let text = std::fs::read_to_string(windows(site)).unwrap_or_default();
    let window = |line: &str| {
        let (cpu, wall) = line.split_once('\t').unwrap();
        Window { cpu: cpu.parse().unwrap(), wall: wall.parse().unwrap() }
    };
    text.lines().map(window).collect()
}

/// How flat the cost stayed.
fn flat(windows: &[Window], rows: &mut Rows) {
    let ends = ENDS.min(windows.len().div_ceil(2));
    let (first, last) = (&windows[..ends], &windows[windows.len() - ends..]);
    let spread =
        |of: fn(&Window) -> f64, windows: &[Window]| Spread::of(windows.iter().map(of).collect());
    if ends == 0 {
        return;
    }
    rows.figure(chart::APPEND, OURS, "us", spread(|window| window.cpu, last));
    rows.figure(
        "append, wall per record, 500 in flight",
        OURS,
        "us",
        spread(|window| window.wall, last),
    );
    if windows.len() < 2 * ENDS {
        return;
    }
    for (name, of) in [
        ("P2 last / first 100,000 appends, CPU", (|window| window.cpu) as fn(&Window) -> f64),
        ("P2 last / first 100,000 appends, wall", |window| window.wall),
    ] {
        let base = spread(of, first).median;
        let ratios = last.iter().map(|window| of(window) / base).collect();
        rows.goal(name, "<= 1.2", Spread::of(ratios));
    }
}
