//! Building views, a tenth of the log against all of it (goal T4). Each build runs in a process of
//! its own, so that its memory is its own.

use std::process::Command;

use ledger_format::LedgerId;
use ledger_replay::{State, apply};
use ledger_views::{OpenOptions, Rebuild};

use crate::load::events;
use crate::measure::{Spread, cpu, forget_peak, peak_bytes, resident_bytes, title};
use crate::rows::{OURS, Rows};
use crate::world::Site;

/// What one process found.
struct Built {
    /// Processor time of one event in microseconds.
    each: f64,
    /// Bytes of memory at most, beside what the process had before.
    peak: f64,
}

pub(crate) fn run(site: &Site, rows: &mut Rows) {
    title(&format!("T4: building views of {} records and of a tenth", site.size));
    let (mut ratios, mut peaks, mut states) = (vec![], vec![], vec![]);
    for _ in 0..site.rounds {
        let tenth = child(site, "views", site.size / 10);
        let whole = child(site, "views", site.size);
        let state = child(site, "state", site.size);
        ratios.push(tenth.each / whole.each);
        peaks.push((whole.peak - state.peak) / OpenOptions::CACHE_BYTES as f64);
        states.push(state.peak / site.size as f64);
    }
    rows.goal("T4 rate of all / rate of the first tenth, CPU", ">= 0.7", Spread::of(ratios));
    rows.goal("T4 memory beside the state / configured cache", "<= 1.3", Spread::of(peaks));
    rows.figure("state, resident bytes per memory", OURS, "bytes", Spread::of(states));
}

fn child(site: &Site, what: &str, records: u64) -> Built {
    let id = u128::from_be_bytes(site.id().0).to_string();
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["child", what, site.dir.to_str().unwrap(), &id, &records.to_string()])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let (each, peak) = text.trim().split_once(' ').unwrap();
    Built { each: each.parse().unwrap(), peak: peak.parse().unwrap() }
}

/// What such a process does: `what`, directory, id of the ledger, number of events.
pub(crate) fn in_child(args: &[String]) {
    let [what, dir, id, records] = args else { panic!("what, directory, ledger, events") };
    let site = Site { dir: dir.into(), size: records.parse().unwrap(), rounds: 1 };
    let id = LedgerId(id.parse::<u128>().unwrap().to_be_bytes());
    let events = events(&site.ledger(), id).take(site.size as usize);
    forget_peak();
    let before = resident_bytes();
    let mut state = State::default();
    let (_, spent) = cpu(|| match what.as_str() {
        "state" => events.for_each(|event| drop(apply(&mut state, &event))),
        _ => {
            let scratch = site.scratch();
            let mut rebuild = Rebuild::begin(scratch.path(), OpenOptions::new(id)).unwrap();
            events.for_each(|event| rebuild.push(&apply(&mut state, &event)).unwrap());
            rebuild.finish().unwrap().close().unwrap();
        }
    });
    let peak = peak_bytes().saturating_sub(before);
    println!("{} {peak}", spent.as_secs_f64() * 1e6 / site.size as f64);
}
