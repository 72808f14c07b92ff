//! What a user would pick instead, as it grows: the same groups of records, durable and chained, up
//! to a million records; appending, opening again, bytes.

use std::path::Path;

use crate::chart;
use crate::load::GROUP;
use crate::measure::{Spread, cpu, time, title};
use crate::peers::{Fjall, Redb, Sqlite, Store};
use crate::rows::Rows;
use crate::world::{Numbers, Site, bytes_below};

/// More records would take more than ten gigabytes each.
const MOST: u64 = 1_000_000;
/// Records of one window.
const WINDOW: u64 = 10_000;
/// Windows at the end that are compared.
const ENDS: usize = 10;
/// Bytes of one record: what a write of the load takes in the log and among the payloads.
const STORED: usize = 600;

pub(crate) fn run(site: &Site, rows: &mut Rows) {
    if site.size > MOST {
        println!("peers are measured up to {MOST} records");
        return;
    }
    title(&format!("peers at {} records of {STORED} bytes, {GROUP} a commit", site.size));
    grow(site, "SQLite", Sqlite::new, rows);
    grow(site, "redb", Redb::new, rows);
    grow(site, "fjall", Fjall::new, rows);
}

fn grow<S: Store>(site: &Site, name: &str, open: impl Fn(&Path) -> S, rows: &mut Rows) {
    let scratch = site.scratch();
    std::fs::create_dir(scratch.path().join("store")).unwrap();
    let path = scratch.path().join("store").join("file");
    let mut store = open(&path);
    let mut numbers = Numbers::new(7);
    let mut windows = vec![];
    for _ in 0..site.size / WINDOW {
        let ((), spent) = cpu(|| {
            for _ in 0..WINDOW / GROUP {
                let blob = |_| numbers.text(STORED).into_bytes();
                store.commit(&(0..GROUP).map(blob).collect::<Vec<_>>());
            }
        });
        windows.push(spent.as_secs_f64() * 1e6 / WINDOW as f64);
    }
    drop(store);
    let ends = windows.split_off(windows.len().saturating_sub(ENDS));
    rows.figure(chart::APPEND, name, "us", Spread::of(ends));
    let bytes = bytes_below(&scratch.path().join("store")) as f64 / site.size as f64;
    rows.figure(chart::BYTES, name, "bytes", Spread::one(bytes));
    let mut opens = vec![];
    for _ in 0..site.rounds.max(3) {
        let (store, took) = time(|| {
            let store = open(&path);
            assert!(store.read(site.size - 1) >= STORED);
            store
        });
        opens.push(took.as_secs_f64() * 1e3);
        drop(store);
    }
    rows.figure(chart::OPEN, name, "ms", Spread::of(opens));
}
